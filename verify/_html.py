"""Text and numbers for the page: escaped, rounded, broken into lines in the right places."""

from __future__ import annotations

import html
import math
import re

from verify._table import number

#: What HTML forbids, and halves of letters that no encoding takes (a message may hold anything).
_NOT_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
#: What a line should not be broken in: a small number, an option.
_WHOLE = re.compile(r"\S*\de-\d\S*|--\S+")


def escaped(value: object) -> str:
    """Text for content and for quoted attributes."""
    return html.escape(_NOT_TEXT.sub("\ufffd", str(value)))


def prose(value: object) -> str:
    """Text for content that breaks into lines in the right places."""
    text, done, parts = str(value), 0, []
    for found in _WHOLE.finditer(text):
        parts += [escaped(text[done : found.start()]), f"<span>{escaped(found[0])}</span>"]
        done = found.end()
    return "".join(parts) + escaped(text[done:])


def rounded(value: float, digits: int) -> str:
    return number(value, digits).rstrip(".")


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def short(value: float) -> str:
    """A coordinate in few letters."""
    text = f"{float(value):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def half(interval: tuple[float, float]) -> float:
    return interval[1] / 2 - interval[0] / 2


def middle(interval: tuple[float, float]) -> float:
    return interval[0] / 2 + interval[1] / 2


def quotient(value: float, unit: float) -> float:
    """value / unit; 0 where both are 0, nan where only the unit is."""
    if unit == 0:
        return 0.0 if value == 0 else math.nan
    return value / unit
