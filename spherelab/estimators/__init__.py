"""The functionals of ``spherelab.population`` from samples, each with its standard error.

All take arrays of shape (n, d), rows of embeddings, NumPy's or CuPy's, and return an ``Estimate``.
Pair quantities look at every pair, in blocks: memory does not grow with n^2.

- ``misalignment``, ``alignment``: linear in the pairs of views;
- ``infonce``, ``infonce_excess``, ``uniformity_excess``, ``uniformity``;
- ``harmonic_energy``, ``squared_mmd``: non-uniformity by degrees, and under a zonal kernel;
- ``sg_loss``, ``sigreg``: Gaussianity, along all slices or along drawn ones;
- ``gain``: of the isotropic nuisance channel on a code.
"""

from __future__ import annotations

from spherelab.estimators.alignment import alignment, misalignment
from spherelab.estimators.contrastive import (
    infonce,
    infonce_excess,
    uniformity,
    uniformity_excess,
)
from spherelab.estimators.estimate import Estimate
from spherelab.estimators.gain import gain
from spherelab.estimators.gaussianity import sg_loss, sigreg
from spherelab.estimators.harmonic import harmonic_energy, squared_mmd

__all__ = [
    "Estimate",
    "alignment",
    "gain",
    "harmonic_energy",
    "infonce",
    "infonce_excess",
    "misalignment",
    "sg_loss",
    "sigreg",
    "squared_mmd",
    "uniformity",
    "uniformity_excess",
]
