"""Diagnostics of trained encoders: how Gaussian, how spread, and what is still in the embeddings.

All take NumPy arrays of shape (n, d), rows of embeddings, and refuse NaN and infinity.

- ``coordinates``, ``random_projection_normality``: normality of each coordinate, or along drawn
  directions; ``gaussian_reference``, ``sphere_reference``: what an exact law of that size shows;
- ``henze_zirkler``: normality of all coordinates together;
- ``norm_cv``, ``effective_rank``; ``whiten``;
- ``cosine_histogram``: of paired views and of independent pairs, beside the uniform law's;
- ``linear_probe``, ``kernel_ridge_probe``, ``debiased_cka``: what the embeddings tell of a target,
  and whether two encoders agree.
"""

from __future__ import annotations

from spherelab.diagnostics.coordinates import (
    CoordinateNormality,
    coordinates,
    random_projection_normality,
)
from spherelab.diagnostics.histograms import CosineHistogram, cosine_histogram
from spherelab.diagnostics.multivariate import HenzeZirkler, henze_zirkler
from spherelab.diagnostics.probes import debiased_cka, kernel_ridge_probe, linear_probe
from spherelab.diagnostics.reference import (
    NormalityReference,
    gaussian_reference,
    sphere_reference,
)
from spherelab.diagnostics.spread import Whitening, effective_rank, norm_cv, whiten

__all__ = [
    "CoordinateNormality",
    "CosineHistogram",
    "HenzeZirkler",
    "NormalityReference",
    "Whitening",
    "coordinates",
    "cosine_histogram",
    "debiased_cka",
    "effective_rank",
    "gaussian_reference",
    "henze_zirkler",
    "kernel_ridge_probe",
    "linear_probe",
    "norm_cv",
    "random_projection_normality",
    "sphere_reference",
    "whiten",
]
