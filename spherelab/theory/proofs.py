"""Proofs in ball arithmetic for claims: each takes the points of a check and returns a ``Proof``.

The enclosures are those of ``spherelab.rigour``, imported when a proof is asked for; here is only
what they prove about which claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from spherelab.claim import Point, Proof


def _whole(names: Iterable[str], points: Sequence[Point]) -> dict[str, tuple[float, float]]:
    """The box of the points in coordinates on which neither side of the claim depends."""
    return {name: (min(p[name] for p in points), max(p[name] for p in points)) for name in names}


def extremal_ratio_at_most_one(points: Sequence[Point]) -> Proof:
    """J_0(D) >= D^2/k_0^2 on [0, 1]: what is left, over D^3, is > 0 on the box, 0 included.

    The extremal family's excess is 2 beta D and its loss J_0(D), for every d and beta.
    """
    from spherelab.rigour.balls import prove_positive
    from spherelab.rigour.losses import extremal_excess

    proof = prove_positive(lambda delta: extremal_excess(delta), {"delta": (0, 1)})
    return _extended(proof, points, left="(J0(D) - D^2/k0^2)/D^3 " + proof.left)


def extremal_expansion(points: Sequence[Point]) -> Proof:
    """ratio = 1 - (5/12) D + c(D) D^2 with c bounded on [0, 1]: the limit is 1, the slope -5/12."""
    from spherelab.rigour.balls import exact, prove_positive
    from spherelab.rigour.losses import extremal_second_order

    proof = prove_positive(
        lambda delta: exact(Fraction(1, 2)) - abs(extremal_second_order(delta)), {"delta": (0, 1)}
    )
    text = "1/2 - |c(D)|, ratio = 1 - (5/12) D + c(D) D^2, is " + proof.left
    return _extended(proof, points, left=text)


def antipodal_ratio(points: Sequence[Point]) -> Proof:
    """D/(k_0 sqrt(J)) = 1/(k_0 sqrt(J_0(1))) < 1 on the antipodal path, for every d, eps, beta."""
    from spherelab.rigour.balls import prove_positive
    from spherelab.rigour.losses import extremal_ratio

    proof = prove_positive(lambda: 1 - extremal_ratio(1), {})
    return _extended(proof, points, left="1 - ratio is " + proof.left)


def mixture_ratio_at_most_one(points: Sequence[Point]) -> Proof:
    """The mixture path's ratio, free of eps and beta, is below 1 in every dimension of the box."""
    from spherelab.rigour.balls import combine, prove_positive
    from spherelab.rigour.losses import mixture_ratio, mixture_ratio_beyond

    last = int(max(p["d"] for p in points))
    first = int(min(p["d"] for p in points))
    # from 16 on one bound holds for all larger d
    parts = [
        prove_positive(lambda d=d: 1 - mixture_ratio(d), {}) for d in range(first, min(last, 16))
    ]
    parts.append(prove_positive(lambda: 1 - mixture_ratio_beyond(min(last, 16)), {}))
    proof = combine(parts)
    return _extended(proof, points, left="1 - ratio is > 0 for every d")


def polygon_needs_the_linear_term(points: Sequence[Point]) -> Proof:
    """U_beta of the n-gon over the leading term is above 1, at each point."""
    from spherelab.rigour.balls import exact
    from spherelab.rigour.losses import polygon_ratio

    return _each(points, lambda p: polygon_ratio(int(p["n"]), exact(p["beta"])) - 1, "ratio - 1")


def tangent_shift_exceeds(points: Sequence[Point]) -> Proof:
    """The within-view ratio is above 1 for every Delta from 0 to the largest, at each (d, beta)."""
    from spherelab.rigour.balls import combine, prove_positive
    from spherelab.rigour.tangent import tangent_ratio

    top = max(p["delta"] for p in points)
    parts = []
    for d, beta in sorted({(int(p["d"]), p["beta"]) for p in points}):
        proof = prove_positive(
            lambda delta, d=d, beta=beta: tangent_ratio(d, Fraction(beta), delta) - 1,
            {"delta": (0, top)},
            max_bits=128,
            max_boxes=512,
        )
        parts.append(_replaced(proof, points=1))
    whole = combine(parts)
    text = "; ".join(part.left for part in parts[:3])
    return _extended(whole, points, left="ratio - 1 for Delta in [0, top]: " + text)


def _each(points: Sequence[Point], margin: Any, what: str) -> Proof:
    """margin(point) > 0 as a ball at each point of the check."""
    from spherelab.rigour.balls import combine, outer_box, prove_positive

    parts = []
    for point in points:
        proof = prove_positive(lambda point=point: margin(point), {})
        box = outer_box({name: (value, value) for name, value in point.items()})
        parts.append(_replaced(proof, box=box, points=1))
    return combine(parts, left=f"{what} " + "; ".join(part.left for part in parts))


def _extended(proof: Proof, points: Sequence[Point], left: str) -> Proof:
    """The proof over the coordinates of the points on which the statement does not depend."""
    others = [name for name in points[0] if name not in proof.box]
    return _replaced(proof, box={**_whole(others, points), **proof.box}, left=left)


def _replaced(proof: Proof, **changes: Any) -> Proof:
    from dataclasses import replace

    return replace(proof, **changes)
