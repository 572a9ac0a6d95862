"""``spherelab report``: its numbers against exact ones, its files, and its messages."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from spherelab import population
from spherelab.__main__ import load, main, text
from spherelab.arguments import ArgumentError
from spherelab.laws import VonMisesFisher
from spherelab.pairs import NuisanceChannel
from spherelab.report import Line, Settings, report
from spherelab.sphere import uniform_sample

Array = NDArray[np.float64]

PAIR = NuisanceChannel(VonMisesFisher(8, 6.0), 0.04, 0.0)


def sample(n: int = 3000, seed: int = 0) -> tuple[Array, Array]:
    return PAIR.sample(n, np.random.default_rng([5, seed]))


def lines(*arguments: Any) -> dict[str, Line]:
    return {line.name: line for section in report(*arguments) for line in section.lines}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    u, v = sample(200)
    np.save(tmp_path / "a.npy", u)
    np.save(tmp_path / "b.npy", v.astype(np.float32))
    return str(tmp_path / "a.npy"), str(tmp_path / "b.npy")


# --- the numbers ----------------------------------------------------------------------------------


def test_covers_the_exact_values() -> None:
    """Within five stated standard errors of the population's values, all quantities."""
    found = lines(*sample(), Settings(beta=3.0, subsample=None))
    first = PAIR.first
    excess = population.infonce_excess(PAIR, 3.0)
    exact = {
        "alignment E|u-v|^2": 4 * PAIR.misalignment(),
        "misalignment Delta": PAIR.misalignment(),
        "2 beta Delta": 6 * PAIR.misalignment(),
        "uniformity excess U_beta": population.uniformity_excess(first, 3.0),
        "InfoNCE excess": excess,
        "SG loss J": population.sg_loss(PAIR),
        "|q_1|^2": float(first.harmonic_energy(1)),
        "|q_3|^2": float(first.harmonic_energy(3)),
        "gain g, c = -1": population.gain(VonMisesFisher(8, 6.0)),
    }
    # U is the code with its nuisance on: the gain of its law is that of the smoothed code
    exact["gain g, c = -1"] = population.gain(first)
    exact["gain g, c = 0"] = population.gain(first, 0.0)
    for name, value in exact.items():
        line = found[name]
        assert line.standard_error is not None and line.n == 3000
        error = max(line.standard_error, 1e-9)
        assert abs(line.value - value) <= 5 * error, (name, line, value)
    assert found["least loss L*"].value == population.infonce_minimum(8, 3.0)
    upper = found["J, upper"].value
    assert found["Delta is at most"].value == population.misalignment_certificate(upper)
    bound = population.leading_constant() * 3 * math.sqrt(upper)
    assert found["4*3^(3/4) beta sqrt(J)"].value == pytest.approx(bound, rel=1e-14)
    weight = found["critical weight, paper"].value
    gain = found["gain g, c = 0"].value
    assert weight == population.critical_sigreg_weight(gain, 256)
    assert abs(found["effective rank"].value - 8) < 0.5


def test_certificate_speaks_of_vacuous_bounds() -> None:
    tight = uniform_sample(4000, 3, np.random.default_rng(1))
    noise = 0.01 * np.random.default_rng(2).standard_normal(tight.shape)
    other = (tight + noise) / np.linalg.norm(tight + noise, axis=1, keepdims=True)
    said = {
        beta: [
            s for section in report(tight, other, Settings(beta=beta)) for s in section.sentences
        ]
        for beta in (0.2, 40.0)
    }
    assert any(s.startswith("Theorem 1 certifies") for s in said[0.2])
    assert any(s.startswith("Theorem 1's bound is vacuous") for s in said[40.0])


@pytest.mark.parametrize(
    ("weight", "said"), [(1e-4, "below"), (0.9, "above"), (None, "within two")]
)
def test_says_on_which_side_a_weight_falls(weight: float | None, said: str) -> None:
    u, v = sample(500)
    if weight is None:
        weight = lines(u, v)["critical weight, paper"].value
    sections = report(u, v, Settings(sigreg_weight=weight))
    sentence = next(s for section in sections for s in section.sentences if "(paper" in s)
    assert f"is {said}" in sentence


def test_one_array_has_no_pair_quantities() -> None:
    u, v = sample(300)
    one, two = lines(u), lines(u, v)
    assert "InfoNCE excess" not in one and "SG loss J" not in one
    for name in ("uniformity excess U_beta", "|q_2|^2", "gain g, c = 0", "effective rank"):
        assert one[name] == two[name]


def test_subsample_and_seed() -> None:
    u, v = sample(500)
    whole, some = lines(u, v, Settings(subsample=None)), lines(u, v, Settings(subsample=100))
    assert whole["InfoNCE excess"].n == 500 and some["InfoNCE excess"].n == 100
    assert whole["alignment E|u-v|^2"] == some["alignment E|u-v|^2"]
    assert some == lines(u, v, Settings(subsample=100))
    assert some["SG loss J"] != lines(u, v, Settings(subsample=100, seed=1))["SG loss J"]


