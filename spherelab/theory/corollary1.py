"""Corollary 1 of the Shared Gaussianization paper: which tests bound uniformity linearly.

The Gaussian kernel e^{-gamma |u-v|^2} exactly when gamma >= beta/2; SG's lift for every beta;
matching of the first two moments never. Both sides of each: the constant where there is one, and
explicit laws on which U_beta/MMD^2 grows without bound where there is none.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence

from spherelab.bessel import log_lambda0
from spherelab.claim import Axis, Claim, Domain, Point, Proof, Relation
from spherelab.laws import ZonalLaw
from spherelab.limits import extrapolated
from spherelab.population import squared_mmd, uniformity_excess
from spherelab.theory.one_view import (
    CAPS,
    DEGREE,
    LAWS,
    LIFT,
    POLYGON,
    VMF,
    LawFamily,
)
from spherelab.theory.proofs import box_of
from spherelab.value import Value, quotient, scaled, times
from spherelab.zonal import (
    Domination,
    ExpKernel,
    GaussianKernel,
    MomentMatching,
    ZonalKernel,
    domination,
)

_PAPER = "SG paper, Corollary 1"
_D = Axis("d", (2, 8, 128), 2, 1024, "integer", quick=(2, 16))
_BETA = Axis("beta", (0.5, 10.0), 0.1, 50.0, "log", quick=(5.0,))
# 2 gamma/beta: 1 is the smallest Gaussian kernel that will do
_ABOVE = Axis("ratio", (1.0, 1.2, 3.0), 1.0, 4.0, "log", quick=(1.0, 1.5))
_BELOW = Axis("ratio", (0.4, 0.9), 0.2, 0.95, quick=(0.5,))
_DEGREE = Axis("degree", (1, 2, 5, 12, 20, 30), 1, 40, "integer", quick=(1, 5, 12))
_AMPLITUDE = 0.5


def _gaussian(beta: float, ratio: float) -> GaussianKernel:
    return GaussianKernel(0.5 * ratio * beta)


def _constant(d: int, beta: float, ratio: float) -> Domination:
    return domination(_gaussian(beta, ratio), ExpKernel(beta), d)


def _flat(d: int, beta: float, ratio: float = 1.0) -> Value:
    """e^(2 gamma)/lambda_0(beta), 2 gamma = ratio beta."""
    log = ratio * beta - float(log_lambda0(d, beta))
    return Value(math.exp(log), math.exp(log) * (1e-13 + 4e-16 * ratio * beta))


def _over(points: Sequence[Point], proof: Proof) -> Proof:
    """The proof of a statement about every l, d and beta, on the range of these points."""
    return dataclasses.replace(proof, box=box_of(points))


def _prove_bounded(points: Sequence[Point]) -> Proof:
    """lambda_l(s b) >= s^l lambda_l(b) for s >= 1, from the power series: every l, d and beta."""
    from spherelab.rigour import prove_gaussian

    reach = _over(points, Proof(True, {})).box
    return _over(points, prove_gaussian(reach["d"], reach["beta"]))


def _prove_equality(points: Sequence[Point]) -> Proof:
    """|u-v|^2 = 2 - 2 u.v on the sphere: e^(-gamma |u-v|^2) is e^(-2 gamma) e^(2 gamma u.v)."""
    import sympy

    beta, t = sympy.symbols("beta t", real=True)
    squared = 2 - 2 * t  # |u-v|^2 at u.v = t
    quotient_of_kernels = sympy.exp(-beta / 2 * squared) / sympy.exp(beta * t)
    proof = Proof(
        decided=True,
        box={},
        holds=sympy.simplify(quotient_of_kernels - sympy.exp(-beta)) == 0,
        left="e^(-gamma |u-v|^2)/e^(beta u.v) at gamma = beta/2",
        right="= e^-beta: every eigenvalue has this quotient",
    )
    return _over(points, proof)


def _prove_excess(points: Sequence[Point]) -> Proof:
    """U_beta >= (2/5) r_l |q_l|^2 on 1 + P_l/2, every l, d and beta.

    With x = P_l/2 in [-1/2, 1/2], E x = 0 under the uniform law and |q_l|^2 = E x^2:
    U_beta = E (1+x) log(1 + r x) - r x. For each x, log(1 + r x)/r falls in r, so the integrand is
    at least r ((1+x) log(1+x) - x) = r x^2 int_0^1 (1-t)/(1 + t x) dt, and that integral falls in
    x: at least its value at 1/2, which is 6 log(3/2) - 2 = 0.4328.
    """
    import sympy

    t = sympy.Symbol("t", positive=True)
    least = sympy.integrate((1 - t) / (1 + t / 2), (t, 0, 1))
    proof = Proof(
        decided=True,
        box={},
        holds=bool(least > sympy.Rational(2, 5)),
        left=f"U_beta/(r_l |q_l|^2) >= {sympy.simplify(least)}",
        right="> 2/5",
    )
    return _over(points, proof)


def _prove_unbounded(points: Sequence[Point]) -> Proof:
    """The two above: U_beta/MMD^2 >= (2/5) r_l/mu_l, and r_l/mu_l is at least geometric."""
    excess, spectrum = _prove_excess(points), _prove_bounded(points)
    left = f"{excess.left}; {spectrum.left}"
    right = f"{excess.right}; {spectrum.right}"
    holds = excess.holds and spectrum.holds
    return dataclasses.replace(spectrum, holds=holds, left=left, right=right)


# --- the Gaussian kernel, gamma >= beta/2 ---------------------------------------------------------

_BOUNDED = Claim(
    key="corollary1.gaussian.bounded",
    statement="for gamma >= beta/2 the quotient is bounded: sup_l r_l/mu_l <= "
    "e^(2 gamma)/lambda_0(beta)",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, _BETA, _ABOVE)),
    left=lambda d, beta, ratio: _constant(d, beta, ratio).upper,
    relation=Relation.AT_MOST,
    right=_flat,
    tight=True,
    formula=r"\gamma\geq\beta/2:\quad\sup_{\ell\geq 1}\frac{r_\ell}{\mu_\ell}\leq"
    r"\frac{e^{2\gamma}}{\lambda_0(\beta)}",
    prove=_prove_bounded,
)


def _spectral_quotient(d: int, beta: float, ratio: float, degree: int) -> Value:
    """r_l/mu_l."""
    log_r = float(ExpKernel(beta).log_ratios(d, degree))
    log_mu = float(_gaussian(beta, ratio).log_eigenvalues(d, degree))
    value = math.exp(log_r - log_mu)
    return Value(value, value * (1e-13 + 4e-16 * (abs(log_r) + abs(log_mu))))


_EQUAL = Claim(
    key="corollary1.gaussian.equality",
    statement="for gamma = beta/2 the quotient is the same at every degree: r_l/mu_l = "
    "e^beta/lambda_0(beta), that is mu_l/lambda_l = e^-beta",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, _BETA, Axis("degree", (1, 10, 100, 2000), 1, 10_000, "integer"))),
    left=lambda d, beta, degree: _spectral_quotient(d, beta, 1.0, degree),
    relation=Relation.EQUAL,
    right=lambda d, beta, degree: _flat(d, beta),
    tight=True,
    formula=r"\gamma=\beta/2:\quad\frac{r_\ell}{\mu_\ell}=\frac{e^{\beta}}{\lambda_0(\beta)}",
    prove=_prove_equality,
)

_BEST = Claim(
    key="corollary1.gaussian.best",
    statement="for gamma = beta/2 the two ends of the enclosure meet: the best constant is "
    "e^beta/lambda_0(beta), the limit of U_beta/MMD^2 on 1 + P_l/2 as l -> inf",
    source=_PAPER,
    ours=True,
    domain=Domain((_D, _BETA)),
    left=lambda d, beta: _far_out(d, beta),
    relation=Relation.RATE,
    right=lambda d, beta: _constant(d, beta, 1.0).lower,
    tight=True,
    formula=r"\gamma=\beta/2:\quad\lim_{\ell\to\infty}\frac{\mathcal{U}_\beta}{\mathrm{MMD}^2}="
    r"\frac{e^{\beta}}{\lambda_0(\beta)}",
)


def _far_out(d: int, beta: float) -> Value:
    """U_beta/MMD^2 of 1 + P_l/2 at a degree where r_l, the relative distance to the limit, is
    below 1e-11."""
    degree, log_r = 2, 0.0
    while log_r > -25.0:
        degree += 1 + degree // 2
        log_r = float(ExpKernel(beta).log_ratios(d, degree))
    found = _quotient_on_degree(GaussianKernel(0.5 * beta), d, beta, degree)
    return Value(found, found.error + math.exp(log_r) * found)


@functools.lru_cache(maxsize=4096)
def _quotient_on_degree(kernel: ZonalKernel, d: int, beta: float, degree: int) -> Value:
    """U_beta/MMD^2 of the law 1 + P_l/2."""
    law = ZonalLaw.perturbed(d, degree, _AMPLITUDE)
    return quotient(uniformity_excess(law, beta), squared_mmd(law, kernel))


def _linear(family: LawFamily) -> Claim:
    def right(d: int, beta: float, ratio: float, **parameters: float) -> Value:
        mmd = family.mmd(_gaussian(beta, ratio), d=d, **parameters)
        return times(_constant(d, beta, ratio).upper, mmd)

    def left(ratio: float, **parameters: float) -> Value:
        return family.excess(**parameters)

    ratios = Axis("ratio", (1.0, 2.0), 1.0, 3.0, "log", quick=(1.0,))
    return Claim(
        key=f"corollary1.gaussian.linear.{family.name}",
        statement="for gamma >= beta/2, U_beta <= (sup_l r_l/mu_l) MMD^2 of the Gaussian kernel, "
        f"on {family.words}",
        source=_PAPER,
        ours=False,
        domain=family.domain(ratios),
        left=left,
        relation=Relation.AT_MOST,
        right=right,
        tight=family in (VMF, CAPS, DEGREE, POLYGON),
        formula=r"\mathcal{U}_\beta\leq\sup_{\ell\geq 1}\frac{r_\ell}{\mu_\ell}\;"
        r"\mathrm{MMD}^2_\gamma",
    )


def _polynomial(d: int, beta: float) -> Value:
    """e^beta/lambda_0(beta) over sqrt(2 pi) beta^((d-1)/2)/(2^(d/2-1) Gamma(d/2))."""
    log = beta - float(log_lambda0(d, beta)) - 0.5 * math.log(2 * math.pi)
    log += (0.5 * d - 1) * math.log(2) + math.lgamma(0.5 * d) - 0.5 * (d - 1) * math.log(beta)
    return Value(math.exp(log), math.exp(log) * (1e-14 + 1e-15 * beta))


_SMALL = Claim(
    key="corollary1.gaussian.growth",
    statement="the constant of the Gaussian kernel gamma = beta/2 grows like a power of beta only, "
    "sqrt(2 pi) beta^((d-1)/2)/(2^(d/2-1) Gamma(d/2)); SG's grows like e^beta (theorem2.growth)",
    source="DLMF 10.40.1",
    ours=True,
    domain=Domain((Axis("d", (2, 3, 8, 16), 2, 32, "integer", quick=(8,)),)),
    left=lambda d: extrapolated(lambda h: _polynomial(d, 1 / h), 1e-2 / d**2),
    relation=Relation.RATE,
    right=lambda d: 1.0,
    tight=True,
    formula=r"\frac{e^{\beta}}{\lambda_0(\beta)}\sim\frac{\sqrt{2\pi}\;\beta^{(d-1)/2}}"
    r"{2^{d/2-1}\,\Gamma(d/2)}",
    resolution=1e-6,
    note="The two constants stand before different tests: the Gaussian kernel's MMD needs beta.",
)

# --- the Gaussian kernel, gamma < beta/2 ----------------------------------------------------------

_GROWS = Claim(
    key="corollary1.gaussian.unbounded",
    statement="for gamma < beta/2 no constant does: on 1 + P_l/2 the exact U_beta/MMD^2 is at "
    "least (2/5) (e^(2 gamma)/lambda_0(beta)) (beta/(2 gamma))^l at every degree l",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, _BETA, _BELOW, _DEGREE)),
    left=lambda d, beta, ratio, degree: _quotient_on_degree(
        _gaussian(beta, ratio), d, beta, degree
    ),
    relation=Relation.AT_LEAST,
    right=lambda d, beta, ratio, degree: scaled(_flat(d, beta, ratio), 0.4 * ratio**-degree),
    tight=False,
    formula=r"\gamma<\beta/2:\quad\frac{\mathcal{U}_\beta}{\mathrm{MMD}^2}\geq"
    r"\frac{2}{5}\,\frac{e^{2\gamma}}{\lambda_0(\beta)}\left(\frac{\beta}{2\gamma}\right)^{\ell}",
    prove=_prove_unbounded,
)

_NEXT: dict[int, int] = {5: 12, 12: 20, 20: 30}

_STEP = Claim(
    key="corollary1.gaussian.step",
    statement="for gamma < beta/2 the exact U_beta/MMD^2 on 1 + P_l/2 grows from each degree of "
    "5, 12, 20, 30 to the next",
    source=_PAPER,
    ours=False,
    domain=Domain(
        (_D, _BETA, _BELOW, Axis("degree", (5, 12, 20), 5, 20, "integer")),
        where=lambda d, beta, ratio, degree: degree in _NEXT,
    ),
    left=lambda d, beta, ratio, degree: _quotient_on_degree(
        _gaussian(beta, ratio), d, beta, _NEXT[degree]
    ),
    relation=Relation.AT_LEAST,
    right=lambda d, beta, ratio, degree: _quotient_on_degree(
        _gaussian(beta, ratio), d, beta, degree
    ),
    tight=False,
    formula=r"\frac{\mathcal{U}_\beta}{\mathrm{MMD}^2}\;\;\mathrm{rises\;with}\;\;\ell",
)
_LIMIT = Claim(
    key="corollary1.gaussian.limit",
    statement="the quotient r_l/mu_l of neighbouring degrees tends to beta/(2 gamma) as l -> inf: "
    "geometric growth below gamma = beta/2, geometric decay above",
    source="lambda_{l+1}(b)/lambda_l(b) ~ b/(2l+d)",
    ours=True,
    domain=Domain((_D, _BETA, Axis("ratio", (0.4, 1.0, 2.0), 0.2, 4.0, "log", quick=(0.5, 2.0)))),
    # extrapolated in 1/(l + d/2), in which I_{v+1}(b)/I_v(b) is b times a power series
    left=lambda d, beta, ratio: extrapolated(
        lambda h: _neighbours(d, beta, ratio, round(1 / h)), 1 / (60 * math.ceil(beta) + 4 * d)
    ),
    relation=Relation.RATE,
    right=lambda d, beta, ratio: 1 / ratio,
    tight=True,
    formula=r"\lim_{\ell\to\infty}\frac{r_{\ell+1}/\mu_{\ell+1}}{r_\ell/\mu_\ell}="
    r"\frac{\beta}{2\gamma}",
    resolution=1e-4,
)


def _neighbours(d: int, beta: float, ratio: float, order: int) -> Value:
    """(r_{l+1}/mu_{l+1})/(r_l/mu_l) at l = order."""
    degrees = [order, order + 1]
    log_r = ExpKernel(beta).log_ratios(d, degrees)
    log_mu = ExpKernel(ratio * beta).log_ratios(d, degrees)  # up to a constant
    value = math.exp(float(log_r[1] - log_r[0] - log_mu[1] + log_mu[0]))
    size = float(abs(log_r).max() + abs(log_mu).max())
    return Value(value, value * (2e-13 + 4e-16 * size))


# --- SG's lift, and moments -----------------------------------------------------------------------


def _lift_decay(d: int, degree: int) -> Value:
    """mu_{l+1}/mu_l."""
    log_mu = LIFT.log_eigenvalues(d, [degree, degree + 1])
    value = math.exp(float(log_mu[1] - log_mu[0]))
    return Value(value, value * (2e-14 + 4e-16 * abs(float(log_mu[1]))))


_DECAY = Claim(
    key="corollary1.sg.decay",
    statement="SG's eigenvalues decay only geometrically: mu_{l+1}/mu_l -> 2 - sqrt 3",
    source=f"{_PAPER}; the rate is ours",
    ours=True,
    domain=Domain((Axis("d", (2, 3, 8, 32), 2, 64, "integer", quick=(8,)),)),
    left=lambda d: extrapolated(lambda h: _lift_decay(d, round(1 / h)), 1 / (40 * d * d)),
    relation=Relation.RATE,
    right=lambda d: 2 - math.sqrt(3),
    tight=True,
    formula=r"\lim_{\ell\to\infty}\frac{\mu_{\ell+1}}{\mu_\ell}=2-\sqrt{3}",
    resolution=1e-5,
)


@functools.lru_cache(maxsize=4096)
def _lift_step(d: int, beta: float, degree: int) -> Value:
    """(r_{l+1}/mu_{l+1})/(r_l/mu_l) of SG's test."""
    log_r = ExpKernel(beta).log_ratios(d, [degree, degree + 1])
    up, down = math.exp(float(log_r[1] - log_r[0])), _lift_decay(d, degree)
    size = 2e-13 + 4e-16 * abs(float(log_r[1]))
    return quotient(Value(up, up * size), down)


