"""The results as a table for a person: one row a claim, remarks under it, one line to sum up."""

from __future__ import annotations

import itertools
import math
import os
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TextIO

from spherelab.check import Result
from spherelab.claim import Point, Relation, Verdict

WIDTH = 120
GAP = "  "
#: The keys are shown below what they have in common.
HEADER = ("", "claim {prefix}", "worst point", "left", "", "right", "ratio", "margin", "verdict")
#: Columns whose numbers stand flush right.
RIGHT_ALIGNED = (3, 5, 6, 7)
AT = HEADER.index("worst point")
#: The least width of the column of points, which is wrapped to fit.
AT_LEAST = 16

_COLOURS = {
    Verdict.PROVED: "32",
    Verdict.HOLDS: "32",
    Verdict.SAMPLED: "32",
    Verdict.UNDECIDED: "33",
    Verdict.VIOLATED: "31;1",
}


def write(
    results: Sequence[Result],
    remarks: Sequence[tuple[str, str]],
    repeats: Mapping[str, str],
    seconds: float,
    stream: TextIO,
) -> None:
    """Writes the table of results to a stream.

    Parameters
    ----------
    remarks : what was left out: the key of the claim, or "", and the remark.
    repeats : for each claim that does not pass, the command that shows its point again.
    """
    colour = wants_colour(stream)
    lines = _rows(results, colour)
    lines += _notes(results, remarks)
    for result in results:
        if not result.verdict.passed:
            lines += _failure(result, repeats[result.claim.key], colour)
    lines += ["", summary(results, seconds)]
    stream.write("\n".join(lines) + "\n")
    stream.flush()


def wants_colour(stream: TextIO) -> bool:
    """Whether the stream is a terminal that shows colours, and nobody asked for none."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def summary(results: Sequence[Result], seconds: float) -> str:
    """One line: how many claims, over how many points, with which verdicts."""
    count = Counter(result.verdict for result in results)
    verdicts = ", ".join(
        f"{count[verdict]} {verdict.name}" for verdict in Verdict if count[verdict]
    )
    points = sum(result.points for result in results)
    size = f"{_plural(len(results), 'claim')}, {_plural(points, 'point')}, {seconds:.1f} s"
    passed = all(result.verdict.passed for result in results)
    return f"{size}: {verdicts}. {'Every' if passed else 'Not every'} claim passes."


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _rows(results: Sequence[Result], colour: bool) -> list[str]:
    prefix = _common_prefix([result.claim.key for result in results])
    header = [title.format(prefix=prefix) for title in HEADER]
    cells = [_cells(result, prefix) for result in results]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    others = sum(widths) - widths[AT] + len(GAP) * (len(HEADER) - 1)
    widths[AT] = min(widths[AT], max(WIDTH - others, AT_LEAST))

    lines = [_line(header, widths), "-" * (sum(widths) + len(GAP) * (len(HEADER) - 1))]
    for result, row in zip(results, cells, strict=True):
        first, *more = textwrap.wrap(row[AT], widths[AT], break_long_words=False) or [""]
        line = _line((*row[:AT], first, *row[AT + 1 :]), widths)
        verdict = result.verdict
        lines.append(line.removesuffix(verdict.name) + _paint(verdict, verdict.name, colour))
        indent = sum(widths[:AT]) + len(GAP) * AT
        lines += [" " * indent + text for text in more]
    return lines


def _common_prefix(keys: Sequence[str]) -> str:
    """The dotted names that all keys begin with: they are shown once, above them."""
    names = zip(*(key.split(".")[:-1] for key in keys), strict=False)
    shared = itertools.takewhile(lambda name: len(set(name)) == 1, names)
    return "".join(f"{name[0]}." for name in shared) if len(keys) > 1 else ""


def _cells(result: Result, prefix: str) -> tuple[str, ...]:
    return (
        "*" if result.claim.ours else "",
        result.claim.key.removeprefix(prefix),
        describe(result.at),
        number(result.left),
        result.claim.relation.symbol,
        number(result.right),
        ratio(result.ratio),
        number(result.margin[0], digits=2),
        result.verdict.name,
    )


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        text.rjust(width) if column in RIGHT_ALIGNED else text.ljust(width)
        for column, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
    return GAP.join(cells).rstrip()


def describe(point: Point) -> str:
    """A point in a few words: ``d=16 beta=2``."""
    return " ".join(f"{name}={value:g}" for name, value in point.items()) or "-"


def number(value: float, digits: int = 6) -> str:
    """A number to some significant digits; a dash where there is none."""
    return "-" if math.isnan(value) else f"{value:#.{digits}g}"


def ratio(value: float) -> str:
    """A ratio to five decimals, or three digits where it is far from 1."""
    return f"{value:.5f}" if 1e-3 <= abs(value) < 1e3 else number(value, digits=3)


def _paint(verdict: Verdict, text: str, colour: bool) -> str:
    return f"\033[{_COLOURS[verdict]}m{text}\033[0m" if colour else text


def _notes(results: Sequence[Result], remarks: Sequence[tuple[str, str]]) -> list[str]:
    said: dict[str, list[str]] = {}  # what is to be said of several claims is said once
    for result in results:
        texts = [result.claim.note, result.reason if result.verdict.passed else "", *_how(result)]
        for text in filter(None, texts):
            said.setdefault(text, []).append(result.claim.key)
    for key, text in remarks:
        said.setdefault(text, []).append(key)

    notes = []
    if any(result.claim.ours for result in results):
        notes.append("* goes beyond the paper: ours")
    for text, (key, *others) in said.items():
        more = f" and {_plural(len(others), 'other')}" if others else ""
        notes.append(f"{key}{more}: {text}" if key else text)
    return ["", *(line for note in notes for line in _wrapped(note, "  "))] if notes else []


def _how(result: Result) -> list[str]:
    """How a verdict that is more than a comparison of two numbers was reached."""
    texts = []
    proof, sampled = result.proof, result.sampled
    if proof is not None and result.verdict is Verdict.PROVED:
        box = ", ".join(f"{name} in [{low:g}, {high:g}]" for name, (low, high) in proof.box.items())
        where = f"at {_plural(proof.points, 'point')} of" if proof.points else "on the whole box"
        how = f"{proof.precision_bits} bits" if proof.precision_bits else "a symbolic identity"
        cut = f", {_plural(proof.bisections, 'bisection')}" if proof.bisections else ""
        texts.append(" ".join(filter(None, ("proved", where if box else "", box, f"({how}{cut})"))))
    if sampled is not None:
        texts.append(
            f"n = {sampled.n}, seed {sampled.seed}, false-alarm rate {sampled.false_alarm:g}"
        )
    return texts


def _failure(result: Result, repeat: str, colour: bool) -> list[str]:
    claim = result.claim
    relation = "against" if claim.relation is Relation.IN_LAW else claim.relation.symbol
    lines = ["", f"{_paint(result.verdict, result.verdict.name, colour)} {claim.key}"]
    lines += _wrapped(f"{claim.statement} ({claim.source})", "  ")
    where = " ".join(f"{name}={value!r}" for name, value in result.at.items())
    sides = f"{result.left!r} {relation} {result.right!r}"
    if math.isnan(result.left) and math.isnan(result.right):
        sides = "no number"
    lines.append(f"  at {where}: {sides}" if where else f"  {sides}")
    if result.reason:
        lines += _wrapped(result.reason, "  ")
    lines.append(f"  again: {repeat}")
    return lines


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
