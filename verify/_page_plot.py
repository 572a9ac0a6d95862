"""Plots for the page: every point that was visited, 1 to 3 kB of SVG a claim.

A matplotlib figure for every claim would cost 30 kB and a good part of a second, two hundred times.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from spherelab.check import RESOLUTION, Comparison, Result
from spherelab.claim import Axis, Point, Relation
from verify._html import escaped, half, middle, plural, quotient, rounded, short

ONE_SIDED = (Relation.AT_MOST, Relation.AT_LEAST)

#: Pixels; the width is what a card leaves on a screen of 360.
WIDTH, HEIGHT = 312, 206
LEFT, RIGHT, TOP, BOTTOM = 60, 296, 26, 162
#: Between the frame and the first and last value of the horizontal axis.
INSET = 12
#: A digit of the tick labels is about that wide.
DIGIT = 8
#: Shorter error bars are hidden by their dot.
VISIBLE = 4


@dataclass(frozen=True)
class _Quantity:
    """What a plot shows of each visited point.

    Attributes
    ----------
    name : for the axis.
    values : nan where there is none.
    errors : in the unit of the values; nan where there is none.
    below, above : the claim is false below, or above; None where it is not.
    log : whether to draw on a log scale, exact zeros at its lower end.
    allowed : whether the errors are what the values are held against (a mark of their own), rather
        than an uncertainty of the values (a bar).
    limit : what the errors are held against.
    """

    name: str
    values: list[float]
    errors: list[float]
    below: float | None = None
    above: float | None = None
    log: bool = False
    allowed: bool = False
    limit: float | None = None


def _quantity(result: Result) -> _Quantity:
    claim = result.claim
    found = [comparison for _, comparison in result.visited]
    if claim.sample is not None:
        return _Quantity(
            "(left - right) / band",
            _finite(quotient(at.left - at.right, half(at.margin)) for at in found),
            [math.nan] * len(found),  # the band is the unit
            below=None if claim.relation is Relation.AT_MOST else -1.0,
            above=None if claim.relation is Relation.AT_LEAST else 1.0,
        )
    if claim.relation not in ONE_SIDED:
        return _Quantity(
            "|left - right| / magnitude",
            _finite(quotient(abs(at.left - at.right), at.magnitude) for at in found),
            _finite(quotient(half(at.margin), at.magnitude) for at in found),
            log=True,
            allowed=True,
            limit=RESOLUTION if claim.resolution is None else claim.resolution,
        )
    return _ratio(claim.relation, found) or _Quantity(
        "margin / magnitude",
        _finite(quotient(middle(at.margin), at.magnitude) for at in found),
        _finite(quotient(half(at.margin), at.magnitude) for at in found),
        below=0.0,
    )


def _ratio(relation: Relation, found: Sequence[Comparison]) -> _Quantity | None:
    """left / right, where all of them are positive numbers."""
    numbers = [at for at in found if not math.isnan(at.margin[0])]
    if not all(at.left > 0 and at.right > 0 for at in numbers):
        return None
    ratios = [at.left / at.right for at in numbers]
    if not all(1 / _LARGE < value < _LARGE for value in ratios):  # over- or underflow
        return None
    # close to 1 the digits are in the difference
    close = all(abs(value - 1) < 1e-3 for value in ratios) and bool(ratios)
    edge = 0.0 if close else 1.0
    return _Quantity(
        "left / right - 1" if close else "left / right",
        _finite(
            math.nan if math.isnan(at.margin[0]) else (at.left - close * at.right) / at.right
            for at in found
        ),
        _finite(quotient(half(at.margin), at.right) for at in found),
        below=edge if relation is Relation.AT_LEAST else None,
        above=edge if relation is Relation.AT_MOST else None,
        log=not close and max([1.0, *ratios]) > 100 * min([1.0, *ratios]),
    )


#: Larger numbers are not drawn: a little more, and the ends of the axis would overflow.
_LARGE = 1e300


def _finite(values: Iterable[float]) -> list[float]:
    return [value if abs(value) < _LARGE else math.nan for value in values]


@dataclass(frozen=True)
class _Scale:
    """Where a value stands between two pixels, and which values are named."""

    low: float
    high: float
    first: float
    last: float
    ticks: Sequence[tuple[float, str]]
    log: bool = False

    def __call__(self, value: float) -> float:
        if self.log:
            exponent = math.log10(value) if value > 0 else self.low
        else:
            exponent = value
        fraction = (min(max(exponent, self.low), self.high) - self.low) / (self.high - self.low)
        return self.first + fraction * (self.last - self.first)


def _vertical(quantity: _Quantity) -> _Scale:
    """The scale of the quantity, its edges and limits included."""
    shown = [value for value in quantity.values if not math.isnan(value)]
    if quantity.allowed:
        shown += [error for error in quantity.errors if not math.isnan(error)]
    shown += [v for v in (quantity.below, quantity.above, quantity.limit) if v is not None]
    if quantity.log:
        positive = [math.log10(value) for value in shown if value > 0]
        low, high = min(positive, default=-17), max(positive, default=-15)
        zeros = any(value == 0 for value in shown)
        if quantity.allowed:  # whole decades, and one below for exact zeros
            low = math.floor(low) - zeros
            high = max(math.ceil(high), low + 2)
        else:
            low, high = low - 0.08 * (high - low), high + 0.08 * (high - low)
        first, last = math.ceil(low), math.floor(high)
        decades = range(first, last + 1, math.ceil((last - first) / 4))
        plain = all(-4 < k < 5 for k in decades)
        ticks = [
            (10.0**k, _tick(10.0**k) if plain or k == 0 else f"1e{k}")
            for k in decades
            if -324 < k < 309
        ]
        if zeros and ticks:
            ticks[0] = (0.0, "0")
        return _Scale(low, high, BOTTOM, TOP, ticks, log=True)
    low, high = min(shown, default=0.0), max(shown, default=1.0)
    if high - low < 1 / _LARGE:
        low, high = low - max(abs(low) / 2, 1e-15), high + max(abs(high) / 2, 1e-15)
    border = 0.12 * (high - low)
    low, high = low - border, high + border
    return _Scale(low, high, BOTTOM, TOP, [(v, _tick(v)) for v in _round_values(low, high)])


def _round_values(low: float, high: float) -> list[float]:
    """Two to seven round numbers in [low, high]."""
    size = 10.0 ** math.floor(math.log10((high - low) / 2))
    step = next(m * size for m in (5, 2, 1, 0.5) if (high - low) / (m * size) >= 2.4)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [k * step for k in range(first, last + 1)]


def _tick(value: float) -> str:
    """A number in few letters: 1e-9 rather than 1e-09."""
    return re.sub(r"e([+-])0*", lambda found: f"e{found[1]}".replace("+", ""), f"{value:.6g}")


def _horizontal(axis: Axis, values: Sequence[float]) -> tuple[_Scale, dict[float, float]]:
    """The scale, and what to draw in the place of each value: itself, or its rank.

    The scale is the axis's own, integers as numbers. Where values would run into each other it is
    a log scale, and where that cannot be, or does not help, they stand by their rank.
    """
    grid = sorted(set(values))
    drawable = all(abs(value) < _LARGE for value in grid)
    log = drawable and grid[0] > 0 and (axis.scale == "log" or _crowded(grid))
    drawn = {value: value for value in grid}
    if log and len(grid) > 1 and 0.0 in _gaps([math.log10(value) for value in grid]):
        log = drawable = False
    if not drawable or (not log and _crowded(grid)):
        drawn = {value: float(rank) for rank, value in enumerate(grid)}
    names = [(drawn[value], _tick(value)) for value in grid]
    low, high = names[0][0], names[-1][0]
    if low < high:
        ends = (math.log10(low), math.log10(high)) if log else (low, high)
    else:  # one value: neighbours show where it stands
        step = 1.0 if axis.scale == "integer" or low == 0 else abs(low) / 2
        ends, log = (low - step, low + step), False
        if drawable:
            names = [(low + k * step, _tick(low + k * step)) for k in (-1, 0, 1)]
    scale = _Scale(*ends, LEFT + INSET, RIGHT - INSET, (), log)
    return dataclasses.replace(scale, ticks=_thinned(names, scale)), drawn


def _gaps(grid: Sequence[float]) -> list[float]:
    return [after - before for before, after in itertools.pairwise(grid)]


def _crowded(grid: Sequence[float]) -> bool:
    """Whether the least gap of a grid is far below what it would be if all were equal."""
    return len(grid) > 2 and min(_gaps(grid)) * (len(grid) - 1) < 0.1 * (grid[-1] - grid[0])


def _thinned(
    names: Sequence[tuple[float, str]], scale: Callable[[float], float]
) -> list[tuple[float, str]]:
    """The first and the last name, and of the others those that there is room for."""

    def room(one: tuple[float, str], other: tuple[float, str]) -> bool:
        return abs(scale(one[0]) - scale(other[0])) > DIGIT * (len(one[1]) + len(other[1]) + 2) / 2

    kept = list(dict.fromkeys((names[0], names[-1])))
    for name in names[1:-1]:
        if all(room(name, other) for other in kept):
            kept.append(name)
    return sorted(kept)


def figure(result: Result) -> str:
    """The plot of all visited points, with its legend; nothing where none was kept."""
    if not result.visited:
        return ""
    points = [point for point, _ in result.visited]
    axes = [axis for axis in result.claim.domain.axes if all(axis.name in p for p in points)]
    axis = max(axes, key=lambda axis: len({p[axis.name] for p in points}), default=None)
    quantity = _quantity(result)
    y = _vertical(quantity)
    if axis is None:
        x, xs = _Scale(0, 1, LEFT, RIGHT, ()), [0.5] * len(points)
    else:
        x, drawn = _horizontal(axis, [point[axis.name] for point in points])
        xs = [drawn[point[axis.name]] for point in points]

    plot = _Plot(x, y)
    plot.frame("" if axis is None else axis.name, quantity)
    if axis is not None:
        plot.joins(points, xs, quantity.values, axis.name)
    for value, error, place in zip(quantity.values, quantity.errors, xs, strict=True):
        plot.error(place, value, error, quantity)
    for place, value, (point, at) in zip(xs, quantity.values, result.visited, strict=True):
        plot.mark(place, value, passed=at.verdict.passed, worst=point == result.at)
    return plot.svg(_description(quantity, axis, result))


def _description(quantity: _Quantity, axis: Axis | None, result: Result) -> str:
    """The plot in a sentence, for those who cannot see it."""
    shown = [value for value in quantity.values if not math.isnan(value)]
    where = f" against {axis.name}" if axis is not None else ""
    words = f"{quantity.name}{where} at {plural(len(result.visited), 'point')}"
    if shown:
        words += f", from {rounded(min(shown), 3)} to {rounded(max(shown), 3)}"
    for edge, side in ((quantity.below, "below"), (quantity.above, "above")):
        words += f", false {side} {edge:g}" if edge is not None else ""
    errors = [error for error in quantity.errors if not math.isnan(error)]
    if quantity.allowed and errors:
        words += f", allowed up to {rounded(max(errors), 3)}"
    return words


class _Plot:
    """The parts of one plot, gathered by kind: marks of a kind are one path."""

    def __init__(self, x: _Scale, y: _Scale) -> None:
        self._x, self._y = x, y
        self._behind: list[str] = []
        self._paths: dict[str, list[str]] = {
            kind: [] for kind in ("join", "error", "allowed", "dot", "bad", "worst")
        }
        self._legend: dict[str, str] = {}

    def frame(self, name: str, quantity: _Quantity) -> None:
        """The axes with their names and ticks, and where the claim is false."""
        x, y = self._x, self._y
        top, bottom = TOP, BOTTOM
        for edge, end in ((quantity.below, bottom), (quantity.above, top)):
            if edge is None:
                continue
            level = y(edge)
            self._behind.append(
                f'<rect class="false" x="{LEFT}" y="{short(min(level, end))}" '
                f'width="{RIGHT - LEFT}" height="{short(abs(level - end))}"/>'
                f'<path class="edge" d="M{LEFT} {short(level)}H{RIGHT}"/>'
            )
            self._legend["false"] = "false there"
        if quantity.limit is not None:
            self._behind.append(
                f'<path class="limit" d="M{LEFT} {short(y(quantity.limit))}H{RIGHT}"/>'
            )
            self._legend["limit"] = "resolution"
        lines = []
        for value, label in y.ticks:
            at = short(y(value))
            lines.append(f"M{LEFT - 5} {at}h5")
            self._behind.append(
                f'<text class="y" x="{LEFT - 8}" y="{at}" dy="5">{escaped(label)}</text>'
            )
        for value, label in x.ticks:
            at = short(x(value))
            lines.append(f"M{at} {bottom}v5")
            self._behind.append(f'<text x="{at}" y="{bottom + 19}">{escaped(label)}</text>')
        self._behind.append(
            f'<path class="axis" d="M{LEFT} {top}V{bottom}H{RIGHT}{"".join(lines)}"/>'
            f'<text class="name" x="4" y="14">{escaped(quantity.name)}</text>'
            f'<text x="{(LEFT + RIGHT) / 2:g}" y="{HEIGHT - 6}">{escaped(name)}</text>'
        )

    def joins(
        self, points: Sequence[Point], xs: Sequence[float], ys: Sequence[float], axis: str
    ) -> None:
        """Lines through the dots that agree in every coordinate but this one."""
        lines: dict[tuple[tuple[str, float], ...], list[tuple[float, float]]] = {}
        for point, x, y in zip(points, xs, ys, strict=True):
            others = tuple((name, value) for name, value in point.items() if name != axis)
            lines.setdefault(others, []).append((x, y))
        for line in lines.values():
            ends = [
                f"{short(self._x(x))} {short(self._y(y))}"
                for x, y in sorted(line)
                if not math.isnan(y)
            ]
            if len(ends) > 1:
                self._paths["join"].append("M" + "L".join(ends))

    def error(self, x: float, value: float, error: float, quantity: _Quantity) -> None:
        """What the error allows, or an error bar where it can be seen."""
        if math.isnan(error):
            return
        at = short(self._x(x))
        if quantity.allowed:
            self._paths["allowed"].append(f"M{at} {short(self._y(error))}m-6 0h12")
            self._legend["allowed"] = "allowed by the error"
        elif not math.isnan(value):
            # on a log scale an error above the value has no lower end
            low = value if quantity.log and error >= value else value - error
            ends = self._y(low), self._y(value + error)
            if ends[0] - ends[1] > VISIBLE:
                self._paths["error"].append(f"M{at} {short(ends[0])}V{short(ends[1])}")
                self._legend["error"] = "error"

    def mark(self, x: float, value: float, *, passed: bool, worst: bool) -> None:
        """One visited point; one without a number stands at the lower edge."""
        missing = math.isnan(value)
        place = f"M{short(self._x(x))} {short(BOTTOM - 6 if missing else self._y(value))}"
        if passed and not missing:
            self._paths["dot"].append(f"{place}h.01")
            self._legend["dot"] = "point"
        else:
            self._paths["bad"].append(f"{place}m-4 -4l8 8m0 -8l-8 8")
            self._legend["bad"] = "not passed" if not missing else "no number"
        if worst:
            self._paths["worst"].append(f"{place}m-7 0a7 7 0 1 0 14 0a7 7 0 1 0 -14 0")
            self._legend["worst"] = "worst point"

    def svg(self, description: str) -> str:
        paths = "".join(
            f'<path class="{kind}" d="{"".join(parts)}"/>'
            for kind, parts in self._paths.items()
            if parts
        )
        shown = [kind for kind in _SAMPLES if kind in self._legend]
        legend = "".join(f"<li>{_SAMPLES[kind]} {self._legend[kind]}</li>" for kind in shown)
        return (
            f'<figure><svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" role="img" aria-label="{escaped(description)}">'
            f"{''.join(self._behind)}{paths}</svg>"
            f"<figcaption><ul>{legend}</ul></figcaption></figure>"
        )


#: The marks, as the legend shows them.
_SAMPLES = {
    kind: f'<svg class="sample" width="18" height="14" aria-hidden="true">{content}</svg>'
    for kind, content in {
        "dot": '<path class="dot" d="M9 7h.01"/>',
        "bad": '<path class="bad" d="M5 3l8 8m0 -8l-8 8"/>',
        "worst": '<path class="worst" d="M3 7a6 6 0 1 0 12 0a6 6 0 1 0 -12 0"/>',
        "error": '<path class="error" d="M9 0V14"/>',
        "allowed": '<path class="allowed" d="M3 7h12"/>',
        "limit": '<path class="limit" d="M0 7H18"/>',
        "false": '<path class="false" d="M0 0h18v14h-18z"/><path class="edge" d="M0 13H18"/>',
    }.items()
}
