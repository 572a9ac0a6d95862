"""Condition (U) and Theorem 2 of the Shared Gaussianization paper: linear bounds on uniformity.

A rotation-invariant test with eigenvalues mu_l bounds the uniformity excess linearly,

    U_beta <= C sum_{l>=1} mu_l |q_l|^2 for all laws,  iff  sup_{l>=1} r_l/mu_l < inf,

and the best C lies in [sup (r_l - r_l^2/2)/mu_l, sup r_l/mu_l]. Here for SG's own test, where it
always exists: the bound on laws, the two ends, where the sup is attained, and how it grows.
``corollary1`` has the other tests, those that fail included.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spherelab.claim import Axis, Claim, Domain, Point, Proof, Relation
from spherelab.gegenbauer import gegenbauer, gegenbauer_all
from spherelab.laws import ZonalLaw
from spherelab.limits import extrapolated
from spherelab.population import condition_u_constant, uniformity_excess
from spherelab.population.radial import gaussian_rule
from spherelab.sphere import coordinate_rule
from spherelab.theory.one_view import CAPS, DEGREE, LAWS, LIFT, VMF, LawFamily
from spherelab.theory.proofs import box_of
from spherelab.value import Value, quotient, scaled, times
from spherelab.zonal import Domination, ExpKernel, domination

Array = NDArray[np.float64]

_PAPER = "SG paper, Condition (U)"
_DIMENSION = Axis("d", (2, 8, 64, 1024), 2, 1024, "integer", quick=(2, 16))
_HUGE = "The constant grows like e^beta: at beta >= 20 the bound says nothing at practical J."


def constant(d: int, beta: float) -> Domination:
    """Both ends of the enclosure of SG's best constant."""
    return domination(LIFT, ExpKernel(beta), d)


# --- the bound on laws ----------------------------------------------------------------------------


def _linear(family: LawFamily) -> Claim:
    def right(d: int, beta: float, **parameters: float) -> Value:
        return times(condition_u_constant(d, beta)[0], family.mmd(LIFT, d=d, **parameters))

    return Claim(
        key=f"theorem2.linear.{family.name}",
        statement="U_beta <= C_U sum_l mu_l |q_l|^2 = C_U J(aligned), C_U = sup_l r_l/mu_l, on "
        f"{family.words}",
        source=_PAPER,
        ours=False,
        domain=family.domain(),
        left=family.excess,
        relation=Relation.AT_MOST,
        right=right,
        # near the uniform law degree 1 rules, and for small beta that is where the sup is
        tight=family in (VMF, CAPS, DEGREE),
        formula=r"\mathcal{U}_\beta\leq\sup_{\ell\geq 1}\frac{r_\ell}{\mu_\ell}\;"
        r"\sum_{\ell\geq 1}\mu_\ell|q_\ell|^2",
        note=_HUGE,
    )


# --- the two ends of the enclosure ----------------------------------------------------------------


def _defined_constant(d: int, beta: float) -> Value:
    """max_l r_l/mu_l with both spectra from their definitions: no Bessel function, no lift rule.

    r_l = E e^{beta t} P_l(t)/E e^{beta t} under the law of a coordinate, mu_l = E_s psi_l(s)^2.
    """
    t, weights = coordinate_rule(d, 64)
    weights = weights * np.exp(beta * (t - 1))
    top = gegenbauer_all(d, int(1.8 * beta) + 2, t)[1:] @ weights
    found = top / (weights.sum() * _defined_lift(d)[: top.size])
    best = int(np.argmax(found))
    noise = 1e-15 * float(weights.sum()) / abs(float(top[best])) + 1e-12
    return Value(found[best], noise * found[best], "quadrature of the definitions")


@functools.lru_cache(maxsize=64)
def _defined_lift(d: int) -> Array:
    """mu_l = E_s psi_l(s)^2 for l = 1..16."""
    s, gauss = gaussian_rule()
    mu: Array = np.exp(2 * LIFT.log_profile(d, np.arange(1, 17)[:, None], s)) @ gauss
    return mu


def _prove_constant(points: Sequence[Point]) -> Proof:
    """At each (d, beta), in balls: the sup, the only degree that attains it, and the fall beyond.

    That degree must be the one that the floating-point scan found.
    """
    from spherelab.rigour import prove_domination
    from spherelab.rigour.balls import combine

    places = sorted({(int(p["d"]), p["beta"]) for p in points})
    found = [prove_domination(d, beta, constant(d, beta).degree) for d, beta in places]
    whole = combine(found, left=found[0].left, right=found[0].right)
    return dataclasses.replace(whole, points=len(places))


