"""The command that the verify modules share, run as a person would run it.

A toy set of claims stands for a theory, so that every way a claim can end is reached in no time;
what is specific to one result is tested with that result.
"""

from __future__ import annotations

import fnmatch
import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spherelab
from verify import RESULTS

ROOT = Path(__file__).resolve().parent.parent

TOY = '''
"""Toy claims; TOY=bad adds the ones that do not pass."""
import math, os, sys, time
from verify._command import main


def claims():
    from spherelab.claim import Axis, Claim, Domain, Proof, Relation
    from spherelab.value import Value

    D = Axis("d", (2, 16, 1024), 2, 1024, "integer", quick=(2,))
    BETA = Axis("beta", (0.1, 2.0), 0.1, 50.0, "log")
    note = "the hypothesis is needed"
    mode = os.environ.get("TOY", "")

    def claim(key, left, relation, right, **more):
        fields = dict(statement=f"the statement of {key}", source="SG paper, Theorem 1", ours=False,
                      domain=Domain((D, BETA)), tight=False, formula="$l$")
        return Claim(key=key, left=left, relation=relation, right=right, **(fields | more))

    def slowly(**point):
        time.sleep(0.5)
        if mode == "ready":
            print("ready", file=sys.stderr, flush=True)
        return 1.0

    if mode in ("slow", "ready"):
        return (claim("toy.slow", slowly, Relation.AT_MOST, lambda **p: 2.0),)
    if mode == "none":
        return ()
    box = {"d": (2.0, 1024.0), "beta": (0.1, 50.0)}
    good = (
        claim("toy.bound", lambda d, beta: min(beta, 1) / d, Relation.AT_MOST, lambda d, beta: beta,
              prove=lambda points: Proof(True, box, 128, 3)),
        claim("toy.sharp", lambda d: Value(0.1, 1e-17), Relation.EQUAL, lambda d: 0.1, ours=True,
              tight=True, domain=Domain((D,)), note="equality is attained in the limit"),
        claim("toy.needed", lambda: 1.4, Relation.AT_LEAST, lambda: 1.0, domain=Domain(()),
              note=note),
        claim("toy.small", lambda d: 1.0, Relation.AT_MOST, lambda d: 2.0, note=note,
              domain=Domain((Axis("d", (2, 3), 2, 8, "integer"),))),
        claim("toy.sampled", None, Relation.IN_LAW, lambda d: 0.0, samples=400,
              domain=Domain((D,)),
              sample=lambda rng, n, d: Value(rng.standard_normal(n).mean(), n ** -0.5)),
    )
    bad = (
        claim("toy.violated", lambda d, beta: beta, Relation.AT_MOST, lambda d, beta: 1.0),
        claim("toy.nan", lambda d: math.nan, Relation.AT_MOST, lambda d: 1.0,
              domain=Domain((D,))),
        claim("toy.raises", lambda d: 1 / 0, Relation.EQUAL, lambda d: 1.0,
              domain=Domain((D,))),
    )
    return good + bad if mode == "bad" else good


if __name__ == "__main__":
    sys.exit(main(claims, prog="python toy.py", description=__doc__))
'''


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("toy") / "toy.py"
    path.write_text(TOY)
    return path


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TOY", "TERM")}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", **more}


