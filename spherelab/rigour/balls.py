"""Balls, and the driver that cuts a box until a sign is decided on all of it.

A ball is a ``flint.arb``: a midpoint and a radius that contain the exact value. python-flint is
imported where it is used; without it every function here raises `RigourUnavailable`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction
from typing import Any

from spherelab.arguments import ArgumentError
from spherelab.claim import Point, Proof

#: A ``flint.arb`` (the library carries no types).
Ball = Any
#: What is read exactly: an int, a Fraction, a decimal string, a float (its binary value), a ball.
Number = Any

#: Working precision of a single enclosure, in bits.
BITS = 128

_MAX_BOXES = 100_000


class RigourUnavailable(RuntimeError):
    """python-flint is not installed."""


def flint() -> Any:
    """The python-flint module; RigourUnavailable with what to do when it is missing."""
    try:
        import flint as module
    except ImportError as error:
        raise RigourUnavailable(
            "ball arithmetic needs python-flint: pip install 'spherelab[rigour]'"
        ) from error
    return module


def workprec(bits: int) -> AbstractContextManager[None]:
    """The precision inside a ``with``; what was before comes back, also after an error."""
    context: AbstractContextManager[None] = flint().ctx.workprec(bits)
    return context


def working_bits() -> int:
    """The precision that is set, inside `prove_positive` the one that it wants."""
    return int(flint().ctx.prec)


def exact(value: Number) -> Ball:
    """The number as a ball: exact where it is dyadic, one rounding wide otherwise."""
    module = flint()
    if isinstance(value, module.arb):
        return value
    if isinstance(value, bool):
        raise ArgumentError(f"a number is needed, got {value!r}")
    if isinstance(value, str):
        try:
            value = Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise ArgumentError(f"a decimal or a fraction is needed, got {value!r}") from None
    if isinstance(value, Fraction):
        return module.arb(module.fmpq(value.numerator, value.denominator))
    if isinstance(value, int):
        return module.arb(value)
    number = float(value)
    if not math.isfinite(number):
        raise ArgumentError(f"a finite number is needed, got {number!r}")
    return module.arb(number)


def half(numerator: int) -> Ball:
    """numerator / 2, exactly."""
    return exact(Fraction(numerator, 2))


def hull(low: Number, high: Number) -> Ball:
    """The smallest ball around [low, high]."""
    return exact(low).union(exact(high))


def power(ball: Ball, n: int) -> Ball:
    """ball^n, n >= 0, by repeated squaring (Arb's ** is nan where the ball holds 0)."""
    result, square = flint().arb(1), ball
    while n:
        if n & 1:
            result = result * square
        n >>= 1
        if n:
            square = square * square
    return result


def certainly_within(ball: Ball, low: Number, high: Number) -> bool:
    """Whether every point of the ball is in [low, high]."""
    return bool(ball >= exact(low)) and bool(ball <= exact(high))


def sentence(ball: Ball, digits: int = 12) -> str:
    """The ball as text, for a person."""
    return str(ball.str(digits))


def _bound(value: Number, side: int) -> float:
    """The nearest float outside: below for side -1, above for side +1."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = Fraction(value)
    fraction = Fraction(value)
    number = float(fraction)
    if side * (fraction - Fraction(number)) > 0:
        number = math.nextafter(number, side * math.inf)
    return number


def outer_box(box: Mapping[str, tuple[Number, Number]]) -> dict[str, tuple[float, float]]:
    """The box with its ends moved outwards to floats: what a proof then covers exactly."""
    result = {}
    for name, (low, high) in box.items():
        ends = _bound(low, -1), _bound(high, +1)
        if not (math.isfinite(ends[0]) and math.isfinite(ends[1]) and ends[0] <= ends[1]):
            raise ArgumentError(f"box: {name} must be a finite interval, got {low!r}, {high!r}")
        result[name] = ends
    return result


def prove_positive(
    f: Callable[..., Ball],
    box: Mapping[str, tuple[Number, Number]],
    *,
    max_depth: int = 60,
    bits: int = 64,
    max_bits: int = 2048,
    max_boxes: int = _MAX_BOXES,
) -> Proof:
    """Decide whether f > 0 on the whole box.

    Each part of the box is evaluated as one ball. Where the sign stays open, the part is cut in
    half across the side that is longest relative to the box; where cutting no longer makes the
    ball smaller, and at points, the precision is doubled.

    Parameters
    ----------
    f : called with a ball for each name of the box, at the working precision (`working_bits`); must
        return an enclosure of its values there (a ball that is not finite counts as open).
    box : a closed interval for each name; the ends are moved outwards to floats.
    max_depth : how often one part may be halved.
    bits, max_bits : first and last working precision.
    max_boxes : how many parts may be looked at.

    Returns
    -------
    Proof
        Decided with ``holds`` True (f > 0 everywhere), decided with ``holds`` False (f <= 0 on the
        whole of the part that ``box`` then names), or not decided, with the reason.
    """
    whole = outer_box(box)
    ends = {name: (Fraction(low), Fraction(high)) for name, (low, high) in whole.items()}
    # part, halvings so far, precision, least radius of f on what it was cut from, cuts since then
    queue: deque[tuple[dict[str, tuple[Fraction, Fraction]], int, int, float, int]] = deque()
    queue.append((ends, 0, bits, math.inf, 0))
    seen = cuts = 0
    used, least = bits, math.inf
    open_value, open_reason = "", ""
    while queue:  # the widest parts first: a refutation is found early
        part, depth, precision, smallest, stalled = queue.popleft()
        seen += 1
        used = max(used, precision)
        with workprec(precision):
            value = f(**{name: hull(low, high) for name, (low, high) in part.items()})
        if value > 0:
            least = min(least, float(value.lower()))
            continue
        if value <= 0:
            return Proof(
                decided=True,
                holds=False,
                box={name: (float(low), float(high)) for name, (low, high) in part.items()},
                precision_bits=used,
                bisections=cuts,
                left=sentence(value),
                right="> 0",
                reason=f"not positive at {_shown(part)}",
            )
        name = _longest(part, ends)
        radius = float(value.rad()) if value.is_finite() else math.inf
        # cutting makes the ball smaller, at least by turns, unless rounding is what makes its size
        if radius < 0.9 * smallest:
            smallest, stalled = radius, 0
        elif radius < math.inf:
            stalled += 1
        cuttable = bool(name) and depth < max_depth
        if cuttable and stalled <= 2 * len(ends) and seen < max_boxes:
            low, high = part[name]
            middle = (low + high) / 2
            cuts += 1
            rest = (depth + 1, precision, smallest, stalled)
            queue.append(({**part, name: (low, middle)}, *rest))
            queue.append(({**part, name: (middle, high)}, *rest))
        elif 2 * precision <= max_bits and seen < max_boxes and (cuttable or not name):
            queue.append((part, depth, 2 * precision, math.inf, 0))
        elif not open_reason:
            limits = f"{precision} bits, {depth} halvings and {seen} parts"
            open_value = sentence(value)
            open_reason = f"the sign is open after {limits}: {open_value} at {_shown(part)}"
        if open_reason and seen >= max_boxes:
            break
    return Proof(
        decided=not open_reason,
        box=whole,
        precision_bits=used,
        bisections=cuts,
        left=open_value or f">= {least:.6g}",
        right="> 0",
        reason=open_reason,
    )


def _shown(part: Mapping[str, tuple[Fraction, Fraction]]) -> str:
    parts = (f"{n} in [{float(a):.8g}, {float(b):.8g}]" for n, (a, b) in part.items())
    return ", ".join(parts) or "the point"


def _longest(
    part: Mapping[str, tuple[Fraction, Fraction]], whole: Mapping[str, tuple[Fraction, Fraction]]
) -> str:
    """The side that is longest relative to the whole box; "" for a point."""
    sizes = {
        name: (high - low) / (whole[name][1] - whole[name][0])
        for name, (low, high) in part.items()
        if high > low
    }
    return max(sizes, key=lambda name: sizes[name]) if sizes else ""


def each_point(points: Sequence[Point], prove: Callable[..., Proof]) -> Proof:
    """``prove(**point)`` at each of these points, as one proof that covers these and no more."""
    parts = [prove(**point) for point in points]
    whole = combine(parts)
    return replace(whole, points=len(parts)) if whole.decided and whole.holds else whole


def combine(parts: list[Proof], left: str = "", right: str = "") -> Proof:
    """Several proofs as one: decided when all are, over the hull of their boxes.

    The hull is a claim only where the parts fill it: combine those that do, or set ``points``.
    """
    box: dict[str, tuple[float, float]] = {}
    for part in parts:
        for name, (low, high) in part.box.items():
            before = box.get(name, (low, high))
            box[name] = (min(low, before[0]), max(high, before[1]))
    refuted = [part for part in parts if part.decided and not part.holds]
    undecided = [part for part in parts if not part.decided]
    first = next(iter(refuted + undecided), None)
    return Proof(
        decided=bool(refuted) or not undecided,
        holds=not refuted,
        box=first.box if refuted and first else box,
        precision_bits=max((p.precision_bits for p in parts), default=0),
        bisections=sum(p.bisections for p in parts),
        left=first.left if first else left or "; ".join(p.left for p in parts),
        right=first.right if first else right or (parts[0].right if parts else ""),
        reason=first.reason if first else "",
        points=sum(p.points for p in parts),
    )
