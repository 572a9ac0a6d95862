"""Zonal kernels on the sphere and their Funk-Hecke spectra.

A zonal kernel is a function of u.v; on S^(d-1) it is sum_l k_l N_l P_l(u.v), with eigenvalues

    k_l = E_t k(t) P_l(t),   t = u.e for u uniform (density proportional to (1-t^2)^((d-3)/2)).

Squared MMD of a law against the uniform one: sum_{l>=1} k_l |q_l|^2. The kernels here are those of
the Shared Gaussianization paper: InfoNCE's e^{beta u.v}, the Gaussian e^{-gamma |u-v|^2}, the lift
of SG's own test, and the matching of the first two moments.

Values smaller than the smallest double, 5e-324, underflow to 0; ``log_eigenvalues`` does not.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from spherelab import bessel, lift
from spherelab.arguments import (
    ArgumentError,
    broadcast,
    dimension,
    in_range,
    positive,
    reals,
    unit_interval,
)
from spherelab.arguments import degrees as check_degrees
from spherelab.value import Value

Array = NDArray[np.float64]
Degrees = NDArray[np.int64]

_EPS = float(np.finfo(float).eps)
_KEPT_DEGREES = 512
_WIDEST = 1e7  # beta: a scan takes about a second there
_SCANNED, _SEARCHED = 4096, 257  # degrees: how many are all looked at, and of more, how many
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


# --- domination of one kernel by another ----------------------------------------------------------


@dataclass(frozen=True)
class Domination:
    """How far a test with eigenvalues mu_l controls a reference with r_l = lambda_l/lambda_0.

    Logs throughout: the constants grow exponentially in beta.

    Attributes
    ----------
    bounded : bool
        Whether sup_{l>=1} r_l/mu_l is finite: whether any linear constant exists.
    log_lower, log_upper : float
        The best constant C of U <= C MMD^2, for all laws, lies between sup (r_l - r_l^2/2)/mu_l and
        sup r_l/mu_l, within a factor 2. Both inf where it is not bounded.
    lower_degree, degree : int or None
        The degrees that attain them. None: at no degree, but as l -> inf.
    reason : str
        Why it is bounded, or not.
    error : float
        Absolute error of the two logs.
    """

    bounded: bool
    log_lower: float
    log_upper: float
    lower_degree: int | None
    degree: int | None
    reason: str
    error: float = 0.0

    @property
    def lower(self) -> Value:
        """sup (r_l - r_l^2/2)/mu_l: no smaller constant will do. inf past the doubles."""
        return self._exp(self.log_lower)

    @property
    def upper(self) -> Value:
        """sup r_l/mu_l: a constant that will do. inf past the doubles."""
        return self._exp(self.log_upper)

    def _exp(self, log: float) -> Value:
        value = math.exp(log) if log < 709.0 else math.inf
        error = math.expm1(self.error) * value if value < math.inf else 0.0
        return Value(value, error, "scan of degrees")


def domination(test: ZonalKernel, reference: ZonalKernel, d: int) -> Domination:
    """Condition (U): whether, and with which constant, a test bounds the uniformity excess.

    U = E_u log E_v k(u,v)/lambda_0 of the reference k obeys U <= sum_{l>=1} r_l |q_l|^2 <=
    sup_l (r_l/mu_l) MMD^2, and a law 1 + eps P_l has U/MMD^2 -> (r_l - r_l^2/2)/mu_l as eps -> 0.
    So a linear bound for all laws exists iff sup_l r_l/mu_l is finite:

    - SG's lift does, always: mu_l decays like (2-sqrt 3)^l, lambda_l(beta) faster than any power;
    - the Gaussian kernel e^{-gamma |u-v|^2} does iff 2 gamma >= beta, since lambda_l(b) is about
      (b/2)^l / (d/2)_l. For 2 gamma > beta the quotient falls from l = 1 on; for 2 gamma = beta it
      is e^beta/lambda_0(beta) at every l, and that is the best constant itself [ours];
    - matching of finitely many moments never: mu_l = 0 beyond them.

    Parameters
    ----------
    test : ZonalKernel
        One of the kernels of this module; its eigenvalues are mu_l.
    reference : ZonalKernel
        Another, lambda_0 > 0; InfoNCE's is ``ExpKernel(beta)``.
    d : int
        Ambient dimension, >= 2.

    Returns
    -------
    Domination
        Logs to 1e-13 or two ulp of the logs of the eigenvalues there. Against the lift the scan
        ends where the quotient is proved to fall; from beta about 1000 on it is a search that takes
        the quotient to have one peak, as it is seen to have, and finds the value, not the degree,
        to those digits.

    Raises
    ------
    ArgumentError
        For another kernel, a reference with lambda_0 = 0, a d < 2, or a reference that another
        kernel dominates and that is too wide to scan (beta above 1e7).

    Notes
    -----
    SG paper, Condition (U) and Corollary 1; the lower end of the enclosure is ours.
    """
    d = dimension(d)
    orders = _order(test, "test"), _order(reference, "reference")
    if isinstance(reference, MomentMatching):
        raise ArgumentError("reference must have lambda_0 > 0, got MomentMatching()")
    return _domination(test, *orders, d)


#: How slowly the eigenvalues decay, in the order of tuples: 0 from some degree on; like
#: (b/2)^l/(d/2)_l, the larger b the slower; geometrically.
_Order = tuple[int, float]


def _order(kernel: object, name: str) -> _Order:
    if isinstance(kernel, MomentMatching):
        return 0, 0.0
    if isinstance(kernel, ExpKernel):
        return 1, kernel.beta
    if isinstance(kernel, GaussianKernel):
        return 1, 2 * kernel.gamma
    if isinstance(kernel, SGLift):
        return 2, 0.0
    raise ArgumentError(f"{name} must be a kernel of spherelab.zonal, got {type(kernel).__name__}")


@functools.lru_cache(maxsize=1024)
def _domination(test: ZonalKernel, slow: _Order, fast: _Order, d: int) -> Domination:
    if slow < fast:
        return Domination(False, math.inf, math.inf, None, None, _reason(slow, fast))
    log_zero = float(test.log_eigenvalues(d, 0))
    if slow == fast:  # r_l/mu_l = 1/mu_0 at every l, and r_l -> 0
        error = 1e-13 + 4 * _EPS * abs(log_zero)
        return Domination(True, -log_zero, -log_zero, None, 1, _reason(slow, fast), error)
    reference = ExpKernel(fast[1])  # the only kind that another can exceed
    last = _last_degree(reference, d, slow)

    def logs(degrees: Degrees) -> tuple[Array, Array]:  # of r_l, and of mu_l
        known = degrees.size == last  # then they are 1..last
        if known:
            log_r = log_ratio_spectrum(reference, d, last)
        else:
            log_r = reference.log_ratios(d, degrees)
        if slow[0] == 1:  # mu_l/mu_0 has its own, more accurate route
            return log_r, ExpKernel(slow[1]).log_ratios(d, degrees) + log_zero
        return log_r, log_lift_spectrum(d, last) if known else test.log_eigenvalues(d, degrees)

    def quotients(degrees: Degrees) -> Array:  # of r_l/mu_l, and of (r_l - r_l^2/2)/mu_l
        log_r, log_mu = logs(degrees)
        upper = log_r - log_mu
        return np.stack((upper, upper + np.log1p(-0.5 * np.exp(log_r))))

    (degree, log_upper), (lower_degree, log_lower) = _peaks(quotients, last)
    # |log r_l| is at most this, by I_{v+1}(b)/I_v(b) >= b/(b + 2v + 2) (DLMF 10.37, Amos)
    size = degree * math.log1p((2 * degree + d) / reference.beta)
    error = 1e-13 + 4 * _EPS * (2 * size + abs(log_upper))
    return Domination(True, log_lower, log_upper, lower_degree, degree, _reason(slow, fast), error)


def _reason(slow: _Order, fast: _Order) -> str:
    if slow[0] == 0:
        return "mu_l = 0 beyond some degree, and lambda_l > 0 at every one"
    if slow == fast:
        return "mu_l is proportional to lambda_l"
    if slow[0] == fast[0]:
        return f"mu_l/lambda_l behaves like ({slow[1]:g}/{fast[1]:g})^l"
    if slow[0] == 2:
        return "mu_l decays like (2-sqrt 3)^l, lambda_l faster than any power"
    return "mu_l decays faster than any power, lambda_l like (2-sqrt 3)^l"


def _last_degree(reference: ExpKernel, d: int, slow: _Order) -> int:
    """A power of two past which neither quotient has its sup.

    r_{m+1}/r_m <= beta/(2m+d) for m >= L. Against the lift both quotients fall from L on once
    ``_least_ratio`` exceeds that. Against a slower e^{b u.v} the quotient falls everywhere, and
    (r_l - r_l^2/2)/mu_l with it where r_l is below rounding.
    """
    last = 32
    while reference.beta <= _WIDEST:
        if slow[0] == 2:
            bound = reference.beta / (2 * last + d)
            if bound < 1 and bound < _least_ratio(d, last):
                return last
        elif float(reference.log_ratios(d, last)) < -40.0:
            return last
        last *= 2
    raise ArgumentError(f"reference must have beta in (0, {_WIDEST:g}], got {reference.beta:g}")


@functools.lru_cache(maxsize=256)
def _least_ratio(d: int, degree: int) -> float:
    """A lower bound of mu_{m+1}/mu_m for all m >= L = degree.

    mu_m = C_m I_m (see ``lift``) with I_m the m-th moment of a positive measure, so that
    I_{m+1}/I_m rises, and C_{m+1}/C_m = (m+1/2) (Gamma(m/2)/Gamma((m+1)/2))^2 > 2: at least
    2 I_{L+1}/I_L.
    """
    if degree < _KEPT_DEGREES:
        ends = log_lift_spectrum(d, degree + 1)[-2:]
    else:
        ends = SGLift().log_eigenvalues(d, np.array([degree, degree + 1]))
    rise = (degree + 0.5) / float(special.poch(0.5 * degree, 0.5)) ** 2
    return 2 / rise * math.exp(ends[1] - ends[0])


def log_ratio_spectrum(kernel: ExpKernel, d: int, last: int) -> Array:
    """log r_l for l = 1..last, read-only, kept as ``log_lift_spectrum``."""
    count = max(128, 1 << (last - 1).bit_length())
    return _log_ratios(kernel, dimension(d), count)[:last]


@functools.lru_cache(maxsize=256)
def _log_ratios(kernel: ExpKernel, d: int, count: int) -> Array:
    result = kernel.log_ratios(d, np.arange(1, count + 1))
    result.setflags(write=False)
    return result


def log_lift_spectrum(d: int, last: int) -> Array:
    """log mu_l of ``SGLift`` for l = 1..last, read-only: kept, one spectrum serves many callers."""
    count = max(_KEPT_DEGREES, 1 << (last - 1).bit_length())
    return _log_lift(dimension(d), count)[:last]


@functools.lru_cache(maxsize=64)
def _log_lift(d: int, count: int) -> Array:
    result = SGLift().log_eigenvalues(d, np.arange(1, count + 1))
    result.setflags(write=False)
    return result


def _peaks(values: Callable[[Degrees], Array], last: int) -> list[tuple[int, float]]:
    """For each row of ``values``, the degree in 1..last where it is largest, and its value there.

    Every degree is looked at; of more than ``_SCANNED``, ever fewer around the best of each row.
    """
    low, high = 1, last
    while True:
        whole = high - low < _SCANNED
        degrees = np.arange(low, high + 1)
        if not whole:
            degrees = np.unique(np.linspace(low, high, _SEARCHED).astype(np.int64))
        found = values(degrees)
        best = np.argmax(found, axis=1)
        if whole:
            return [(int(degrees[k]), float(row[k])) for k, row in zip(best, found, strict=True)]
        low = int(degrees[max(int(best.min()) - 1, 0)])
        high = int(degrees[min(int(best.max()) + 1, degrees.size - 1)])