def run(script: Path, *arguments: str, mode: str = "", **more: Any) -> Any:
    return subprocess.run(
        [sys.executable, "-W", "error", str(script), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=script.parent,
        env=environment(TOY=mode, **more),
    )


def rows(table: str) -> dict[str, str]:
    """The rows of the table, by the key of the claim; the header shows what keys begin with."""
    header, _, *body = table.split("\n\n")[0].splitlines()
    prefix = header.split()[1]
    assert prefix == "toy."
    return {prefix + row.replace("*", " ").split()[0]: row for row in body}


def verdicts(done: Any) -> dict[str, str]:
    return {c["key"]: c["verdict"] for c in json.loads(done.stdout)["claims"]}


# --- the table and the exit code ------------------------------------------------------------------


def test_every_claim_passes(toy: Path) -> None:
    done = run(toy)
    assert (done.returncode, done.stderr) == (0, "")
    found = rows(done.stdout)
    assert list(found) == ["toy.bound", "toy.sharp", "toy.needed", "toy.small", "toy.sampled"]
    assert re.search(
        r" bound +d=2 beta=0\.1 +0\.0500000 +<= +0\.100000 +0\.50000 +0\.050 +HOLDS$",
        found["toy.bound"],
    )
    assert found["toy.sharp"].startswith("*")
    assert not found["toy.bound"].startswith("*")
    assert found["toy.sampled"].endswith("SAMPLED")
    assert "toy.needed and 1 other: the hypothesis is needed" in done.stdout
    assert "n = 400, seed 0, false-alarm rate 1e-06" in done.stdout
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(
        r"5 claims, 15 points, \d+\.\d s: 4 HOLDS, 1 SAMPLED\. Every claim passes\.", last
    )


def test_the_table_fits_and_its_columns_are_aligned(toy: Path) -> None:
    done = run(toy, mode="bad")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 120
    header, found = lines[0], rows(done.stdout)
    column = header.index("verdict")
    assert all(row[column - 1] == " " and row[column].isupper() for row in found.values())


def test_a_claim_that_does_not_pass(toy: Path) -> None:
    done = run(toy, mode="bad")
    assert (done.returncode, done.stderr) == (1, "")
    assert "VIOLATED toy.violated" in done.stdout
    assert "the statement of toy.violated (SG paper, Theorem 1)" in done.stdout
    assert "at d=2 beta=2.0: 2.0 <= 1.0" in done.stdout
    assert "3 of 6 points do not pass" in done.stdout
    assert "UNDECIDED toy.nan" in done.stdout
    assert "ZeroDivisionError: division by zero" in done.stdout
    last = done.stdout.splitlines()[-1]
    assert "2 UNDECIDED, 1 VIOLATED. Not every claim passes." in last


@pytest.mark.parametrize("options", [[], ["--quick"], ["--seed", "7"], ["--beta", "1.1,3"]])
def test_the_command_that_is_printed_shows_the_same_point(toy: Path, options: list[str]) -> None:
    done = run(toy, *options, "--json", "-", mode="bad")
    first = {c["key"]: c for c in json.loads(done.stdout)["claims"]}
    commands = re.findall(r"^  again: python toy\.py (.*)$", done.stderr, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        again = run(toy, *shlex.split(command), "--json", "-", mode="bad")
        assert again.returncode == 1
        (claim,) = json.loads(again.stdout)["claims"]
        before = first[claim["key"]]
        for field in ("verdict", "left", "right", "margin", "at"):
            assert claim[field] == before[field]


def test_no_claims_is_no_pass(toy: Path) -> None:
    done = run(toy, mode="none")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "python toy.py: error: nothing to check: there are no claims\n"


# --- options --------------------------------------------------------------------------------------


def test_quick_takes_the_smaller_grid(toy: Path) -> None:
    done = run(toy, "--quick", "--json", "-")
    points = {c["key"]: c["points"] for c in json.loads(done.stdout)["claims"]}
    assert points["toy.bound"] == 2
    assert points["toy.sharp"] == 1


@pytest.mark.parametrize("options", [["--dim", "2,16"], ["--dim", "2", "--dim", "16, 2"]])
def test_dim_restricts_the_grid(toy: Path, options: list[str]) -> None:
    done = run(toy, *options, "--json", "-")
    assert done.returncode == 0
    claims = {c["key"]: c for c in json.loads(done.stdout)["claims"]}
    points = {key: c["points"] for key, c in claims.items()}
    expected = {"bound": 4, "sharp": 2, "needed": 1, "small": 1, "sampled": 2}
    assert points == {f"toy.{k}": n for k, n in expected.items()}
    assert "toy.small: d = 16 is outside [2, 8], and not checked there" in done.stderr


def test_a_claim_with_no_point_in_range_is_left_out_and_said_so(toy: Path) -> None:
    done = run(toy, "--dim", "16", "--json", "-")
    assert done.returncode == 0
    assert "toy.small" not in verdicts(done)
    assert "toy.small: not checked: d = 16 is outside [2, 8]" in done.stderr
    assert "4 claims, " in done.stderr.splitlines()[-1]


def test_beta_restricts_only_the_claims_that_have_it(toy: Path) -> None:
    done = run(toy, "--beta", "0.25", "--json", "-")
    claims = {c["key"]: c for c in json.loads(done.stdout)["claims"]}
    assert claims["toy.bound"]["at"]["beta"] == 0.25
    assert claims["toy.sharp"]["points"] == 3


def test_an_option_that_changes_nothing_says_so(toy: Path) -> None:
    done = run(toy, "--claim", "toy.sharp", "--beta", "3")
    assert done.returncode == 0
    assert "no claim here has beta: --beta changes nothing" in done.stdout


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        (["--claim", "toy.s*"], {"toy.sharp", "toy.small", "toy.sampled"}),
        (["--claim", "toy.bound", "--claim", "*needed"], {"toy.bound", "toy.needed"}),
    ],
)
def test_claim_selects(toy: Path, options: list[str], keys: set[str]) -> None:
    assert set(verdicts(run(toy, *options, "--json", "-"))) == keys


