"""Laws made of other laws: mixtures, and a law moved along the sphere by a fixed angle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.gegenbauer import gegenbauer_all
from spherelab.laws import geometry
from spherelab.laws.base import AxialLaw, Components, Law, cosines, log_sum_exp
from spherelab.laws.uniform import Uniform
from spherelab.sphere import coordinate_rule, log_area

Array = NDArray[np.float64]

_COMPLEMENT_NODES = 32


class Mixture(Law):
    """The law sum_i w_i P_i.

    Parameters
    ----------
    weights : array_like, shape (k,)
        Nonnegative, of sum 1.
    components : sequence of k laws
        On one sphere; mixtures and atoms among them are flattened by ``components()``.

    Attributes
    ----------
    parts : tuple of Law
        The laws as given.
    """

    _parameters = ("weights", "parts")
    weights: Array
    parts: tuple[Law, ...]

    def __init__(self, weights: ArrayLike, components: Sequence[Law]) -> None:
        try:
            parts = tuple(components)
        except TypeError:
            given = type(components).__name__
            raise ArgumentError(f"components must be a sequence of laws, got {given}") from None
        if not parts:
            raise ArgumentError("components must hold at least one law, got none")
        for i, part in enumerate(parts):
            if not isinstance(part, Law):
                raise ArgumentError(f"components must be laws, got {part!r} at index {i}")
        dimensions = [part.dimension for part in parts]
        if len(set(dimensions)) > 1:
            raise ArgumentError(f"components must share one dimension, got {dimensions}")
        self._set(weights=geometry.weights(weights, len(parts)), parts=parts)
        self._set(dimension=dimensions[0])

    def __repr__(self) -> str:
        return f"Mixture(weights={self.weights.tolist()!r}, components={list(self.parts)!r})"

    def components(self) -> Components:
        return [
            (weight * inner, law)
            for weight, part in zip(self.weights.tolist(), self.parts, strict=True)
            if weight > 0
            for inner, law in part.components()
            if weight * inner > 0
        ]

    def log_density(self, x: ArrayLike) -> Array:
        """log sum_i w_i density_i; refused where a part of positive weight has no density."""
        return log_sum_exp(
            [
                np.log(weight) + part.log_density(x)
                for weight, part in zip(self.weights.tolist(), self.parts, strict=True)
                if weight > 0
            ]
        )

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Exact: the numbers from each part are multinomial, the order is shuffled."""
        n, rng = geometry.count(n), arguments.generator(rng)
        counts = rng.multinomial(n, self.weights)
        drawn = [
            part.sample(int(size), rng)
            for size, part in zip(counts, self.parts, strict=True)
            if size > 0
        ]
        return np.concatenate(drawn)[rng.permutation(n)]


class Smoothed(Law):
    """The law of c X + sqrt(1-c^2) Y, Y uniform in the orthogonal complement of X.

    Every degree is damped: its |q_l|^2 is P_l(c)^2 times that of the law of X. For d = 2 the
    complement is two points.

    Parameters
    ----------
    law : Law
        Law of X. Where it is zonal, the object made is a ``SmoothedAxial``: zonal about the same
        axis.
    cosine : float
        c in [-1, 1].
    """

    _parameters = ("law", "cosine")
    law: Law
    cosine: float

    def __new__(cls, law: Law, cosine: float) -> Smoothed:
        if cls is Smoothed and isinstance(law, AxialLaw):
            return super().__new__(SmoothedAxial)
        return super().__new__(cls)

    def __getnewargs__(self) -> tuple[Law, float]:  # for copy and pickle
        return self.law, self.cosine

    def __init__(self, law: Law, cosine: float) -> None:
        if not isinstance(law, Law):
            raise ArgumentError(f"law must be a law on the sphere, got {type(law).__name__}")
        cosine = arguments.in_range(cosine, "cosine", -1.0, 1.0)
        self._set(dimension=law.dimension, law=law, cosine=cosine)

    def __repr__(self) -> str:
        return f"Smoothed(law={self.law!r}, cosine={self.cosine!r})"

    def components(self) -> Components:
        smoothed = [(weight, Smoothed(law, self.cosine)) for weight, law in self.law.components()]
        return [(weight, law) for weight, law in smoothed if isinstance(law, AxialLaw)]

    def log_harmonic_energy(self, degrees: ArrayLike) -> Array:
        degrees = arguments.degrees(degrees)
        damping = np.abs(_legendre_at(self.dimension, degrees, self.cosine))
        log_damping = np.log(np.where(damping > 0, damping, 1.0))
        energy = self.law.log_harmonic_energy(degrees) + 2.0 * log_damping
        return np.where(damping > 0, energy, -np.inf)

    def log_density(self, x: ArrayLike) -> Array:
        return log_sum_exp([np.log(w) + law.log_density(x) for w, law in self.components()])

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        x = self.law.sample(n, rng)
        if abs(self.cosine) == 1:
            return self.cosine * x
        y = geometry.complement_sample(x, rng)
        sine = math.sqrt((1.0 - self.cosine) * (1.0 + self.cosine))
        return geometry.normalised(self.cosine * x + sine * y)


