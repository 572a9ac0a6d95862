"""The constants of Theorem 1 and of Condition (U).

Paper: excess <= 4 * 3^{3/4} beta sqrt(J) + C J under equal marginals. The value of C below is ours.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from spherelab.arguments import ArgumentError, dimension, positive
from spherelab.population.loss import SGLoss
from spherelab.population.radial import misalignment_certificate
from spherelab.sphere import log_multiplicity
from spherelab.value import Value
from spherelab.zonal import ExpKernel, SGLift

Array = NDArray[np.float64]

_LARGEST = 1000.0  # C_U > e^709 for every d from here on: r_l grows with beta


@functools.cache
def leading_constant() -> float:
    """4 * 3^{3/4} = 9.118..., the sharp, dimension-free constant of sqrt(J) (times beta).

    Derived, not typed: k_0 = 2/sqrt(E_w s^4 e^{-s^2}) for the weight w = N(0, 1) of the test is
    worked out by sympy, and the constant is 2 k_0 (SG paper, Theorem 1).
    """
    import sympy

    s = sympy.Symbol("s", positive=True)  # the integrand is even: twice the half line
    weight = sympy.exp(-(s**2) / 2) / sympy.sqrt(2 * sympy.pi)
    moment = 2 * sympy.integrate(s**4 * sympy.exp(-(s**2)) * weight, (s, 0, sympy.oo))
    return float(2 * 2 / sympy.sqrt(moment))


@functools.lru_cache(maxsize=64)
def _log_mu(d: int, count: int) -> Array:
    result = SGLift().log_eigenvalues(d, np.arange(1, count + 1))
    result.setflags(write=False)
    return result


def _log_quotients(d: int, beta: float) -> tuple[NDArray[np.int64], Array]:
    """Degrees l >= 1 and log(r_l/mu_l), past where it has peaked.

    r_{l+1}/r_l < beta/(2l+d), while mu_{l+1}/mu_l stays above about l/(l+d) (2-sqrt 3): past
    l = 4 beta + 8 the quotient falls by more than half at each step. Beyond beta = 1000, where the
    peak is above e^1000, only degrees on an ever finer grid around it.
    """
    count = int(6 * beta) + 120
    if beta <= _LARGEST:
        degrees = np.arange(1, count + 1)
        kept = max(512, 1 << (count - 1).bit_length())  # one spectrum serves every beta up to 65
        return degrees, ExpKernel(beta).log_ratios(d, degrees) - _log_mu(d, kept)[:count]
    low, high = 1, count
    while True:
        degrees = np.unique(np.linspace(low, high, 65).astype(np.int64))
        quotients = ExpKernel(beta).log_ratios(d, degrees) - SGLift().log_eigenvalues(d, degrees)
        if high - low < 64:
            return degrees, quotients
        best = int(np.argmax(quotients))
        low, high = int(degrees[max(best - 1, 0)]), int(degrees[min(best + 1, degrees.size - 1)])


def _log_weights(d: int, beta: float, least: int = 1) -> tuple[NDArray[np.int64], Array, Array]:
    """Degrees l = 1, 2, .. with log r_l and log(r_l N_l), to where r_l N_l l^4 is negligible."""
    ratios, weights = np.empty(0), np.empty(0)
    size = max(128, least)
    while True:
        degrees = np.arange(ratios.size + 1, ratios.size + size + 1)
        log_r = ExpKernel(beta).log_ratios(d, degrees)
        ratios = np.concatenate((ratios, log_r))
        weights = np.concatenate((weights, log_r + log_multiplicity(d, degrees)))
        raised = weights + 4 * np.log(np.arange(1, weights.size + 1))
        if np.max(raised[-size // 2 :]) < np.max(raised) - 50:
            return np.arange(1, weights.size + 1), ratios, weights
        size = weights.size


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
    degrees, quotients = _log_quotients(dimension(d), positive(beta, "beta"))
    best = int(np.argmax(quotients))
    value = _exp(float(quotients[best]))
    return Value(value, 1e-12 * value, "scan of degrees"), int(degrees[best])


def linear_constant(d: int, beta: float, proved: bool = True) -> Value:
    """C(d, beta) such that excess <= 4 * 3^{3/4} beta sqrt(J) + C J under equal marginals [ours].

        C = sup_l r_l/mu_l + 12 sqrt 3 sum_{l>=1} r_l N_l K_l^2,
        K_l <= (pi^2/8) sqrt(g4_l) + max(1, l/2),  g4_l = L_l (3 L_l - 2d + 4)/(d^2-1),
        L_l = l(l+d-2).

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    beta : float
        Inverse temperature, finite and > 0.
    proved : bool
        True: with the bound on K_l above, which is proved. False: with its numerical value
        K_l^2 = g4_l/4 - b' L_l/(d-1) + b'^2, b' = gain_l/(2 mu_l), the limit theta -> 0 where the
        supremum is seen to be attained but not proved to be.

    Returns
    -------
    Value
        Relative error 1e-12. Far above the best constant, and growing exponentially in beta: from
        beta about 20 on the bound says nothing at practical J. inf past the doubles.
    """
    d, beta = dimension(d), positive(beta, "beta")
    value = float(condition_u_constant(d, beta)[0])
    if math.isfinite(value):
        degrees, _, log_weights = _log_weights(d, beta)
        terms = log_weights + 2 * _log_remainder(d, degrees, proved)
        value += 12 * math.sqrt(3) * _sum_of_exponentials(terms)
    return Value(value, 1e-12 * value, "scan of degrees and sum over them")


def _log_remainder(d: int, degrees: NDArray[np.int64], proved: bool) -> Array:
    """log K_l: how far (Y_l(U)+Y_l(V))/2 is from a multiple of Y_l(M/|M|), per sqrt(N_l) delta."""
    laplacian = degrees * (degrees + d - 2.0)
    fourth = laplacian * (3 * laplacian - 2 * d + 4) / (d * d - 1.0)
    if proved:
        return np.log((math.pi**2 / 8) * np.sqrt(fourth) + np.maximum(1.0, degrees / 2))
    half = 0.5 * SGLift().gain_ratios(d, degrees)
    return 0.5 * np.log(fourth / 4 - half * laplacian / (d - 1) + half**2)


def componentwise_bound(loss: SGLoss, d: int, beta: float) -> Value:
    """Bound on the InfoNCE excess from the parts of J, sharper than Theorem 1's [ours].

        excess <= 2 beta D + sum_{l>=1} r_l (sqrt(J_l/mu_l) + sqrt(N_l) K_l D)^2,
        D = J_0^{-1}(J_(0)),

    under equal marginals, with the proved bound on K_l. On aligned laws D = 0 and it is the sum
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
    log_lift = _log_mu(d, max(512, given))[:given]
    most = misalignment_certificate(loss.radial)
    log_remainder = np.full(degrees.size, -np.inf)
    if most > 0:
        log_remainder = 0.5 * log_weights + _log_remainder(d, degrees, True) + math.log(most)

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
