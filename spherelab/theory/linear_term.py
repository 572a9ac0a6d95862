r"""How far Theorem 1's linear constant is from the best, and laws that need the linear term [ours].

C*(d, beta) = sup (excess - 4 * 3^{3/4} beta sqrt(J))/J over pair laws with equal marginals. Any
proved constant is an upper end, the quotient of any one law a lower end. The laws here are the best
of a numerical search over antipodal pairs, couplings of few atoms, of polygons, of simplices and of
root systems, nuisance channels of polygons, and pairs of latitudes (below); the lower ends are not
proved to be best. At (2, 50) the search is limited by doubles: larger polygons do better, but their
loss is below the rounding of their vertices.

What the search found. At (2, 0.5) the quotient is largest, and negative, for V = -U on two poles;
at (8, 2) and (16, 2) it is negative too: the leading term alone would suffice as far as the search
saw. At (8, 5) it is positive; for d >= 16 and 2.5 <= beta <= 10 it is positive even as J -> 0, on
a law whose loss is that of the extremal family: the meridian pair, U and V a uniform X turned by
the same angle toward and away from a pole, the two exchanged with probability 1/2. Its midpoint is
uniform, so J = J0(Delta) exactly, while its views are not: U_beta is of the order of J.
As d -> inf, then Delta -> 0, its quotient tends to 12 sqrt(3) (beta^2/2 - (5/6) beta).
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.bessel import log_lambda0
from spherelab.claim import Axis, Claim, Domain, Relation
from spherelab.gegenbauer import gegenbauer, gegenbauer_all
from spherelab.laws import Atoms, Mixture, TurnedUniform
from spherelab.pairs import NuisanceChannel, Pair, PairAtoms, TangentShift
from spherelab.population import (
    infonce_excess,
    linear_constant,
    remainder_constant,
    sg_loss,
    uniformity_excess,
)
from spherelab.population.radial import atoms_radial_loss
from spherelab.sphere import log_multiplicity, uniform_sample
from spherelab.theory import proofs
from spherelab.theory.theorem1 import leading_term
from spherelab.value import Value
from spherelab.zonal import SGLift

Array = NDArray[np.float64]

_EPS = sys.float_info.epsilon


# --- laws with equal marginals --------------------------------------------------------------------


class EqualMarginals(Protocol):
    """A pair law with equal marginals, through its two functionals."""

    def loss(self) -> Value: ...

    def excess(self, beta: float) -> Value: ...


@dataclass(frozen=True)
class Exact:
    """A pair of the library, with equal marginals."""

    pair: Pair

    def __post_init__(self) -> None:
        if not self.pair.equal_marginals:
            raise ArgumentError(f"pair must have equal marginals, got {self.pair!r}")

    def loss(self) -> Value:
        return sg_loss(self.pair)

    def excess(self, beta: float) -> Value:
        return infonce_excess(self.pair, beta)


@dataclass(frozen=True)
class MeridianPair:
    """The tangent shift (U, V) or, with probability 1/2, (V, U): both views have one law.

    The exchange leaves M = (U+V)/2 as it is, so J = J0(delta), as for the extremal family; the
    marginal is half the uniform law turned toward the pole and half turned away.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    delta : float
        The misalignment, in [0, 1].

    Notes
    -----
    The time of ``excess`` grows with beta: seconds at 1e4, a minute at 1e5.
    """

    d: int
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", arguments.dimension(self.d))
        object.__setattr__(self, "delta", arguments.unit_interval(self.delta, "delta"))

    def loss(self) -> Value:
        return sg_loss(TangentShift(self.d, self.delta))

    def excess(self, beta: float) -> Value:
        turned = [TurnedUniform(self.d, self.delta, toward) for toward in (True, False)]
        uniformity = uniformity_excess(Mixture([0.5, 0.5], turned), beta)
        aligned = 2 * beta * self.delta
        return Value(aligned + uniformity, uniformity.error + 4 * _EPS * aligned)


class LatitudePairs:
    """U = cos(a) e + sin(a) X, V = cos(b) e + sin(b) X, or the two exchanged, each w.p. 1/2.

    X is uniform on the unit sphere of the complement of e; (a, b) is (a_k, b_k) with probability
    w_k. The midpoint has radius r = |cos((a-b)/2)| and the angle (a+b)/2 to e, so that

        J_l = N_l sum_ij w_i w_j P_l(cos m_i) P_l(cos m_j) k_l(r_i, r_j),
        U_beta = E_t log E_t' e^{beta t t'} lambda_0^{(d-1)}(beta s s') - log lambda_0(beta),

    t = cos, s = sin of the angles a_k, b_k with probabilities w_k/2.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 3.
    first, second : array_like, shape (n,)
        The angles a_k and b_k to the pole e in radians, in [0, pi].
    weights : array_like, shape (n,)
        Nonnegative, of sum 1.

    Notes
    -----
    Relative error of J about 1e-12 of what the sums would be without their signs; that of U_beta
    absolute, a few ulp of log lambda_0. The errors are stated.
    """

    def __init__(self, d: int, first: ArrayLike, second: ArrayLike, weights: ArrayLike) -> None:
        self.d = arguments.dimension(d, 3)
        self.first = arguments.real_array(first, "first")
        self.second = arguments.real_array(second, "second")
        if self.first.ndim != 1 or self.first.shape != self.second.shape:
            raise ArgumentError(
                f"first and second must have one shape (n,), got {self.first.shape} and "
                f"{self.second.shape}"
            )
        for name in ("first", "second"):
            angles = getattr(self, name)
            if not np.all((angles >= 0) & (angles <= math.pi)):
                raise ArgumentError(f"{name} must be in [0, pi], got {angles.tolist()}")
        self.weights = arguments.weights(weights, self.first.size)

    def misalignment(self) -> float:
        return float(self.weights @ np.sin(0.5 * (self.first - self.second)) ** 2)

    def loss(self) -> Value:
        deficits = np.sin(0.5 * (self.first - self.second)) ** 2
        radii = np.abs(np.cos(0.5 * (self.first - self.second)))  # angles differ by at most pi
        cosines = np.cos(0.5 * (self.first + self.second))
        radial = atoms_radial_loss(deficits, self.weights)
        parts, sizes = [float(radial)], [0.0]
        kernel, start, size = SGLift(), 1, 32
        while True:  # N_l mu_l falls like (2/3)^l at most
            degrees = np.arange(start, start + size)
            legendre = gegenbauer_all(self.d, int(degrees[-1]), cosines)[degrees]
            terms = legendre * self.weights
            counts = log_multiplicity(self.d, degrees)
            for i, j in itertools.combinations_with_replacement(range(radii.size), 2):
                if min(radii[i], radii[j]) < 1e-12:  # no direction: k_l is at most r^l mu_l
                    continue
                log_cross = kernel.log_cross(self.d, degrees, float(radii[i]), float(radii[j]))
                block = terms[:, i] * terms[:, j] * np.exp(log_cross + counts)
                block *= 1 if i == j else 2
                parts.extend(block)
                sizes.extend(np.abs(block))
            last = kernel.log_eigenvalues(self.d, start + size - 1) + counts[-1]
            tail = 3 * math.exp(float(last))
            if tail <= 1e-15 * math.fsum(parts):
                break
            start += size
        error = radial.error + 1e-12 * math.fsum(sizes) + tail
        return Value(math.fsum(parts), error, "harmonic series over latitudes")

    def excess(self, beta: float) -> Value:
        beta = arguments.positive(beta, "beta")
        angles = np.concatenate((self.first, self.second))
        mass = 0.5 * np.concatenate((self.weights, self.weights))
        t, s = np.cos(angles), np.sin(angles)
        exponents = beta * np.outer(t, t) + log_lambda0(self.d - 1, beta * np.outer(s, s))
        normaliser = float(log_lambda0(self.d, beta))
        gaps = exponents - normaliser
        top = np.maximum(gaps.max(axis=1), 1.0)  # of rows that exp would take out of the doubles
        far = top + np.log(np.exp(gaps - top[:, None]) @ mass)
        near = np.log1p(np.maximum(np.expm1(np.minimum(gaps, 1.0)) @ mass, -1 + _EPS))
        uniformity = float(mass @ np.where(gaps.max(axis=1) > 1, far, near))
        aligned = 2 * beta * self.misalignment()
        error = 8 * _EPS * (beta + normaliser + aligned) + 2e-14 * normaliser
        return Value(aligned + uniformity, error, "sum over latitudes")

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """n independent pairs about the first axis: two arrays of unit rows, each (n, d)."""
        rows = rng.choice(self.first.size, size=n, p=self.weights)
        x = uniform_sample(n, self.d - 1, rng)
        exchanged = rng.random(n) < 0.5
        a, b = self.first[rows], self.second[rows]
        views = []
        for angle in (np.where(exchanged, b, a), np.where(exchanged, a, b)):
            views.append(np.column_stack((np.cos(angle), np.sin(angle)[:, None] * x)))
        return views[0], views[1]


# --- the bracket of the best linear constant ------------------------------------------------------


def quotient(law: EqualMarginals, beta: float) -> Value:
    """(excess - 4 * 3^{3/4} beta sqrt(J))/J of a law: a lower end of the best constant."""
    loss, excess = law.loss(), law.excess(beta)
    leading = leading_term(beta, loss)
    value = (excess - leading) / loss
    error = (excess.error + leading.error + 4 * _EPS * (excess + leading)) / loss
    return Value(value, error + abs(value) * loss.error / loss)


@dataclass(frozen=True)
class Place:
    """One (d, beta), and the best law found there."""

    d: int
    beta: float
    words: str
    make: Callable[[], EqualMarginals]


def _poles() -> EqualMarginals:
    """U one of two opposite points with equal probability, V = -U."""
    points = np.array([[1.0, 0.0], [-1.0, 0.0]])
    return Exact(PairAtoms(points, -points))


def _symmetric_latitudes(
    d: int, first: list[float], second: list[float], weights: list[float]
) -> EqualMarginals:
    """Latitude pairs and their mirror images in the equator, half of the weight each."""
    a, b, w = np.array(first), np.array(second), np.array(weights) / math.fsum(weights)
    return LatitudePairs(
        d, np.append(a, math.pi - a), np.append(b, math.pi - b), np.append(w, w) / 2
    )


PLACES: tuple[Place, ...] = (
    Place(2, 0.5, "V = -U on two poles", _poles),
    Place(2, 20.0, "the nuisance channel of a 20-gon", lambda: _polygon_channel(20, 9e-6)),
    Place(2, 50.0, "the nuisance channel of a 40-gon", lambda: _polygon_channel(40, 1e-13)),
    Place(
        8,
        2.0,
        "six pairs of latitudes",
        lambda: _symmetric_latitudes(
            8, [2.3119, 1.9867, 2.3569], [1.9091, 1.512, 2.6132], [0.2968, 0.6616, 0.0416]
        ),
    ),
    Place(
        8,
        5.0,
        "four pairs of latitudes",
        lambda: LatitudePairs(
            8,
            [1.877, 1.611, 1.352, 0.257],
            [2.525, 1.611, 0.727, 0.257],
            [0.174, 0.582, 0.239, 0.005],
        ),
    ),
    Place(
        16,
        2.0,
        "six pairs of latitudes",
        lambda: _symmetric_latitudes(
            16, [1.8649, 1.2954, 0.7704], [2.1092, 1.5718, 0.9418], [0.2486, 0.7322, 0.0192]
        ),
    ),
    Place(128, 2.0, "the meridian pair at Delta = 1e-4", lambda: MeridianPair(128, 1e-4)),
)


def _polygon_channel(n: int, delta: float) -> EqualMarginals:
    return Exact(NuisanceChannel(Atoms.regular_polygon(n), delta))


def _bracket(place: Place) -> Claim:
    return Claim(
        key=f"linear_term.bracket.d{place.d}-beta{place.beta:g}",
        statement="the best linear constant lies between the quotient (excess - 4*3^(3/4) beta "
        f"sqrt(J))/J of {place.words} and the proved C(d, beta), at d = {place.d}, "
        f"beta = {place.beta:g}",
        source="explicit law; the linear constant of Theorem 1",
        ours=True,
        domain=Domain(
            (
                Axis("d", (place.d,), place.d, place.d, "integer"),
                Axis("beta", (place.beta,), place.beta, place.beta),
            )
        ),
        left=lambda d, beta: quotient(place.make(), beta),
        relation=Relation.AT_MOST,
        right=linear_constant,
        tight=False,
        formula=r"\frac{\mathcal{L}_\beta-\mathcal{L}^\star_\beta-4\cdot 3^{3/4}\,\beta\,"
        r"\sqrt{\mathcal{J}}}{\mathcal{J}}\leq C^\star(d,\beta)\leq C(d,\beta)",
        note="The two sides printed are the bracket. The lower end is the best law of a numerical "
        "search and is not proved best; where it is negative, no law was found on which the "
        "leading term alone does not suffice.",
    )


def _meridian_loss(d: int, delta: float) -> Value:
    return MeridianPair(d, delta).loss()


_MERIDIAN = Claim(
    key="linear_term.meridian",
    statement="the linear term is needed at moderate beta and however small J: on the meridian "
    "pair (a uniform X turned toward and away from a pole, exchanged with probability 1/2; equal "
    "marginals, J = J0(Delta)) the excess is above 4*3^(3/4) beta sqrt(J)",
    source="explicit law",
    ours=True,
    domain=Domain(
        (
            Axis("d", (16, 128, 1024), 16, 1024, "integer", quick=(16, 128)),
            Axis("delta", (1e-4, 1e-3, 0.05), 1e-4, 0.05, "log", quick=(1e-3,)),
            Axis("beta", (2.5, 5.0, 10.0), 2.5, 10.0, quick=(2.5, 5.0)),
        )
    ),
    left=lambda d, delta, beta: MeridianPair(d, delta).excess(beta),
    relation=Relation.AT_LEAST,
    right=lambda d, delta, beta: leading_term(beta, _meridian_loss(d, delta)),
    tight=False,
    formula=r"2\beta\Delta+\mathcal{U}_\beta>4\cdot 3^{3/4}\,\beta\,\sqrt{\mathcal{J}_0(\Delta)}",
    note="It exceeds the leading term by a multiple of J only, as Theorem 1 says: the leading "
    "constant stays sharp.",
)


# --- the remainder that the linear constant is made of -------------------------------------------


@functools.lru_cache(maxsize=256)
def _remainder_quotients(d: int, degree: int) -> tuple[Array, Array]:
    """F_l(theta)/sin^4 theta at 8 theta from 0.2/l to pi/2, and its error.

    F_l = (1 + P_l(cos 2 theta))/2 - 2 b P_l(cos theta) + b^2, b = k_l(cos theta, 1)/mu_l: the
    squared length of (Y_l(U)+Y_l(V))/2 - b Y_l(M/|M|) over N_l, at the angle 2 theta of U and V.
    """
    theta = np.geomspace(0.2 / degree, math.pi / 2, 8)
    kernel = SGLift()
    log_mu = float(kernel.log_eigenvalues(d, degree))
    b = np.array([float(kernel.log_cross(d, degree, math.cos(x), 1.0)) for x in theta])
    b = np.exp(b - log_mu)
    legendre = gegenbauer(d, degree, np.cos(theta))
    squares = 0.5 * (1 + gegenbauer(d, degree, np.cos(2 * theta))) - 2 * b * legendre + b * b
    fourth = np.sin(theta) ** 4
    return squares / fourth, 1e-13 * (2 + abs(log_mu)) / fourth


def _largest_remainder(d: int, degree: int) -> Value:
    quotients, errors = _remainder_quotients(d, degree)
    best = int(np.argmax(quotients - errors))  # a noisy point near 0 must not pose as the sup
    return Value(quotients[best], errors[best])


def _remainder_square(d: int, degree: int) -> Value:
    value = float(remainder_constant(d, degree)) ** 2
    return Value(value, 1e-13 * value)


_REMAINDER = Claim(
    key="linear_term.remainder",
    statement="how far (Y_l(U)+Y_l(V))/2 is from a multiple of Y_l(M/|M|): F_l(theta)/sin^4 theta "
    "is at most its limit K_l^2 at theta -> 0",
    source="addition theorem, DLMF 18.18.8, and ball arithmetic; theory of the linear constant",
    ours=True,
    domain=Domain(
        (
            Axis("d", (2, 8, 1024), 2, 1024, "integer", quick=(2, 16)),
            Axis("degree", (1, 7, 50), 1, 50, "integer", quick=(1, 7)),
        )
    ),
    left=_largest_remainder,
    relation=Relation.AT_MOST,
    right=_remainder_square,
    tight=False,
    formula=r"\sup_\theta\frac{F_\ell(\theta)}{\sin^4\theta}\leq K_\ell^2",
    prove=proofs.remainder,
)


CLAIMS: tuple[Claim, ...] = (
    _REMAINDER,
    *(_bracket(place) for place in PLACES),
    _MERIDIAN,
)
