"""Laws on finitely many points."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.bessel import log_lambda0, log_lambda0_scaled
from spherelab.laws import geometry
from spherelab.laws.base import (
    AxialLaw,
    Components,
    Law,
    cosines,
    gram_error,
    log_combine,
    resultants,
)
from spherelab.sphere import multiplicity

Array = NDArray[np.float64]


class PointMass(AxialLaw):
    """All mass at one point: a_l = 1, |q_l|^2 = N_l.

    Parameters
    ----------
    point : array_like, shape (d,)
        A unit vector, d >= 2.
    """

    _parameters = ("point",)
    point: Array

    def __init__(self, point: ArrayLike) -> None:
        shape = np.shape(point)
        if len(shape) != 1 or shape[0] < 2:
            raise ArgumentError(f"point must have shape (d,) with d >= 2, got {shape}")
        point = geometry.unit_vector(point, shape[0], "point")
        self._set(dimension=shape[0], point=point, mean=point)

    def log_mean_legendre(self, degrees: ArrayLike) -> tuple[Array, Array]:
        degrees = arguments.degrees(degrees)
        return np.ones(degrees.shape), np.zeros(degrees.shape)

    def axis_rule(self, level: int = 0) -> tuple[Array, Array]:
        arguments.rule_level(level)
        return np.ones(1), np.ones(1)

    def log_potential(self, beta: float, t: ArrayLike) -> Array:
        """beta t - log lambda_0(beta); for beta > d with beta taken off both terms."""
        beta, t = arguments.nonnegative(beta, "beta"), cosines("t", t)
        if beta <= self.dimension:
            return beta * t - log_lambda0(self.dimension, beta)
        return -beta * (1.0 - t) - log_lambda0_scaled(self.dimension, beta)

    def smoothed_log_potential(self, cosine: float, beta: float, t: ArrayLike) -> Array:
        """beta c t + log lambda_0^{(d-1)}(beta sqrt(1-c^2) sqrt(1-t^2)) - log lambda_0(beta).

        X runs over the sphere <x, m> = c of one dimension less; for d = 2 that is two points,
        and lambda_0^{(1)} = cosh. For beta > d, -beta (1 - cos(theta - phi)) plus the scaled
        logarithms, t = cos theta and c = cos phi.
        """
        beta, t = arguments.nonnegative(beta, "beta"), cosines("t", t)
        d = self.dimension
        sine = math.sqrt((1.0 - cosine) * (1.0 + cosine))
        sines = np.sqrt((1.0 - t) * (1.0 + t))
        tangent = beta * sine * sines
        if beta <= d:
            around = _log_cosh(tangent) if d == 2 else log_lambda0(d - 1, tangent)
            return beta * cosine * t + around - log_lambda0(d, beta)
        # With 1 - cos(theta - phi) = |p - q|^2/2 nothing of the size of beta is left to cancel.
        fall = 0.5 * beta * ((cosine - t) ** 2 + (sine - sines) ** 2)
        if d == 2:
            around = _log_cosh(tangent) - tangent
        else:
            around = log_lambda0_scaled(d - 1, tangent)
        return around - log_lambda0_scaled(d, beta) - fall

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        n = geometry.count(n)
        arguments.generator(rng)
        return np.tile(self.point, (n, 1))


def _log_cosh(x: Array) -> Array:
    """log cosh x for x >= 0: x + log1p((e^{-2x} - 1)/2)."""
    result: Array = x + np.log1p(0.5 * np.expm1(-2.0 * x))
    return result


class Atoms(Law):
    """Weights w_i on points x_i: |q_l|^2 = N_l sum_ij w_i w_j P_l(x_i . x_j).

    Parameters
    ----------
    points : array_like, shape (n, d)
        Unit rows, d >= 2; repeats are allowed.
    weights : array_like, shape (n,), optional
        Nonnegative, of sum 1; equal if omitted.

    Notes
    -----
    For d = 2 the energy is a sum of two squared means of cosines and sines of l theta_i, with
    absolute error about 2^-50 (|q_l| l): an exact zero comes out as (1e-16 l)^2. For d >= 3 it
    is a Gram sum over pairs, O(n^2) a degree, whose stated error is ``harmonic_energy_error``.
    """

    _parameters = ("points", "weights")
    points: Array
    weights: Array

    def __init__(self, points: ArrayLike, weights: ArrayLike | None = None) -> None:
        points = geometry.unit_rows(points, "points")
        weights = geometry.weights(weights, len(points))
        self._set(dimension=points.shape[1], points=points, weights=weights)

    @classmethod
    def regular_polygon(cls, n: int) -> Atoms:
        """Equal weights on the corners (cos 2 pi k/n, sin 2 pi k/n), k = 0..n-1, of the circle.

        |q_l|^2 = 2 where n divides l >= 1, else 0.
        """
        n = geometry.count(n)
        angles = 2.0 * math.pi * np.arange(n) / n
        return cls(np.column_stack((np.cos(angles), np.sin(angles))))

    def components(self) -> Components:
        return list(self._components)

    @cached_property
    def _components(self) -> Components:
        pairs = zip(self.weights.tolist(), self.points, strict=True)
        return [(weight, PointMass(point)) for weight, point in pairs if weight > 0]

    def log_harmonic_energy(self, degrees: ArrayLike) -> Array:
        degrees = arguments.degrees(degrees)
        unique, inverse = np.unique(degrees.ravel(), return_inverse=True)
        squares = np.where(unique == 0, 1.0, resultants(self.points, self.weights[:, None], unique))
        energy = log_combine(self.dimension, unique, 0.0, squares)
        return energy[inverse].reshape(degrees.shape)

    def harmonic_energy_error(self, degrees: ArrayLike) -> Array:
        """Absolute error of ``harmonic_energy`` for d >= 3: N_l (2n + 8 L_l/(d-1)) 2^-53."""
        degrees = arguments.degrees(degrees)
        error = gram_error(self.dimension, len(self.points), degrees)
        result: Array = multiplicity(self.dimension, degrees) * error
        return result

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        n, rng = geometry.count(n), arguments.generator(rng)
        return self.points[rng.choice(len(self.points), size=n, p=self.weights)]
