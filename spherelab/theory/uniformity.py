"""The uniformity excess U_beta: that it measures the distance to the uniform law, and closed forms.

    U_beta(P) = E_u log G(u),  G(u) = E_v e^{beta u.v}/lambda_0(beta),  u, v ~ P independent.

Two-sided bound, for every law P on the sphere, with S^2 = sum_{l>=1} r_l |q_l|^2 [ours]
-----------------------------------------------------------------------------------------
    log(1 + S^2/C) <= U_beta <= log(1 + S^2),    C = 1 + e^{2 beta} - e^beta lambda_0(beta).

Above: E_P G = 1 + S^2, and the logarithm is concave.
Below: let w = 1/G and m = E_P w. The kernel k(u,v) = e^{beta u.v}/lambda_0 has the eigenvalues
r_0 = 1 and r_l > 0. Its energy of the measure w P, since E_P[k(u,.)] = G(u), is

    m^2 + sum_{l>=1} r_l |q_l(wP)|^2 = E k w w' = E_P w^2 G - (1/2) E k (w-w')^2
                                     = m - (1/2) E k (w-w')^2.                                  (*)

So m <= 1, and U_beta = E_P log G >= -log m >= 0 by concavity. Equality needs w constant on P's
support and q_l(wP) = 0 for l >= 1: the uniform law alone. How far, in numbers: with V the variance
of w under P, the last term of (*) is at least kappa V, kappa = e^{-beta}/lambda_0 = min k; and w P
is m P plus a measure with density w - m, so that the sum in (*) is at least (m S - sqrt(N V))_+^2,
where N = e^beta/lambda_0 - 1 bounds k - 1 on L^2(P): it is positive there, of trace N. (If (.)_+
is 0, kappa V alone is at least kappa m^2 S^2/N.) The least value of the two together is
m^2 S^2 kappa/(kappa + N) = m^2 S^2/C, hence m - m^2 >= m^2 S^2/C and 1/m >= 1 + S^2/C.

C grows like e^{2 beta}; for small beta the two ends meet. Equality above where G is constant on P's
support: point masses, regular polygons, the uniform law.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spherelab.bessel import log_lambda0
from spherelab.claim import Axis, Claim, Domain, Point, Proof, Relation
from spherelab.gegenbauer import gegenbauer
from spherelab.laws import Law, Mixture, PointMass, Smoothed, Uniform, VonMisesFisher, ZonalLaw
from spherelab.population import uniformity_excess
from spherelab.sphere import coordinate_rule
from spherelab.theory.one_view import (
    ATOMS,
    BETA,
    DEGREE,
    LAWS,
    POLYGON,
    SPECK,
    VMF,
    LawFamily,
)
from spherelab.theory.proofs import box_of
from spherelab.value import Value

Array = NDArray[np.float64]

_PAPER = "SG paper, Condition (U)"
_EPS = float(np.finfo(float).eps)
_D = Axis("d", (2, 8, 128, 1024), 2, 1024, "integer", quick=(2, 16))


# --- which law has none ---------------------------------------------------------------------------


def _nonnegative(family: LawFamily) -> Claim:
    return Claim(
        key=f"uniformity.nonnegative.{family.name}",
        statement=f"U_beta >= 0, on {family.words}",
        source=_PAPER,
        ours=False,
        domain=family.domain(),
        left=family.excess,
        relation=Relation.AT_LEAST,
        right=lambda **_: 0.0,
        tight=False,
        formula=r"\mathcal{U}_\beta\geq 0",
    )


def _opposed(d: int, degree: int) -> Law:
    """Half of 1 + P_l/2 and half of 1 - P_l/2."""
    return Mixture([0.5, 0.5], [ZonalLaw.perturbed(d, degree, a) for a in (0.5, -0.5)])


def _mirrored(d: int) -> Law:
    """Half of 1 + P_3/2 about e and half about -e: an odd degree."""
    axis = np.eye(d)[0]
    return Mixture([0.5, 0.5], [ZonalLaw.perturbed(d, 3, 0.5, sign * axis) for sign in (1, -1)])


def _triangle(d: int) -> Law:
    """Thirds of 1 + P_1/2 about three unit vectors of sum 0."""
    axes = np.zeros((3, d))
    axes[:, 0] = 1.0, -0.5, -0.5
    axes[1:, 1] = math.sqrt(0.75), -math.sqrt(0.75)
    return Mixture(np.full(3, 1 / 3), [ZonalLaw.perturbed(d, 1, 0.5, axis) for axis in axes])


#: Ways to come by the uniform law; the first three are seen to be it, the others are computed.
UNIFORM: tuple[tuple[str, str, Callable[[int], Law]], ...] = (
    ("itself", "the uniform law", Uniform),
    ("vmf", "von Mises-Fisher, kappa = 0", lambda d: VonMisesFisher(d, 0.0)),
    (
        "mixture",
        "a mixture of uniform laws",
        lambda d: Mixture([0.3, 0.7], [Uniform(d), VonMisesFisher(d, 0.0, np.eye(d)[1])]),
    ),
    ("degree", "1 + 0 P_2", lambda d: ZonalLaw.perturbed(d, 2, 0.0)),
    ("opposed", "half of 1 + P_2/2 and half of 1 - P_2/2", lambda d: _opposed(d, 2)),
    ("mirrored", "half of 1 + P_3/2 about e and half about -e", _mirrored),
    ("triangle", "thirds of 1 + P_1/2 about three axes of sum 0", _triangle),
    (
        "smoothed",
        "1 + P_1/2 seen at right angles (P_1(0) = 0)",
        lambda d: Smoothed(ZonalLaw.perturbed(d, 1, 0.5), 0.0),
    ),
)


def _zero(name: str, words: str, make: Callable[[int], Law]) -> Claim:
    def left(d: int, beta: float) -> Value:
        value = uniformity_excess(make(d), beta)
        # axes and weights are rounded, which leaves q_l of an eps, and U_beta is of second order
        return Value(value, value.error + 64 * _EPS**2, value.method)

    return Claim(
        key=f"uniformity.zero.{name}",
        statement=f"U_beta = 0 at the uniform law: {words}",
        source=_PAPER,
        ours=False,
        domain=Domain((_D, BETA)),
        left=left,
        relation=Relation.EQUAL,
        right=lambda d, beta: 0.0,
        tight=True,
        formula=r"\mathcal{U}_\beta=0",
        scale=1.0,
    )


# --- the two-sided bound --------------------------------------------------------------------------


def spread(d: int, beta: float) -> Value:
    """C = 1 + e^{2 beta} - e^beta lambda_0(beta), at least 1."""
    log = float(log_lambda0(d, beta)) - beta
    value = 1 - math.exp(2 * beta) * math.expm1(log)
    return Value(value, value * (1e-13 + 4 * _EPS * beta))


def _log1p(value: Value, factor: float = 1.0) -> Value:
    """log(1 + factor value), factor <= 1."""
    found = math.log1p(factor * value)
    return Value(found, factor * value.error / (1 + factor * value) + 2 * _EPS * found)


def _lower(family: LawFamily) -> Callable[..., Value]:
    def right(d: int, beta: float, **parameters: float) -> Value:
        c = spread(d, beta)
        low = _log1p(family.spectral_sum(d=d, beta=beta, **parameters), 1 / c)
        return Value(low, low.error + low * c.error / c)

    return right


def _prove_lower(points: Sequence[Point]) -> Proof:
    """The least value in the module's docstring: what is left of it is a square, and C is C."""
    import sympy

    a, x, kappa, n = sympy.symbols("a x kappa N", positive=True)  # a = m S, x^2 = V
    both = (a - sympy.sqrt(n) * x) ** 2 + kappa * x**2
    least = a**2 * kappa / (kappa + n)
    square = ((kappa + n) * x - a * sympy.sqrt(n)) ** 2 / (kappa + n)
    beta, top = sympy.symbols("beta lambda_0", positive=True)
    ends = {kappa: sympy.exp(-beta) / top, n: sympy.exp(beta) / top - 1}
    stated = 1 + sympy.exp(2 * beta) - sympy.exp(beta) * top
    differences = (both - least - square, (a**2 / least).subs(ends) - stated)
    equal = [sympy.simplify(difference).equals(0) for difference in differences]
    return Proof(
        decided=None not in equal,
        box=box_of(points),
        holds=all(equal),
        left="m - m^2 >= min_V (m S - sqrt(N V))^2 + kappa V",
        right="m^2 S^2/C (this step by sympy; the steps before it by hand, in the module)",
    )


