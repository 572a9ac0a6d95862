"""The command ``spherelab``: what the theory says about a person's own embeddings."""

from __future__ import annotations

import argparse
import json
import math
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import spherelab
from spherelab.command import DONE, Parser, UsageError, integer, run

if TYPE_CHECKING:
    from spherelab.report import Section, Settings

PROG = "python -m spherelab"

EPILOG = """\
Files are .npy (read in blocks, they need not fit in memory) or .npz, of shape (n, d): row i of B is
the other view of row i of A. With A alone, what needs two views is left out. Numbers stand with
their standard error and with the number of rows n that they are from.

exit code: 0 done, 2 usage error or bad input
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""

    def work() -> int:
        _report(_parser().parse_args(argv))
        return DONE

    return run(PROG, work)


# --- options --------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog=PROG, description=__doc__, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"spherelab {spherelab.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    command = commands.add_parser(
        "report",
        help="what the theory certifies about one or two arrays of embeddings",
        description="What the theory certifies about one or two arrays of embeddings.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = command.add_argument
    add("a", metavar="A", help="embeddings, one row an example")
    add("b", metavar="B", nargs="?", help="the other view of the same examples")
    add("--key", metavar="NAME", help="which array of an .npz file (needed where it has several)")
    heat = command.add_mutually_exclusive_group()
    heat.add_argument("--beta", type=_positive("beta"), help="inverse temperature (default 10)")
    heat.add_argument("--temperature", type=_positive("temperature"), help="1/beta (default 0.1)")
    add("--batch-size", metavar="B", type=integer("batch size", 1), default=256)
    add("--sigreg-weight", metavar="W", type=_positive("SIGReg weight"), help="in (0, 1)")
    add("--normalise", action="store_true", help="divide rows by their norms")
    add(
        "--subsample",
        metavar="N",
        type=_rows,
        default=4096,
        help="rows for what looks at pairs, or all (default 4096)",
    )
    add("--quick", action="store_true", help="the same as --subsample 1024")
    add("--seed", metavar="N", type=integer("seed", 0), default=0)
    add("--json", metavar="PATH", help="also as JSON; - for standard output alone")
    return parser


def _positive(name: str) -> Callable[[str], float]:
    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value > 0):
            raise argparse.ArgumentTypeError(f"{name} must be finite and > 0, got {text!r}")
        return value

    return convert


def _rows(text: str) -> int | None:
    return None if text == "all" else integer("subsample", 3)(text)


def _settings(options: argparse.Namespace) -> Settings:
    from spherelab.report import Settings

    beta = options.beta or (1 / options.temperature if options.temperature else 10.0)
    return Settings(
        beta=beta,
        batch_size=options.batch_size,
        sigreg_weight=options.sigreg_weight,
        normalise=options.normalise,
        subsample=1024 if options.quick else options.subsample,
        seed=options.seed,
    )


# --- arrays ---------------------------------------------------------------------------------------


def load(path: str, key: str | None = None) -> Any:
    """The array of a file: .npy memory mapped, .npz by its key; nothing is ever unpickled.

    Raises
    ------
    ArgumentError
        For a file that cannot be read or is of another kind, or a key that it lacks.
    """
    import zipfile

    import numpy as np

    from spherelab.arguments import ArgumentError

    try:
        with open(path, "rb") as file:
            start = file.read(6)
        if start == b"\x93NUMPY":
            return np.lib.format.open_memmap(path, mode="r")
        if start[:2] != b"PK":
            raise ArgumentError(f"{path} must be a .npy or .npz file, it is of another kind")
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            names = archive.files
            if key is None and len(names) != 1:
                raise ArgumentError(f"key must name one of {', '.join(names)} in {path}, got none")
            if key is not None and key not in names:
                raise ArgumentError(f"key must be one of {', '.join(names)} in {path}, got {key!r}")
            return archive[key or names[0]]
    except ArgumentError:
        raise
    except OSError as error:
        raise ArgumentError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ArgumentError(f"{path} cannot be read: {' '.join(str(error).split())}") from None


# --- the report -----------------------------------------------------------------------------------


def _report(options: argparse.Namespace) -> None:
    from spherelab.arguments import ArgumentError

    try:
        _measure(options)
    except ArgumentError as error:
        raise UsageError(str(error)) from None


def _measure(options: argparse.Namespace) -> None:
    from spherelab import output
    from spherelab.progress import Progress
    from spherelab.report import report

    if options.json not in (None, "-"):
        try:
            output.check_writable(options.json)
        except OSError as error:
            raise UsageError(_unwritable(options.json, error)) from None
    settings = _settings(options)
    a = load(options.a, options.key)
    b = None if options.b is None else load(options.b, options.key)
    progress = Progress(sys.stderr)
    try:
        sections = report(a, b, settings, progress.of("report", "steps"))
    finally:
        progress.clear()
    if options.json != "-":
        print(text(sections))
    if options.json is not None:
        content = json.dumps(document(sections, settings), indent=2, allow_nan=False) + "\n"
        if options.json == "-":
            sys.stdout.write(content)
        else:
            try:
                output.write(content, options.json)
            except OSError as error:
                raise UsageError(_unwritable(options.json, error)) from None


def _unwritable(path: str, error: OSError) -> str:
    return f"argument --json: cannot write {path!r}: {error.strerror or error}"


def text(sections: Sequence[Section]) -> str:
    """The report for a person: one table a section, sentences under it."""
    rows = [
        (line.name, _number(line.value), _error(line.standard_error), _count(line.n), line.note)
        for section in sections
        for line in section.lines
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    lines: list[str] = []
    start = 0
    for section in sections:
        lines += ["", section.title.upper()]
        for name, value, error, count, note in rows[start : start + len(section.lines)]:
            shown = (
                f"  {name:{widths[0]}}  {value:>{widths[1]}}  {error:{widths[2]}}  "
                f"{count:>{widths[3]}}  {note}"
            )
            lines.append(shown.rstrip())
        start += len(section.lines)
        for sentence in section.sentences:
            lines += textwrap.wrap(sentence, 100, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines[1:])


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return f"{value:.5g}"


def _error(error: float | None) -> str:
    return "" if error is None else f"+- {error:.2g}"


def _count(n: int | None) -> str:
    return "" if n is None else f"n = {n}"


def document(sections: Sequence[Section], settings: Settings) -> dict[str, Any]:
    """The report as strict JSON: a number that is not finite is null."""
    import dataclasses

    from spherelab import output

    def strict(value: Any) -> Any:
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else None
        return value

    return {
        "spherelab": spherelab.__version__,
        "environment": output.environment(),
        "settings": dataclasses.asdict(settings),
        "sections": [
            {
                "title": section.title,
                "lines": [
                    {name: strict(value) for name, value in dataclasses.asdict(line).items()}
                    for line in section.lines
                ],
                "sentences": list(section.sentences),
            }
            for section in sections
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
