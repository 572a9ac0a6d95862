"""Zonal kernels on the sphere and their Funk-Hecke spectra.

A zonal kernel is a function of u.v; on S^(d-1) it is sum_l k_l N_l P_l(u.v), with eigenvalues

    k_l = E_t k(t) P_l(t),   t = u.e for u uniform (density proportional to (1-t^2)^((d-3)/2)).

Squared MMD of a law against the uniform one: sum_{l>=1} k_l |q_l|^2. The kernels here are those of
the Shared Gaussianization paper: InfoNCE's e^{beta u.v}, the Gaussian e^{-gamma |u-v|^2}, the lift
of SG's own test, and the matching of the first two moments.

Values smaller than the smallest double, 5e-324, underflow to 0; ``log_eigenvalues`` does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import bessel, lift
from spherelab.arguments import broadcast, dimension, in_range, positive, reals, unit_interval
from spherelab.arguments import degrees as check_degrees

Array = NDArray[np.float64]

_LARGEST_RADIUS = 1000.0  # beyond, rounding in the tail of a wide integral grows past 1e-13
_LARGEST_FREQUENCY = 1e70
_LARGEST_SCALE = 1e99


class ZonalKernel(ABC):
    """A positive definite function of u.v, through its eigenvalues."""

    @abstractmethod
    def log_eigenvalues(self, d: int, degrees: ArrayLike) -> Array:
        """log k_l on S^(d-1); -inf where k_l = 0."""

    def eigenvalues(self, d: int, degrees: ArrayLike) -> Array:
        """k_l on S^(d-1).

        Parameters
        ----------
        d : int
            Ambient dimension, >= 2.
        degrees : array_like of int
            Degrees l >= 0, any shape.

        Returns
        -------
        ndarray
            Same shape; relative error below 2e-13 (1e-16 times the log). Below 5e-324 they
            underflow to 0.

        Raises
        ------
        ArgumentError
            If d < 2 or not an integer, or a degree is negative or not an integer.
        """
        return np.exp(self.log_eigenvalues(d, degrees))


@dataclass(frozen=True)
class ExpKernel(ZonalKernel):
    """InfoNCE's kernel e^{beta u.v}: lambda_l = Gamma(d/2) (2/beta)^nu I_{l+nu}(beta).

    Parameters
    ----------
    beta : float
        Inverse temperature, in (0, 1e99]. Tested from 1e-8 to 1e6. ``eigenvalues`` overflows to
        inf where log lambda_l > 709 (beta above about 709); the log does not.
    """

    beta: float

    def __post_init__(self) -> None:
        beta = in_range(positive(self.beta, "beta"), "beta", 0.0, _LARGEST_SCALE)
        object.__setattr__(self, "beta", beta)

    def log_eigenvalues(self, d: int, degrees: ArrayLike) -> Array:
        """log lambda_l(beta): absolute error 4e-14 or one ulp of the result."""
        return bessel.log_eigenvalues(d, degrees, self.beta)

    def eigenvalues(self, d: int, degrees: ArrayLike) -> Array:
        with np.errstate(over="ignore"):  # the documented inf
            return super().eigenvalues(d, degrees)

    def log_ratios(self, d: int, degrees: ArrayLike) -> Array:
        """log r_l, r_l = lambda_l / lambda_0 = I_{l+nu}(beta) / I_nu(beta) <= 1."""
        return bessel.log_iv_quotient(d, degrees, self.beta)


@dataclass(frozen=True)
class GaussianKernel(ZonalKernel):
    """The Gaussian kernel e^{-gamma |u-v|^2}: e^{-2 gamma} lambda_l(2 gamma).

    Parameters
    ----------
    gamma : float
        In (0, 1e99]. Tested from 1e-8 to 1e6.
    """

    gamma: float

    def __post_init__(self) -> None:
        gamma = in_range(positive(self.gamma, "gamma"), "gamma", 0.0, _LARGEST_SCALE)
        object.__setattr__(self, "gamma", gamma)

    def log_eigenvalues(self, d: int, degrees: ArrayLike) -> Array:
        """log of e^{-2 gamma} lambda_l(2 gamma): the two are added before the one rounding."""
        return bessel.log_eigenvalues(d, degrees, 2 * self.gamma, offset=-2 * self.gamma)


@dataclass(frozen=True)
class MomentMatching(ZonalKernel):
    """Matching the mean and the second moment: k(t) = t + t^2 - 1/d.

    Its squared MMD is |E X|^2 + |E X X^T - I/d|_F^2; k_1 = 1/d, k_2 = 2/(d(d+2)), all others 0.
    """

    def log_eigenvalues(self, d: int, degrees: ArrayLike) -> Array:
        d, degrees = dimension(d), check_degrees(degrees)
        result = np.full(degrees.shape, -np.inf)
        result[degrees == 1] = -np.log(d)
        result[degrees == 2] = np.log(2.0) - np.log(d) - np.log(d + 2.0)
        return result


@dataclass(frozen=True)
class SGLift(ZonalKernel):
    """The test of Shared Gaussianization as a zonal kernel: mu_l = E_s psi_l(s)^2, s ~ N(0, 1).

    psi_l(s) = 2^{-l/2} Gamma((l+d)/2)/Gamma(l+d/2) s^l e^{-s^2/2} 1F1(l/2; l+d/2; s^2/2) is the
    degree-l profile of the characteristic function of R a.u, R ~ chi_d (SG paper, lift).
    mu_0 = 1/sqrt 3. 10,000 degrees take well under a second.
    """

    def log_eigenvalues(self, d: int, degrees: ArrayLike, delta: float = 0.0) -> Array:
        """log mu_l(Delta), the eigenvalue on points of squared radius 1 - Delta.

        Parameters
        ----------
        d : int
            Ambient dimension, >= 2.
        degrees : array_like of int
            Degrees l >= 0.
        delta : float
            Misalignment Delta in [0, 1]; at 1 only the degree 0 remains.

        Returns
        -------
        ndarray
            Absolute error 1e-14 or one ulp of the result.
        """
        d, degrees = dimension(d), check_degrees(degrees)
        square = 1.0 - unit_interval(delta, "delta")
        return lift.log_cross(d, degrees, square, square)

    def eigenvalues(self, d: int, degrees: ArrayLike, delta: float = 0.0) -> Array:
        """mu_l(Delta); see ``log_eigenvalues``. Relative error below 2e-13."""
        return np.exp(self.log_eigenvalues(d, degrees, delta))

    def gains(self, d: int, degrees: ArrayLike) -> Array:
        """gain_l = -d mu_l / d Delta at Delta = 0; positive for l >= 1, -3^{-3/2} for l = 0.

        gain_l = mu_l [(l-1)/3 + (1/3) E x (w1 + w2)], a sum of positive terms (see ``lift``).
        Relative error below 2e-13.
        """
        log_mu, ratio = lift.log_mu_and_gain_ratio(dimension(d), check_degrees(degrees))
        return np.exp(log_mu) * ratio

    def gain_ratios(self, d: int, degrees: ArrayLike) -> Array:
        """gain_l / mu_l: does not underflow. Above (l-1)/3, and tends to it as d grows."""
        return lift.log_mu_and_gain_ratio(dimension(d), check_degrees(degrees))[1]

    def log_cross(self, d: int, degrees: ArrayLike, r1: float, r2: float) -> Array:
        """log k_l(r1, r2), k_l = E_s psi_l(r1 s) psi_l(r2 s), for radii in [0, 1000]."""
        r1, r2 = in_range(r1, "r1", 0.0, _LARGEST_RADIUS), in_range(r2, "r2", 0.0, _LARGEST_RADIUS)
        d, degrees = dimension(d), check_degrees(degrees)
        # Below 1e-100, where squares underflow, k_l is (r1 r2)^l times a constant.
        small = [r if 0 < r < 1e-100 else 1e-100 for r in (r1, r2)]
        r1, r2 = (r if r == 0 else max(r, 1e-100) for r in (r1, r2))
        result = lift.log_cross(d, degrees, r1 * r1, r2 * r2)
        if min(small) < 1e-100:
            result += degrees * (np.log(small[0] / 1e-100) + np.log(small[1] / 1e-100))
        return result

    def cross(self, d: int, degrees: ArrayLike, r1: float, r2: float) -> Array:
        """k_l(r1, r2); see ``log_cross``. Relative error below 2e-13."""
        return np.exp(self.log_cross(d, degrees, r1, r2))

    def log_profile(self, d: int, degrees: ArrayLike, s: ArrayLike) -> Array:
        """log psi_l(|s|), degrees and frequencies broadcast; -inf at s = 0 for l >= 1."""
        d, degrees = dimension(d), check_degrees(degrees)
        frequencies = np.abs(reals(s, "s", -_LARGEST_FREQUENCY, _LARGEST_FREQUENCY))
        broadcast(degrees=degrees, s=frequencies)
        return lift.log_profile(d, degrees, frequencies)