def _below(family: LawFamily) -> Claim:
    return Claim(
        key=f"uniformity.below.{family.name}",
        statement="U_beta = 0 at the uniform law only: U_beta >= log(1 + S^2/C), S^2 = sum_l r_l "
        f"|q_l|^2, C = 1 + e^(2 beta) - e^beta lambda_0, for every law; on {family.words}",
        source=_PAPER,
        ours=True,
        domain=family.domain(),
        left=family.excess,
        relation=Relation.AT_LEAST,
        right=_lower(family),
        tight=False,
        formula=r"\mathcal{U}_\beta\geq\log\left(1+\frac{\sum_{\ell\geq 1}r_\ell|q_\ell|^2}"
        r"{1+e^{2\beta}-e^\beta\lambda_0(\beta)}\right)",
        note="C grows like e^(2 beta).",
        prove=_prove_lower,
    )


def _reciprocal(d: int, kappa: float, beta: float) -> Value:
    """-log E_P[1/G] of a von Mises-Fisher law."""
    law = VonMisesFisher(d, kappa)
    t, weights = law.axis_rule()
    falls = np.expm1(-law.log_potential(beta, t))
    value = -math.log1p(float(weights @ falls))
    noise = 1e-13 * float(weights @ np.abs(falls)) + 8 * _EPS * min(beta, kappa)
    return Value(value, math.exp(value) * noise)