_CONSTANT = Claim(
    key="theorem2.constant",
    statement="C_U = sup_l r_l/mu_l of the scan equals the largest quotient of the two spectra by "
    "their definitions; in balls, the sup is attained at one degree alone, the scan's",
    source=_PAPER,
    ours=False,
    domain=Domain(
        (
            Axis("d", (2, 8), 2, 32, "integer", quick=(2, 8)),
            Axis("beta", (0.5, 2.0, 5.0, 8.0), 0.5, 8.0, quick=(0.5, 5.0)),
        )
    ),
    left=lambda d, beta: condition_u_constant(d, beta)[0],
    relation=Relation.EQUAL,
    right=_defined_constant,
    tight=True,
    formula=r"C_{\mathrm{U}}=\sup_{\ell\geq 1}\frac{r_\ell}{\mu_\ell}",
    prove=_prove_constant,
)


def _small_quotient(d: int, degree: int, beta: float, amplitude: float) -> Value:
    """U_beta/|q_l|^2 of the law 1 + amplitude P_l; |q_l|^2 = amplitude^2/N_l."""
    law = ZonalLaw.perturbed(d, degree, amplitude)
    energy = float(law.harmonic_energy(degree))
    return quotient(uniformity_excess(law, beta), Value(energy, 1e-13 * energy))


_NECESSARY = Claim(
    key="theorem2.necessary",
    statement="on 1 + eps P_l, U_beta/|q_l|^2 -> r_l - r_l^2/2 as eps -> 0, so that no test does "
    "with a constant below (r_l - r_l^2/2)/mu_l, whatever its mu_l, at any degree",
    source=f"{_PAPER}; the constant is ours",
    ours=True,
    domain=Domain(
        (
            Axis("d", (2, 8, 128), 2, 1024, "integer", quick=(8,)),
            Axis("degree", (1, 2, 5), 1, 8, "integer", quick=(1, 2)),
            Axis("beta", (0.1, 2.0, 20.0), 0.1, 50.0, "log", quick=(2.0,)),
        )
    ),
    left=lambda d, degree, beta: extrapolated(lambda h: _small_quotient(d, degree, beta, h), 1e-2),
    relation=Relation.RATE,
    right=lambda d, degree, beta: _second_order(d, degree, beta),
    tight=True,
    formula=r"\lim_{\epsilon\to 0}\frac{\mathcal{U}_\beta(1+\epsilon P_\ell)}{|q_\ell|^2}"
    r"=r_\ell-\frac{r_\ell^2}{2}",
    resolution=1e-5,
)


def _second_order(d: int, degree: int, beta: float) -> Value:
    r = math.exp(float(ExpKernel(beta).log_ratios(d, degree)))
    return Value(r * (1 - r / 2), 1e-13 * r)


def _at_the_best(d: int, beta: float, eps: float) -> Value:
    """U_beta/J of the aligned law 1 + eps P_l at the degree l of the lower end."""
    degree = constant(d, beta).lower_degree
    assert degree is not None  # SG's test always has one
    return quotient(_small_quotient(d, degree, beta, eps), _mu(d, degree))


@functools.lru_cache(maxsize=256)
def _mu(d: int, degree: int) -> Value:
    mu = float(LIFT.eigenvalues(d, degree))
    return Value(mu, 2e-13 * mu)


_ATTAINED = Claim(
    key="theorem2.attained",
    statement="the lower end of the enclosure is attained: U_beta/J -> sup_l (r_l - r_l^2/2)/mu_l "
    "on the aligned law 1 + eps P_l of the best degree, as eps -> 0",
    source=_PAPER,
    ours=True,
    domain=Domain(
        (_DIMENSION, Axis("beta", (0.1, 1.0, 5.0, 15.0), 0.1, 25.0, "log", quick=(5.0,)))
    ),
    left=lambda d, beta: extrapolated(lambda h: _at_the_best(d, beta, h), 1e-2),
    relation=Relation.RATE,
    right=lambda d, beta: constant(d, beta).lower,
    tight=True,
    formula=r"\lim_{\epsilon\to 0}\frac{\mathcal{U}_\beta}{\mathcal{J}}="
    r"\sup_{\ell\geq 1}\frac{r_\ell-r_\ell^2/2}{\mu_\ell}",
    resolution=1e-5,
)


def _prove_factor(points: Sequence[Point]) -> Proof:
    """r - r^2/2 >= r/2 for 0 <= r <= 1, which r_l = E e^(beta t) P_l(t)/E e^(beta t) is."""
    import sympy

    r = sympy.Symbol("r")
    rest = sympy.factor((r - r**2 / 2) - r / 2)  # -r (r - 1)/2
    holds = sympy.solveset(rest >= 0, r, sympy.Interval(0, 1)) == sympy.Interval(0, 1)
    box = box_of(points)
    return Proof(True, box, holds=holds, left=f"r - r^2/2 - r/2 = {rest}", right=">= 0 on [0, 1]")