def test_seed(toy: Path) -> None:
    def left(*options: str) -> float:
        done = run(toy, "--claim", "toy.sampled", "--dim", "2", "--json", "-", *options)
        document = json.loads(done.stdout)
        assert document["seed"] == document["claims"][0]["sampled"]["seed"]
        return document["claims"][0]["left"]

    assert left() == left("--seed", "0") != left("--seed", "1")


def test_rigorous(toy: Path) -> None:
    pytest.importorskip("flint")
    done = run(toy, "--rigorous", "--json", "-")
    assert done.returncode == 0
    claims = {c["key"]: c for c in json.loads(done.stdout)["claims"]}
    assert claims["toy.bound"]["verdict"] == "PROVED"
    assert claims["toy.bound"]["proof"]["box"] == {"d": [2, 1024], "beta": [0.1, 50]}
    assert claims["toy.bound"]["proof"]["precision"] == 128
    assert claims["toy.bound"]["proof"]["bisections"] == 3
    assert claims["toy.sharp"]["verdict"] == "HOLDS"
    assert "proof" not in claims["toy.sharp"]
    assert "proved on the whole box d in [2, 1024], beta in [0.1, 50]" in done.stderr


def test_rigorous_without_flint(toy: Path, tmp_path: Path) -> None:
    (tmp_path / "flint.py").write_text("raise ImportError('not here')\n")
    done = run(toy, "--rigorous", PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "python-flint" in done.stderr
    assert "spherelab[rigour]" in done.stderr


def test_version(toy: Path) -> None:
    done = run(toy, "--version")
    assert (done.returncode, done.stdout) == (0, f"spherelab {spherelab.__version__}\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--dim", "1"], "argument --dim: d must be an integer >= 2, got '1'"),
        (["--dim", "2.5"], "argument --dim: d must be an integer >= 2, got '2.5'"),
        (["--dim", "two"], "d must be an integer >= 2"),
        (["--dim", "2,"], "d must be an integer >= 2, got ''"),
        (["--dim", ""], "d must be an integer >= 2, got ''"),
        (["--dim", "-2"], "got '-2'"),
        (["--dim"], "argument --dim: expected one argument"),
        (["--dim", "2000"], "argument --dim: d must be in [2, 1024], got 2000"),
        (["--dim", "2,2000"], "got 2000"),
        (["--claim", "toy.small", "--dim", "9"], "d must be in [2, 8], got 9"),
        (["--beta", "0"], "argument --beta: beta must be finite and > 0, got '0'"),
        (["--beta", "-1"], "beta must be finite and > 0, got '-1'"),
        (["--beta", "nan"], "beta must be finite and > 0, got 'nan'"),
        (["--beta", "inf"], "beta must be finite and > 0, got 'inf'"),
        (["--beta", "1e-3"], "argument --beta: beta must be in [0.1, 50], got 0.001"),
        (["--claim", "nothing*"], "argument --claim: no claim matches 'nothing*'; there are: toy."),
        (["--seed", "-1"], "argument --seed: seed must be an integer >= 0, got '-1'"),
        (["--seed", "x"], "seed must be an integer >= 0"),
        (["--quik"], "unrecognized arguments: --quik"),
        (["--qui"], "unrecognized arguments: --qui"),
        (["what"], "unrecognized arguments: what"),
        (["--json"], "argument --json: expected one argument"),
        (["--json", ""], "it names no file"),
        (["--json", "."], "it is a folder"),
        (["--json", "no/such/folder.json"], "No such file or directory"),
        (["--json", "toy.py/x.json"], "Not a directory"),
        (["--json", os.devnull], "it is not a regular file"),
    ],
)
def test_a_usage_error_is_one_line_and_exit_code_2(
    toy: Path, options: list[str], message: str
) -> None:
    done = run(toy, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("python toy.py: error: ")
    assert message in done.stderr


# --- JSON -----------------------------------------------------------------------------------------


def strict(text: str) -> Any:
    def refuse(token: str) -> Any:
        raise AssertionError(f"{token} is not JSON")

    return json.loads(text, parse_constant=refuse)


FIELDS = [
    "key",
    "statement",
    "source",
    "ours",
    "relation",
    "tight",
    "verdict",
    "left",
    "right",
    "margin",
    "at",
    "points",
    "seconds",
]


def test_json_has_these_fields_and_no_others(toy: Path) -> None:
    done = run(toy, "--json", "-", mode="bad")
    document = strict(done.stdout)
    assert list(document) == ["spherelab", "environment", "seed", "claims"]
    assert document["spherelab"] == spherelab.__version__
    libraries = ["numpy", "scipy", "numba", "mpmath", "sympy", "flint"]
    assert list(document["environment"]) == ["python", *libraries, "platform"]
    assert os.uname().nodename not in json.dumps(document["environment"])
    for claim in document["claims"]:
        assert list(claim)[: len(FIELDS)] == FIELDS
        assert set(claim) - set(FIELDS) <= {"note", "reason", "proof", "sampled"}
        assert len(claim["margin"]) == 2
    claims = {claim["key"]: claim for claim in document["claims"]}
    assert claims["toy.nan"]["left"] is None
    assert claims["toy.nan"]["margin"] == [None, None]
    assert claims["toy.sharp"]["left"] == 0.1
    assert (claims["toy.sharp"]["ours"], claims["toy.sharp"]["relation"]) == (True, "EQUAL")
    assert claims["toy.violated"]["at"] == {"d": 2, "beta": 2.0}
    assert "toy.violated" in done.stderr  # the table


def test_json_file(toy: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "results.json"
    target.write_text("old")
    link = tmp_path / "link.json"
    link.symlink_to(target)
    done = run(toy, "--json", str(link))
    assert done.returncode == 0
    assert set(rows(done.stdout)) == {c["key"] for c in strict(target.read_text())["claims"]}
    assert len(strict(target.read_text())["claims"]) == 5
    assert link.is_symlink()
    assert os.listdir(tmp_path / "folder") == ["results.json"]
    assert target.stat().st_mode & 0o777 == 0o666 & ~current_umask()


def current_umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def test_a_folder_that_takes_no_file_is_found_before_the_work(toy: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        folder = "/proc"  # takes no file from anyone
    else:
        (tmp_path / "closed").mkdir(mode=0o500)
        folder = str(tmp_path / "closed")
    if not os.path.isdir(folder):
        pytest.skip("no folder here that refuses a file")
    done = run(toy, "--json", f"{folder}/results.json", mode="ready")  # says when it works
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot write" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_usage_error_leaves_the_old_file(toy: Path, tmp_path: Path) -> None:
    target = tmp_path / "results.json"
    target.write_text("old")
    assert run(toy, "--json", str(target), "--dim", "5000").returncode == 2
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["results.json"]


# --- interrupts, pipes and terminals --------------------------------------------------------------


def test_interrupt(toy: Path) -> None:
    with subprocess.Popen(
        [sys.executable, str(toy)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(TOY="ready"),
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert [line for line in err.splitlines() if line != "ready"] == ["python toy.py: interrupted"]


def test_a_reader_that_leaves_is_no_traceback(toy: Path) -> None:
    read, written = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, str(toy)], stdout=written, stderr=subprocess.PIPE, env=environment()
    )
    os.close(written)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_encoding_that_lacks_a_letter_is_no_traceback(toy: Path, tmp_path: Path) -> None:
    script = tmp_path / "greek.py"
    script.write_text(TOY.replace("the hypothesis is needed", "0 < \\u03b2"))
    done = run(script, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "toy.needed and 1 other: 0 < \\u03b2" in done.stdout


def on_a_terminal(command: list[str], env: dict[str, str]) -> tuple[int, str]:
    """Runs a command whose standard output and error are a terminal; returns what it shows."""
    terminal, side = pty.openpty()
    shown = b""
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=env) as process:
        os.close(side)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 1.0)[0]:
                continue
            try:
                chunk = os.read(terminal, 65536)
            except OSError:  # Linux: the other side is closed
                break
            if not chunk:
                break
            shown += chunk
        code = process.wait(timeout=30)
    os.close(terminal)
    return code, shown.decode().replace("\r\n", "\n")


def test_colours_on_a_terminal(toy: Path) -> None:
    command = [sys.executable, str(toy)]
    code, shown = on_a_terminal(command, environment())
    assert code == 0
    assert "\033[32mHOLDS\033[0m" in shown
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        _, plain = on_a_terminal(command, environment(**variables))
        assert "\033" not in plain
        assert "HOLDS" in plain
    assert "\033" not in run(toy).stdout


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_of_long_work_on_a_terminal_only(toy: Path, terminal: bool) -> None:
    if not terminal:
        assert run(toy, mode="slow").stderr == ""
        return
    code, shown = on_a_terminal([sys.executable, str(toy)], environment(TOY="slow"))
    assert code == 0
    before_table = shown[: shown.index("claim  ")]
    assert "\r[1/1] toy.slow: 5/6 points" in before_table
    assert "1/6 points" not in before_table  # nothing is said in the first two seconds
    # the line is wiped before the table: what stays of it is blanks
    assert before_table.split("\r")[-2].strip() == ""


# --- the modules themselves -----------------------------------------------------------------------


def module_is_there(name: str) -> bool:
    return (ROOT / "spherelab" / "theory" / f"{name}.py").exists()


def verify(name: str, *arguments: str) -> Any:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", f"verify.{name}", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        env=environment(),
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("module", ["verify.constants", "figures", "spherelab"])
def test_a_full_disk_is_one_line(module: str, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(5))
    arguments = {"figures": ["--list"], "spherelab": ["report", str(tmp_path / "a.npy")]}
    command = [sys.executable, "-m", module, *arguments.get(module, ["--quick"])]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, timeout=120
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "cannot write the output: No space left" in done.stderr


@pytest.mark.parametrize("module", ["verify.constants", "figures", "spherelab"])
def test_output_may_be_closed(module: str, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(5))
    arguments = {"figures": ["--list"], "spherelab": ["report", str(tmp_path / "a.npy")]}
    command = [sys.executable, "-m", module, *arguments.get(module, ["--quick"])]
    done = subprocess.run(
        ["sh", "-c", f"exec {shlex.join(command)} >&-"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_two_documents_need_two_files(tmp_path: Path) -> None:
    same = str(tmp_path / "same")
    for arguments in (["--html", same, "--json", same], ["--html", "-"]):
        done = verify("constants", "--quick", *arguments)
        assert done.returncode == 2 and done.stderr.count("\n") == 1
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    done = verify("constants", "--quick", "--html", str(loop))
    assert done.returncode == 2 and "it is a link to itself" in done.stderr
    assert loop.is_symlink()


def test_every_verify_module_is_registered() -> None:
    modules = {path.stem for path in (ROOT / "verify").glob("[a-z]*.py")}
    assert modules == set(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_help_answers_at_once(name: str) -> None:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        done = verify(name, "--help")
        times.append(time.perf_counter() - start)
        assert done.returncode == 0
        for option in ("--json", "--quick", "--rigorous", "--seed", "--dim", "--beta", "--claim"):
            assert option in done.stdout
    assert min(times) < 0.5


@pytest.mark.parametrize("name", [n for n in RESULTS if module_is_there(n)])
def test_a_result_from_the_command_line(name: str) -> None:
    done = verify(name, "--quick", "--json", "-")
    assert done.returncode == 0, done.stderr
    claims = strict(done.stdout)["claims"]
    assert claims
    assert all(claim["verdict"] in ("PROVED", "HOLDS", "SAMPLED") for claim in claims)
    assert all(fnmatch.fnmatchcase(claim["key"], f"{name}.*") for claim in claims)
    assert max(map(len, done.stderr.splitlines())) <= 120
    keys = [claim["key"] for claim in claims]
    assert len(set(keys)) == len(keys)
