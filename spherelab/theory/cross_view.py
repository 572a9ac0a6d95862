r"""InfoNCE with cross-view negatives: a lower bound on the excess without equal marginals [ours].

L_beta(U, V) = -beta E U.V + E_u log E_{v'} e^{beta u.v'}, v' from V's law P, which may differ from
U's; M = (U+V)/2. For all pairs on S^(d-1) [ours]

    L_beta - L*  >=  2 E[g(1) - g(|M|)],   g(r) = beta r^2/2 - log lambda_0(beta r),            (1)

hence L_beta >= L* whenever log lambda_0(beta) <= beta/2, in particular for all beta <= d: there the
aligned uniform pair is the global minimum over all pairs, with no hypothesis on the marginals.

Proof. Let Q be the law of M, c(m, m') = beta |m - m'|^2/2, and gamma the coupling of Q with itself
that minimises KL(gamma | Q x Q) + E_gamma c. It is symmetric, of the form
e^{a(m) + a(m') - c} Q(dm) Q(dm'), and that minimum is 2 E_Q a. Draw (M, M') from gamma, and U, V
and U', V' given each, W = (U-V)/2. Gibbs' variational principle for u -> law(V'|u), and
data processing from (M, M') to (U, V'), give
    E_u log E_v' e^{beta u.v'} >= beta E U.V' - KL(gamma | Q x Q),
and by symmetry E U.V' = E (M+W).(M'-W') = E M.M' - E w(M).w(M'), w(M) = E[W|M], where
E w(M).w(M') <= E |W|^2. With U.V = |M|^2 - |W|^2 therefore L_beta >= -2 E_Q a. Now let
b(m) = -log E e^{b0 - c(m, X)}, X uniform on the sphere, where the number b0 makes b = b0 on it:
2 b(m) = beta |m|^2 - 2 log lambda_0(beta |m|) + log lambda_0(beta). The kernel e^{-c} is positive
definite, and the measures e^a Q and e^{b0} sigma have norm 1 under it, so that their inner product
E_Q e^{a - b} is at most 1, and E_Q a <= E_Q b by Jensen. L* = -beta + log lambda_0(beta), and
-2 b(m) - L* = 2 (g(1) - g(|m|)). As A = (log lambda_0)' is concave, g falls and then rises on
[0, 1]: g <= max(g(0), g(1)), g(0) = 0; and log lambda_0(beta) <= beta^2/(2d).

For larger beta no negative value was found (grids of atoms and of latitudes, free weights, u the
best for each v, minimised from many starts: all end at the uniform law), but (1) does not exclude
it: for beta > d a search, not a proof.

Second order about the uniform law [ours]. P = 1 + eps Y, Y of degree l, u the best for each v:
    L_beta - L* = eps^2 E Y^2 r_l (1 - r_l/2 - r_l L_l/(2 beta)) + O(eps^3),  L_l = l(l+d-2),
and f = r_l (1 + L_l/beta) < 2 for all l >= 1, d >= 2, beta > 0.
Proof. r_l = prod_{k=1}^l I_{k+nu}/I_{k+nu-1} <= prod 1/(x_k + sqrt(1+x_k^2)), x_k = (k+nu-1/2)/beta
(Amos 1974). Let a = nu/beta, b = (l+nu)/beta, S = a + b: L_l/beta = l S.
(i) b <= 4.9. asinh is concave on x >= 0, so sum asinh(x_k) >= beta int_a^b asinh; as asinh(x)/(2x)
falls, that is at least gamma L_l/beta, gamma = asinh(4.9)/9.8 > 0.2339; and (1+x) e^{-gamma x} is
at most e^{gamma-1}/gamma < 1.99.
(ii) l = 1: 2 x_1 = S, and S/2 + sqrt(1 + S^2/4) > max(1, S), so f < (1+S)/max(1, S) <= 2.
(iii) b > 4.9, l >= 2. Each factor is at least max(1, 2 x_k); 2 x_l >= S > 4.9, and 2 x_k >= S/2 for
l/4 + 1/2 <= k < l, so f < (l + 1/4.9)/2.45^n, n = l - ceil(l/4 + 1/2): 0.90 at l = 2, 1.31 at
l = 3, less than 1 from there on.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.bessel import log_iv_quotient, log_lambda0
from spherelab.claim import Axis, Claim, Domain, Relation
from spherelab.gegenbauer import derivative, gegenbauer
from spherelab.laws import ZonalLaw
from spherelab.limits import extrapolated
from spherelab.pairs import Extremal, NuisanceChannel, Pair, PairAtoms, TangentShift
from spherelab.population import infonce_excess
from spherelab.sphere import multiplicity, uniform_sample
from spherelab.theory.families import (
    BETA,
    CROSS_POLYTOPE,
    DIMENSION,
    EXTREMAL,
    RANDOM_ATOMS,
    SHIFTED_POLYGON,
    TANGENT_SHIFT,
    Family,
)
from spherelab.value import Value

Array = NDArray[np.float64]

_EPS = sys.float_info.epsilon


# --- the lower bound ------------------------------------------------------------------------------


def _radii(pair: Pair) -> tuple[Array, Array]:
    """|U-V|^2/4 and its probabilities, for pairs on which it takes finitely many values."""
    if isinstance(pair, PairAtoms):
        return 0.25 * np.sum((pair.u - pair.v) ** 2, axis=1), pair.weights
    if isinstance(pair, Extremal | TangentShift | NuisanceChannel):
        return np.array([pair.misalignment()]), np.ones(1)
    raise ArgumentError(f"pair must have finitely many values of U.V, got {pair!r}")


def cross_view_bound(pair: Pair, beta: float) -> Value:
    """2 E[g(1) - g(|M|)] = beta Delta - 2 E[log lambda_0(beta) - log lambda_0(beta |M|)].

    At most the InfoNCE excess with cross-view negatives, whatever the marginals; >= 0 where
    log lambda_0(beta) <= beta/2.

    Parameters
    ----------
    pair : Pair
        Atoms, or a family on which U.V is constant.
    beta : float
        Inverse temperature, finite and > 0.
    """
    beta = arguments.positive(beta, "beta")
    deficits, weights = _radii(pair)
    d, whole = pair.dimension, float(log_lambda0(pair.dimension, beta))
    radii = np.sqrt(np.maximum(1 - deficits, 0.0))
    drops = whole - log_lambda0(d, beta * radii)
    aligned = beta * float(weights @ deficits)
    value = aligned - 2 * float(weights @ drops)
    # the relative accuracy of log lambda_0; where Delta = 0 both vanish exactly
    error = 4 * _EPS * aligned + 1e-13 * whole * float(weights @ (deficits > 0))
    return Value(value, error)


def _cross_view(family: Family) -> Claim:
    def left(beta: float, **parameters: float) -> Value:
        return infonce_excess(family.make(**parameters), beta)

    def right(beta: float, **parameters: float) -> Value:
        return cross_view_bound(family.make(**parameters), beta)

    return Claim(
        key=f"cross_view.lower.{family.name}",
        statement="with cross-view negatives, whatever the marginals, InfoNCE excess >= beta Delta "
        f"- 2 E[log lambda_0(beta) - log lambda_0(beta |M|)], on {family.words}",
        source="Gibbs' variational principle, data processing and Sinkhorn's potentials",
        ours=True,
        domain=Domain((*family.axes, BETA), where=family.where),
        left=left,
        relation=Relation.AT_LEAST,
        right=right,
        tight=False,
        formula=r"\mathcal{L}_\beta-\mathcal{L}^\star_\beta\geq\beta\Delta-2\,\mathrm{E}\left["
        r"\log\lambda_0(\beta)-\log\lambda_0(\beta|M|)\right]",
        note="The right side is >= 0 for every pair where log lambda_0(beta) <= beta/2, so for "
        "beta <= d: the aligned uniform pair is then the global minimum.",
    )


_THRESHOLD = Claim(
    key="cross_view.threshold",
    statement="log lambda_0(beta) <= beta/2 for beta <= d: there InfoNCE with cross-view negatives "
    "is nowhere below its value at the aligned uniform pair",
    source="log lambda_0(beta) <= beta^2/(2d)",
    ours=True,
    domain=Domain(
        (
            DIMENSION,
            Axis("share", (1e-3, 0.1, 0.5, 1.0), 1e-4, 1.0, "log", quick=(0.1, 1.0)),
        )
    ),
    left=lambda d, share: _log_lambda0(d, share * d),
    relation=Relation.AT_MOST,
    right=lambda d, share: share * d / 2,
    tight=False,
    formula=r"\log\lambda_0(\beta)\leq\frac{\beta}{2},\quad\beta=\mathrm{share}\cdot d\leq d",
)


def _log_lambda0(d: int, beta: float) -> Value:
    value = float(log_lambda0(d, beta))
    return Value(value, 2e-14 * value)


# --- the best u for each v ------------------------------------------------------------------------


def best_partners(points: ArrayLike, weights: ArrayLike, beta: float) -> Array:
    """For each atom v a unit u with log E_v' e^{beta u.v'} - beta u.v small: (n, d).

    Projected gradient descent with the best of several steps, from v and from the point that v is
    pushed to by the other atoms. Whatever it returns is a pair with V's marginal; a true minimum
    makes it the pair on which the excess is least.

    Parameters
    ----------
    points : array_like, shape (n, d)
        Unit rows.
    weights : array_like, shape (n,)
        Nonnegative, of sum 1.
    beta : float
        Inverse temperature, finite and > 0.
    """
    v = arguments.unit_rows(points, "points")
    w, beta = arguments.weights(weights, len(v)), arguments.positive(beta, "beta")

    def height(u: Array) -> Array:
        logs = beta * (u @ v.T - 1)
        top = logs.max(axis=1)
        spread = np.log(np.exp(logs - top[:, None]) @ w)
        result: Array = top + spread - beta * (np.sum(u * v, axis=1) - 1)
        return result

    best = v.copy()
    lowest = height(best)
    away = v - w @ v  # from the mean of all atoms
    sizes = np.linalg.norm(away, axis=1, keepdims=True)
    for start in (v, np.where(sizes > 1e-9, away / np.maximum(sizes, 1e-9), v)):
        u, current = start, height(start)
        for _ in range(60):
            logs = beta * (u @ v.T)
            tilted = np.exp(logs - logs.max(axis=1, keepdims=True)) * w
            slope = tilted @ v / tilted.sum(axis=1, keepdims=True) - v
            slope -= np.sum(slope * u, axis=1, keepdims=True) * u
            for step in (4.0, 1.0, 0.25, 0.05, 0.01):
                trial = u - step * slope
                trial = trial / np.linalg.norm(trial, axis=1, keepdims=True)
                value = height(trial)
                better = value < current
                u, current = np.where(better[:, None], trial, u), np.where(better, value, current)
        better = current < lowest
        best, lowest = np.where(better[:, None], u, best), np.where(better, current, lowest)
    return best


def _adversarial_atoms(d: int, n: int, seed: int, evenness: float, beta: float) -> Pair:
    """Random atoms v with Dirichlet weights, u the best partners found."""
    rng = np.random.default_rng([d, n, seed])
    v = uniform_sample(n, d, rng)
    weights = rng.dirichlet(np.full(n, evenness)) if n > 1 else np.ones(1)
    return PairAtoms(best_partners(v, weights, beta), v, weights)


_ATOMS = Claim(
    key="cross_view.nonnegative.atoms",
    statement="with cross-view negatives the InfoNCE excess is >= 0: v random atoms of random "
    "weights, u for each v chosen to make it as small as possible (unequal marginals)",
    source="search; proved where log lambda_0(beta) <= beta/2",
    ours=True,
    domain=Domain(
        (
            Axis("d", (2, 3, 8), 2, 8, "integer", quick=(2, 3)),
            Axis("n", (3, 16), 1, 40, "integer", quick=(2, 12)),
            Axis("seed", (0,), 0, 10**6, "integer"),
            Axis("evenness", (0.5, 5.0), 0.3, 10.0, "log", quick=(2.0,)),
            BETA,
        )
    ),
    left=lambda d, n, seed, evenness, beta: infonce_excess(
        _adversarial_atoms(d, n, seed, evenness, beta), beta
    ),
    relation=Relation.AT_LEAST,
    right=lambda d, n, seed, evenness, beta: 0.0,
    tight=False,
    formula=r"\mathcal{L}_\beta-\mathcal{L}^\star_\beta\geq 0",
    note="For beta <= d a theorem (cross_view.lower); beyond, a search that found no "
    "counterexample, not a proof.",
)


def _zonal_excess_at(law: ZonalLaw, degree: int, share: float, beta: float, level: int) -> float:
    """E_v [log G(u) + beta (1 - u.v)], u for each v the best found on v's meridian.

    G(u) = E_v' e^{beta u.v'}/lambda_0(beta) = 1 + share P_l(u.e). Of the points of one polar angle
    the one on v's meridian is nearest to v, so u is v turned by an angle x. Two routes: a grid,
    narrowed about its best point; and beta sin(x) = -(log G)' iterated from x = 0, which keeps the
    digits of a small x.
    """
    d = law.dimension
    t, weights = law.axis_rule(level)
    theta = np.arccos(t)

    def height(x: Array) -> Array:
        potential = np.log1p(share * gegenbauer(d, degree, np.cos(theta + x)))
        result: Array = potential + 2 * beta * np.sin(0.5 * x) ** 2
        return result

    grid = np.linspace(-math.pi, math.pi, 241)
    best = grid[np.argmin(height(grid[:, None]), axis=0)]
    width = grid[1] - grid[0]
    for _ in range(8):
        trials = best + width * np.linspace(-1.0, 1.0, 9)[:, None]
        best = np.take_along_axis(trials, np.argmin(height(trials), axis=0)[None], axis=0)[0]
        width /= 4
    x = np.zeros_like(theta)
    for _ in range(40):
        cosine = np.cos(theta + x)
        slope = -share * np.sin(theta + x) * derivative(d, degree, cosine)
        slope /= 1 + share * gegenbauer(d, degree, cosine)
        x = -np.arcsin(np.clip(slope / beta, -1.0, 1.0))
    return float(weights @ np.minimum(height(best), height(x)))


def zonal_cross_view_excess(d: int, degree: int, amplitude: float, beta: float) -> Value:
    """The least InfoNCE excess with cross-view negatives whose V has density 1 + amplitude P_l.

    Parameters
    ----------
    d, degree : int
        Ambient dimension, >= 2, and degree, >= 1.
    amplitude : float
        In [-1, 1].
    beta : float
        Inverse temperature, finite and > 0.

    Returns
    -------
    Value
        Error: of rounding, and the change from one quadrature rule to the next.
    """
    law = ZonalLaw.perturbed(d, degree, amplitude)
    share = amplitude * _ratio(d, degree, beta)
    coarse, value = (_zonal_excess_at(law, degree, share, beta, level) for level in (0, 1))
    rounding = 4e-15 * abs(share) / (1 - abs(share))  # of terms of that size, which cancel
    return Value(value, rounding + abs(value - coarse))


def _ratio(d: int, degree: int, beta: float) -> float:
    return math.exp(float(log_iv_quotient(d, degree, beta)))


_ZONAL = Claim(
    key="cross_view.nonnegative.zonal",
    statement="with cross-view negatives the InfoNCE excess is >= 0: v of density "
    "1 + amplitude P_l, u for each v chosen to make it least (unequal marginals)",
    source="search; proved where log lambda_0(beta) <= beta/2",
    ours=True,
    domain=Domain(
        (
            Axis("d", (2, 3, 8), 2, 16, "integer", quick=(2, 8)),
            Axis("degree", (1, 2, 6), 1, 6, "integer", quick=(1, 3)),
            Axis("amplitude", (0.01, 0.3, 1.0), 0.01, 1.0, "log", quick=(0.1, 1.0)),
            BETA,
        )
    ),
    left=zonal_cross_view_excess,
    relation=Relation.AT_LEAST,
    right=lambda d, degree, amplitude, beta: 0.0,
    tight=False,
    formula=r"\mathcal{L}_\beta-\mathcal{L}^\star_\beta\geq 0",
    note="For beta <= d a theorem (cross_view.lower); beyond, a search that found no "
    "counterexample, not a proof.",
)


# --- second order ---------------------------------------------------------------------------------


def _half(d: int, degree: int, beta: float) -> float:
    """r_l/2 + r_l L_l/(2 beta)."""
    return _ratio(d, degree, beta) * (1 + degree * (degree + d - 2) / beta) / 2


def _second_order(d: int, degree: int, beta: float) -> Value:
    value = _half(d, degree, beta)
    size = abs(float(log_iv_quotient(d, degree, beta)))
    return Value(value, value * 4 * _EPS * (2 + size))


_SECOND_ORDER = Claim(
    key="cross_view.second-order",
    statement="r_l/2 + r_l l(l+d-2)/(2 beta) < 1: to second order about the aligned uniform pair "
    "InfoNCE with cross-view negatives only rises, whatever the marginals",
    source="Amos' bound on ratios of Bessel functions",
    ours=True,
    domain=Domain(
        (
            DIMENSION,
            Axis("degree", (1, 2, 4, 10, 30), 1, 1000, "integer", quick=(1, 5)),
            Axis("beta", (0.1, 1.0, 5.0, 50.0, 1000.0), 1e-3, 1e4, "log", quick=(0.5, 5.0, 50.0)),
        )
    ),
    left=_second_order,
    relation=Relation.AT_MOST,
    right=lambda d, degree, beta: 1.0,
    tight=False,
    formula=r"\frac{r_\ell}{2}+\frac{r_\ell\,\ell(\ell+d-2)}{2\beta}<1",
    note="Proved for all degrees, dimensions and beta; the largest value seen is 5/8 (l = 1, "
    "beta = 2d/3, d to infinity).",
)


def _curvature(d: int, degree: int, beta: float) -> Value:
    """excess/(eps^2 E Y^2 r_l) as eps -> 0, Y = P_l, E Y^2 = 1/N_l."""
    scale = _ratio(d, degree, beta) / float(multiplicity(d, degree))

    def at(eps: float) -> Value:
        excess = zonal_cross_view_excess(d, degree, eps, beta)
        return Value(excess / (eps * eps * scale), excess.error / (eps * eps * scale))

    return extrapolated(at, 0.04)


_CURVATURE = Claim(
    key="cross_view.second-order.limit",
    statement="v of density 1 + eps P_l, u the best for each v: excess/(eps^2 E P_l^2 r_l) -> "
    "1 - r_l/2 - r_l l(l+d-2)/(2 beta) as eps -> 0",
    source="expansion about the uniform law",
    ours=True,
    domain=Domain(
        (
            Axis("d", (2, 3, 8), 2, 16, "integer", quick=(2, 8)),
            Axis("degree", (1, 2, 4), 1, 4, "integer", quick=(1, 3)),
            Axis("beta", (0.5, 5.0, 20.0), 0.2, 20.0, "log", quick=(5.0,)),
        )
    ),
    left=_curvature,
    relation=Relation.RATE,
    right=lambda d, degree, beta: 1 - _half(d, degree, beta),
    tight=True,
    formula=r"\lim_{\varepsilon\to 0}\frac{\mathcal{L}_\beta-\mathcal{L}^\star_\beta}"
    r"{\varepsilon^2\,\mathrm{E}P_\ell^2\,r_\ell}=1-\frac{r_\ell}{2}"
    r"-\frac{r_\ell\,\ell(\ell+d-2)}{2\beta}",
    resolution=1e-4,
)


CLAIMS: tuple[Claim, ...] = (
    *(
        _cross_view(family)
        for family in (EXTREMAL, TANGENT_SHIFT, RANDOM_ATOMS, SHIFTED_POLYGON, CROSS_POLYTOPE)
    ),
    _THRESHOLD,
    _SECOND_ORDER,
    _CURVATURE,
    _ATOMS,
    _ZONAL,
)
