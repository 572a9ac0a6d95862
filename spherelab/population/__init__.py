"""Exact functionals of a law on the sphere, or of a pair of views.

    misalignment Delta, Shared Gaussianization loss J and its parts, uniformity excess U_beta,
    InfoNCE excess = 2 beta Delta + U_beta, and the constants of Theorem 1.

Every number here is a series or a one-dimensional (for several axes: nested) quadrature of positive
terms, and comes as a ``Value`` with a stated error. Estimates from samples are not here.
"""

from __future__ import annotations

from spherelab.population.batch import (
    null_second_moment,
    null_variance,
    plug_in_bias,
    plug_in_coefficient,
    plug_in_loss,
    plug_in_minimiser,
)
from spherelab.population.channel import (
    channel_loss,
    channel_slope,
    critical_sigreg_weight,
    gain,
    infonce_slope,
    optimal_misalignment,
    rho,
)
from spherelab.population.constants import (
    componentwise_bound,
    condition_u_constant,
    leading_constant,
    linear_constant,
    remainder_constant,
)
from spherelab.population.excess import infonce_excess, infonce_minimum, uniformity_excess
from spherelab.population.loss import SGLoss, sg_alpha_loss, sg_loss
from spherelab.population.mmd import squared_mmd
from spherelab.population.radial import (
    extremal_loss,
    misalignment,
    misalignment_certificate,
    mixture_constant,
)

__all__ = [
    "SGLoss",
    "channel_loss",
    "channel_slope",
    "componentwise_bound",
    "condition_u_constant",
    "critical_sigreg_weight",
    "extremal_loss",
    "gain",
    "infonce_excess",
    "infonce_minimum",
    "infonce_slope",
    "leading_constant",
    "linear_constant",
    "misalignment",
    "misalignment_certificate",
    "mixture_constant",
    "null_second_moment",
    "null_variance",
    "optimal_misalignment",
    "plug_in_bias",
    "plug_in_coefficient",
    "plug_in_loss",
    "plug_in_minimiser",
    "remainder_constant",
    "rho",
    "sg_alpha_loss",
    "sg_loss",
    "squared_mmd",
    "uniformity_excess",
]
