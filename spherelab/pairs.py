"""Laws of a pair of views (U, V) of one example, both on S^(d-1).

Each pair gives its misalignment Delta = E|U-V|^2/4 = (1 - E U.V)/2 exactly, the laws of its two
views, and exact samples. The parameters are attributes of the same name.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.immutable import Immutable
from spherelab.laws import Atoms, Law, Smoothed, TurnedUniform, Uniform, VonMisesFisher, geometry
from spherelab.laws.turned import turned
from spherelab.sphere import uniform_sample

Array = NDArray[np.float64]

_SAME = 1e-12  # atoms nearer than this are one point when marginals are compared


class Pair(Immutable, ABC):
    """A law of (U, V) on S^(d-1) x S^(d-1).

    Attributes
    ----------
    dimension : int
        The ambient dimension d >= 2.
    first, second : Law
        The laws of U and of V.
    equal_marginals : bool
        Whether they are the same law.
    """

    dimension: int

    @property
    @abstractmethod
    def first(self) -> Law: ...

    @property
    def second(self) -> Law:
        return self.first

    @property
    def equal_marginals(self) -> bool:
        return True

    @abstractmethod
    def misalignment(self) -> float:
        """Delta = E|U-V|^2/4, in [0, 1], exact to rounding."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """n independent pairs: two arrays of unit rows, each (n, d)."""


class _UniformPair(Pair):
    """A pair with uniform marginals in a dimension d."""

    d: int

    @property
    def first(self) -> Law:
        return Uniform(self.d)

    def _uniform(self, n: int, rng: np.random.Generator) -> Array:
        return uniform_sample(geometry.count(n), self.d, arguments.generator(rng))


class Aligned(Pair):
    """U = V with the given law: Delta = 0."""

    _parameters = ("law",)
    law: Law

    def __init__(self, law: Law) -> None:
        self._set(law=_law(law), dimension=law.dimension)

    @property
    def first(self) -> Law:
        return self.law

    def misalignment(self) -> float:
        return 0.0

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        u = self.law.sample(n, rng)
        return u, u.copy()


class Extremal(_UniformPair):
    """U, V = sqrt(1-delta) X +- sqrt(delta) Y, X uniform, Y uniform in X's orthogonal complement.

    Uniform marginals and |M|^2 = 1 - delta surely: the family on which the leading constant of
    Theorem 1 of the SG paper is attained as delta -> 0.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    delta : float
        The misalignment, in [0, 1].
    """

    _parameters = ("d", "delta")
    delta: float

    def __init__(self, d: int, delta: float) -> None:
        d, delta = arguments.dimension(d), arguments.unit_interval(delta, "delta")
        self._set(d=d, dimension=d, delta=delta)

    def misalignment(self) -> float:
        return self.delta

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        x = self._uniform(n, rng)
        y = geometry.complement_sample(x, rng)
        return _both(math.sqrt(1 - self.delta), x, math.sqrt(self.delta), y, -y)


class _Path(_UniformPair):
    """(1-eps) of an aligned uniform pair and eps of another pair with uniform marginals."""

    _parameters = ("d", "eps")
    eps: float

    def __init__(self, d: int, eps: float) -> None:
        d, eps = arguments.dimension(d), arguments.unit_interval(eps, "eps")
        self._set(d=d, dimension=d, eps=eps)


class MixturePath(_Path):
    """With probability 1-eps an aligned uniform pair, with eps two independent uniform points.

    Delta = eps/2; the path on which Proposition 3 of the SG paper shows the square-root rate.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    eps : float
        Mixing weight, in [0, 1].
    """

    def misalignment(self) -> float:
        return 0.5 * self.eps

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        u, other = self._uniform(n, rng), self._uniform(n, rng)
        apart = rng.random((len(u), 1)) < self.eps
        return u, np.where(apart, other, u)


class AntipodalPath(_Path):
    """With probability 1-eps an aligned uniform pair, with eps the pair (U, -U): Delta = eps.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    eps : float
        Mixing weight, in [0, 1].
    """

    def misalignment(self) -> float:
        return self.eps

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        u = self._uniform(n, rng)
        apart = rng.random((len(u), 1)) < self.eps
        return u, np.where(apart, -u, u)


class VMFPair(_UniformPair):
    """U uniform, V given U von Mises-Fisher about U: Delta = (1 - A_d(kappa))/2.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    kappa : float
        Concentration, >= 0.
    """

    _parameters = ("d", "kappa")
    kappa: float

    def __init__(self, d: int, kappa: float) -> None:
        d, kappa = arguments.dimension(d), arguments.nonnegative(kappa, "kappa")
        self._set(d=d, dimension=d, kappa=kappa)

    def misalignment(self) -> float:
        return 0.5 * VonMisesFisher(self.d, self.kappa).mean_resultant_complement

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        u = self._uniform(n, rng)
        if self.kappa == 0:
            return u, self._uniform(n, rng)
        complement = VonMisesFisher(self.d, self.kappa).sample_complements(len(u), rng)[:, None]
        y = geometry.complement_sample(u, rng)
        sine = np.sqrt(complement * (2.0 - complement))
        return u, geometry.normalised((1.0 - complement) * u + sine * y)


class NuisanceChannel(Pair):
    """U = sqrt(1-D') X + sqrt(D') Y1 and V likewise with Y2: a code X and two nuisances.

    X has the given law; Y1 and Y2 are each uniform in X's orthogonal complement with
    Y1.Y2 = c surely. Delta = D'(1-c)/2.

    Parameters
    ----------
    law : Law
        Law of the code X.
    delta : float
        The misalignment Delta, >= 0, at most (1-c)/2 so that D' = 2 delta/(1-c) <= 1.
    correlation : float
        c in [-1, 1): -1 antithetic nuisances, 0 orthogonal ones. For d = 2 the complement is a
        line, on which Y1.Y2 = +-1, so only c = -1 is possible.

    Attributes
    ----------
    nuisance : float
        D' = 2 delta/(1-c).
    cosine : float
        sqrt(1-D') = U.X = V.X.
    """

    _parameters = ("law", "delta", "correlation")
    law: Law
    delta: float
    correlation: float
    nuisance: float
    cosine: float

    def __init__(self, law: Law, delta: float, correlation: float = -1.0) -> None:
        law = _law(law)
        delta = arguments.unit_interval(delta, "delta")
        correlation = arguments.in_range(correlation, "correlation", -1.0, 1.0)
        if correlation == 1:
            raise ArgumentError(
                "correlation must be in [-1, 1), got 1.0: equal nuisances leave delta = 0"
            )
        if law.dimension == 2 and correlation != -1:
            raise ArgumentError(
                f"correlation must be -1 for d = 2, got {correlation}: the orthogonal complement "
                "of X is a line"
            )
        largest = 0.5 * (1.0 - correlation)
        if delta > largest:
            raise ArgumentError(
                f"delta must be in [0, {largest}] = [0, (1 - correlation)/2], got {delta}"
            )
        nuisance = min(delta / largest, 1.0)
        self._set(law=law, dimension=law.dimension, delta=delta, correlation=correlation)
        self._set(nuisance=nuisance, cosine=math.sqrt(1.0 - nuisance))

    @property
    def first(self) -> Law:
        return Smoothed(self.law, self.cosine) if self.nuisance > 0 else self.law

    def misalignment(self) -> float:
        return self.delta

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        x = self.law.sample(n, rng)
        y1 = geometry.complement_sample(x, rng)
        if self.correlation == -1:
            y2 = -y1
        else:
            c = self.correlation
            perpendicular = geometry.second_complement_sample(x, y1, rng)
            y2 = c * y1 + math.sqrt((1 - c) * (1 + c)) * perpendicular
        return _both(self.cosine, x, math.sqrt(self.nuisance), y1, y2)


class TangentShift(Pair):
    """U, V = sqrt(1-delta) X +- sqrt(delta) Y(X), X uniform, Y(X) the unit tangent toward e_1.

    With phi = arcsin sqrt(delta), U is X turned by phi toward the pole e_1 and V by phi away from
    it. J equals that of the extremal family while the marginals differ: the counterexample that
    needs equal marginals in the bound with within-view negatives (ours, not in the SG paper).

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    delta : float
        The misalignment, in [0, 1].
    """

    _parameters = ("d", "delta")
    d: int
    delta: float

    def __init__(self, d: int, delta: float) -> None:
        d, delta = arguments.dimension(d), arguments.unit_interval(delta, "delta")
        self._set(d=d, dimension=d, delta=delta)

    @property
    def first(self) -> Law:
        return TurnedUniform(self.d, self.delta, True)

    @property
    def second(self) -> Law:
        return TurnedUniform(self.d, self.delta, False)

    @property
    def equal_marginals(self) -> bool:
        return self.delta == 0

    def misalignment(self) -> float:
        return self.delta

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        x = uniform_sample(geometry.count(n), self.d, arguments.generator(rng))
        return turned(x, self.delta, True), turned(x, self.delta, False)


class PairAtoms(Pair):
    """Finitely many pairs (u_i, v_i) with weights w_i: Delta = sum_i w_i |u_i - v_i|^2/4.

    Parameters
    ----------
    u, v : array_like, shape (n, d)
        Unit rows, d >= 2, of equal shape.
    weights : array_like, shape (n,), optional
        Nonnegative, of sum 1; equal if omitted.

    Notes
    -----
    ``equal_marginals`` compares the two weighted sets of points: points within 1e-12 of each
    other count as one, and the weights there must agree within 1e-12.
    """

    _parameters = ("u", "v", "weights")
    u: Array
    v: Array
    weights: Array

    def __init__(self, u: ArrayLike, v: ArrayLike, weights: ArrayLike | None = None) -> None:
        u, v = geometry.unit_rows(u, "u"), geometry.unit_rows(v, "v")
        if u.shape != v.shape:
            raise ArgumentError(f"u and v must have one shape, got {u.shape} and {v.shape}")
        self._set(u=u, v=v, weights=geometry.weights(weights, len(u)), dimension=u.shape[1])

    @property
    def first(self) -> Law:
        return Atoms(self.u, self.weights)

    @property
    def second(self) -> Law:
        return Atoms(self.v, self.weights)

    @cached_property
    def _equal_marginals(self) -> bool:
        if np.array_equal(self.u, self.v):
            return True
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components
        from scipy.spatial import cKDTree

        points = np.concatenate((self.u, self.v))
        near = cKDTree(points).query_pairs(_SAME, output_type="ndarray")
        links = coo_array((np.ones(len(near)), (near[:, 0], near[:, 1])), (len(points),) * 2)
        number, cluster = connected_components(links, directed=False)
        surplus = np.concatenate((self.weights, -self.weights))
        return bool(np.max(np.abs(np.bincount(cluster, surplus, number))) <= _SAME)

    @property
    def equal_marginals(self) -> bool:
        return self._equal_marginals

    def misalignment(self) -> float:
        return float(self.weights @ np.sum((self.u - self.v) ** 2, axis=1)) / 4

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        rows = arguments.generator(rng).choice(len(self.u), size=geometry.count(n), p=self.weights)
        return self.u[rows], self.v[rows]


def _law(law: Law) -> Law:
    if not isinstance(law, Law):
        raise ArgumentError(f"law must be a law on the sphere, got {type(law).__name__}")
    return law


def _both(cosine: float, x: Array, sine: float, y1: Array, y2: Array) -> tuple[Array, Array]:
    u, v = cosine * x + sine * y1, cosine * x + sine * y2
    return geometry.normalised(u), geometry.normalised(v)
