"""Theorem 1 of the Shared Gaussianization paper: the SG loss J bounds the InfoNCE excess.

    L_beta - L* <= 4 * 3^{3/4} beta sqrt(J) + C(d, beta) J      under equal marginals,

with a sharp, dimension-free constant of the square root. Also here: the bound on the misalignment
on which it rests, the families that attain it, the aligned path on which the excess is only
Theta(J), why the linear term is needed, and what the hypothesis of equal marginals does.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

from spherelab.claim import Axis, Claim, Domain, Relation
from spherelab.laws import Atoms, VonMisesFisher
from spherelab.limits import extrapolated
from spherelab.pairs import Aligned, Extremal, Pair, TangentShift
from spherelab.population import (
    SGLoss,
    componentwise_bound,
    condition_u_constant,
    infonce_excess,
    leading_constant,
    linear_constant,
    misalignment_certificate,
    sg_loss,
    uniformity_excess,
)
from spherelab.theory import proofs
from spherelab.theory.families import (
    ANTIPODAL,
    BETA,
    DELTA,
    DIMENSION,
    EQUAL_MARGINALS,
    EVERY,
    EXTREMAL,
    MIXTURE,
    TANGENT_SHIFT,
    Family,
)
from spherelab.value import Value, times
from spherelab.zonal import ExpKernel, SGLift

_PAPER = "SG paper, Theorem 1"
# On these families excess/leading = Delta/(k_0 sqrt J) is a function of one variable, at most 1.
_RATIO_PROOFS = {
    EXTREMAL: proofs.extremal_bound,
    MIXTURE: proofs.mixture_bound,
    ANTIPODAL: proofs.antipodal_bound,
}


# --- the two sides --------------------------------------------------------------------------------


def leading_term(beta: float, loss: Value) -> Value:
    """4 * 3^{3/4} beta sqrt(J) = 2 beta k_0 sqrt(J)."""
    value = leading_constant() * beta * math.sqrt(loss)
    return Value(value, 0.5 * value * _relative(loss))


def theorem1_bound(beta: float, loss: Value, d: int) -> Value:
    """4 * 3^{3/4} beta sqrt(J) + C(d, beta) J, with the proved linear constant."""
    leading, constant = leading_term(beta, loss), _linear(d, beta)
    linear = constant * loss
    error = leading.error + linear * (_relative(loss) + _relative(constant))
    return Value(leading + linear, error)


def _relative(value: Value) -> float:
    return value.error / value if value > 0 else 0.0


_linear = functools.lru_cache(maxsize=1024)(linear_constant)


@dataclass(frozen=True)
class _Kept:
    """What several claims on one family ask for, kept from one to the next."""

    pair: Callable[..., Pair]
    loss: Callable[..., SGLoss]
    excess: Callable[..., Value]


@functools.cache
def _kept(family: Family) -> _Kept:
    @functools.lru_cache(maxsize=512)
    def pair(**parameters: float) -> Pair:
        return family.make(**parameters)

    @functools.lru_cache(maxsize=512)
    def loss(**parameters: float) -> SGLoss:
        return sg_loss(pair(**parameters))

    @functools.lru_cache(maxsize=4096)
    def excess(beta: float, **parameters: float) -> Value:
        return infonce_excess(pair(**parameters), beta)

    return _Kept(pair, loss, excess)


def _with_beta(family: Family) -> Domain:
    return Domain((*family.axes, BETA), where=family.where)


def _bound(family: Family) -> Claim:
    kept = _kept(family)

    def right(d: int, beta: float, **parameters: float) -> Value:
        return theorem1_bound(beta, kept.loss(d=d, **parameters), d)

    hypothesis = "equal marginals" if family.equal_marginals else "cross-view negatives"
    note = "The constant of J is ours: proved, far from the best, huge for large beta."
    return Claim(
        key=f"theorem1.bound.{family.name}",
        statement=f"InfoNCE excess <= 4*3^(3/4) beta sqrt(J) + C(d,beta) J ({hypothesis}), "
        f"on {family.words}",
        source=_PAPER,
        ours=not family.equal_marginals,
        domain=_with_beta(family),
        left=kept.excess,
        relation=Relation.AT_MOST,
        right=right,
        tight=family is EXTREMAL,
        formula=r"\mathcal{L}_\beta-\mathcal{L}^\star_\beta\leq 4\cdot 3^{3/4}\,\beta\,"
        r"\sqrt{\mathcal{J}}+C(d,\beta)\,\mathcal{J}",
        note=note,
        prove=_RATIO_PROOFS.get(family),
    )


def _componentwise(family: Family) -> Claim:
    kept = _kept(family)

    def right(d: int, beta: float, **parameters: float) -> Value:
        return componentwise_bound(kept.loss(d=d, **parameters), d, beta)

    return Claim(
        key=f"theorem1.componentwise.{family.name}",
        statement="InfoNCE excess <= 2 beta J0^{-1}(J_(0)) + sum_l r_l (sqrt(J_l/mu_l) + "
        f"sqrt(N_l) K_l Delta)^2, Delta = J0^{{-1}}(J_(0)), on {family.words}",
        source=f"{_PAPER}, refined by degree",
        ours=True,
        domain=_with_beta(family),
        left=kept.excess,
        relation=Relation.AT_MOST,
        right=right,
        tight=family is EXTREMAL or family.aligned,
        formula=r"\mathcal{L}_\beta-\mathcal{L}^\star_\beta\leq 2\beta\Delta^\star"
        r"+\sum_{\ell\geq 1}r_\ell\left(\sqrt{\mathcal{J}_\ell/\mu_\ell}"
        r"+\sqrt{N_\ell}\,K_\ell\Delta^\star\right)^2",
    )


def _misalignment(family: Family) -> Claim:
    kept = _kept(family)

    def left(**parameters: float) -> Value:
        value = kept.pair(**parameters).misalignment()
        return Value(value, 1e-15 * value)

    def right(**parameters: float) -> Value:
        loss = kept.loss(**parameters)
        value = 0.5 * leading_constant() * math.sqrt(loss)
        return Value(value, 0.5 * value * _relative(loss))

    return Claim(
        key=f"theorem1.misalignment.{family.name}",
        statement=f"Delta <= k0 sqrt(J), k0 = 2*3^(3/4), on {family.words}",
        source=f"{_PAPER}, its first step",
        ours=False,
        domain=Domain(family.axes, where=family.where),
        left=left,
        relation=Relation.AT_MOST,
        right=right,
        tight=family is EXTREMAL,
        formula=r"\Delta\leq k_0\sqrt{\mathcal{J}},\quad k_0=2\cdot 3^{3/4}",
        prove=_RATIO_PROOFS.get(EXTREMAL if family is TANGENT_SHIFT else family),
    )


# --- sharpness ------------------------------------------------------------------------------------


def _extremal_ratio(d: int, beta: float, delta: float) -> Value:
    """Excess over the leading term on the extremal family."""
    pair = Extremal(d, delta)
    excess, leading = infonce_excess(pair, beta), leading_term(beta, sg_loss(pair))
    value = excess / leading
    return Value(value, value * (_relative(excess) + _relative(leading) + 1e-15))


_SHARP = Claim(
    key="theorem1.sharp",
    statement="the constant is sharp and free of d: excess / (4*3^(3/4) beta sqrt(J)) -> 1 as "
    "Delta -> 0 on the extremal family",
    source=f"{_PAPER}, sharpness; Figure 1a",
    ours=False,
    domain=Domain((DIMENSION, BETA)),
    left=lambda d, beta: extrapolated(lambda h: _extremal_ratio(d, beta, h), 1e-3),
    relation=Relation.RATE,
    right=lambda d, beta: 1.0,
    tight=True,
    formula=r"\lim_{\Delta\to 0}\frac{\mathcal{L}_\beta-\mathcal{L}^\star_\beta}"
    r"{4\cdot 3^{3/4}\,\beta\,\sqrt{\mathcal{J}}}=1",
    prove=proofs.extremal_expansion,
)


_SLOPE = Claim(
    key="theorem1.sharp.slope",
    statement="on the extremal family the ratio is 1 - (5/12) Delta + O(Delta^2)",
    source="expansion of J0",
    ours=True,
    domain=Domain((DIMENSION, BETA)),
    left=lambda d, beta: extrapolated(
        lambda h: Value(
            (1 - _extremal_ratio(d, beta, h)) / h, _extremal_ratio(d, beta, h).error / h
        ),
        1e-2,
    ),
    relation=Relation.RATE,
    right=lambda d, beta: 5 / 12,
    tight=True,
    formula=r"\lim_{\Delta\to 0}\frac{1-\mathrm{ratio}(\Delta)}{\Delta}=\frac{5}{12}",
    resolution=1e-4,
    prove=proofs.extremal_expansion,
)

_LEADING_ALONE = Claim(
    key="theorem1.leading.extremal",
    statement="on the extremal family (uniform marginals) the leading term alone suffices: "
    "excess <= 4*3^(3/4) beta sqrt(J)",
    source=f"{_PAPER}, sharpness",
    ours=False,
    domain=Domain((DIMENSION, DELTA, BETA)),
    left=lambda d, delta, beta: infonce_excess(Extremal(d, delta), beta),
    relation=Relation.AT_MOST,
    right=lambda d, delta, beta: leading_term(beta, sg_loss(Extremal(d, delta))),
    tight=True,
    formula=r"2\beta\Delta\leq 4\cdot 3^{3/4}\,\beta\,\sqrt{\mathcal{J}_0(\Delta)}",
    prove=proofs.extremal_bound,
)

_CERTIFICATE = Claim(
    key="theorem1.certificate",
    statement="the extremal family attains Delta = J0^{-1}(J), sharper than Delta <= k0 sqrt(J)",
    source="J >= J_(0) >= J0(Delta), both by Jensen",
    ours=True,
    domain=Domain((DIMENSION, DELTA)),
    left=lambda d, delta: Value(
        misalignment_certificate(sg_loss(Extremal(d, delta))), 1e-14 * delta
    ),
    relation=Relation.EQUAL,
    right=lambda d, delta: delta,
    tight=True,
    formula=r"\mathcal{J}_0^{-1}(\mathcal{J})=\Delta",
)


# --- the aligned path, and zero -------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _aligned(d: int, kappa: float) -> tuple[VonMisesFisher, SGLoss]:
    law = VonMisesFisher(d, kappa)
    return law, sg_loss(Aligned(law))


def _aligned_quotient(d: int, beta: float, kappa: float) -> Value:
    """U_beta / J of the aligned von Mises-Fisher law."""
    law, loss = _aligned(d, kappa)
    excess = uniformity_excess(law, beta)
    value = excess / loss
    return Value(value, value * (_relative(excess) + _relative(loss) + 1e-15))


def _theta_limit(d: int, beta: float) -> float:
    """r_1 (1 - r_1/2) / mu_1: the limit of U_beta / J as kappa -> 0."""
    r = math.exp(float(ExpKernel(beta).log_ratios(d, 1)))
    return r * (1 - r / 2) / float(SGLift().eigenvalues(d, 1))


_THETA = Claim(
    key="theorem1.theta",
    statement="on the aligned vMF path the excess is Theta(J): U_beta/J -> r_1 (1 - r_1/2)/mu_1 as "
    "kappa -> 0",
    source="SG paper, Figure 1a (Theta(J)); the constant is ours",
    ours=True,
    domain=Domain((DIMENSION, dataclasses.replace(BETA, values=(0.1, 5.0, 50.0)))),
    # extrapolated in h = kappa^2/d, in which U/J is a power series
    left=lambda d, beta: extrapolated(lambda h: _aligned_quotient(d, beta, math.sqrt(h * d)), 2e-5),
    relation=Relation.RATE,
    right=_theta_limit,
    tight=True,
    formula=r"\lim_{\kappa\to 0}\frac{\mathcal{U}_\beta}{\mathcal{J}}="
    r"\frac{r_1(1-r_1/2)}{\mu_1}",
    resolution=1e-6,
)

_ALIGNED_LINEAR = Claim(
    key="theorem1.aligned-linear",
    statement="on the aligned vMF path U_beta <= C_U J, C_U = sup_l r_l/mu_l: no square root",
    source="SG paper, Condition (U) and Figure 1a",
    ours=False,
    domain=Domain(
        (
            DIMENSION,
            Axis("kappa", (1e-3, 1.0, 30.0), 1e-3, 1e3, "log", quick=(1.0,)),
            dataclasses.replace(BETA, values=(0.1, 5.0, 50.0)),
        )
    ),
    left=lambda d, kappa, beta: uniformity_excess(VonMisesFisher(d, kappa), beta),
    relation=Relation.AT_MOST,
    right=lambda d, kappa, beta: times(condition_u_constant(d, beta)[0], _aligned(d, kappa)[1]),
    tight=False,
    formula=r"\mathcal{U}_\beta\leq\sup_{\ell\geq 1}\frac{r_\ell}{\mu_\ell}\;\mathcal{J}",
)


_ZERO = Claim(
    key="theorem1.zero",
    statement="J and the InfoNCE excess vanish at the aligned, uniform pair",
    source="SG paper, abstract",
    ours=False,
    domain=Domain((DIMENSION, BETA)),
    left=lambda d, beta: (
        sg_loss(Aligned(VonMisesFisher(d, 0.0))) + infonce_excess(Extremal(d, 0.0), beta)
    ),
    relation=Relation.EQUAL,
    right=lambda d, beta: 0.0,
    tight=True,
    formula=r"\mathcal{J}=0=\mathcal{L}_\beta-\mathcal{L}^\star_\beta",
    scale=1.0,
)


# --- the linear term is needed, and so are equal marginals ----------------------------------------


def _polygon(n: int) -> Pair:
    return Aligned(Atoms.regular_polygon(int(n)))


_LINEAR_NEEDED = Claim(
    key="theorem1.linear-needed",
    statement="the linear term is needed: the aligned regular n-gon on the circle has an excess "
    "above 4*3^(3/4) beta sqrt(J) (n = 14 at beta = 20, n = 35 at beta = 50)",
    source="explicit law",
    ours=True,
    domain=Domain(
        (
            Axis("d", (2,), 2, 2, "integer"),
            Axis("beta", (20.0, 50.0), 20.0, 50.0),
            Axis("n", (14, 35), 14, 35, "integer"),
        ),
        where=lambda d, beta, n: n == {20.0: 14, 50.0: 35}.get(beta),
    ),
    left=lambda d, beta, n: infonce_excess(_polygon(n), beta),
    relation=Relation.AT_LEAST,
    right=lambda d, beta, n: leading_term(beta, sg_loss(_polygon(n))),
    tight=False,
    formula=r"\mathcal{U}_\beta(n\mathrm{-gon})>4\cdot 3^{3/4}\,\beta\,\sqrt{\mathcal{J}}",
    prove=proofs.polygon_excess,
)


def _within_view_excess(d: int, delta: float, beta: float) -> Value:
    """2 beta Delta + U_beta of the first view's marginal: InfoNCE with within-view negatives."""
    pair = TangentShift(d, delta)
    uniformity = uniformity_excess(pair.first, beta)
    return Value(2 * beta * delta + uniformity, uniformity.error + 4e-16 * beta * delta)


