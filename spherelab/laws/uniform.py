"""The uniform law, which every test of this library measures against."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.laws import geometry
from spherelab.laws.base import AxialLaw, cosines
from spherelab.sphere import coordinate_rule, log_area, uniform_sample

Array = NDArray[np.float64]

_NODES = 64


class Uniform(AxialLaw):
    """The uniform law on S^(d-1): |q_l|^2 = 0 for every l >= 1.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.

    Attributes
    ----------
    mean : ndarray, shape (d,)
        The first axis; arbitrary, since the law is zonal about every axis.
    """

    _parameters = ("d",)
    d: int

    def __init__(self, d: int) -> None:
        d = arguments.dimension(d)
        self._set(d=d, dimension=d, mean=geometry.first_axis(d))

    def log_mean_legendre(self, degrees: ArrayLike) -> tuple[Array, Array]:
        degrees = arguments.degrees(degrees)
        sign = np.where(degrees == 0, 1.0, 0.0)
        return sign, np.where(degrees == 0, 0.0, -np.inf)

    def axis_rule(self, level: int = 0) -> tuple[Array, Array]:
        """Gauss rule for one coordinate, 64 * 2^level nodes: exact for polynomials."""
        return coordinate_rule(self.dimension, _NODES << arguments.rule_level(level))

    def log_potential(self, beta: float, t: ArrayLike) -> Array:
        arguments.nonnegative(beta, "beta")
        return np.zeros_like(cosines("t", t))

    def smoothed_log_potential(self, cosine: float, beta: float, t: ArrayLike) -> Array:
        return self.log_potential(beta, t)

    def smoothed_log_ratio(self, cosine: float, t: Array) -> Array:
        return np.zeros_like(t)

    def log_density(self, x: ArrayLike) -> Array:
        _, shape = geometry.points(x, self.dimension)
        return np.full(shape, -log_area(self.dimension))

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        n, rng = geometry.count(n), arguments.generator(rng)
        return uniform_sample(n, self.dimension, rng)
