"""The command that every module of `verify` shares: options, plan, checks, exit code.

The standard library only at the top: ``--help`` and a usage error must answer at once.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

import spherelab
from spherelab.command import DONE, FAILED, Parser, UsageError, integer, run
from verify._pool import Task

if TYPE_CHECKING:
    from spherelab.check import Result
    from spherelab.claim import Axis, Claim


#: Axis name -> the option that restricts it.
AXIS_OPTIONS = {"d": "--dim", "beta": "--beta"}

EPILOG = """\
columns:
  left, right  the two sides of the claim at its worst point
  margin       right - left (<=), left - right (>=) or -|left - right| (=, ->, in law), less the
               error of the evaluation itself
  *            goes beyond the paper that is named: ours

exit code:
  0  every claim passes (PROVED, HOLDS or SAMPLED)
  1  a claim is VIOLATED or UNDECIDED; the command that shows the point again is printed
  2  usage error
"""


def main(
    claims: Callable[[], Sequence[Claim]],
    argv: Sequence[str] | None = None,
    *,
    prog: str,
    description: str,
) -> int:
    """Runs the command and returns its exit code.

    Parameters
    ----------
    claims : returns the claims to check; called only when there is something to check, so that
        the imports it needs do not delay ``--help``.
    argv : the arguments; None for those of the process.
    prog : how the command is called, for messages and for the command that repeats a point.
    description : what the command checks, for ``--help``.
    """

    def work() -> int:
        return _run(claims, _parser(prog, description).parse_args(argv), prog)

    return run(prog, work)


# --- options --------------------------------------------------------------------------------------


def _parser(prog: str, description: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=prog,
        description=description,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="a smaller grid")
    add(
        "--rigorous",
        action="store_true",
        help="also prove the claims that have a proof in ball arithmetic (needs python-flint)",
    )
    add(
        "--dim",
        metavar="D[,D...]",
        type=_list_of(_dimension),
        action="extend",
        help="check these ambient dimensions d only (may be repeated)",
    )
    add(
        "--beta",
        metavar="B[,B...]",
        type=_list_of(_beta),
        action="extend",
        help="check these inverse temperatures only (may be repeated)",
    )
    add(
        "--claim",
        metavar="KEY",
        action="append",
        help="check the claims whose key matches, with * and ? (may be repeated)",
    )
    add(
        "--seed",
        metavar="N",
        type=integer("seed", 0),
        default=0,
        help="of the sampled claims (default 0)",
    )
    add(
        "--json",
        metavar="PATH",
        help="write the results there as JSON; - for standard output, and the table then goes to "
        "standard error",
    )
    add(
        "--html",
        metavar="PATH",
        help="write the results there as one page that stands alone, with formulas and plots",
    )
    add("--version", action="version", version=f"spherelab {spherelab.__version__}")
    return parser


def _list_of(convert: Callable[[str], float]) -> Callable[[str], list[float]]:
    def convert_all(text: str) -> list[float]:
        return [convert(part.strip()) for part in text.split(",")]

    return convert_all


def _dimension(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 2:
        raise argparse.ArgumentTypeError(f"d must be an integer >= 2, got {text!r}")
    return value


def _beta(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"beta must be finite and > 0, got {text!r}")
    return value


# --- the plan: which claims, over which points ----------------------------------------------------


def _select(claims: Sequence[Claim], patterns: Sequence[str] | None) -> list[Claim]:
    if patterns is None:
        return list(claims)
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(claim.key, pattern) for claim in claims):
            raise UsageError(
                f"argument --claim: no claim matches {pattern!r}; {_near(pattern, claims)}"
            )
    return [c for c in claims if any(fnmatch.fnmatchcase(c.key, p) for p in patterns)]


def _near(pattern: str, claims: Sequence[Claim]) -> str:
    """The keys that a person may have meant: those that hold the pattern, or look like it."""
    import difflib

    keys = [claim.key for claim in claims]
    if len(keys) <= _FEW:
        return f"there are: {', '.join(keys)}"
    core = pattern.strip("*").split("*")[0]
    found = [key for key in keys if core and core in key]
    found = found or difflib.get_close_matches(pattern, keys, _FEW, 0.4)
    found = found or list(dict.fromkeys(f"{key.rsplit('.', 1)[0]}.*" for key in keys))
    more = f", and {len(found) - _FEW} more" if len(found) > _FEW else ""
    return (
        f"near it: {', '.join(found[:_FEW])}{more} (a key is matched whole; * and ? stand for any)"
    )


_FEW = 6


def _plan(
    claims: Sequence[Claim], wanted: Mapping[str, Sequence[float]], quick: bool
) -> tuple[list[Task], list[tuple[str, str]]]:
    """The tasks, and for each claim that they leave out, wholly or in part, its key and why.

    A claim without an axis that is restricted is checked as it is. One that has it is checked at
    the values in its range; with none in range it is left out. A value outside the range of every
    claim is an error.
    """
    remarks = []
    for name, values in wanted.items():
        axes = [axis for claim in claims for axis in claim.domain.axes if axis.name == name]
        if not axes:
            remarks.append(("", f"no claim here has {name}: {AXIS_OPTIONS[name]} changes nothing"))
        else:
            _need_in_some_range(name, values, axes)

    tasks = []
    for claim in claims:
        restrict, missing = {}, []
        for axis in claim.domain.axes:
            if axis.name not in wanted:
                continue
            restrict[axis.name] = [v for v in wanted[axis.name] if axis.contains(v)]
            outside = [v for v in wanted[axis.name] if not axis.contains(v)]
            if outside:
                listed = ", ".join(f"{v:g}" for v in outside)
                missing.append(f"{axis.name} = {listed} is outside {axis.interval}")
        if not all(restrict.values()):
            remarks.append((claim.key, f"not checked: {'; '.join(missing)}"))
        elif next(claim.domain.points(quick=quick, restrict=restrict), None) is None:
            remarks.append((claim.key, "not checked: it has no point there"))
        else:
            tasks.append(Task(claim, restrict))
            remarks.extend((claim.key, f"{text}, and not checked there") for text in missing)
    if not tasks:
        reasons = "; ".join(f"{key}: {text}" if key else text for key, text in remarks)
        raise UsageError(f"nothing to check: {reasons or 'there are no claims'}")
    return tasks, remarks


def _need_in_some_range(name: str, values: Sequence[float], axes: Sequence[Axis]) -> None:
    low, high = min(axis.low for axis in axes), max(axis.high for axis in axes)
    for value in values:
        if any(axis.contains(value) for axis in axes):
            continue
        if low <= value <= high:  # between the ranges of the claims
            allowed = " or ".join(dict.fromkeys(axis.interval for axis in axes))
        else:
            allowed = f"[{low:g}, {high:g}]"
        raise UsageError(
            f"argument {AXIS_OPTIONS[name]}: {name} must be in {allowed}, got {value:g}"
        )


def _repeat_command(prog: str, result: Result, options: argparse.Namespace) -> str:
    """The command that shows the result's point again."""
    words = ["--claim", result.claim.key]
    for name, option in AXIS_OPTIONS.items():
        if name in result.at:
            words += [option, f"{result.at[name]!r}"]
    words += ["--quick"] * options.quick + ["--rigorous"] * options.rigorous
    if options.seed:
        words += ["--seed", str(options.seed)]
    return f"{prog} {shlex.join(words)}"


