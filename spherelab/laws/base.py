"""What every law on the sphere offers, and the harmonic energy of a mixture of zonal laws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.gegenbauer import gegenbauer_all
from spherelab.immutable import Immutable
from spherelab.laws import geometry
from spherelab.sphere import log_multiplicity

Array = NDArray[np.float64]
Components = list[tuple[float, "AxialLaw"]]

_SMALL_GRAM = 1 << 20  # (pairs) x (degrees) below which NumPy does, without a compiler


class Law(Immutable, ABC):
    """A probability measure on S^(d-1).

    Attributes
    ----------
    dimension : int
        The ambient dimension d >= 2.
    """

    dimension: int

    @abstractmethod
    def components(self) -> Components:
        """The law as a finite mixture: pairs (weight > 0, law zonal about its own ``mean``)."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """n independent points, unit rows of shape (n, d)."""

    def harmonic_energy(self, degrees: ArrayLike) -> Array:
        """|q_l|^2 = N_l E P_l(X . X'), X and X' independent; 1 at l = 0, >= 0 at every l.

        Parameters
        ----------
        degrees : array_like of int
            Degrees l >= 0, any shape.

        Returns
        -------
        ndarray
            Same shape; inf where it exceeds the doubles (a point mass has |q_l|^2 = N_l).
            Relative accuracy 1e-13 for a single zonal law. For several axes the double sum over
            components can cancel: absolute error N_l times ``gram_error``.
        """
        with np.errstate(over="ignore"):  # the documented inf
            return np.exp(self.log_harmonic_energy(degrees))

    def log_harmonic_energy(self, degrees: ArrayLike) -> Array:
        """log |q_l|^2, which neither overflows nor underflows; -inf where |q_l|^2 = 0."""
        return log_energy_of_components(self.dimension, self.components(), degrees)

    def log_density(self, x: ArrayLike) -> Array:
        """Log density at x (unit, last axis d) with respect to surface area, as in SciPy.

        Raises
        ------
        ArgumentError
            Where x is not unit, and for a law that has no density or none in closed form.
        """
        raise ArgumentError(
            f"{type(self).__name__} has no closed-form density with respect to surface area"
        )


class AxialLaw(Law):
    """A zonal law: its value on a set depends only on the cosines t = <mean, x>.

    With a_l = E P_l(t), its density relative to the uniform law is sum_l N_l a_l P_l(t), and
    |q_l|^2 = N_l a_l^2.

    Attributes
    ----------
    mean : ndarray, shape (d,)
        The axis, a unit vector.
    """

    mean: Array

    def components(self) -> Components:
        return [(1.0, self)]

    def mean_legendre(self, degrees: ArrayLike) -> Array:
        """a_l = E P_l(<mean, X>), of the shape of ``degrees``; a_0 = 1. Underflows to 0."""
        sign, log_size = self.log_mean_legendre(degrees)
        return sign * np.exp(log_size)

    @abstractmethod
    def log_mean_legendre(self, degrees: ArrayLike) -> tuple[Array, Array]:
        """Sign (-1, 0 or 1) and log |a_l|, which does not underflow."""

    def mean_legendre_error(self, degrees: ArrayLike) -> Array:
        """Absolute error of a_l where it is more than rounding relative to a_l; 0 elsewhere."""
        return np.zeros(arguments.degrees(degrees).shape)

    @abstractmethod
    def axis_rule(self, level: int = 0) -> tuple[Array, Array]:
        """Cosines and positive weights of sum 1: sum_i w_i f(t_i) = E f(<mean, X>).

        Exact to rounding for f that varies slowly on the scale of the law; each level (about)
        doubles the number of nodes.
        """

    def log_potential(self, beta: float, t: ArrayLike) -> Array | None:
        """log E_v e^{beta u.v} - log lambda_0(beta) for v of this law, at <u, mean> = t.

        None where there is no closed form: integrate with ``axis_rule`` then.
        """
        return None

    def smoothed_log_potential(self, cosine: float, beta: float, t: ArrayLike) -> Array | None:
        """``log_potential`` of Smoothed(self, cosine); None where there is no closed form."""
        return None

    def smoothed_log_ratio(self, cosine: float, t: Array) -> Array | None:
        """Log density, relative to the uniform law, of Smoothed(self, cosine); None as above."""
        return None

    def _shown(self) -> Iterator[str]:
        for name in self._parameters:
            if name != "mean" or not geometry.is_first_axis(self.mean):
                yield name


def axis(mean: ArrayLike | None, d: int) -> Array:
    """The axis given as an argument; the first axis where none is."""
    return geometry.first_axis(d) if mean is None else geometry.unit_vector(mean, d, "mean")


def cosines(name: str, t: ArrayLike) -> Array:
    """Cosines in [-1, 1]; excess by rounding (below 1e-12) is cut."""
    t = arguments.real_array(t, name)
    if not np.all(np.abs(t) <= 1 + 1e-12):  # NaN fails too
        bad = t[~(np.abs(t) <= 1 + 1e-12)].flat[0]
        raise ArgumentError(f"{name} must be in [-1, 1], got {bad}")
    result: Array = np.clip(t, -1.0, 1.0)
    return result


def gram_error(d: int, count: int, degrees: ArrayLike) -> Array:
    """Absolute error of sum_ij c_i c_j P_l(m_i . m_j), for sum_i |c_i| = 1 and ``count`` axes.

    2n roundings for the sums; L_l/(d-1) = max |P_l'| times the rounding of m_i . m_j and of the
    recurrence, four ulp. The last is met only by pairs of axes at an angle below about 1/l.
    """
    degrees = np.asarray(degrees, dtype=np.float64)
    slope = degrees * (degrees + d - 2.0) / (d - 1.0)
    result: Array = np.finfo(np.float64).eps * (count + 4.0 * slope)
    return np.where(degrees == 0, 0.0, result) if count == 1 else result


def log_energy_of_components(d: int, components: Components, degrees: ArrayLike) -> Array:
    """|q_l|^2 = N_l sum_ij w_i w_j a_l^i a_l^j P_l(m_i . m_j) of a mixture of zonal laws.

    The products w_i a_l^i are divided by the largest at each degree and put back in logs with
    N_l. Components on one axis (equal or opposite means) are first added as vectors, which keeps
    the relative accuracy where they cancel; then pairs of axes are summed, for d = 2 as
    |sum_i c_i e^{i l theta_i}|^2, which is a square and cannot lose sign.
    """
    degrees = arguments.degrees(degrees)
    unique, inverse = np.unique(degrees.ravel(), return_inverse=True)  # (L,)
    signs = np.empty((len(components), unique.size))
    logs = np.empty_like(signs)
    for i, (weight, law) in enumerate(components):
        sign, log_size = law.log_mean_legendre(unique)
        signs[i], logs[i] = sign, np.log(weight) + log_size
    largest = np.max(logs, axis=0)
    largest = np.where(np.isfinite(largest), largest, 0.0)  # all zero
    means = np.array([law.mean for _, law in components])
    axes, coefficients = _merge(means, signs * np.exp(logs - largest), unique)
    energy = log_combine(d, unique, 2.0 * largest, resultants(axes, coefficients, unique))
    return energy[inverse].reshape(degrees.shape)


def log_combine(d: int, degrees: NDArray[np.int64], log_scale: ArrayLike, squares: Array) -> Array:
    """log of N_l e^{log_scale} squares; -inf where ``squares`` is 0."""
    positive = squares > 0
    log_square = np.log(np.where(positive, squares, 1.0))
    scale = np.asarray(log_scale, dtype=np.float64)
    return np.where(positive, log_multiplicity(d, degrees) + scale + log_square, -np.inf)


def _merge(means: Array, coefficients: Array, degrees: NDArray[np.int64]) -> tuple[Array, Array]:
    """Axes (m, d) without repeats or opposites, and their added coefficients (m, L).

    P_l(-t) = (-1)^l P_l(t): a mean -m is the axis m with coefficients times (-1)^l.
    """
    parity = np.where(degrees % 2 == 0, 1.0, -1.0)
    found: dict[bytes, int] = {}
    axes: list[Array] = []
    merged: list[Array] = []
    for mean, row in zip(means, coefficients, strict=True):
        flipped = mean[np.flatnonzero(mean)[0]] < 0
        direction = (-mean if flipped else mean) + 0.0  # + 0.0 turns -0.0 into 0.0
        row = parity * row if flipped else row
        position = found.setdefault(direction.tobytes(), len(axes))
        if position == len(axes):
            axes.append(direction)
            merged.append(row)
        else:
            merged[position] = merged[position] + row
    return np.array(axes), np.array(merged)


def resultants(axes: Array, coefficients: Array, degrees: NDArray[np.int64]) -> Array:
    """sum_ij c_i c_j P_l(m_i . m_j) >= 0 at each of the degrees (L,).

    Parameters
    ----------
    axes : ndarray, shape (m, d)
    coefficients : ndarray, shape (m, L) or (m, 1)
    degrees : ndarray of int, shape (L,)
    """
    if len(axes) == 1:
        return np.broadcast_to(coefficients[0] ** 2, degrees.shape)
    if axes.shape[1] == 2:
        return _circle_resultants(axes, coefficients, degrees)
    top = int(degrees.max())
    pairs = len(axes) * (len(axes) - 1) // 2
    if pairs * (top + 1) <= _SMALL_GRAM:
        i, j = np.triu_indices(len(axes), 1)
        products = np.clip(np.sum(axes[i] * axes[j], axis=1), -1.0, 1.0)  # (pairs,)
        values = gegenbauer_all(axes.shape[1], top, products)[degrees]  # (L, pairs)
        crossed = np.sum(values * (coefficients[i] * coefficients[j]).T, axis=1)
        sums = 2.0 * crossed + np.sum(coefficients**2, axis=0)
    else:
        from spherelab.kernels.cpu import gram_legendre_sums

        table = coefficients
        if coefficients.shape[1] > 1:
            table = np.zeros((len(axes), top + 1))
            table[:, degrees] = coefficients
        sums = gram_legendre_sums(axes, table, top)[degrees]
    return np.maximum(sums, 0.0)  # the sum is a square; below zero is rounding


def _circle_resultants(axes: Array, coefficients: Array, degrees: NDArray[np.int64]) -> Array:
    """|sum_i c_i e^{i l theta_i}|^2: on the circle P_l(cos theta) = cos(l theta)."""
    angles = np.arctan2(axes[:, 1], axes[:, 0])
    result = np.empty(degrees.size)
    height = max(1, (1 << 20) // len(angles))
    for start in range(0, degrees.size, height):
        block = slice(start, start + height)
        phases = degrees[block, None] * angles  # (block, m)
        rows = coefficients[:, block].T if coefficients.shape[1] > 1 else coefficients.T
        real = np.sum(np.cos(phases) * rows, axis=1)
        imaginary = np.sum(np.sin(phases) * rows, axis=1)
        result[block] = real**2 + imaginary**2
    return result


def log_sum_exp(terms: Sequence[Array]) -> Array:
    """log sum_i exp(terms[i]), elementwise; -inf where all are."""
    stacked = np.array(terms)
    top = np.max(stacked, axis=0)
    # Infinite densities (at a pole) stay infinite: inf - inf would be NaN.
    base = np.where(np.isfinite(top), top, 0.0)
    infinite = np.isposinf(top)
    shifted = np.where(infinite, 0.0, stacked - base)
    total = np.sum(np.exp(shifted), axis=0)
    positive = total > 0
    result = np.where(positive, base + np.log(np.where(positive, total, 1.0)), -np.inf)
    return np.where(infinite, np.inf, result)
