"""Which proof in ball arithmetic settles which claim; each takes the points of a check.

The proofs are those of ``spherelab.rigour``, imported when one is asked for; here each is put on
the coordinates of the claim, those on which its statement does not depend included.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from spherelab.claim import Point, Proof


def box_of(points: Sequence[Point]) -> dict[str, tuple[float, float]]:
    """The range of the points in every coordinate."""
    return {x: (min(p[x] for p in points), max(p[x] for p in points)) for x in points[0]}


def _over(proof: Proof, points: Sequence[Point]) -> Proof:
    """The proof with the points' range in every coordinate that its statement does not contain."""
    return replace(proof, box={**box_of(points), **proof.box})


def extremal_bound(points: Sequence[Point]) -> Proof:
    """Excess 2 beta Delta and loss J_0(Delta), for every d and beta: J_0(D) >= D^2/k_0^2."""
    from spherelab.rigour import prove_extremal_bound

    return _over(prove_extremal_bound(), points)


def extremal_expansion(points: Sequence[Point]) -> Proof:
    """The ratio is 1 - (5/12) Delta + c Delta^2 with c bounded: the limit is 1, the slope -5/12."""
    return _over(_expansion(), points)


@functools.cache
def _expansion() -> Proof:
    from spherelab.rigour import prove_extremal_expansion

    return prove_extremal_expansion()


def antipodal_bound(points: Sequence[Point]) -> Proof:
    """J = eps^2 J_0(1), Delta = eps: the ratio 1/(k_0 sqrt(J_0(1))) is free of d, eps and beta."""
    from spherelab.rigour import extremal_ratio, prove_positive

    proof = prove_positive(lambda: 1 - extremal_ratio(1), {})
    return _over(replace(proof, left=f"1 - ratio {proof.left}"), points)


def mixture_bound(points: Sequence[Point]) -> Proof:
    """J = eps^2 I_d and Delta = eps/2: the ratio is free of eps and beta."""
    from spherelab.rigour import prove_mixture

    # what holds beyond the last d is bounded from there: that needs a last d that is not small
    return _over(prove_mixture(max(128, int(max(p["d"] for p in points)))), points)


def mixture_least(points: Sequence[Point]) -> Proof:
    """The mixture path's ratio is least at d = 2, among every d to the largest and beyond."""
    from spherelab.rigour import prove_mixture_range

    return _over(prove_mixture_range("least", int(max(p["d"] for p in points))), points)


def mixture_most(points: Sequence[Point]) -> Proof:
    """The mixture path's ratio is below its limit for d -> inf, at every d to the largest."""
    from spherelab.rigour import prove_mixture_range

    return _over(prove_mixture_range("most", int(max(p["d"] for p in points))), points)


def polygon_excess(points: Sequence[Point]) -> Proof:
    """The ratio is above 1 at each (n, beta)."""
    from spherelab.rigour import prove_polygon
    from spherelab.rigour.balls import combine

    proofs = [prove_polygon(int(p["n"]), p["beta"]) for p in points]
    return combine([replace(proof, points=1) for proof in proofs])


def tangent_shift(points: Sequence[Point]) -> Proof:
    """The within-view ratio is above 1 for all Delta from 0 to the largest, at each (d, beta)."""
    from spherelab.rigour import prove_tangent
    from spherelab.rigour.balls import combine

    top = max(p["delta"] for p in points)
    places = sorted({(int(p["d"]), p["beta"]) for p in points})
    proofs = [prove_tangent(d, beta, (0, top)) for d, beta in places]
    return combine([replace(proof, points=1) for proof in proofs])


def remainder(points: Sequence[Point]) -> Proof:
    """F_l <= K_l^2 sin^4 theta for every theta, at each (l, d)."""
    from spherelab.rigour import prove_remainder
    from spherelab.rigour.balls import combine

    places = sorted({(int(p["degree"]), int(p["d"])) for p in points})
    proofs = [prove_remainder([degree], [d]) for degree, d in places]
    return combine([replace(proof, points=1) for proof in proofs])


def gain(points: Sequence[Point]) -> Proof:
    """gain_l/mu_l >= (l-1)/3 + l(2l+1)/(3(4l+3d)), for real l >= 1 and d >= 2 of the box."""
    from spherelab.rigour import prove_gain

    return _over(
        prove_gain(int(max(p["degree"] for p in points)), int(max(p["d"] for p in points))), points
    )