# --- the run --------------------------------------------------------------------------------------


def _run(load: Callable[[], Sequence[Claim]], options: argparse.Namespace, prog: str) -> int:
    from spherelab import output
    from verify import _report, _table

    if options.rigorous:
        _need_flint()
    if options.html == "-":
        raise UsageError("argument --html: must name a file, got '-'")
    if options.html and options.json and _same_file(options.html, options.json):
        raise UsageError(f"argument --html: must be another file than --json, got {options.html!r}")
    for option, path in (("--json", options.json), ("--html", options.html)):
        if path is None or (option == "--json" and path == "-"):
            continue
        try:
            output.check_writable(path)
        except OSError as error:
            raise UsageError(f"argument {option}: {_because(error, path)}") from None
    wanted = {
        name: tuple(dict.fromkeys(values))
        for name, values in (("d", options.dim), ("beta", options.beta))
        if values is not None
    }
    start = time.perf_counter()
    tasks, remarks = _plan(_select(load(), options.claim), wanted, options.quick)
    results = _check_all(load, tasks, options)
    seconds = time.perf_counter() - start

    failed = [result for result in results if not result.verdict.passed]
    repeats = {result.claim.key: _repeat_command(prog, result, options) for result in failed}
    table = sys.stderr if options.json == "-" else sys.stdout
    _survive_any_encoding(table)
    _table.write(results, remarks, repeats, seconds, table)
    if options.json is not None:
        document = _report.dumps(_report.document(results, seed=options.seed))
        if options.json == "-":
            sys.stdout.write(document)
        else:
            _write("--json", document, options.json)
    if options.html is not None:
        from verify import _page

        text = _page.page(
            results, title=prog, command=_called(prog, options), seed=options.seed, seconds=seconds
        )
        _write("--html", text, options.html)
    return FAILED if failed else DONE


def _same_file(first: str, second: str) -> bool:
    return os.path.realpath(first) == os.path.realpath(second)


def _write(option: str, text: str, path: str) -> None:
    from spherelab import output

    try:
        output.write(text, path)
    except OSError as error:
        raise UsageError(f"argument {option}: {_because(error, path)}") from None


def _called(prog: str, options: argparse.Namespace) -> str:
    """The command with what shapes its results, for the page."""
    words = ["--quick"] * options.quick + ["--rigorous"] * options.rigorous
    for option, values in (("--dim", options.dim), ("--beta", options.beta)):
        if values is not None:
            words += [option, ",".join(f"{value:g}" for value in values)]
    for pattern in options.claim or ():
        words += ["--claim", pattern]
    if options.seed:
        words += ["--seed", str(options.seed)]
    return f"{prog} {shlex.join(words)}".strip()


def _check_all(
    load: Callable[[], Sequence[Claim]], tasks: Sequence[Task], options: argparse.Namespace
) -> list[Result]:
    from spherelab.check import check
    from spherelab.progress import Progress
    from verify import _pool

    progress = Progress(sys.stderr)
    workers = _pool.processes(load, tasks, options.quick)
    try:
        if workers > 1:
            settings = _pool.Settings(options.quick, options.rigorous, options.seed)
            return _pool.check_all(load, tasks, settings, workers, progress.of("", "claims"))
        return [
            check(
                task.claim,
                quick=options.quick,
                restrict=task.restrict,
                rigorous=options.rigorous,
                seed=options.seed,
                progress=progress.of(f"[{number}/{len(tasks)}] {task.claim.key}"),
            )
            for number, task in enumerate(tasks, start=1)
        ]
    finally:
        progress.clear()


def _need_flint() -> None:
    try:
        importlib.import_module("flint")
    except ImportError:
        raise UsageError(
            "--rigorous needs python-flint, which is not installed: "
            "pip install 'spherelab[rigour]' (from a checkout: pip install -e '.[rigour]')"
        ) from None


def _because(error: OSError, path: str) -> str:
    return f"cannot write {path!r}: {error.strerror or error}"


def _survive_any_encoding(stream: TextIO) -> None:
    """A letter that the terminal's encoding lacks is escaped, not an error."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