_HYPOTHESIS = Claim(
    key="theorem1.hypothesis",
    statement="equal marginals are needed with within-view negatives: on the tangent shift "
    "2 beta Delta + U_beta(first view) exceeds 4*3^(3/4) beta sqrt(J), however small Delta",
    source="explicit law",
    ours=True,
    domain=Domain(
        (
            Axis("d", (3, 16, 128), 3, 128, "integer"),
            Axis("delta", (1e-6, 1e-4, 0.01), 1e-8, 0.01, "log", quick=(0.01,)),
            Axis("beta", (1.0, 2.0, 5.0), 1.0, 5.0, quick=(2.0,)),
        )
    ),
    left=lambda d, delta, beta: _within_view_excess(d, delta, beta),
    relation=Relation.AT_LEAST,
    right=lambda d, delta, beta: leading_term(beta, sg_loss(TangentShift(d, delta))),
    tight=False,
    formula=r"2\beta\Delta+\mathcal{U}_\beta(P_U)>4\cdot 3^{3/4}\,\beta\,\sqrt{\mathcal{J}}",
    prove=proofs.tangent_shift,
    note="The hypothesis is needed: this is a counterexample without it, not a violation. "
    "With cross-view negatives the bound holds on the same family (theorem1.bound.tangent-shift).",
)


CLAIMS: tuple[Claim, ...] = (
    *(_bound(family) for family in EQUAL_MARGINALS),
    _bound(TANGENT_SHIFT),
    *(_componentwise(family) for family in EQUAL_MARGINALS),
    *(_misalignment(family) for family in EVERY),
    _LEADING_ALONE,
    _SHARP,
    _SLOPE,
    _CERTIFICATE,
    _THETA,
    _ALIGNED_LINEAR,
    _ZERO,
    _LINEAR_NEEDED,
    _HYPOTHESIS,
)
