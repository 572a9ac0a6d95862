"""Statements decided by balls; each function returns a `spherelab.claim.Proof`.

The box of a proof names what it covers, under the names that the claims use: ``delta`` (the
misalignment), ``d``, ``beta``, ``n``, ``degree``. On integer names it covers every integer of the
interval.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from spherelab.arguments import ArgumentError, dimension
from spherelab.claim import Proof
from spherelab.rigour import condition, losses, remainder, spectrum, tangent
from spherelab.rigour.balls import (
    BITS,
    Ball,
    Number,
    combine,
    exact,
    hull,
    outer_box,
    prove_positive,
    sentence,
    working_bits,
    workprec,
)

Interval = tuple[Number, Number]


def _interval(value: Number | Interval) -> Interval:
    return value if isinstance(value, tuple) else (value, value)


def _with_sides(proof: Proof, left: str, right: str) -> Proof:
    return replace(proof, left=left, right=right) if proof.decided and proof.holds else proof


# --- J0 and the extremal family -------------------------------------------------------------------


def prove_extremal_bound(low: Number = 0, high: Number = 1) -> Proof:
    """J0(D) >= D^2/k0^2 for all D in [low, high], 0 included: (J0(D) - D^2/k0^2)/D^3 > 0 there."""
    proof = prove_positive(
        lambda delta: losses.extremal_excess(delta, working_bits()), {"delta": (low, high)}
    )
    return _with_sides(
        proof,
        f"(J0(D) - D^2/k0^2)/D^3 {proof.left}",
        "> 0, so J0(D) >= D^2/k0^2, strictly for D > 0",
    )


def prove_extremal_expansion(low: Number = 0, high: Number = 1) -> Proof:
    """D/(k0 sqrt(J0(D))) = 1 - (5/12) D + c(D) D^2, -0.0404 < c(D) < -0.0231, D in [low, high].

    At the ends c(0) = -5/216 = -0.02315 and c(1) = -0.04027. In particular the ratio is at most
    1 - (5/12) D, and 1 as D -> 0: the leading constant of Theorem 1 is attained.
    """
    box = {"delta": (low, high)}
    least, most = exact_pair("-0.0404", "-0.0231")

    def c(delta: Ball) -> Ball:
        return losses.extremal_second_order(delta, working_bits())

    proof = combine(
        [
            prove_positive(lambda delta: c(delta) - least, box),
            prove_positive(lambda delta: most - c(delta), box),
        ]
    )
    return _with_sides(proof, "D/(k0 sqrt(J0(D)))", "1 - (5/12) D + c D^2, -0.0404 < c < -0.0231")


def exact_pair(first: Number, second: Number) -> tuple[Ball, Ball]:
    """Two numbers as balls at the usual precision."""
    with workprec(BITS):
        return exact(first), exact(second)


# --- mixtures, polygons, the tangent shift --------------------------------------------------------


def prove_mixture(last: int = 1024, bits: int = 64) -> Proof:
    """The mixture path's ratio is below 1 for every d from 2 to ``last`` (and beyond, see left).

    Each d on its own; past ``last`` by `losses.mixture_ratio_beyond`, so that d is not limited.
    """
    last = dimension(last, name="last")
    ratios = _mixture_ratios(last, bits)
    beyond = losses.mixture_ratio_beyond(last, bits)
    bad = [d for d, ratio in enumerate(ratios, 2) if not ratio < 1]
    decided = not bad and bool(beyond < 1)
    return Proof(
        decided=decided,
        box={"d": (2.0, float(last))},
        precision_bits=bits,
        left=f"{sentence(ratios[0], 8)} at d = 2, {sentence(ratios[-1], 8)} at d = {last}, "
        f"at most {float(beyond.upper()):.8f} beyond",
        right="< 1",
        reason="" if decided else f"a ball of {bits} bits does not separate d = {bad or 'beyond'}",
    )


@lru_cache(maxsize=8)
def _mixture_ratios(last: int, bits: int) -> tuple[Ball, ...]:
    """Of d = 2, .., last."""
    return tuple(losses.mixture_ratio(d, bits) for d in range(2, last + 1))


def prove_mixture_range(end: str, last: int = 1024, bits: int = 64) -> Proof:
    """The mixture path's ratio for every d from 2 to ``last``: it rises with d, so that it is least
    at d = 2 (``end`` "least"), and it is below its limit as d -> inf ("most").
    """
    if end not in ("least", "most"):
        raise ArgumentError(f"end must be 'least' or 'most', got {end!r}")
    last = dimension(last, name="last")
    ratios, limit = _mixture_ratios(last, bits), losses.mixture_ratio_limit(bits)
    if end == "least":
        bad = [d for d, (a, b) in enumerate(itertools.pairwise(ratios), 3) if not a < b]
        right = f"rises with d from {sentence(ratios[0], 8)} at d = 2"
    else:
        bad = [d for d, ratio in enumerate(ratios, 2) if not ratio < limit]
        right = f"< {sentence(limit, 8)}, its limit"
    return Proof(
        decided=not bad,
        box={"d": (2.0, float(last))},
        precision_bits=bits,
        left=f"{sentence(ratios[-1], 8)} at d = {last}",
        right=right,
        reason=f"a ball of {bits} bits does not separate d = {bad}" if bad else "",
    )


def prove_polygon(n: int = 14, beta: Number = 20, max_bits: int = 1024) -> Proof:
    """The aligned regular n-gon has an excess above 4 * 3^(3/4) beta sqrt(J): the ratio is > 1."""
    proof = prove_positive(
        lambda beta: losses.polygon_ratio(n, beta, working_bits()) - 1,
        {"beta": _interval(beta)},
        max_bits=max_bits,
    )
    low, high = proof.box["beta"]
    with workprec(BITS):
        ends = [losses.polygon_ratio(n, end) for end in (low, high)]
    shown = sentence(ends[0]) if low == high else f"{sentence(ends[0])} to {sentence(ends[1])}"
    proof = _with_sides(proof, f"U_beta/(4*3^(3/4) beta sqrt(J)) = {shown}", "> 1")
    return replace(proof, box={**proof.box, "d": (2.0, 2.0), "n": (float(n), float(n))})


def prove_tangent(
    d: int = 16,
    beta: Number | Interval = 2,
    delta: Number | Interval = (0, "0.01"),
    order: int = 12,
) -> Proof:
    """The tangent shift's within-view ratio exceeds 1 for all beta, D of the box (D > 0, however
    small): equal marginals are needed with within-view negatives."""
    d = dimension(d)
    proof = prove_positive(
        lambda delta, beta: tangent.tangent_ratio(d, beta, delta, working_bits(), order) - 1,
        {"delta": _interval(delta), "beta": _interval(beta)},
        max_bits=256,
        max_depth=30,
        max_boxes=2000,
    )
    proof = _with_sides(
        proof, f"(2 beta D + U_beta)/(4*3^(3/4) beta sqrt(J)) - 1 {proof.left}", "> 0"
    )
    return replace(proof, box={**proof.box, "d": (float(d), float(d))})


# --- spectra --------------------------------------------------------------------------------------


def prove_gain(last_degree: int = 1000, last_d: int = 1024) -> Proof:
    """gain_l > 0 for all degrees 1..last_degree and dimensions 2..last_d.

    By `spectrum.gain_ratio_lower`, a closed lower bound of gain_l/mu_l for real l and d, positive
    on the whole box; mu_l > 0.
    """
    proof = prove_positive(
        lambda degree, d: spectrum.gain_ratio_lower(degree, d),
        {"degree": (1, last_degree), "d": (2, last_d)},
    )
    return _with_sides(proof, f"gain_l/mu_l >= (l-1)/3 + l(2l+1)/(3(4l+3d)) {proof.left}", "> 0")


def prove_domination(d: int, beta: Number, degree: int | None = None, bits: int = BITS) -> Proof:
    """C_U(d, beta) = sup_{l>=1} r_l/mu_l is attained at ``degree`` and nowhere else.

    Without ``degree``, that it is attained at one degree alone; ``left`` says where and its value.
    """
    box = {**outer_box({"beta": (beta, beta)}), "d": (float(d), float(d))}
    with workprec(bits):
        every = hull(*box["beta"])  # a decimal that is no double: the doubles around it
    found = condition.domination_constant(d, every, bits)
    decided = found.argmax > 0
    holds = degree is None or not decided or found.argmax == degree
    where = f"l = {found.argmax}" if decided else "no single l"
    return Proof(
        decided=decided,
        holds=holds,
        box=box,
        precision_bits=found.precision_bits,
        left=f"sup r_l/mu_l = {sentence(found.value, 20)} at {where}",
        right=f"r_l/mu_l falls from l = {found.checked} on",
        reason=""
        if decided and holds
        else (f"the sup is at {where}" if decided else "balls do not separate two degrees"),
    )


def prove_gaussian(d: Interval = (2, 1024), beta: Interval = ("0.1", 50)) -> Proof:
    """The Gaussian kernel e^(-gamma |u-v|^2) dominates InfoNCE's iff gamma >= beta/2: an identity.

    Its eigenvalues are e^(-2 gamma) lambda_l(2 gamma), and
    lambda_l(b) = sum_k (b/2)^(l+2k)/((d/2)_{l+k} k!) has positive coefficients and starts at b^l,
    so lambda_l(s b) >= s^l lambda_l(b) for s >= 1.
    - gamma >= beta/2: lambda_l(beta) <= lambda_l(2 gamma), every l, so that
      r_l/(e^(-2 gamma) lambda_l(2 gamma)) <= e^(2 gamma)/lambda_0(beta), a constant.
    - gamma < beta/2: lambda_l(beta)/lambda_l(2 gamma) >= s^l, s = beta/(2 gamma) > 1: unbounded.
    Both for every real d >= 1 and beta > 0; the box only says where it was asked. The series is
    DLMF 10.25.2; sympy compares its first coefficients with E e^(bt) P_l(t), for every d at once.
    """
    if not exact(d[0]) >= 1 or not exact(beta[0]) > 0:
        raise ArgumentError(f"d must be >= 1 and beta > 0, got {d[0]}, {beta[0]}")
    return Proof(
        decided=True,
        holds=_series_is_that_of_the_kernel(),
        box=outer_box({"d": d, "beta": beta}),
        precision_bits=0,
        left="sup_l lambda_l(beta)/lambda_l(2 gamma)",
        right="<= 1 for gamma >= beta/2; >= (beta/(2 gamma))^l for every l below",
    )


@lru_cache(maxsize=1)
def _series_is_that_of_the_kernel(last: int = 5, terms: int = 3) -> bool:
    """(1/2)^(l+2k)/((d/2)_{l+k} k!) = E t^(l+2k) P_l(t)/(l+2k)!, l <= last, k < terms, d symbolic;
    and E t^m P_l(t) = 0 for m < l. The moments are E t^(2j) = (1/2)_j/(d/2)_j."""
    import sympy

    d, t = sympy.symbols("d t", positive=True)

    def mean(polynomial: sympy.Expr) -> sympy.Expr:
        total = sympy.Integer(0)
        for (power,), coefficient in sympy.Poly(polynomial, t).terms():
            if power % 2 == 0:
                j = power // 2
                total += coefficient * sympy.rf(sympy.Rational(1, 2), j) / sympy.rf(d / 2, j)
        return sympy.cancel(total)

    before, current = sympy.Integer(1), t  # P_0, P_1
    for degree in range(1, last + 1):
        for m in range(degree):
            if mean(current * t**m) != 0:
                return False
        for k in range(terms):
            power = degree + 2 * k
            stated = sympy.Rational(1, 2**power) / (
                sympy.rf(d / 2, degree + k) * sympy.factorial(k)
            )
            if sympy.cancel(mean(current * t**power) / sympy.factorial(power) - stated) != 0:
                return False
        following = ((2 * degree + d - 2) * t * current - degree * before) / (degree + d - 2)
        before, current = current, sympy.expand(following)
    return True


def prove_remainder(
    degrees: Iterable[int] = range(1, 51), dimensions: Iterable[int] = range(2, 257)
) -> Proof:
    """The sup of K_l is its limit at theta -> 0, for each of these degrees and dimensions.

    The default takes minutes; a range of dimensions at a time is as good.
    """
    ls, ds = sorted(set(degrees)), sorted(set(dimensions))
    if not ls or not ds:
        raise ArgumentError("degrees and dimensions must not be empty")
    cuts, least, bad = 0, float("inf"), []
    for d in ds:
        for l in ls:  # noqa: E741
            found = remainder.remainder_margin(l, d)
            cuts += found.bisections
            if found.proved:
                least = min(least, found.least)
            else:
                bad.append(f"l = {l}, d = {d}: {found.reason}")
    filled = len(ls) == ls[-1] - ls[0] + 1 and len(ds) == ds[-1] - ds[0] + 1
    return Proof(
        decided=not bad,
        box={"degree": (float(ls[0]), float(ls[-1])), "d": (float(ds[0]), float(ds[-1]))},
        precision_bits=96 + 2 * ls[-1],
        bisections=cuts,
        left=f"relative margin of |b_l - P_l| <= s_l sin^2 theta: >= {least:.3g}",
        right="> 0, and the tangential part is proved for all l and d",
        reason="; ".join(bad[:3]),
        points=0 if filled else len(ls) * len(ds),
    )