_RECIPROCAL = Claim(
    key="uniformity.reciprocal.vmf",
    statement="the step on which that rests, E_P[1/G] <= 1/(1 + S^2/C), on von Mises-Fisher laws",
    source=_PAPER,
    ours=True,
    domain=Domain(
        (
            Axis("d", (2, 16), 2, 1024, "integer"),
            Axis("kappa", (1e-3, 1.0, 30.0), 1e-3, 100.0, "log", quick=(1.0,)),
            Axis("beta", (0.1, 5.0), 0.1, 10.0, "log"),
        )
    ),
    left=_reciprocal,
    relation=Relation.AT_LEAST,
    right=_lower(VMF),
    tight=False,
    formula=r"\mathbb{E}_P\,\frac{1}{G}\leq\frac{1}{1+S^2/C}",
    prove=_prove_lower,
)


def _above(family: LawFamily) -> Claim:
    return Claim(
        key=f"uniformity.above.{family.name}",
        statement=f"U_beta <= sum_(l>=1) r_l |q_l|^2, on {family.words}",
        source=_PAPER,
        ours=False,
        domain=family.domain(),
        left=family.excess,
        relation=Relation.AT_MOST,
        right=family.spectral_sum,
        # where S^2 is small so is the concavity of the logarithm
        tight=family in (VMF, DEGREE, POLYGON),
        formula=r"\mathcal{U}_\beta\leq\sum_{\ell\geq 1}r_\ell|q_\ell|^2",
    )


def _jensen(family: LawFamily) -> Claim:
    return Claim(
        key=f"uniformity.jensen.{family.name}",
        statement=f"U_beta <= log(1 + sum_(l>=1) r_l |q_l|^2), on {family.words}",
        source="log E G >= E log G",
        ours=True,
        domain=family.domain(),
        left=family.excess,
        relation=Relation.AT_MOST,
        right=lambda **point: _log1p(family.spectral_sum(**point)),
        tight=family is not SPECK,
        formula=r"\mathcal{U}_\beta\leq\log\left(1+\sum_{\ell\geq 1}r_\ell|q_\ell|^2\right)",
    )


# --- the most that it can be ----------------------------------------------------------------------


def _most(d: int, beta: float, **_: float) -> Value:
    """beta - log lambda_0(beta) = -log E_t e^{beta (t-1)}, t one coordinate of a uniform point."""
    t, weights = coordinate_rule(d, 96)
    value = -math.log(float(weights @ np.exp(beta * (t - 1))))
    return Value(value, 1e-14 + 4 * _EPS * beta, "quadrature")


_POINT_MASS = Claim(
    key="uniformity.most.point-mass",
    statement="U_beta = beta - log lambda_0(beta) at a point mass",
    source=_PAPER,
    ours=True,
    domain=Domain((_D, BETA)),
    left=lambda d, beta: uniformity_excess(PointMass(np.eye(d)[0]), beta),
    relation=Relation.EQUAL,
    right=_most,
    tight=True,
    formula=r"\mathcal{U}_\beta(\delta_x)=\beta-\log\lambda_0(\beta)",
)


def _several(n: int, **_: float) -> bool:
    return n > 1