_FACTOR = Claim(
    key="theorem2.enclosure",
    statement="the enclosure of the best constant is no wider than a factor 2: sup r_l/mu_l <= "
    "2 sup (r_l - r_l^2/2)/mu_l, since r_l <= 1",
    source=_PAPER,
    ours=True,
    domain=Domain((_DIMENSION, Axis("beta", (0.1, 1.0, 5.0, 50.0), 0.01, 300.0, "log"))),
    left=lambda d, beta: constant(d, beta).upper,
    relation=Relation.AT_MOST,
    right=lambda d, beta: scaled(constant(d, beta).lower, 2),
    tight=False,
    formula=r"\sup_{\ell}\frac{r_\ell}{\mu_\ell}\leq "
    r"2\sup_{\ell}\frac{r_\ell-r_\ell^2/2}{\mu_\ell}",
    note="At d = 8, beta = 5 it is [789.586, 789.761].",
    prove=_prove_factor,
)


# --- the two spectra ------------------------------------------------------------------------------


def _defined_mu(d: int, degree: int) -> Value:
    """E_s psi_l(s)^2 by the trapezoid rule in s."""
    s, gauss = gaussian_rule()
    mu = float(np.exp(2 * LIFT.log_profile(d, degree, s)) @ gauss)
    return Value(mu, 1e-12 * mu)


def _ratio(d: int, degree: int, beta: float) -> Value:
    log_r = float(ExpKernel(beta).log_ratios(d, degree))
    r = math.exp(log_r)
    return Value(r, r * (1e-14 + 4e-16 * abs(log_r)))


def _defined_ratio(d: int, degree: int, beta: float) -> Value:
    """E e^(beta t) P_l(t)/E e^(beta t) by Gauss quadrature; rounding is relative to the largest."""
    t, weights = coordinate_rule(d, 64)
    weights = weights * np.exp(beta * (t - 1))
    value = float(gegenbauer(d, degree, t) @ weights / weights.sum())
    return Value(value, 1e-14)


def _prove_mu(points: Sequence[Point]) -> Proof:
    from spherelab import rigour

    return _prove_enclosed(
        points, lambda d, degree: rigour.mu(degree, d), lambda d, degree: _mu(d, degree)
    )


def _prove_ratio(points: Sequence[Point]) -> Proof:
    from spherelab import rigour

    return _prove_enclosed(points, lambda d, degree, beta: rigour.r(degree, d, beta), _ratio)


def _prove_enclosed(
    points: Sequence[Point], enclose: Callable[..., Any], left: Callable[..., Value]
) -> Proof:
    """That the library's number is within its stated error of a ball around the true one, tail of
    the series bounded, at each point."""
    from spherelab.rigour import BITS, exact

    bad = []
    for point in points:
        value = left(**point)
        if not abs(enclose(**point) - exact(float(value))) < exact(value.error):
            bad.append(point)
    box = box_of(points)
    return Proof(
        decided=True,
        holds=not bad,
        box=box,
        precision_bits=BITS,
        left="distance of the library's number from a ball around the true one",
        right="< its stated error",
        reason=f"not at {bad[0]}" if bad else "",
        points=len(points),
    )


_SPECTRA = (
    Claim(
        key="theorem2.spectrum.lift",
        statement="the eigenvalues of SG's test: mu_l of the library equals E_s psi_l(s)^2 by its "
        "definition; in balls, it is within its stated error of the true one",
        source=_PAPER,
        ours=False,
        domain=Domain(
            (
                Axis("d", (2, 3, 16, 1024), 2, 1024, "integer", quick=(2, 16)),
                Axis("degree", (1, 2, 10, 50), 1, 100, "integer", quick=(1, 10)),
            )
        ),
        left=lambda d, degree: _mu(d, degree),
        relation=Relation.EQUAL,
        right=_defined_mu,
        tight=True,
        formula=r"\mu_\ell=E_s\,\psi_\ell(s)^2",
        prove=_prove_mu,
    ),
    Claim(
        key="theorem2.spectrum.infonce",
        statement="the eigenvalues of InfoNCE: r_l of the library equals E e^(beta t) P_l(t) / "
        "E e^(beta t); in balls, it is within its stated error of the true one",
        source="Funk-Hecke; DLMF 10.9.38",
        ours=False,
        domain=Domain(
            (
                Axis("d", (2, 3, 16, 128), 2, 128, "integer", quick=(2, 16)),
                Axis("degree", (1, 2, 4), 1, 4, "integer", quick=(1, 4)),
                Axis("beta", (0.5, 5.0, 20.0), 0.1, 20.0, "log", quick=(5.0,)),
            ),
            # r_l is about this or more; the quadrature's 1e-14 must be small against it
            where=lambda d, degree, beta: (beta / (beta + 2 * degree + d)) ** degree > 1e-5,
        ),
        left=_ratio,
        relation=Relation.EQUAL,
        right=_defined_ratio,
        tight=True,
        formula=r"r_\ell=\frac{E\,e^{\beta t}P_\ell(t)}{E\,e^{\beta t}}",
        prove=_prove_ratio,
    ),
)


