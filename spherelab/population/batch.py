"""Finite batches: the plug-in estimator of J is biased toward misalignment, the U-statistic is not.

J is a squared distance of mean embeddings, J = E k(Z,Z') - 2 E h(Z) + 1/sqrt 3, with Z = R M of the
average M = (U+V)/2. On B samples the plug-in J_V keeps the diagonal, so that

    E J_V = J + (1/B) (E k(Z,Z) - E k(Z,Z')),      E k(Z,Z') = J + 2 E h(Z) - 1/sqrt 3,

and the U-statistic leaves it out: E J_U = J. Everything here integrates the slices, and the radius
R ~ chi_d is either sampled, one for each pair of views, or integrated:

    sampled     k(z,z') = 1F1(1/2; d/2; -|z-z'|^2/2),   h(z) = 1F1(1/2; d/2; -|z|^2/4)/sqrt 2,
    integrated  k = sum_l k_l(r,r') N_l P_l(m.m'),       h = 1/sqrt(2 + |M|^2).

The statistics here are for checks of those expectations; they hold the whole Gram matrix.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.typing import ArrayLike, NDArray

from spherelab.arguments import ArgumentError, choice, dimension
from spherelab.gegenbauer import clenshaw
from spherelab.kummer import tilted_beta_rule
from spherelab.pairs import (
    Aligned,
    AntipodalPath,
    Extremal,
    MixturePath,
    NuisanceChannel,
    Pair,
    PairAtoms,
    TangentShift,
    VMFPair,
)
from spherelab.population.loss import sg_loss
from spherelab.population.radial import extremal_loss
from spherelab.population.shrunk import FIRST_ORDER, extremal_slope, log_mu_and_slope
from spherelab.sliced import chebyshev_coefficients, slice_kernel
from spherelab.sphere import log_multiplicity
from spherelab.value import Value
from spherelab.zonal import SGLift

Array = NDArray[np.float64]

_EPS = float(np.finfo(float).eps)
_RADII = ("sampled", "integrated")
# N_l mu_l falls at least like (2/3)^l/sqrt(l), its limit for large d: (2/3)^128/20 = 1e-24.
_DEGREES = 128
_RELATIVE = 2e-13


def plug_in_bias(pair: Pair, radius: str = "sampled") -> Value:
    """B times the bias of the plug-in estimator: E k(Z,Z) - E k(Z,Z'), free of B and >= 0.

    On the extremal family 1 - 1/sqrt(3 - 2 Delta) with R sampled, and sum_{l>=1} N_l mu_l(Delta)
    with R integrated. Both fall as Delta grows.

    Parameters
    ----------
    pair : Pair
        A law of ``spherelab.pairs``.
    radius : str
        ``"sampled"`` or ``"integrated"``.

    Returns
    -------
    Value
        Error below 1e-12, or that of J where it is larger. SG paper, Figure 1b; the general form
        is ours.

    Raises
    ------
    ArgumentError
        For an argument that is no pair law, or another radius.
    """
    radius = choice(radius, "radius", _RADII)
    loss = sg_loss(pair)
    deficits, weights = _deficits(pair)
    across = loss + 2 * float(weights @ (3 - deficits) ** -0.5) - 1 / math.sqrt(3)
    if radius == "sampled":
        value, error = 1 - across, 0.0
    else:
        sums = np.array([1.0, 0.0])  # of mu_0(Delta), and of N_l mu_l(Delta) beyond
        sums[0] = weights @ (3 - 2 * deficits) ** -0.5
        sums[1] = weights @ _diagonal(pair.dimension, deficits)
        value, error = float(sums.sum()) - across, _RELATIVE * float(sums[1])
    return Value(max(value, 0.0), error + loss.error + 8 * _EPS, "closed form and series")


def plug_in_loss(pair: Pair, batch_size: int, radius: str = "sampled") -> Value:
    """E J_V = J + plug_in_bias/B, the expected plug-in loss of a batch of B pairs of views.

    Parameters
    ----------
    pair : Pair
        A law of ``spherelab.pairs``.
    batch_size : int
        B >= 1.
    radius : str
        ``"sampled"`` or ``"integrated"``.
    """
    size = dimension(batch_size, 1, "batch_size")
    loss, bias = sg_loss(pair), plug_in_bias(pair, radius)
    return Value(loss + bias / size, loss.error + bias.error / size, bias.method)


def plug_in_minimiser(d: int, batch_size: int, radius: str = "sampled") -> Value:
    """The Delta of the extremal family that the expected plug-in loss prefers: not 0.

    R sampled: with kappa = (1 - 1/B)^(2/3) it is 3 (1-kappa)/(2-kappa), about 2/B, for every d
    [ours]. R integrated: the root of J_0'(Delta) = -(1/B) sum_{l>=1} N_l mu_l'(Delta), about
    6 sqrt 3 sum N_l gain_l / B. At most 1.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    batch_size : int
        B >= 1.
    radius : str
        ``"sampled"`` or ``"integrated"``.

    Returns
    -------
    Value
        Relative error 1e-12. SG paper, Figure 1b.
    """
    d, size = dimension(d), dimension(batch_size, 1, "batch_size")
    radius = choice(radius, "radius", _RADII)
    if radius == "sampled":
        if size == 1:
            return Value(1.0, 0.0, "closed form")
        fall = -math.expm1(math.log1p(-1 / size) * 2 / 3)  # 1 - kappa
        value = min(3 * fall / (1 + fall), 1.0)
        return Value(value, 8 * _EPS * value, "closed form")
    return _integrated_minimiser(d, size)


@functools.lru_cache(maxsize=256)
def _integrated_minimiser(d: int, size: int) -> Value:
    from scipy.optimize import brentq

    def slopes(deltas: Array) -> Array:
        return extremal_slope(deltas) - _harmonic_sums(d, deltas)[1] / size

    grid = np.geomspace(1e-3 / size, 1.0, 400)
    values = slopes(grid)
    risen = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0))
    found = [
        brentq(lambda x: float(slopes(np.array([x]))[0]), grid[i], grid[i + 1], xtol=1e-300)
        for i in risen
    ]
    if values[-1] < 0:
        found.append(1.0)
    at = np.array(found)
    losses = np.array([extremal_loss(delta) for delta in at]) + _harmonic_sums(d, at)[0] / size
    best = float(at[int(np.argmin(losses))])
    return Value(best, 0.0 if best == 1 else 1e-12 * best, "root of the slope")


def plug_in_coefficient(d: int, radius: str = "sampled") -> Value:
    """Limit of B Delta* as B grows: 2 (R sampled), or 6 sqrt 3 sum_{l>=1} N_l gain_l (integrated).

    The latter is 0.9151 at d = 2 and tends to 2 as d grows. Relative error 1e-12.
    """
    d, radius = dimension(d), choice(radius, "radius", _RADII)
    if radius == "sampled":
        return Value(2.0, 0.0, "closed form")
    value = FIRST_ORDER * float(_harmonic_sums(d, np.zeros(1))[1][0])
    return Value(value, 1e-12 * value, "harmonic series")


def null_second_moment(d: int, radius: str = "sampled", slices: int | None = None) -> Value:
    """E h_2(Z,Z')^2 at the null (aligned, uniform), h_2 the degenerate kernel of the U-statistic.

    With R sampled and rho the cosine of two slices, E_rho [(9-4 rho^2)^(-1/2) - 2 (9-rho^2)^(-1/2)
    + 1/3] = (2F1(1/2,1/2;d/2;4/9) - 2 2F1(1/2,1/2;d/2;1/9) + 1)/3, about 1/(27 d), as one series of
    positive terms. K slices shared by a batch: 1/K of the value at rho = 1, which is
    1/sqrt 5 - 1/sqrt 2 + 1/3, and 1 - 1/K of that mean. R integrated: sum_{l>=1} N_l mu_l^2 [ours].

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    radius : str
        ``"sampled"`` or ``"integrated"``.
    slices : int, optional
        K >= 1 independent uniform slices; None: all of them (the slices integrated).

    Returns
    -------
    Value
        Relative error 1e-13.

    Raises
    ------
    ArgumentError
        Also for slices together with an integrated radius.
    """
    d, radius = dimension(d), choice(radius, "radius", _RADII)
    if radius == "integrated":
        if slices is not None:
            raise ArgumentError(f'slices must be None for radius "integrated", got {slices!r}')
        degrees = _counting(d)
        log_mu = SGLift().log_eigenvalues(d, degrees)
        value = math.fsum(np.exp(log_multiplicity(d, degrees) + 2 * log_mu))
    elif slices is None:
        value = _slice_series(d)
    else:
        share = 1 / dimension(slices, 1, "slices")
        value = share * _slice_series(1) + (1 - share) * _slice_series(d)
    return Value(value, 1e-13 * value, "series of positive terms")


def null_variance(
    d: int, batch_size: int, radius: str = "sampled", slices: int | None = None
) -> Value:
    """Variance of the U-statistic at the null: 2 E h_2^2 / (B (B-1)); see ``null_second_moment``.

    Parameters
    ----------
    d, radius, slices
        As for ``null_second_moment``.
    batch_size : int
        B >= 2.
    """
    size = dimension(batch_size, 2, "batch_size")
    moment = null_second_moment(d, radius, slices)
    factor = 2 / (size * (size - 1))
    return Value(factor * moment, factor * moment.error, moment.method)


def u_statistic(z: ArrayLike, radius: str = "sampled") -> Array:
    """The unbiased estimate of J from Z = R M (or, R integrated, from M), slices integrated.

        (1/(B(B-1))) sum_{i != j} k(z_i, z_j) - (2/B) sum_i h(z_i) + 1/sqrt 3.

    Parameters
    ----------
    z : array_like, shape (..., B, d)
        Batches of B >= 2 rows. R sampled: d >= 1 (one slice is d = 1). R integrated: rows M of one
        common norm in (0, 1], d >= 2.
    radius : str
        ``"sampled"`` or ``"integrated"``.

    Returns
    -------
    ndarray, shape (...)
        One value a batch; absolute error 1e-10.
    """
    z, _ = _batches(z, 2)
    pairs, own, _ = _kernels(z, choice(radius, "radius", _RADII))
    result: Array = pairs.mean(axis=-1) - 2 * own.mean(axis=-1) + 1 / math.sqrt(3)
    return result


def v_statistic(z: ArrayLike, radius: str = "sampled") -> Array:
    """The plug-in estimate of J: as ``u_statistic``, the diagonal included; B >= 1."""
    z, size = _batches(z, 1)
    pairs, own, at_zero = _kernels(z, choice(radius, "radius", _RADII))
    total = 2 * pairs.sum(axis=-1) + size * at_zero
    result: Array = total / size**2 - 2 * own.mean(axis=-1) + 1 / math.sqrt(3)
    return result


def sample_batches(
    pair: Pair, batches: int, size: int, rng: np.random.Generator, radius: str = "sampled"
) -> Array:
    """Averages M = (U+V)/2 of ``batches`` independent batches, times R ~ chi_d where it is sampled.

    Returns
    -------
    ndarray, shape (batches, size, d)
        What ``u_statistic`` and ``v_statistic`` take.
    """
    radius = choice(radius, "radius", _RADII)
    u, v = pair.sample(batches * size, rng)
    middle = (0.5 * (u + v)).reshape(batches, size, -1)
    if radius == "sampled":
        middle = middle * np.sqrt(rng.chisquare(pair.dimension, (batches, size, 1)))
    return middle


# --- expectations ---------------------------------------------------------------------------------


def _deficits(pair: Pair) -> tuple[Array, Array]:
    """The law of delta = 1 - |M|^2: values and weights of sum 1 (quadrature for vMF pairs)."""
    if isinstance(pair, Aligned | Extremal | TangentShift | NuisanceChannel):
        return np.array([pair.misalignment()]), np.ones(1)
    if isinstance(pair, PairAtoms):
        return np.clip(0.25 * np.sum((pair.u - pair.v) ** 2, axis=1), 0.0, 1.0), pair.weights
    if isinstance(pair, AntipodalPath):
        return np.array([0.0, 1.0]), np.array([1 - pair.eps, pair.eps])
    if isinstance(pair, MixturePath | VMFPair):
        a, kappa = 0.5 * (pair.dimension - 1), getattr(pair, "kappa", 0.0)
        _, deficits, weights = tilted_beta_rule(a, a, -2 * kappa, 1)  # delta = (1 - u.v)/2
        if isinstance(pair, VMFPair):
            return deficits, weights
        return np.append(deficits, 0.0), np.append(pair.eps * weights, 1 - pair.eps)
    raise ArgumentError(f"pair must be a law of spherelab.pairs, got {type(pair).__name__}")


def _diagonal(d: int, deltas: Array) -> Array:
    """sum_{l>=1} N_l mu_l(Delta) at each Delta; a few straight from ``lift``, many interpolated."""
    if deltas.size > 4:
        return _harmonic_sums(d, deltas)[0]
    degrees = _counting(d)
    log_n = log_multiplicity(d, degrees)
    sums = [np.exp(log_n + SGLift().log_eigenvalues(d, degrees, x)).sum() for x in deltas]
    return np.array(sums)


@functools.lru_cache(maxsize=64)
def _counting(d: int) -> NDArray[np.int64]:
    """The degrees whose N_l mu_l is above 1e-18."""
    degrees = np.arange(1, _DEGREES + 1)
    logs = log_multiplicity(d, degrees) + SGLift().log_eigenvalues(d, degrees)
    return degrees[: 1 + int(np.flatnonzero(logs > math.log(1e-18))[-1])]


def _harmonic_sums(d: int, deltas: Array) -> tuple[Array, Array]:
    """sum_{l>=1} N_l mu_l(Delta) and minus its slope, at each Delta."""
    degrees = _counting(d)
    log_n = log_multiplicity(d, degrees)[:, None]
    log_mu, log_slope = log_mu_and_slope(d, degrees, deltas)
    return np.exp(log_n + log_mu).sum(axis=0), np.exp(log_n + log_slope).sum(axis=0)


def _slice_series(d: int) -> float:
    """sum_{k>=1} (1/2)_k^2/((d/2)_k k!) (4^k - 2)/9^k, over 3: no cancellation at any d >= 1."""
    k = np.arange(1, 60)
    ratios = (k - 0.5) ** 2 / ((0.5 * d + k - 1) * k)
    return math.fsum(np.cumprod(ratios) * ((4 / 9) ** k - 2 * (1 / 9) ** k)) / 3


# --- the statistics -------------------------------------------------------------------------------


def _batches(z: ArrayLike, least: int) -> tuple[Array, int]:
    rows = np.asarray(z, dtype=float)
    if rows.ndim < 2 or rows.shape[-2] < least or rows.shape[-1] < 1:
        raise ArgumentError(f"z must have shape (..., B, d), B >= {least}, got {rows.shape}")
    if not np.all(np.isfinite(rows)):
        raise ArgumentError("z must be finite")
    return rows, rows.shape[-2]


def _kernels(z: Array, radius: str) -> tuple[Array, Array, float]:
    """k(z_i, z_j) for i < j, shape (..., B(B-1)/2); h(z_i), shape (..., B); and k(z, z)."""
    d = z.shape[-1]
    norms = np.sum(z * z, axis=-1)
    i, j = np.triu_indices(z.shape[-2], 1)
    gram = (z @ np.swapaxes(z, -1, -2))[..., i, j]
    if radius == "sampled":
        distances = np.maximum(norms[..., i] + norms[..., j] - 2 * gram, 0.0)
        return slice_kernel(d, 0.5 * distances), slice_kernel(d, 0.25 * norms) / math.sqrt(2), 1.0
    square = float(np.mean(norms))
    if d < 2 or not np.all(np.abs(norms - square) <= 1e-9) or not 0 < square <= 1 + 1e-9:
        raise ArgumentError(
            'z must have rows of one norm in (0, 1] for radius "integrated", d >= 2'
        )
    delta = min(max(1 - square, 0.0), 1.0)
    coefficients, at_zero = _zonal_kernel(d, delta)
    pairs: Array = np.asarray(chebval(np.clip(gram / square, -1.0, 1.0), coefficients))
    return pairs, np.full(norms.shape, (2 + square) ** -0.5), at_zero


@functools.lru_cache(maxsize=64)
def _zonal_kernel(d: int, delta: float) -> tuple[Array, float]:
    """Chebyshev coefficients in t of sum_{l>=0} N_l mu_l(delta) P_l(t), and its value at t = 1."""
    degrees = _counting(d)
    log_mu = SGLift().log_eigenvalues(d, degrees, delta)
    terms = np.exp(log_multiplicity(d, degrees) + log_mu)
    terms = np.concatenate(([(3 - 2 * delta) ** -0.5], terms))
    count = degrees.size + 1  # a polynomial of that many coefficients
    angles = math.pi * (np.arange(count) + 0.5) / count
    return chebyshev_coefficients(clenshaw(d, terms, np.cos(angles)), angles), math.fsum(terms)