_FALLS = Claim(
    key="corollary1.sg.bounded",
    statement="SG's test bounds for every beta: r_l/mu_l falls by a factor below 2 beta/l from "
    "each degree l >= 4 beta + 1 to the next, so that its sup is one of finitely many",
    source=_PAPER,
    ours=True,
    domain=Domain(
        (
            _D,
            _BETA,
            Axis("degree", (3, 21, 81, 300, 2000), 2, 10_000, "integer", quick=(21, 300)),
        ),
        where=lambda d, beta, degree: degree >= 4 * beta + 1,
    ),
    left=lambda d, beta, degree: _lift_step(d, beta, degree),
    relation=Relation.AT_MOST,
    right=lambda d, beta, degree: 2 * beta / degree,
    tight=False,
    formula=r"\frac{r_{\ell+1}/\mu_{\ell+1}}{r_\ell/\mu_\ell}\leq\frac{2\beta}{\ell}",
)

_BLIND = Claim(
    key="corollary1.moments.blind",
    statement="matching of the first two moments does not see the law 1 + P_l/2, l >= 3: MMD^2 = 0",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, Axis("degree", (3, 4, 7), 3, 40, "integer"))),
    left=lambda d, degree: squared_mmd(ZonalLaw.perturbed(d, degree, _AMPLITUDE), MomentMatching()),
    relation=Relation.EQUAL,
    right=lambda d, degree: 0.0,
    tight=True,
    formula=r"\mathrm{MMD}^2=|E X|^2+\|E XX^\top-I/d\|_F^2=0",
    scale=1.0,
)

