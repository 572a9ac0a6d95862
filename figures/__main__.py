"""The figures of the theory, drawn from its claims: PDF, PNG or SVG, with the data beside them."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
import time
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import spherelab
from figures import FIGURES
from spherelab.command import DONE, Parser, UsageError, integer, run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("pdf", "png", "svg")
#: What a file format would otherwise write of the time of day.
_NO_DATE = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": None}

EPILOG = """\
Each figure is written as NAME.FORMAT, its numbers as NAME.npz, and what they are (parameters, seed,
versions, the claims drawn) as NAME.json. docs/figures.md says what each panel shows.

exit code: 0 done, 2 usage error
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    prog = "python -m figures"

    def work() -> int:
        options = _parser(prog).parse_args(argv)
        if options.list:
            for name in FIGURES:
                print(f"{name:12} {_module(name).TITLE}")
        else:
            _draw_all(options)
        return DONE

    return run(prog, work)


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=prog,
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("names", metavar="NAME", nargs="*", help=f"figures to draw: {', '.join(FIGURES)}")
    add("--list", action="store_true", help="say which figures there are, and draw none")
    add("--out", metavar="DIR", default=".", help="folder for the files, made if need be (here)")
    add(
        "--format",
        metavar="F[,F...]",
        type=_formats,
        help=f"of {', '.join(FORMATS)} (default pdf,png; with --quick png)",
    )
    add("--quick", action="store_true", help="fewer points and samples")
    add(
        "--seed",
        metavar="N",
        type=integer("seed", 0),
        default=0,
        help="of the Monte Carlo marks (default 0)",
    )
    add("--version", action="version", version=f"spherelab {spherelab.__version__}")
    return parser


def _formats(text: str) -> tuple[str, ...]:
    given = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",")))
    for part in given:
        if part not in FORMATS:
            raise argparse.ArgumentTypeError(f"must be of {', '.join(FORMATS)}, got {part!r}")
    return given


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"figures.{name}")


def _draw_all(options: argparse.Namespace) -> None:
    formats = options.format or (("png",) if options.quick else ("pdf", "png"))
    names = list(dict.fromkeys(options.names)) or list(FIGURES)
    for name in names:
        if name not in FIGURES:
            raise UsageError(f"there is no figure {name!r}; there are: {', '.join(FIGURES)}")
    try:
        os.makedirs(options.out, exist_ok=True)
        if not os.access(options.out, os.W_OK):
            raise PermissionError(None, "Permission denied")
    except OSError as error:
        raise _unwritable(options.out, error) from None

    from figures._data import write
    from figures._draw import style
    from spherelab import output
    from spherelab.progress import Progress

    for name in names:
        start = time.perf_counter()
        progress = Progress(sys.stderr)
        try:
            data = _module(name).data(
                quick=options.quick, seed=options.seed, progress=progress.of(name, "curves")
            )
        finally:
            progress.clear()
        with style():
            figure = _module(name).build(data)
            pictures = {form: _rendered(figure, form) for form in formats}
        try:
            write(data, name, options.out)
            for form, content in pictures.items():
                output.write(content, os.path.join(options.out, f"{name}.{form}"))
        except OSError as error:
            raise _unwritable(options.out, error) from None
        seconds = time.perf_counter() - start
        files = ", ".join(f"{name}.{form}" for form in (*formats, "npz", "json"))
        print(f"{os.path.join(options.out, '')}{files}  ({seconds:.1f} s)", flush=True)


def _rendered(figure: Figure, form: str) -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format=form, metadata=_NO_DATE[form])
    return picture.getvalue()


def _unwritable(folder: str, error: OSError) -> UsageError:
    return UsageError(f"argument --out: cannot write to {folder!r}: {error.strerror or error}")


if __name__ == "__main__":
    sys.exit(main())
