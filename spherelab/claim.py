"""A statement as one object: its two sides, how they stand to each other, and where.

A result is written once, as a frozen `Claim`. The command line prints its least margin and where,
the tests assert it over the range of its `Domain`, the figures draw its two sides.
`spherelab.check` evaluates it.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from spherelab.arguments import ArgumentError

#: Named coordinates of one point of a domain.
Point = dict[str, float]
#: One side of a claim: takes the point's coordinates by name; a `spherelab.value.Value` states an
#: error, a plain float states none.
Side = Callable[..., float]

_SCALES = ("linear", "log", "integer")


class Relation(enum.Enum):
    """How the left side stands to the right side."""

    EQUAL = "="
    AT_MOST = "<="
    AT_LEAST = ">="
    #: The left side is the value of a limit, extrapolated with a stated error.
    RATE = "->"
    #: The left side is a statistic of a sample.
    IN_LAW = "in law"

    @property
    def symbol(self) -> str:
        return self.value


class Verdict(enum.Enum):
    """What a check concludes; each has a sentence, and `passed` says which of them are passes."""

    PROVED = "ball arithmetic or a symbolic identity separates the two sides on the whole box named"
    HOLDS = "holds in floating point, with a margin above the error of the evaluation itself"
    SAMPLED = "a sample agrees with it, at the false-alarm rate named"
    UNDECIDED = "the margin straddles the evaluation's error, or a proof does not decide: no pass"
    VIOLATED = "false at the point named"

    @property
    def sentence(self) -> str:
        return self.value

    @property
    def passed(self) -> bool:
        return self not in (Verdict.UNDECIDED, Verdict.VIOLATED)

    @property
    def severity(self) -> int:
        """0 for a pass, 1 for UNDECIDED, 2 for VIOLATED."""
        return {Verdict.UNDECIDED: 1, Verdict.VIOLATED: 2}.get(self, 0)


# --- where a claim is made ------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """One coordinate of a domain: the range that is claimed, and the values that a check visits.

    Parameters
    ----------
    name : the keyword under which the sides take it, for example ``"d"`` or ``"beta"``.
    values : the grid, in [low, high], not empty.
    low, high : the closed range of the claim; property tests draw from all of it.
    scale : ``"linear"``, ``"log"`` (low > 0) or ``"integer"``: how to draw from the range.
    quick : the grid of a quick check; None for the same grid.

    Raises
    ------
    ArgumentError : for an empty range or grid, or a grid value out of range.
    """

    name: str
    values: Sequence[float]
    low: float
    high: float
    scale: str = "linear"
    quick: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if self.scale not in _SCALES:
            raise ArgumentError(
                f"axis {self.name}: scale must be one of {', '.join(_SCALES)}, got {self.scale!r}"
            )
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise ArgumentError(
                f"axis {self.name}: low must be finite and <= high, got {self.low}, {self.high}"
            )
        if self.scale == "log" and self.low <= 0:
            raise ArgumentError(f"axis {self.name}: low must be > 0 on a log scale, got {self.low}")
        for grid in ("values", "quick"):
            given = getattr(self, grid)
            if given is None:
                continue
            checked = tuple(self.admit(value) for value in given)
            if not checked:
                raise ArgumentError(f"axis {self.name}: {grid} must not be empty")
            object.__setattr__(self, grid, checked)

    @property
    def interval(self) -> str:
        """The range for messages, for example ``[2, 1024]``."""
        return f"[{self.low:g}, {self.high:g}]"

    @property
    def requirement(self) -> str:
        """What a value must be, for messages."""
        return (
            f"an integer in {self.interval}" if self.scale == "integer" else f"in {self.interval}"
        )

    def contains(self, value: float) -> bool:
        if self.scale == "integer" and value != math.floor(value):
            return False
        return self.low <= value <= self.high

    def admit(self, value: float) -> float:
        """The value as this axis has it (int or float); ArgumentError when it is out of range."""
        if not (math.isfinite(value) and self.contains(value)):
            raise ArgumentError(f"{self.name} must be {self.requirement}, got {value!r}")
        return int(value) if self.scale == "integer" else float(value)

    def value_at(self, fraction: float) -> float:
        """The value at a fraction in [0, 1] of the range, along the axis's own scale."""
        if not 0.0 <= fraction <= 1.0:
            raise ArgumentError(f"fraction must be in [0, 1], got {fraction!r}")
        if self.scale == "integer":
            low, high = int(self.low), int(self.high)
            return min(low + math.floor(fraction * (high - low + 1)), high)
        if self.scale == "log":
            value = self.low ** (1.0 - fraction) * self.high**fraction
        else:
            value = (1.0 - fraction) * self.low + fraction * self.high
        return min(max(value, self.low), self.high)  # rounding must not leave the range


