"""The constants of Theorem 1 and of Condition (U).

Paper: excess <= 4 * 3^{3/4} beta sqrt(J) + C J under equal marginals. The value of C below is ours.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab.arguments import ArgumentError, choice, dimension, positive
from spherelab.arguments import degrees as check_degrees
from spherelab.population.loss import SGLoss
from spherelab.population.radial import gaussian_rule, misalignment_certificate
from spherelab.sphere import log_multiplicity
from spherelab.value import Value
from spherelab.zonal import ExpKernel, SGLift, domination, log_lift_spectrum, log_ratio_spectrum

Array = NDArray[np.float64]

# l and d to which balls have shown that the sup in K_l is its limit at theta -> 0
_PROVED_DEGREES, _PROVED_DIMENSIONS = 50, 1024


@functools.cache
def leading_constant() -> float:
    """4 * 3^{3/4} = 9.118..., the sharp, dimension-free constant of sqrt(J) (times beta).

    Derived, not typed: k_0 = 2/sqrt(E_w s^4 e^{-s^2}) for the weight w = N(0, 1) of the test, by
    quadrature to 2 eps, and the constant is 2 k_0 (SG paper, Theorem 1). The claim
    ``constants.leading`` has the closed form, and sympy's derivation of it.
    """
    s, gauss = gaussian_rule()
    return 4 / math.sqrt(math.fsum(gauss * s**4 * np.exp(-s * s)))


def _log_weights(d: int, beta: float, least: int = 1) -> tuple[NDArray[np.int64], Array, Array]:
    """Degrees l = 1, 2, .. with log r_l and log(r_l N_l), to where r_l N_l l^4 is negligible."""
    size = max(128, least)
    while True:
        degrees = np.arange(1, size + 1)
        ratios = log_ratio_spectrum(ExpKernel(beta), d, size)
        weights = ratios + log_multiplicity(d, degrees)
        raised = weights + 4 * np.log(degrees)
        if np.max(raised[size // 2 :]) < np.max(raised) - 50:
            return degrees, ratios, weights
        size *= 2


def condition_u_constant(d: int, beta: float) -> tuple[Value, int]:
    """C_U = sup_{l>=1} r_l/mu_l and the degree that attains it: U_beta <= C_U J on aligned laws.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    beta : float
        Inverse temperature, finite and > 0. C_U grows exponentially in beta; inf past the doubles.

    Returns
    -------
    Value, int
        Relative error 1e-12. SG paper, Condition (U); best constant within a factor 2.
    """
    found = domination(SGLift(), ExpKernel(positive(beta, "beta")), dimension(d))
    assert found.degree is not None  # the lift always has one
    return found.upper, found.degree


def linear_constant(d: int, beta: float, form: str = "eigenvalue") -> Value:
    """C(d, beta) such that excess <= 4 * 3^{3/4} beta sqrt(J) + C J under equal marginals [ours].

    With x_0 = sqrt(J_(0)) and x_l = sqrt(J_l), U_beta <= sum_l (sqrt(r_l/mu_l) x_l + v_l x_0)^2,
    v_l^2 = 12 sqrt 3 r_l N_l K_l^2, so that C is the largest eigenvalue of diag(r_l/mu_l) + v v^T,
    at most sup_l r_l/mu_l + |v|^2. Here

        K_l^2 = q_l + s_l^2,  s_l = L_l/(2(d-1)) - gain_l/(2 mu_l),  L_l = l(l+d-2),
        q_l = L_l (d-2)(l-1)(l+d-1)/(2(d+1)(d-1)^2),

    which is proved in ball arithmetic for l <= 50 and d <= 1024 (``spherelab.rigour.remainder``);
    elsewhere a larger bound that is proved for all l and d.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    beta : float
        Inverse temperature, finite and > 0.
    form : str
        "eigenvalue", the smallest; "trace", C_U + |v|^2; "simple", the trace with the coarser
        K_l <= (pi^2/8) sqrt(g4_l) + max(1, l/2), g4_l = L_l (3 L_l - 2d + 4)/(d^2-1). All proved.

    Returns
    -------
    Value
        Relative error 1e-12. Far above the best constant, and growing exponentially in beta: from
        beta about 20 on the bound says nothing at practical J. inf past the doubles.
    """
    d, beta = dimension(d), positive(beta, "beta")
    form = choice(form, "form", _FORMS)
    value = float(condition_u_constant(d, beta)[0])
    if not math.isfinite(value):
        return Value(value, 0.0, "past the doubles")
    degrees, log_r, log_weights = _log_weights(d, beta)
    remainder = _log_simple_remainder if form == "simple" else _log_remainder
    squares = math.log(12 * math.sqrt(3)) + log_weights + 2 * remainder(d, degrees)  # log v_l^2
    trace = value + _sum_of_exponentials(squares)
    if form == "eigenvalue" and math.isfinite(trace):
        trace = _largest_eigenvalue(log_r - log_lift_spectrum(d, degrees.size), squares)
    return Value(trace, 1e-12 * trace, "scan of degrees and sum over them")


_FORMS = ("eigenvalue", "trace", "simple")


def _largest_eigenvalue(log_diagonal: Array, log_squares: Array) -> float:
    """Of diag(e^a) + v v^T, v^2 = e^b: the root above the diagonal of sum v^2/(x - e^a) = 1."""
    from scipy.optimize import brentq

    best = int(np.argmax(log_diagonal))
    top = float(log_diagonal[best])
    gaps = -np.expm1(log_diagonal - top)  # all in units of the largest diagonal entry
    squares = np.exp(log_squares - top)

    def secular(y: float) -> float:
        return math.fsum(squares / (gaps + y)) - 1

    low, high = float(squares[best]), math.fsum(squares) * (1 + 1e-12)
    root = low if secular(low) <= 0 else brentq(secular, low, high, xtol=1e-300, rtol=1e-14)
    return math.exp(top) * (1 + root)


def remainder_constant(d: int, degrees: ArrayLike) -> Array:
    """K_l of ``linear_constant``, degrees l >= 1: how far (Y_l(U)+Y_l(V))/2 is from a multiple of
    Y_l(M/|M|), per sqrt(N_l) |W|^2; |W|^2 = |U-V|^2/4 [ours].

    Relative error 1e-13. Exact for l <= 50 and d <= 1024, a proved bound elsewhere.
    """
    ls = np.asarray(check_degrees(degrees), dtype=np.int64)
    if ls.size and ls.min() < 1:
        raise ArgumentError(f"degrees must be >= 1, got {ls.min()}")
    order = np.argsort(ls, axis=None, kind="stable")
    result = np.empty(ls.size)
    result[order] = np.exp(_log_remainder(dimension(d), ls.ravel()[order]))
    return result.reshape(ls.shape)


def _log_remainder(d: int, degrees: NDArray[np.int64]) -> Array:
    """log K_l for rising degrees."""
    l = degrees.astype(float)  # noqa: E741
    laplacian = l * (l + d - 2)
    tangential = laplacian * (d - 2) * (l - 1) * (l + d - 1) / (2 * (d + 1) * (d - 1.0) ** 2)
    slope = laplacian / (2 * (d - 1))
    end = np.minimum(1.0, 2 / slope)
    radial = np.where(degrees % 2, slope * 2 / (1 + np.sqrt(1 - end)), slope)
    known = min(int(np.searchsorted(degrees, _PROVED_DEGREES, "right")), degrees.size)
    if d <= _PROVED_DIMENSIONS and known:
        radial[:known] = slope[:known] - 0.5 * _gain_ratios(d)[degrees[:known] - 1]
    result: Array = 0.5 * np.log(tangential + radial**2)
    return result


@functools.lru_cache(maxsize=64)
def _gain_ratios(d: int) -> Array:
    """gain_l/mu_l for l = 1, .., _PROVED_DEGREES."""
    result = SGLift().gain_ratios(d, np.arange(1, _PROVED_DEGREES + 1))
    result.setflags(write=False)
    return result


def _log_simple_remainder(d: int, degrees: NDArray[np.int64]) -> Array:
    """The log of (pi^2/8) sqrt(g4_l) + max(1, l/2)."""
    laplacian = degrees * (degrees + d - 2.0)
    fourth = laplacian * (3 * laplacian - 2 * d + 4) / (d * d - 1.0)
    result: Array = np.log((math.pi**2 / 8) * np.sqrt(fourth) + np.maximum(1.0, degrees / 2))
    return result


def componentwise_bound(loss: SGLoss, d: int, beta: float) -> Value:
    """Bound on the InfoNCE excess from the parts of J, sharper than Theorem 1's [ours].

        excess <= 2 beta D + sum_{l>=1} r_l (sqrt(J_l/mu_l) + sqrt(N_l) K_l D)^2,
        D = J_0^{-1}(J_(0)),

    under equal marginals, K_l as in ``linear_constant``. On aligned laws D = 0 and it is the sum
    sum_l r_l |q_l|^2; on the extremal family its first term is exact.

    Parameters
    ----------
    loss : SGLoss
        J with its parts, from ``sg_loss``. Degrees past those it holds count with J_l = 0: there
        r_l/mu_l times what the parts leave out must be negligible, as it is for beta <= 50.
    d : int
        Ambient dimension, >= 2.
    beta : float
        Inverse temperature, finite and > 0.
    """
    if not isinstance(loss, SGLoss):
        raise ArgumentError(f"loss must come from sg_loss, got {type(loss).__name__}")
    d, beta = dimension(d), positive(beta, "beta")
    given = loss.by_degree.size - 1
    degrees, log_r, log_weights = _log_weights(d, beta, given)
    log_lift = log_lift_spectrum(d, given)
    most = misalignment_certificate(loss.radial)
    log_remainder = np.full(degrees.size, -np.inf)
    if most > 0:
        log_remainder = 0.5 * log_weights + _log_remainder(d, degrees) + math.log(most)

    def total(energies: Array) -> float:  # of (sqrt(r_l J_l / mu_l) + sqrt(r_l N_l) K_l D)^2
        log_own = np.full(degrees.size, -np.inf)
        present = energies > 0
        log_energy = np.log(np.where(present, energies, 1.0))
        log_own[:given] = np.where(present, 0.5 * (log_r[:given] - log_lift + log_energy), -np.inf)
        return _sum_of_exponentials(2 * np.logaddexp(log_own, log_remainder))

    parts, errors = loss.by_degree[1:], loss.degree_errors[1:]
    value = 2 * beta * most + total(parts)
    highest = 2 * beta * most + total(parts + errors)
    error = 1e-12 * value + 2 * beta * _certificate_error(loss)
    error += highest - value if math.isfinite(highest) else math.inf
    return Value(value, error, "sum over degrees")


def _certificate_error(loss: SGLoss) -> float:
    """What the error e of J_(0) does to J_0^{-1}: at most k_0 (sqrt(J_(0) + e) - sqrt(J_(0)))."""
    raised = math.sqrt(loss.radial + loss.degree_errors[0])
    return leading_constant() / 2 * (raised - math.sqrt(loss.radial))


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf


def _sum_of_exponentials(logs: Array) -> float:
    """sum_l e^{x_l}; inf past the doubles, and each term to its own rounding."""
    top = max(float(np.max(logs)), -700.0)
    shift = max(top - 600.0, 0.0)
    return math.fsum(np.exp(logs - shift)) * _exp(shift)
