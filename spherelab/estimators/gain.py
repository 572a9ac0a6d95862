"""The gain of a nuisance channel from samples of the code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab.arguments import ArgumentError, in_range
from spherelab.estimators.arrays import rows
from spherelab.estimators.estimate import Estimate
from spherelab.estimators.harmonic import squared_mmd
from spherelab.zonal import SGLift, ZonalKernel

Array = NDArray[np.float64]


def gain(u: Any, correlation: float = -1.0) -> Estimate:
    """Gain g of the isotropic nuisance channel on the code u, without bias.

        g = sum_{l>=1} |q_l|^2 [gain_l + ((1+c)/(1-c)) mu_l L_l/(d-1)],   L_l = l(l+d-2):

    how fast SG's loss falls when both views get isotropic noise of their own (SG paper, Theorem 3;
    ``population.gain`` for laws). It is a squared MMD, of the kernel with these eigenvalues.

    Parameters
    ----------
    u : array, shape (n, d)
        Unit rows, n >= 2: embeddings of distinct examples.
    correlation : float
        c in [-1, 1) of the two views' noises: -1 antithetic, 0 independent. Only -1 for d = 2.

    Returns
    -------
    Estimate
        Near a uniform code it scatters about 0, negative values included.

    Raises
    ------
    ArgumentError
        For an array that is not such, or another correlation.
    """
    u = rows(u, "u")
    correlation = in_range(correlation, "correlation", -1.0, 1.0)
    if correlation == 1 or (u.shape[1] == 2 and correlation != -1):
        allowed = "-1 for d = 2" if u.shape[1] == 2 else "in [-1, 1)"
        raise ArgumentError(f"correlation must be {allowed}, got {correlation}")
    return squared_mmd(u, _ChannelKernel((1 + correlation) / (1 - correlation)))


@dataclass(frozen=True)
class _ChannelKernel(ZonalKernel):
    """Eigenvalues gain_l + factor mu_l L_l/(d-1), l >= 1; 0 for l = 0."""

    factor: float

    def log_eigenvalues(self, d: int, degrees: ArrayLike) -> Array:
        wanted = np.asarray(degrees)
        lift, some = SGLift(), np.maximum(wanted, 1)
        turning = some * (some + d - 2.0) / (d - 1)
        logs = lift.log_eigenvalues(d, some) + np.log(
            lift.gain_ratios(d, some) + self.factor * turning
        )
        result: Array = np.where(wanted == 0, -np.inf, logs)
        return result
