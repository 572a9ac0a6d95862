"""Formulas for the page: matplotlib's mathtext as SVG, each distinct glyph once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from verify._html import escaped, short

#: Wider formulas (in their own em) are not made smaller on a narrow screen: they scroll.
_WIDEST_TO_SHRINK = 26.0


class Formulas:
    """Mathtext as SVG; each distinct glyph, and each distinct formula, is drawn once."""

    def __init__(self) -> None:
        self._glyphs: dict[str, str] = {}  # matplotlib's name -> ours
        self._drawn: dict[str, tuple[str, str] | None] = {}  # formula -> attributes, content
        self._paths: list[str] = []

    def definitions(self) -> str:
        """The glyphs and formulas; to be put once on the page, before or after their use."""
        return (
            '<svg class="definitions" width="0" height="0" aria-hidden="true"><defs>'
            f"{''.join(self._paths)}</defs></svg>"
        )

    def svg(self, formula: str, label: str) -> str:
        """The formula, with the statement for those who cannot see it."""
        if not formula:
            return ""
        if formula not in self._drawn:
            self._drawn[formula] = self._draw(formula)
        drawn = self._drawn[formula]
        if drawn is None:  # mathtext cannot parse it; a person can
            return f'<p class="formula"><code>{escaped(formula)}</code></p>'
        attributes, name = drawn
        return (
            f'<div class="formula"><svg {attributes} role="img" aria-label="{escaped(label)}">'
            f'<use href="#{name}"/></svg></div>'
        )

    def _draw(self, formula: str) -> tuple[str, str] | None:
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import TextToPath

        font = FontProperties(math_fontfamily="stix")
        tex = f"${_with_large_fractions(formula.strip('$'))}$"
        drawing = TextToPath()  # in hundredths of an em, y upwards
        try:
            placed, glyphs, rectangles = drawing.get_glyphs_mathtext(font, tex)
        except ValueError:
            return None
        box = _Box()
        content = []
        for name, x, y, size in placed:
            vertices, codes = glyphs[name]
            box.add(vertices, codes, x, y, size)
            scale = "" if size == 1 else f"scale({size:.5g})"
            content.append(
                f'<use href="#{self._glyph(name, vertices, codes)}" '
                f'transform="translate({short(x)} {short(y)}){scale}"/>'
            )
        for bar in rectangles:
            box.add(*bar)
            content.append(f'<path d="{_path(*bar)}"/>')
        name = f"f{len(self._drawn)}"
        self._paths.append(f'<g id="{name}" transform="scale(1 -1)">{"".join(content)}</g>')
        left, bottom, width, height = box.with_border(4.0)
        wide = ' class="wide" tabindex="0"' if width / 100 > _WIDEST_TO_SHRINK else ""
        view = " ".join(short(value) for value in (left, -bottom - height, width, height))
        em = f'width="{short(width / 100)}em" height="{short(height / 100)}em"'
        return f'viewBox="{view}" {em}{wide}', name

    def _glyph(self, name: str, vertices: Any, codes: Any) -> str:
        if name not in self._glyphs:
            self._glyphs[name] = f"g{len(self._glyphs)}"
            self._paths.append(f'<path id="{self._glyphs[name]}" d="{_path(vertices, codes)}"/>')
        return self._glyphs[name]


def _with_large_fractions(formula: str) -> str:
    """The formula with its outermost fractions in the size of its other letters."""
    parts, depth = [], 0
    for part in re.split(r"(\\[a-z]+|\\.|[{}])", formula):
        depth += {"{": 1, "}": -1}.get(part, 0)
        parts.append(r"\dfrac" if part == r"\frac" and depth == 0 else part)
    return "".join(parts)


#: matplotlib's codes of a path: the letter of SVG, and how many vertices belong to it.
_CODES = {1: ("M", 1), 2: ("L", 1), 3: ("Q", 2), 4: ("C", 3), 79: ("Z", 1)}


def _segments(vertices: Any, codes: Any) -> Iterable[tuple[str, list[tuple[float, float]]]]:
    position = 0
    while position < len(codes) and codes[position]:
        letter, count = _CODES[int(codes[position])]
        ends = [(float(x), float(y)) for x, y in vertices[position : position + count]]
        yield letter, [] if letter == "Z" else ends  # the vertex of a closing says nothing
        position += count


def _path(vertices: Any, codes: Any) -> str:
    return "".join(
        letter + " ".join(f"{short(x)} {short(y)}" for x, y in ends)
        for letter, ends in _segments(vertices, codes)
    )


@dataclass
class _Box:
    """The least box around paths (their control points: no path leaves the box of those)."""

    xs: list[float] = field(default_factory=list)
    ys: list[float] = field(default_factory=list)

    def add(self, vertices: Any, codes: Any, x: float = 0, y: float = 0, size: float = 1) -> None:
        for _, ends in _segments(vertices, codes):
            self.xs += [x + size * end[0] for end in ends]
            self.ys += [y + size * end[1] for end in ends]

    def with_border(self, border: float) -> tuple[float, float, float, float]:
        """Left, bottom, width and height."""
        xs, ys = self.xs or [0.0], self.ys or [0.0]
        left, bottom = min(xs) - border, min(ys) - border
        return left, bottom, max(xs) + border - left, max(ys) + border - bottom