def _ceiling(family: LawFamily) -> Claim:
    domain = family.domain()
    if family is ATOMS:  # one atom is a point mass, whose claim is above
        domain = dataclasses.replace(domain, where=_several)
    return Claim(
        key=f"uniformity.most.{family.name}",
        statement="no law has more than a point mass: U_beta <= beta - log lambda_0(beta), on "
        f"{family.words}",
        source="u.v <= 1",
        ours=True,
        domain=domain,
        left=family.excess,
        relation=Relation.AT_MOST,
        right=_most,
        tight=family is POLYGON,  # n = 1 is a point mass
        formula=r"\mathcal{U}_\beta\leq\beta-\log\lambda_0(\beta)",
    )


# --- von Mises-Fisher laws, by other routes -------------------------------------------------------

_VMF_D = Axis("d", (2, 3, 16, 64), 2, 64, "integer", quick=(2, 16))
_KAPPA = Axis("kappa", (0.5, 5.0, 50.0), 0.5, 50.0, "log", quick=(5.0,))
_VMF_BETA = Axis("beta", (0.5, 5.0, 30.0), 0.5, 30.0, "log", quick=(5.0,))
_DEGREES = Axis("degree", (1, 2, 5), 1, 6, "integer", quick=(1, 3))
_NODES = 192


def _tilted(d: int, kappa: float) -> tuple[Array, Array]:
    """Nodes and weights for the cosine of a von Mises-Fisher law, from Gauss's rule."""
    t, weights = coordinate_rule(d, _NODES)
    weights = weights * np.exp(kappa * (t - 1))
    return t, weights / weights.sum()


def _vmf_by_quadrature(d: int, kappa: float, beta: float) -> Value:
    """E_t log lambda_0(|kappa m + beta u|) - log lambda_0(kappa) - log lambda_0(beta), t = u.m.

    lambda_0(x) = E e^{x t} by the same rule, no Bessel function; its three logarithms cancel.
    """
    nodes, masses = coordinate_rule(d, _NODES)

    def log_lambda(x: Array) -> Array:
        result: Array = x + np.log(np.exp(x[:, None] * (nodes - 1)) @ masses)
        return result

    t, weights = _tilted(d, kappa)
    length = np.sqrt(kappa**2 + beta**2 + 2 * kappa * beta * t)
    value = float(weights @ log_lambda(length)) - float(log_lambda(np.array([kappa, beta])).sum())
    return Value(value, 1e-14 + 2e-15 * (kappa + beta), "quadrature")


_VMF_EXCESS = Claim(
    key="uniformity.vmf.excess",
    statement="U_beta of a von Mises-Fisher law is E_t log lambda_0(|kappa m + beta u|) - "
    "log lambda_0(kappa) - log lambda_0(beta), all of it by quadrature over one coordinate",
    source="lambda_0(|kappa m + beta u|) = E e^{(kappa m + beta u).v}",
    ours=True,
    domain=Domain((_VMF_D, _KAPPA, _VMF_BETA)),
    left=lambda d, kappa, beta: uniformity_excess(VonMisesFisher(d, kappa), beta),
    relation=Relation.EQUAL,
    right=_vmf_by_quadrature,
    tight=True,
    formula=r"\mathcal{U}_\beta=\mathbb{E}_t\log\lambda_0(|\kappa m+\beta u|)"
    r"-\log\lambda_0(\kappa)-\log\lambda_0(\beta)",
)


def _resolved(d: int, kappa: float, degree: int, **_: float) -> bool:
    """Whether A_l(kappa) is well above the rounding of a mean of P_l, which is absolute."""
    return (kappa / (kappa + 2 * degree + d)) ** degree > 1e-5


def _coefficient(d: int, kappa: float, degree: int) -> Value:
    value = float(VonMisesFisher(d, kappa).mean_legendre(degree))
    return Value(value, 1e-13 * value, "Bessel quotient")


def _mean_legendre(d: int, kappa: float, degree: int) -> Value:
    t, weights = _tilted(d, kappa)
    return Value(float(weights @ gegenbauer(d, degree, t)), 1e-14, "quadrature")


def _bessel_quotient(d: int, degree: int, kappa: float) -> float:
    """I_{nu+l}(kappa)/I_nu(kappa) by SciPy's exponentially scaled Bessel functions."""
    nu = 0.5 * d - 1
    return float(special.ive(nu + degree, kappa) / special.ive(nu, kappa))