# --- where the sup is, and how large --------------------------------------------------------------

#: beta -> the least and the largest degree that attains the sup, over d = 2..1024.
_WHERE = {
    0.1: (1, 1),
    0.5: (1, 1),
    1.0: (1, 1),
    2.0: (3, 3),
    5.0: (7, 8),
    10.0: (14, 17),
    20.0: (28, 34),
    50.0: (71, 86),
}
_TABLE = Domain(
    (
        Axis("d", (2, 8, 16, 128, 1024), 2, 1024, "integer", quick=(2, 64)),
        Axis("beta", tuple(_WHERE), 0.1, 50.0, quick=(1.0, 5.0, 50.0)),
    ),
    where=lambda d, beta: beta in _WHERE,
)


def _degree(d: int, beta: float) -> float:
    degree = constant(d, beta).degree
    assert degree is not None
    return float(degree)


def _table(end: int) -> Claim:
    relation = (Relation.AT_LEAST, Relation.AT_MOST)[end]
    return Claim(
        key=f"theorem2.argmax.{('least', 'most')[end]}",
        statement=f"the degree that attains C_U is {('at least', 'at most')[end]} "
        + ", ".join(f"{ends[end]} at beta={beta:g}" for beta, ends in _WHERE.items()),
        source=_PAPER,
        ours=True,
        domain=_TABLE,
        left=_degree,
        relation=relation,
        right=lambda d, beta: float(_WHERE[beta][end]),
        tight=True,
        formula=r"\mathrm{argmax}_\ell\;r_\ell/\mu_\ell" + (r"\geq", r"\leq")[end] + r"\ell_\beta",
        prove=_prove_constant,
    )


_BETAS = Axis("beta", (1.0, 3.0, 7.0, 15.0, 30.0), 0.1, 50.0, "log", quick=(3.0, 30.0))
_BAND = tuple(
    Claim(
        key=f"theorem2.argmax.band.{name}",
        statement=f"the degree that attains C_U is {words}, for every d",
        source="C_U by a saddle point: l* = sqrt(3) beta for large beta, 3 beta/2 for large d",
        ours=True,
        domain=Domain((_TABLE.axes[0], _BETAS)),
        left=_degree,
        relation=relation,
        right=right,
        tight=False,
        formula=formula,
    )
    for name, words, relation, right, formula in (
        (
            "least",
            "at least 1.4 beta - 1",
            Relation.AT_LEAST,
            lambda d, beta: 1.4 * beta - 1,
            r"\ell^\star\geq 1.4\,\beta-1",
        ),
        (
            "most",
            "at most sqrt(3) beta + 1",
            Relation.AT_MOST,
            lambda d, beta: math.sqrt(3) * beta + 1,
            r"\ell^\star\leq\sqrt{3}\,\beta+1",
        ),
    )
)


@functools.lru_cache(maxsize=64)
def _scaled(d: int, beta: float) -> Value:
    """C_U e^{-beta} / (sqrt 6 2^(d/2-1))."""
    found = constant(d, beta)
    log = found.log_upper - beta - 0.5 * math.log(6) - (d / 2 - 1) * math.log(2)
    # that the argmax is an integer moves the sup by at most e^{-1/(16 beta)}
    error = found.error + 4e-16 * beta + 1 / (16 * beta)
    return Value(math.exp(log), math.exp(log) * error)


_GROWTH = Claim(
    key="theorem2.growth",
    statement="C_U ~ sqrt(6) 2^(d/2-1) e^beta as beta -> inf",
    source="saddle point of I_{l+nu}(beta) (2+sqrt 3)^l at l + nu = sqrt(3) beta",
    ours=True,
    domain=Domain((Axis("d", (2, 16), 2, 48, "integer", quick=(2,)),)),
    left=lambda d: extrapolated(lambda h: _scaled(d, 1 / h), 1 / (2000 * d)),
    relation=Relation.RATE,
    right=lambda d: 1.0,
    tight=True,
    formula=r"\lim_{\beta\to\infty}e^{-\beta}\,C_{\mathrm{U}}=\sqrt{6}\;2^{d/2-1}",
    resolution=5e-4,
    note=_HUGE,
)


CLAIMS: tuple[Claim, ...] = (
    *(_linear(family) for family in LAWS),
    *_SPECTRA,
    _CONSTANT,
    _NECESSARY,
    _ATTAINED,
    _FACTOR,
    _table(0),
    _table(1),
    *_BAND,
    _GROWTH,
)
