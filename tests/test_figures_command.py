"""``python -m figures``: its options, its files, and what it says when it cannot."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from figures import FIGURES
from figures.__main__ import main

ROOT = Path(__file__).resolve().parents[1]


def run(*arguments: str) -> Any:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "figures", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
    )


def test_every_figure_module_is_registered() -> None:
    modules = {path.stem for path in (ROOT / "figures").glob("[a-z]*.py")}
    assert modules == set(FIGURES)


def test_list_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(FIGURES)
    assert all(len(line.split(maxsplit=1)[1]) > 10 for line in lines)
    done = run("--help")
    assert done.returncode == 0 and "docs/figures.md" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fig9"], "there is no figure 'fig9'; there are: fig1,"),
        (["fig2", "--format", "gif"], "argument --format: must be of pdf, png, svg, got 'gif'"),
        (["fig2", "--seed", "-1"], "argument --seed: seed must be an integer >= 0, got '-1'"),
        (["fig2", "--outt", "x"], "unrecognized arguments: --outt x"),
    ],
)
def test_usage_errors_are_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("python -m figures: error: ") and message in captured.err
    assert captured.err.count("\n") == 1


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("kept")
    assert main(["fig2", "--quick", "--out", str(tmp_path / "file")]) == 2
    captured = capsys.readouterr()
    assert "argument --out: cannot write to" in captured.err and captured.err.count("\n") == 1
    assert (tmp_path / "file").read_text() == "kept"


def test_a_figure_with_its_data(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    done = run("fig2", "--quick", "--out", str(folder), "--format", "svg,png,pdf")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1 and done.stderr == ""
    names = {path.name for path in folder.iterdir()}
    assert names == {f"fig2.{form}" for form in ("svg", "png", "pdf", "npz", "json")}
    assert (folder / "fig2.png").read_bytes()[:4] == b"\x89PNG"
    assert (folder / "fig2.pdf").read_bytes()[:4] == b"%PDF"
    described = json.loads((folder / "fig2.json").read_text())
    assert described["figure"] == "fig2" and described["seed"] == 0 and described["claims"]
    with np.load(folder / "fig2.npz") as arrays:
        assert {name: list(arrays[name].shape) for name in arrays} == described["arrays"]


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert main(["fig2", "--quick", "--out", str(tmp_path / name), "--format", "svg,pdf"]) == 0
    for form in ("npz", "json", "svg", "pdf"):
        first, second = (tmp_path / name / f"fig2.{form}" for name in ("one", "two"))
        assert first.read_bytes() == second.read_bytes(), form
    with zipfile.ZipFile(tmp_path / "one" / "fig2.npz") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


def test_claims_drawn_are_there() -> None:
    import importlib

    import verify

    keys = {claim.key for claim in verify.claims()}
    for name in FIGURES:
        data = importlib.import_module(f"figures.{name}").data(
            quick=True, seed=0, progress=lambda done, count: None
        )
        assert data.claims and set(data.claims) <= keys, set(data.claims) - keys
        # moment matching has MMD = 0 from degree 3 on: no quotient there
        open_ends = {"b.moments.quotient"}
        assert all(np.all(np.isfinite(x)) for key, x in data.arrays.items() if key not in open_ends)