def test_normalise() -> None:
    u, v = sample(300)
    sizes = np.random.default_rng(3).uniform(0.1, 9.0, (300, 1))
    found, plain = lines(u * sizes, v, Settings(normalise=True)), lines(u, v)
    assert found["norms of A, CV"].value > 0.3
    for name in ("InfoNCE excess", "alignment E|u-v|^2", "effective rank", "|q_2|^2"):
        assert found[name].value == pytest.approx(plain[name].value, rel=1e-10)


def test_degenerate_rows() -> None:
    u = np.tile(np.eye(4)[1], (50, 1))
    sections = report(u, None, Settings(beta=2.0))
    assert sections[-1].sentences == ("degenerate: every row is the same.",)
    found = lines(u, u, Settings(beta=2.0))
    assert found["alignment E|u-v|^2"].value == 0
    expected = 2.0 - float(population.infonce_minimum(4, 2.0) + 2.0)
    assert found["uniformity excess U_beta"].value == pytest.approx(expected, abs=1e-12)


# --- the command ----------------------------------------------------------------------------------


def test_text_and_json(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", *files, "--temperature", "0.5", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["beta"] == 2.0
    assert [section["title"] for section in found["sections"]][1] == "InfoNCE, beta = 2"
    assert main(["report", *files, "--beta", "2"]) == 0
    shown = capsys.readouterr().out
    for section in found["sections"]:
        assert section["title"].upper() in shown
        for line in section["lines"]:
            assert line["name"] in shown
    assert max(map(len, shown.splitlines())) <= 140
    assert text(report(*sample(50))).startswith("DATA\n")


def test_json_file(files: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    assert main(["report", files[0], "--quick", "--json", str(path)]) == 0
    assert json.loads(path.read_text())["settings"]["subsample"] == 1024
    assert {p.name for p in tmp_path.iterdir()} == {"a.npy", "b.npy", "out.json"}


def test_archives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    u, v = sample(60)
    path = str(tmp_path / "both.npz")
    np.savez(path, first=u, second=v)
    assert np.array_equal(load(path, "second"), v)
    assert main(["report", path, "--key", "first", "--beta", "2"]) == 0
    assert main(["report", path]) == 2
    assert "key must name one of first, second" in capsys.readouterr().err
    assert main(["report", path, "--key", "third"]) == 2
    assert "got 'third'" in capsys.readouterr().err


def spoil(change: Callable[[Array], Any]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        np.save(path, change(sample(20)[0]), allow_pickle=True)

    return write


def put(row: int, column: int, value: float) -> Callable[[Array], Array]:
    def change(u: Array) -> Array:
        u[row, column] = value
        return u

    return change


def cut(path: Path) -> None:
    np.save(path, sample(20)[0])
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (spoil(put(7, 3, math.nan)), "a must be finite, got nan in row 7, column 3"),
        (spoil(put(2, 0, math.inf)), "a must be finite, got inf in row 2, column 0"),
        (spoil(lambda u: u * np.arange(20)[:, None]), "a must have no zero row, row 0 is zero"),
        (spoil(lambda u: 1.5 * u), "a must have unit rows (within 0.001), row"),
        (spoil(lambda u: u[:2]), "a must have shape (n, d), n >= 3 and d >= 2, got (2, 8)"),
        (spoil(lambda u: u[:, :1]), "a must have shape (n, d), n >= 3 and d >= 2, got (20, 1)"),
        (spoil(lambda u: u.astype(int)), "a must be an array of floats, got dtype int64"),
        (
            spoil(lambda u: u.astype(object)),
            "cannot be read: Array can't be memory-mapped: Python objects",
        ),
        (cut, "cannot be read: "),
        (lambda path: path.write_text("1,2,3"), "must be a .npy or .npz file, it is of another"),
        (lambda path: path.write_bytes(b"PK\x03\x04junk"), "cannot be read: "),
        (lambda path: path.write_bytes(b""), "must be a .npy or .npz file, it is of another kind"),
        (lambda path: path.mkdir(), "cannot be read: Is a directory"),
        (lambda path: None, "cannot be read: No such file or directory"),
    ],
)
def test_bad_files(
    write: Callable[[Path], Any],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "given.npy"
    write(path)
    assert main(["report", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert captured.err.startswith("python -m spherelab: error: ") and message in captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--beta", "0"], "beta must be finite and > 0, got '0'"),
        (["--beta", "1", "--temperature", "1"], "not allowed with argument"),
        (["--batch-size", "0"], "batch size must be an integer >= 1, got '0'"),
        (["--sigreg-weight", "1"], "sigreg_weight must be in (0, 1), got 1"),
        (["--subsample", "2"], "subsample must be an integer >= 3, got '2'"),
        (["--seed", "-1"], "seed must be an integer >= 0, got '-1'"),
        (["--beta", "1e9"], "beta must leave every row a neighbour"),
        (["--json", "/no/such/folder/x.json"], "argument --json: cannot write"),
        (["--jsn", "x"], "unrecognized arguments"),
    ],
)
def test_bad_options(
    arguments: list[str],
    message: str,
    files: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["report", *files, *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.err.count("\n") == 1 and captured.out == ""


def test_rows_must_match(files: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="a and b must have one shape"):
        report(sample(20)[0], sample(21)[1])


def test_help_answers_at_once() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "spherelab", "report", "--help"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert "--sigreg-weight" in done.stdout
    assert "numpy" not in done.stderr  # nothing heavy is imported for it