def _vmf_coefficient(name: str, words: str, right: Callable[..., Value], formula: str) -> Claim:
    return Claim(
        key=f"uniformity.vmf.coefficient.{name}",
        statement=f"A_l(kappa) of a von Mises-Fisher law is {words}",
        source="DLMF 10.23.9",
        ours=False,
        domain=Domain((_VMF_D, _KAPPA, _DEGREES), where=_resolved),
        left=_coefficient,
        relation=Relation.EQUAL,
        right=right,
        tight=True,
        formula=formula,
    )


_COEFFICIENTS = (
    _vmf_coefficient(
        "mean",
        "E P_l(X.m), by quadrature",
        _mean_legendre,
        r"A_\ell(\kappa)=\mathbb{E}\,P_\ell(X\cdot m)",
    ),
    _vmf_coefficient(
        "bessel",
        "I_(nu+l)(kappa)/I_nu(kappa), by another library's Bessel functions",
        # SciPy states no error; AMOS's algorithm is good to about 1e-13 at these orders
        lambda d, kappa, degree: _with_error(_bessel_quotient(d, degree, kappa), 1e-12),
        r"A_\ell(\kappa)=\frac{I_{\nu+\ell}(\kappa)}{I_\nu(\kappa)}",
    ),
)


def _with_error(value: float, relative: float) -> Value:
    return Value(value, relative * abs(value))


# --- mixtures, by other routes --------------------------------------------------------------------

_ANGLE = Axis("angle", (0.5, 2.0), 0.1, math.pi, quick=(math.pi / 2,))
_SHARES = np.array([0.7, 0.3])


def _means(d: int, angle: float) -> Array:
    means = np.zeros((2, d))
    means[0, 0] = 1.0
    means[1, :2] = math.cos(angle), math.sin(angle)
    return means


@functools.lru_cache(maxsize=256)
def _caps(d: int, kappa: float, angle: float) -> Mixture:
    """Weights 0.7 and 0.3, concentrations kappa and kappa/2, means an angle apart."""
    first, second = _means(d, angle)
    parts = [VonMisesFisher(d, kappa, first), VonMisesFisher(d, 0.5 * kappa, second)]
    return Mixture(_SHARES, parts)


def _energy_by_formula(d: int, kappa: float, angle: float, degree: int) -> Value:
    """N_l sum_ij w_i w_j A_l(k_i) A_l(k_j) P_l(m_i.m_j): N_l by counting, A_l by SciPy.

    N_l = binomial(l+d-1, d-1) - binomial(l+d-3, d-1), polynomials of degree l less those that
    |x|^2 divides. The first cap outweighs the second at every degree: no cancellation to nothing.
    """
    count = math.comb(degree + d - 1, d - 1)
    if degree > 1:
        count -= math.comb(degree + d - 3, d - 1)
    size = _SHARES * [_bessel_quotient(d, degree, k) for k in (kappa, 0.5 * kappa)]
    legendre = gegenbauer(d, degree, np.clip(_means(d, angle) @ _means(d, angle).T, -1.0, 1.0))
    value = count * float(size @ legendre @ size)
    return Value(value, 4e-12 * count * float(size.sum()) ** 2)


_MIXTURE_ENERGY = Claim(
    key="uniformity.mixture.energy",
    statement="|q_l|^2 of a mixture of two von Mises-Fisher laws is N_l sum_ij w_i w_j A_l(k_i) "
    "A_l(k_j) P_l(m_i.m_j), N_l by counting and A_l by another library",
    source="addition theorem",
    ours=False,
    domain=Domain(
        (
            _VMF_D,
            Axis("kappa", (1.0, 10.0), 1.0, 50.0, "log", quick=(5.0,)),
            _ANGLE,
            _DEGREES,
        ),
        where=_resolved,
    ),
    left=lambda d, kappa, angle, degree: _with_error(
        float(_caps(d, kappa, angle).harmonic_energy(degree)), 1e-12
    ),
    relation=Relation.EQUAL,
    right=_energy_by_formula,
    tight=True,
    formula=r"|q_\ell|^2=N_\ell\sum_{ij}w_iw_j\,A_\ell(\kappa_i)A_\ell(\kappa_j)\,"
    r"P_\ell(m_i\cdot m_j)",
)


