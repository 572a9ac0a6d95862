"""Tests for Gaussianity along slices: the SG loss J, and SIGReg on embeddings.

    J = E_a E_s |phi_{a.Z}(s) - e^{-s^2/2}|^2,   s ~ N(0,1), a uniform on the sphere.

All slices at once, with no noise of drawn directions, from pairs:

    J = E k(Z,Z') - 2 E h(Z) + 1/sqrt 3,
    k(z,z') = 1F1(1/2; d/2; -|z-z'|^2/2),   h(z) = 1F1(1/2; d/2; -|z|^2/4)/sqrt 2.

Or along K drawn slices, in time linear in n, from characteristic functions on an equispaced grid of
s. A grid of step h sees z and z + 2 pi/h as one; the step is halved from 1 until what that adds is
below 1e-7, and the grid ends at s = 6, beyond which the weight is 2e-9.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError, choice
from spherelab.estimators.arrays import namespace, rows, views
from spherelab.estimators.blocks import blocks, from_influence, row_sums
from spherelab.estimators.estimate import Estimate
from spherelab.population.radial import gaussian_rule
from spherelab.sliced import slice_kernel

Array = NDArray[np.float64]

_ESTIMATORS, _CONVENTIONS = ("u", "v"), ("paper", "reference")
_LAST = 6.0


def sigreg(
    z: Any,
    estimator: str = "u",
    slices: int | None = None,
    rng: np.random.Generator | None = None,
    convention: str = "paper",
) -> Estimate:
    """E_a E_s |phi_{a.Z}(s) - e^{-s^2/2}|^2: how far Z is from N(0, I).

    Parameters
    ----------
    z : array, shape (n, d)
        Rows as they are, not normalised; n >= 2.
    estimator : str
        ``"u"``: unbiased, the diagonal left out; scatters about 0, negative values included, for a
        Gaussian. ``"v"``: the plug-in, which is that and (1 - E k(Z,Z'))/n more, and never
        negative.
    slices : int, optional
        How many directions to draw, >= 1; None for all of them, exactly.
    rng : numpy.random.Generator, optional
        For the directions; needed with ``slices``.
    convention : str
        ``"paper"``, or ``"reference"``: the statistic of the public LeJEPA code, n times the
        trapezoid sum over 17 nodes in [0, 3], doubled, without 1/sqrt(2 pi). It is about
        n sqrt(2 pi) times the plug-in; needs ``slices`` and estimator "v".

    Returns
    -------
    Estimate
        Exact over slices to 1e-12, or over the grid to 1e-6. The standard error is that of the
        samples, and with drawn slices also theirs.

    Raises
    ------
    ArgumentError
        For an array that is not such, one so wide that the grid would need more than 4096 nodes, or
        arguments that do not fit together.
    """
    z = rows(z, "z", unit=False)
    estimator = choice(estimator, "estimator", _ESTIMATORS)
    convention = choice(convention, "convention", _CONVENTIONS)
    if convention == "reference" and (slices is None or estimator != "v"):
        raise ArgumentError(
            'convention must be "paper" unless slices are drawn and estimator is "v"'
        )
    return _test(z, estimator, slices, rng, convention)


def sg_loss(
    u: Any,
    v: Any,
    rng: np.random.Generator,
    estimator: str = "u",
    slices: int | None = None,
) -> Estimate:
    """The SG loss J of two views: ``sigreg`` of Z = R (U+V)/2, R ~ chi_d drawn for each pair.

    Parameters
    ----------
    u, v : array, shape (n, d)
        Unit rows, n >= 2: two views of each example.
    rng : numpy.random.Generator
        For the radii, then for the directions.
    estimator, slices
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
    estimator = choice(estimator, "estimator", _ESTIMATORS)
    return _test(radii * middle, estimator, slices, rng, "paper")


def _test(
    z: Any, estimator: str, slices: int | None, rng: np.random.Generator | None, convention: str
) -> Estimate:
    if slices is None:
        return _over_all_slices(z, estimator)
    count = arguments.dimension(slices, 1, "slices")
    if namespace(z) is not np:
        raise ArgumentError(f"slices must be None for arrays on a GPU, got {count}")
    if rng is None:
        raise ArgumentError("rng must be a numpy.random.Generator when slices are drawn, got None")
    return _over_drawn_slices(z, estimator, count, arguments.generator(rng), convention)


def _over_all_slices(z: Any, estimator: str) -> Estimate:
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


# --- drawn slices ---------------------------------------------------------------------------------

_MOST_NODES = 4096
_BLOCK_SLICES = 64  # projections of that many slices are held at a time


def _over_drawn_slices(
    z: Any, estimator: str, count: int, rng: np.random.Generator, convention: str
) -> Estimate:
    from spherelab.kernels.cpu import slice_combination, slice_sums

    n, d = z.shape
    directions = rng.standard_normal((count, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    step, nodes, weights, factor = _grid(z, directions, n, convention)
    s = step * np.arange(nodes)
    target = np.exp(-0.5 * s * s)
    values, influence = np.empty(count), np.zeros(n)
    for start in range(0, count, _BLOCK_SLICES):
        block = slice(start, start + _BLOCK_SLICES)
        projections = _projections(z, directions[block])  # (slices, n)
        cosines, sines = (x / n for x in slice_sums(projections, step, nodes))
        power = cosines**2 + sines**2
        if estimator == "u":
            power = (n * power - 1) / (n - 1)
        values[block] = (power - 2 * target * cosines + target**2) @ weights
        even, odd = 2 * weights * (cosines - target), 2 * weights * sines
        influence += slice_combination(projections, step, even, odd)
    method = f"{estimator.upper()}-statistic, {count} slices, {nodes} frequencies"
    found = from_influence(factor * float(values.mean()), factor * influence / count, n, method)
    of_slices = factor * float(values.std(ddof=1)) / math.sqrt(count) if count > 1 else 0.0
    error = math.hypot(found.standard_error, of_slices)
    return Estimate(found, error, n, method)


def _projections(z: Any, directions: Array) -> Array:
    """a_k . z_i, shape (slices, n), rows of z a block at a time."""
    found = np.empty((len(directions), z.shape[0]))
    for start in range(0, z.shape[0], 1 << 14):
        rows_of_z = np.asarray(z[start : start + (1 << 14)], dtype=float)
        found[:, start : start + (1 << 14)] = directions @ rows_of_z.T
    return found


def _grid(z: Any, directions: Array, n: int, convention: str) -> tuple[float, int, Array, float]:
    """Step, number of nodes, weights, and what the sum is multiplied by."""
    if convention == "reference":
        step, nodes = 3 / 16, 17
        s = step * np.arange(nodes)
        weights = 2 * step * np.exp(-0.5 * s * s)
        weights[[0, -1]] /= 2
        return step, nodes, weights, float(n)
    low, high = 0.0, 0.0
    for start in range(0, len(directions), _BLOCK_SLICES):
        projections = _projections(z, directions[start : start + _BLOCK_SLICES])
        high = max(high, float(np.max(projections.max(axis=1) - projections.min(axis=1))))
        low = max(low, float(np.abs(projections).max()))
    period = max(high + 6, low + 8.5)  # e^{-6^2/2} and e^{-8.5^2/4} are below 2e-8
    step = 1.0
    while 2 * math.pi / step < period:
        step /= 2
        if _LAST / step > _MOST_NODES:
            raise ArgumentError(
                f"z must be of the scale of a standard Gaussian (projections up to about 1000), "
                f"got {low:.3g}"
            )
    s, weights = gaussian_rule(_LAST, step)
    return step, s.size, weights, 1.0