@dataclass(frozen=True)
class Domain:
    """Where a claim is made: a product of axes, less the points that ``where`` refuses.

    Parameters
    ----------
    axes : the axes, each name once; none for a statement about one number.
    where : takes a point's coordinates by name; False leaves the point out.
    """

    axes: Sequence[Axis]
    where: Callable[..., bool] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", tuple(self.axes))
        if len(set(self.names)) < len(self.names):
            raise ArgumentError(f"axes must have different names, got {', '.join(self.names)}")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(axis.name for axis in self.axes)

    def points(
        self, *, quick: bool = False, restrict: Mapping[str, Sequence[float]] | None = None
    ) -> Iterator[Point]:
        """The points of the grid, the last axis running fastest.

        ``restrict`` puts other values in the place of an axis's grid; ArgumentError when it names
        an axis that is not there, or a value outside that axis's range.
        """
        restrict = restrict or {}
        for name in restrict:
            if name not in self.names:
                raise ArgumentError(
                    f"restrict must name axes of the domain ({', '.join(self.names)}), got {name!r}"
                )
        grids = []
        for axis in self.axes:
            if axis.name in restrict:
                grids.append(tuple(axis.admit(value) for value in restrict[axis.name]))
            elif quick and axis.quick is not None:
                grids.append(tuple(axis.quick))
            else:
                grids.append(tuple(axis.values))
        for values in itertools.product(*grids):
            point = dict(zip(self.names, values, strict=True))
            if self.where is None or self.where(**point):
                yield point

    def point_at(self, fractions: Sequence[float]) -> Point | None:
        """The point at these fractions of the axes' ranges; None where ``where`` refuses it."""
        point = {
            axis.name: axis.value_at(fraction)
            for axis, fraction in zip(self.axes, fractions, strict=True)
        }
        return point if self.where is None or self.where(**point) else None


# --- the claim ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Proof:
    """What ball arithmetic, or a symbolic identity, found.

    Attributes
    ----------
    decided : whether it came to a conclusion.
    box : for each axis, the closed interval that the conclusion covers.
    precision_bits : working precision; 0 for a symbolic identity.
    bisections : how often the box was cut.
    left, right : the two sides as the proof saw them, for a person to read.
    reason : why it is not decided.
    holds : what a decided proof concludes; False is a refutation.
    points : 0 when the whole box is covered, n when n points of it are.
    """

    decided: bool
    box: Mapping[str, tuple[float, float]]
    precision_bits: int = 0
    bisections: int = 0
    left: str = ""
    right: str = ""
    reason: str = ""
    holds: bool = True
    points: int = 0

    def covers(self, points: Sequence[Point]) -> bool:
        """Whether every coordinate of these points lies in the box."""
        return all(
            name in self.box and self.box[name][0] <= value <= self.box[name][1]
            for point in points
            for name, value in point.items()
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Claim:
    """One statement of the theory, with what is needed to check it.

    Parameters
    ----------
    key : what a person calls it, for example ``"theorem1.bound.extremal"``.
    statement : the statement in words, its hypotheses included.
    source : where it is from, for example ``"SG paper, Theorem 1"``.
    ours : True when it goes beyond the source; printed with it.
    domain : where it is claimed.
    left, right : the two sides, functions of the point's coordinates.
    relation : how left stands to right.
    tight : whether equality is attained in the domain or at its edge.
    formula : the statement in TeX (mathtext), for figures.
    note : what a reader must know beside the verdict, for example that a hypothesis is needed.
    resolution : relative error above which EQUAL and RATE stay UNDECIDED (None: 1e-8); for a
        sampled claim the largest half-width of the acceptance band, relative to the magnitude
        (None: any).
    scale : a magnitude below which the two sides count as near zero, for claims like "this is 0".
    prove : takes the points of the check and returns a `Proof`; used when rigour is asked for.
    sample : in the place of ``left``: ``sample(rng, samples, **point)`` returns a statistic whose
        ``error`` is its standard error.
    samples : n, handed to ``sample``.
    false_alarm : the probability that a true sampled claim is called VIOLATED, over all its points.
    """

    key: str
    statement: str
    source: str
    ours: bool
    domain: Domain
    relation: Relation
    right: Side
    tight: bool
    formula: str
    left: Side | None = None
    note: str = ""
    resolution: float | None = None
    scale: float = 0.0
    prove: Callable[[Sequence[Point]], Proof] | None = None
    sample: Callable[..., float] | None = None
    samples: int = 0
    false_alarm: float = 1e-6

    def __post_init__(self) -> None:
        if not self.key or not all(c.isalnum() or c in "._-/" for c in self.key):
            raise ArgumentError(
                f"key must be letters, digits and . _ - /, and not empty, got {self.key!r}"
            )
        if (self.left is None) == (self.sample is None):
            raise ArgumentError(f"claim {self.key}: give either left or sample")
        if self.relation is Relation.IN_LAW and self.sample is None:
            raise ArgumentError(f"claim {self.key}: a claim in law needs sample")
        if self.sample is not None and (self.samples < 1 or not 0 < self.false_alarm < 1):
            raise ArgumentError(
                f"claim {self.key}: a sampled claim needs samples >= 1 and false_alarm in (0, 1), "
                f"got {self.samples}, {self.false_alarm}"
            )