@functools.lru_cache(maxsize=8)
def _grid(d: int, fineness: int) -> tuple[Array, Array]:
    """Points of S^1 or S^2, rows, and weights of the uniform law: trapezoid, Gauss times it."""
    if d == 2:
        theta = 2 * math.pi * np.arange(8 * fineness) / (8 * fineness)
        return np.stack((np.cos(theta), np.sin(theta)), axis=1), np.full(theta.size, 1 / theta.size)
    height, masses = np.polynomial.legendre.leggauss(fineness)
    phi = 2 * math.pi * np.arange(2 * fineness) / (2 * fineness)
    ring = np.sqrt(1 - height**2)[:, None]
    x, y = ring * np.cos(phi), ring * np.sin(phi)
    points = np.stack((x, y, np.broadcast_to(height[:, None], x.shape)), axis=-1).reshape(-1, 3)
    return points, np.repeat(masses / 2, phi.size) / phi.size


def _excess_on_grid(d: int, kappa: float, angle: float, beta: float, fineness: int) -> float:
    """U_beta of ``_caps`` from its densities on a grid: every integral a sum, no closed form."""
    points, masses = _grid(d, fineness)
    density = np.zeros(len(points))
    concentrations = (kappa, 0.5 * kappa)
    for share, k, mean in zip(_SHARES, concentrations, _means(d, angle), strict=True):
        part = masses * np.exp(k * (points @ mean - 1))
        density += share * part / part.sum()
    first = points[0] @ points.T
    log_zero = math.log(float(np.exp(beta * (first - 1)) @ masses))
    waves = np.exp(beta * (points @ points.T - 1)) @ density
    return float(density @ np.log(waves)) - log_zero


def _excess_by_grid(d: int, kappa: float, angle: float, beta: float) -> Value:
    """On two grids; their difference is the error, with rounding."""
    fine = 28 if d == 3 else 40
    value = _excess_on_grid(d, kappa, angle, beta, fine)
    change = abs(value - _excess_on_grid(d, kappa, angle, beta, fine - 8))
    return Value(value, change + 1e-13 + 1e-14 * beta, "quadrature over the sphere")


_MIXTURE_EXCESS = Claim(
    key="uniformity.mixture.excess",
    statement="U_beta of a mixture of two von Mises-Fisher laws on the circle and on S^2, against "
    "sums over a grid of the sphere, for u and for v",
    source="definition of U_beta",
    ours=True,
    domain=Domain(
        (
            Axis("d", (2, 3), 2, 3, "integer"),
            Axis("kappa", (6.0,), 0.5, 8.0, "log", quick=(4.0,)),
            _ANGLE,
            Axis("beta", (0.5, 6.0), 0.5, 8.0, "log", quick=(3.0,)),
        )
    ),
    left=lambda d, kappa, angle, beta: uniformity_excess(_caps(d, kappa, angle), beta),
    relation=Relation.EQUAL,
    right=_excess_by_grid,
    tight=True,
    formula=r"\mathcal{U}_\beta=\int p(u)\,\log\int e^{\beta u\cdot v}\,p(v)\;dv\;du"
    r"-\log\lambda_0(\beta)",
)


# --- polygons -------------------------------------------------------------------------------------


def _polygon(d: int, n: int, beta: float) -> Value:
    """log(1 + 2 sum_{k>=1} I_{kn}(beta)/I_0(beta)) by SciPy's Bessel functions."""
    orders = n * np.arange(1, 2 + (200 // n))
    total = 2 * math.fsum(special.ive(orders, beta)) / float(special.ive(0, beta))
    return Value(math.log1p(total), 1e-12 * math.log1p(total))


_POLYGON = Claim(
    key="uniformity.polygon",
    statement="U_beta of the regular n-gon on the circle is log(1 + 2 sum_(k>=1) I_(kn)(beta)/"
    "I_0(beta)): G is the same at every vertex",
    source="generating function, DLMF 10.35.2",
    ours=True,
    domain=POLYGON.domain(),
    left=lambda d, n, beta: POLYGON.excess(beta, d=d, n=n),
    relation=Relation.EQUAL,
    right=_polygon,
    tight=True,
    formula=r"\mathcal{U}_\beta=\log\left(1+2\sum_{k\geq 1}\frac{I_{kn}(\beta)}{I_0(\beta)}"
    r"\right)",
)


CLAIMS: tuple[Claim, ...] = (
    *(_nonnegative(family) for family in LAWS),
    *(_zero(*way) for way in UNIFORM),
    *(_below(family) for family in LAWS),
    _RECIPROCAL,
    *(_above(family) for family in LAWS),
    *(_jensen(family) for family in LAWS),
    _POINT_MASS,
    *(_ceiling(family) for family in LAWS),
    _VMF_EXCESS,
    *_COEFFICIENTS,
    _MIXTURE_ENERGY,
    _MIXTURE_EXCESS,
    _POLYGON,
)
