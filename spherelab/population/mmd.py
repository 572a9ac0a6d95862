"""The squared maximum mean discrepancy of a law to the uniform one, under a zonal kernel."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from spherelab.arguments import ArgumentError
from spherelab.laws import Law
from spherelab.population.loss import _cancellation
from spherelab.population.potential import coherent_log_mean, is_uniform, law_axes
from spherelab.sphere import log_multiplicity
from spherelab.value import Value
from spherelab.zonal import ExpKernel, GaussianKernel, MomentMatching, SGLift, ZonalKernel

Array = NDArray[np.float64]

_EPS = float(np.finfo(float).eps)
_LAST_DEGREE = 1 << 14
_LARGEST_LOG = 690.0  # of one term: their sum and what it is multiplied by stay doubles
_KEPT = (ExpKernel, GaussianKernel, MomentMatching, SGLift)


def squared_mmd(law: Law, kernel: ZonalKernel) -> Value:
    """E k(X,X') - 2 E k(X,W) + E k(W,W') = sum_{l>=1} k_l |q_l|^2, W uniform.

    With the lift it is J of the aligned pair, with e^{beta u.v} lambda_0 times the upper bound
    sum_l r_l |q_l|^2 of the uniformity excess.

    Parameters
    ----------
    law : Law
        A law of ``spherelab.laws``.
    kernel : ZonalKernel
        A kernel of ``spherelab.zonal``; sum N_l k_l, its value at u = v, must be a double.

    Returns
    -------
    Value
        Relative error below 1e-12, save where several axes or atoms make the double sum over them
        cancel: then ``error`` is the absolute rounding of that sum.

    Raises
    ------
    ArgumentError
        For an argument that is no law, no zonal kernel, or one too large at u = v.
    """
    if not isinstance(law, Law):
        raise ArgumentError(f"law must be a Law, got {type(law).__name__}")
    if not isinstance(kernel, ZonalKernel):
        raise ArgumentError(f"kernel must be a ZonalKernel, got {type(kernel).__name__}")
    if is_uniform(law):
        return Value(0.0, 0.0, "uniform")
    d, axes = law.dimension, len(law.components())
    several = axes > 1 if d == 2 else law_axes(law) > 1
    total = error = 0.0
    start, size = 1, 64
    while True:
        degrees = np.arange(start, start + size)
        log_k, log_q = _log_spectrum(kernel, d, start, size), law.log_harmonic_energy(degrees)
        log_all = log_k + log_multiplicity(d, degrees)  # |q_l|^2 <= N_l
        if np.max(log_all) > _LARGEST_LOG:
            raise ArgumentError(f"kernel must have a value at u = v within doubles, got {kernel!r}")
        logs = log_k + log_q
        terms = np.exp(logs)
        # the two logs are good to an ulp each, and exp turns that into relative error
        sizes = np.abs(np.where(terms > 0, log_k, 0.0)) + np.abs(np.where(terms > 0, log_q, 0.0))
        error += float(terms @ (1e-13 + 2 * _EPS * sizes))
        if several:
            coherent = np.exp(np.minimum(log_all + 2 * coherent_log_mean(law, degrees), 700.0))
            error += math.fsum(_cancellation(d, axes, degrees, terms, coherent))
        total += math.fsum(terms)
        tail = _tail(log_all)
        if ((total > 0 or tail == 0) and tail <= 1e-17 * total) or start > _LAST_DEGREE:
            return Value(total, error + tail, "harmonic series")
        start, size = start + size, 2 * size


def _log_spectrum(kernel: ZonalKernel, d: int, start: int, size: int) -> Array:
    """log k_l from l = start on; the spectra of the library's own, immutable kernels are kept."""
    if type(kernel) in _KEPT:
        return _kept_spectrum(kernel, d, start, size)
    return kernel.log_eigenvalues(d, np.arange(start, start + size))


@functools.lru_cache(maxsize=512)
def _kept_spectrum(kernel: ZonalKernel, d: int, start: int, size: int) -> Array:
    result = kernel.log_eigenvalues(d, np.arange(start, start + size))
    result.setflags(write=False)
    return result


def _tail(logs: Array) -> float:
    """The sum of what follows, as a geometric series at the last ratio; inf while that grows."""
    if logs[-1] == -np.inf:
        return 0.0
    ratio = math.exp(min(float(logs[-1] - logs[-2]), 0.0))
    return math.exp(min(float(logs[-1]), 700.0)) * ratio / (1 - ratio) if ratio < 1 else math.inf
