"""Tests for Gaussianity along all slices at once: the SG loss J, and SIGReg on embeddings.

    k(z,z') = 1F1(1/2; d/2; -|z-z'|^2/2),   h(z) = 1F1(1/2; d/2; -|z|^2/4)/sqrt 2,
    J = E k(Z,Z') - 2 E h(Z) + 1/sqrt 3,

every direction counted, none drawn: there is no noise of slices.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from spherelab import arguments
from spherelab.arguments import choice
from spherelab.estimators.arrays import namespace, rows, views
from spherelab.estimators.blocks import blocks, from_influence, row_sums
from spherelab.estimators.estimate import Estimate
from spherelab.sliced import slice_kernel

_ESTIMATORS = ("u", "v")


def sigreg(z: Any, estimator: str = "u") -> Estimate:
    """E_a E_s |phi_{a.Z}(s) - e^{-s^2/2}|^2, s ~ N(0,1), a uniform: how far Z is from N(0, I).

    Parameters
    ----------
    z : array, shape (n, d)
        Rows as they are, not normalised; n >= 2, no row zero.
    estimator : str
        ``"u"``: unbiased, the diagonal left out; scatters about 0, negative values included, for a
        Gaussian. ``"v"``: the plug-in, which is that and (1 - E k(Z,Z'))/n more, and never
        negative.

    Returns
    -------
    Estimate
        Exact over slices to 1e-12. Standard error of a U-statistic.

    Raises
    ------
    ArgumentError
        For an array that is not such, or another estimator.
    """
    z = rows(z, "z", unit=False)
    return _test(z, choice(estimator, "estimator", _ESTIMATORS))


def sg_loss(u: Any, v: Any, rng: np.random.Generator, estimator: str = "u") -> Estimate:
    """The SG loss J of two views: ``sigreg`` of Z = R (U+V)/2, R ~ chi_d drawn for each pair.

    Parameters
    ----------
    u, v : array, shape (n, d)
        Unit rows, n >= 2: two views of each example.
    rng : numpy.random.Generator
        For the radii.
    estimator : str
        As for ``sigreg``.

    Returns
    -------
    Estimate
        The standard error includes that of the radii.
    """
    u, v = views(u, v)
    rng = arguments.generator(rng)
    xp, (n, d) = namespace(u), u.shape
    radii = xp.asarray(np.sqrt(rng.chisquare(d, (n, 1))))
    middle = 0.5 * (u.astype(xp.float64) + v)
    return _test(radii * middle, choice(estimator, "estimator", _ESTIMATORS))


def _test(z: Any, estimator: str) -> Estimate:
    xp, (n, d) = namespace(z), z.shape
    z = z.astype(xp.float64, copy=False)
    squares = xp.einsum("ij,ij->i", z, z)
    sums = xp.zeros(n)
    for block in blocks(z):
        distances = squares[block.rows, None] + squares[block.columns] - 2 * block.products
        row_sums(block, slice_kernel(d, 0.5 * xp.maximum(distances, 0.0)), sums)
    own = slice_kernel(d, 0.25 * squares) / math.sqrt(2)
    means = sums / (n - 1)
    value = float(means.mean()) - 2 * float(own.mean()) + 1 / math.sqrt(3)
    influence = 2 * (means - own)
    if estimator == "v":
        value += (1 - float(means.mean())) / n
    return from_influence(value, influence, n, f"{estimator.upper()}-statistic, all slices")