_NEVER = Claim(
    key="corollary1.moments.never",
    statement="and yet U_beta >= (2/5) r_l |q_l|^2 > 0 there: no constant does, for any beta",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, _BETA, Axis("degree", (3, 4, 7), 3, 40, "integer"))),
    left=lambda d, beta, degree: uniformity_excess(ZonalLaw.perturbed(d, degree, _AMPLITUDE), beta),
    relation=Relation.AT_LEAST,
    right=lambda d, beta, degree: _part(d, beta, degree),
    tight=False,
    formula=r"\mathcal{U}_\beta(1+P_\ell/2)\geq\frac{2}{5}\,r_\ell|q_\ell|^2>0",
    prove=_prove_excess,
)


def _part(d: int, beta: float, degree: int) -> Value:
    """(2/5) r_l |q_l|^2."""
    law = ZonalLaw.perturbed(d, degree, _AMPLITUDE)
    log = float(ExpKernel(beta).log_ratios(d, degree)) + float(law.log_harmonic_energy(degree))
    return Value(0.4 * math.exp(log), math.exp(log) * 1e-12)


CLAIMS: tuple[Claim, ...] = (
    _BOUNDED,
    _EQUAL,
    _BEST,
    *(_linear(family) for family in LAWS),
    _SMALL,
    _GROWS,
    _STEP,
    _LIMIT,
    _DECAY,
    _FALLS,
    _BLIND,
    _NEVER,
)