class SmoothedAxial(Smoothed, AxialLaw):
    """``Smoothed`` of a zonal law: zonal about the same axis, a_l P_l(c). Made by ``Smoothed``."""

    law: AxialLaw

    def __init__(self, law: AxialLaw, cosine: float) -> None:
        super().__init__(law, cosine)
        self._set(mean=law.mean)

    def components(self) -> Components:
        return AxialLaw.components(self)

    def log_mean_legendre(self, degrees: ArrayLike) -> tuple[Array, Array]:
        degrees = arguments.degrees(degrees)
        sign, log_size = self.law.log_mean_legendre(degrees)
        damping = _legendre_at(self.dimension, degrees, self.cosine)
        log_damping = np.log(np.where(damping != 0, np.abs(damping), 1.0))
        result = np.where(damping != 0, log_size + log_damping, -np.inf)
        return sign * np.sign(damping), result

    def axis_rule(self, level: int = 0) -> tuple[Array, Array]:
        """Products c t_i + sqrt(1-c^2) sqrt(1-t_i^2) y_j of the rule of X and one for Y.

        y_j runs over a Gauss rule of 32 * 2^level nodes for one coordinate on S^(d-2); for d = 2
        over -1, 1.
        """
        level = arguments.rule_level(level)
        t, weights = self.law.axis_rule(level)
        if isinstance(self.law, Uniform):
            return t, weights
        c = self.cosine
        if abs(c) == 1:
            return c * t, weights
        nodes = 2 if self.dimension == 2 else _COMPLEMENT_NODES << level
        y, shares = coordinate_rule(self.dimension - 1, nodes)
        sine = np.sqrt((1.0 - c) * (1.0 + c) * (1.0 - t) * (1.0 + t))
        products = c * t[:, None] + sine[:, None] * y  # (nodes of X, nodes of Y)
        return np.clip(products.ravel(), -1.0, 1.0), np.outer(weights, shares).ravel()

    def log_potential(self, beta: float, t: ArrayLike) -> Array | None:
        beta, t = arguments.nonnegative(beta, "beta"), cosines("t", t)
        if abs(self.cosine) == 1:
            return self.law.log_potential(beta, self.cosine * t)
        return self.law.smoothed_log_potential(self.cosine, beta, t)

    def log_density(self, x: ArrayLike) -> Array:
        rows, shape = geometry.points(x, self.dimension)
        if abs(self.cosine) == 1:
            return np.reshape(self.law.log_density(self.cosine * rows), shape)
        t = np.clip(rows @ self.mean, -1.0, 1.0)
        ratio = self.law.smoothed_log_ratio(self.cosine, t)
        if ratio is None:
            raise ArgumentError(
                f"Smoothed({type(self.law).__name__}) has no closed-form density with respect to "
                "surface area"
            )
        return np.reshape(ratio - log_area(self.dimension), shape)


def _legendre_at(d: int, degrees: NDArray[np.int64], cosine: float) -> Array:
    """P_l(cosine) at each of the degrees, of their shape."""
    top = int(np.max(degrees, initial=0))
    values: Array = gegenbauer_all(d, top, np.float64(cosine))[degrees]
    return values
