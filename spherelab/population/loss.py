"""The Shared Gaussianization loss J of a pair of views, exactly, degree by degree."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import lift
from spherelab.arguments import ArgumentError, nonnegative
from spherelab.gegenbauer import gegenbauer_all
from spherelab.kummer import centre
from spherelab.laws.base import gram_error
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
from spherelab.population.potential import coherent_log_mean, is_uniform, law_axes
from spherelab.population.radial import (
    atoms_radial_loss,
    checked_pair,
    extremal_loss,
    gaussian_rule,
    independent_radial_loss,
    mixture_constant,
)
from spherelab.sphere import log_multiplicity
from spherelab.value import Value
from spherelab.zonal import SGLift

Array = NDArray[np.float64]

_EPS = float(np.finfo(float).eps)
_RELATIVE = 1e-13  # of mu_l |q_l|^2: two logs of up to 700 in magnitude, each good to an ulp
# N_l mu_l falls at least like (2/3)^l/sqrt(l) (its limit for large d): (2/3)^384 = 1e-68.
_DEGREES = 384
_BLOCK = 64


class SGLoss(Value):
    """J with its parts: a float that also holds the orthogonal decomposition by degree.

    Attributes
    ----------
    radial : float
        J_(0), the part that misalignment alone makes.
    by_degree : ndarray
        J_l at index l; ``by_degree[0] == radial``. Their sum is J.
    degree_errors : ndarray
        Stated absolute error of each part.
    error : float
        Stated absolute error of J: those of the parts, and the degrees that were left out.
    """

    radial: float
    by_degree: Array
    degree_errors: Array

    def __new__(
        cls, by_degree: ArrayLike, degree_errors: ArrayLike, tail: float, method: str
    ) -> Self:
        parts, errors = np.array(by_degree, dtype=float), np.array(degree_errors, dtype=float)
        self = super().__new__(cls, math.fsum(parts), math.fsum(errors) + tail, method)
        parts.setflags(write=False)
        errors.setflags(write=False)
        self.by_degree, self.degree_errors = parts, errors
        self.radial = float(parts[0])
        return self

    def __getnewargs__(self) -> Any:
        tail = self.error - math.fsum(self.degree_errors)
        return (self.by_degree, self.degree_errors, tail, self.method)


def sg_loss(pair: Pair) -> SGLoss:
    """J = E_a E_s |phi_{a.Z}(s) - e^{-s^2/2}|^2, the Shared Gaussianization loss of a pair law.

    Z = R (U+V)/2 with R ~ chi_d independent; a uniform on the sphere, s ~ N(0, 1). Degrees are
    orthogonal under a: J = J_(0) + sum_{l>=1} J_l.

    Parameters
    ----------
    pair : Pair
        Any of the families of ``spherelab.pairs``.

    Returns
    -------
    SGLoss
        J >= 0 with ``radial``, ``by_degree`` and ``error``. Relative error below 1e-12, save where
        several axes or atoms in d >= 3 make the double sum over them cancel: then ``error`` is the
        absolute rounding of that sum.

    Raises
    ------
    ArgumentError
        For an argument that is not a pair law.

    Notes
    -----
    SG paper, the decomposition behind Theorem 1. Aligned laws: J_l = mu_l |q_l|^2. Nuisance
    channels: J_0(Delta) + mu_l(Delta) P_l(cos)^2 |q_l|^2. Atoms: E_s over psi_l(s |M_i|).
    """
    return _loss(pair)


def sg_alpha_loss(pair: Pair, alpha: float) -> Value:
    """J_alpha = J + alpha Delta, alpha >= 0: the SG loss with an explicit alignment weight."""
    alpha = nonnegative(alpha, "alpha")
    loss = sg_loss(checked_pair(pair))
    aligned = alpha * pair.misalignment()
    return Value(loss + aligned, loss.error + 4 * _EPS * aligned, loss.method)


@functools.singledispatch
def _loss(pair: object) -> SGLoss:
    raise ArgumentError(f"pair must be a law of spherelab.pairs, got {type(pair).__name__}")


def _radial_only(radial: float, error: float, method: str) -> SGLoss:
    return SGLoss([radial], [error], 0.0, method)


@functools.lru_cache(maxsize=256)
def log_mu(d: int, delta: float = 0.0) -> Array:
    """log mu_l(Delta) for l = 0.._DEGREES, kept: every family of one dimension needs them."""
    result = SGLift().log_eigenvalues(d, np.arange(_DEGREES + 1), delta)
    result.setflags(write=False)
    return result


def _harmonic(pair: Aligned | NuisanceChannel, radial: float, cosine: float) -> SGLoss:
    """J_(0) = radial and J_l = mu_l(delta) P_l(cosine)^2 |q_l|^2 for l >= 1.

    By blocks of degrees, until those left are negligible: |q_l|^2 <= N_l, and mu_l N_l decreases
    geometrically. The law's own decay says nothing: a degree-100 harmonic has no lower ones.
    """
    d, law, delta = pair.dimension, pair.law, pair.misalignment()
    parts, errors = np.array([radial]), np.array([16 * _EPS * radial])
    several = len(law.components()) > 1 if d == 2 else law_axes(law) > 1
    if is_uniform(law):
        return SGLoss(parts, errors, 0.0, "closed form")
    tail = math.inf
    for start in range(1, _DEGREES, _BLOCK):
        degrees = np.arange(start, start + _BLOCK)
        log_n, log_m = log_multiplicity(d, degrees), log_mu(d, delta)[degrees]
        log_q = law.log_harmonic_energy(degrees)
        if cosine < 1:
            legendre = np.abs(gegenbauer_all(d, int(degrees[-1]), np.array(cosine))[degrees])
            with np.errstate(divide="ignore"):  # log 0 = -inf: that degree is absent
                log_q = log_q + 2 * np.log(legendre)
        block = np.exp(log_m + log_q)
        own = _RELATIVE * block
        if several:  # the double sum over the axes can cancel
            coherent = np.exp(log_m + log_n + 2 * coherent_log_mean(law, degrees))
            own += _cancellation(d, len(law.components()), degrees, block, coherent)
        parts, errors = np.concatenate((parts, block)), np.concatenate((errors, own))
        tail = 3 * float(np.exp(log_m[-1] + log_n[-1]))
        if tail <= 1e-18 * float(parts.sum()):
            break
    return SGLoss(parts, errors, tail, "harmonic series")


def _cancellation(
    d: int, count: int, degrees: NDArray[np.int64], parts: Array, coherent: Array
) -> Array:
    """Absolute error of J_l from the sum over ``count`` axes; ``coherent`` is J_l if they agreed.

    On the circle J_l is coherent |S|^2, S = sum_i c_i e^{i l theta_i} with sum_i |c_i| = 1, and S
    is good to e = (2 + 4 l) eps: the angles are good to an ulp or two, so l theta_i to l of them.
    """
    if d > 2:
        return coherent * gram_error(d, count, degrees)
    single = (2 + 4 * degrees) * _EPS
    result: Array = (2 * np.sqrt(parts * coherent) + coherent * single) * single
    return result


@_loss.register
def _(pair: Aligned) -> SGLoss:
    return _harmonic(pair, 0.0, 1.0)


@_loss.register
def _(pair: NuisanceChannel) -> SGLoss:
    delta, radial = pair.delta, extremal_loss(pair.delta)
    if delta >= 1.0:  # M = 0: nothing but the radial part remains
        return _radial_only(radial, 16 * _EPS * radial, "closed form")
    # cosine of the angle between M and the code X
    square = (1 - 2 * delta / (1 - pair.correlation)) / (1 - delta)
    return _harmonic(pair, radial, math.sqrt(min(max(square, 0.0), 1.0)))


@_loss.register(Extremal)
@_loss.register(TangentShift)
def _(pair: Extremal | TangentShift) -> SGLoss:
    radial = extremal_loss(pair.delta)
    return _radial_only(radial, 16 * _EPS * radial, "closed form")


@_loss.register
def _(pair: AntipodalPath) -> SGLoss:
    radial = pair.eps**2 * extremal_loss(1.0)
    return _radial_only(radial, 16 * _EPS * radial, "closed form")


@_loss.register
def _(pair: MixturePath) -> SGLoss:
    constant = mixture_constant(pair.dimension)
    return _radial_only(pair.eps**2 * constant, pair.eps**2 * constant.error, constant.method)


@_loss.register
def _(pair: VMFPair) -> SGLoss:
    radial = independent_radial_loss(pair.dimension, pair.kappa)
    return _radial_only(radial, radial.error, radial.method)


@_loss.register
def _(pair: PairAtoms) -> SGLoss:
    """J_l = N_l E_s sum_ij w_i w_j psi_l(s r_i) psi_l(s r_j) P_l(m_i.m_j), r_i m_i = (u_i+v_i)/2.

    Degrees are added until those left, at most sum N_l mu_l, are below 1e-17 of the sum.
    """
    d = pair.dimension
    middle = 0.5 * (pair.u + pair.v)
    deficits = 0.25 * np.sum((pair.u - pair.v) ** 2, axis=1)
    radii = np.linalg.norm(middle, axis=1)
    radial = atoms_radial_loss(deficits, pair.weights)
    kept = radii > 1e-12  # below, psi_l(s r), at most r^l, is nothing
    if not np.any(kept):
        return _radial_only(radial, radial.error, radial.method)
    directions, masses = middle[kept] / radii[kept, None], pair.weights[kept]
    # radii that agree to 15 digits share a profile
    _, chosen, place = np.unique(
        np.round(np.log(radii[kept]), 15), return_index=True, return_inverse=True
    )
    unique = radii[kept][chosen]
    scales = np.exp(log_mu(d) + log_multiplicity(d, np.arange(_DEGREES + 1)))
    rest = np.cumsum(scales[::-1])[::-1]
    parts, errors = [float(radial)], [radial.error]
    legendre = _circle_legendre(directions) if d == 2 else _gram_legendre(directions)
    for degree, (profile, gauss) in enumerate(_profiles(d, unique), start=1):
        if degree > _DEGREES or rest[degree] <= 1e-17 * math.fsum(parts):
            break
        squares = next(legendre)(profile[:, place] * masses)  # (s,)
        energy = float(gauss @ squares)
        # N_l alone can leave the doubles (d = 100000), N_l times this cannot
        log_count = float(log_multiplicity(d, degree))
        parts.append(math.exp(log_count + math.log(energy)) if energy > 0 else 0.0)
        rounding = _cancellation(
            d, len(masses), np.array([degree]), np.array(parts[-1:]), scales[[degree]]
        )
        errors.append(float(rounding[0]) + _RELATIVE * parts[-1])
    tail = float(rest[min(len(parts), _DEGREES)])
    return SGLoss(parts, errors, tail, "harmonic series over atoms")


_Quadratic = Callable[[Array], Array]


def _circle_legendre(directions: Array) -> Iterator[_Quadratic]:
    """c -> sum_ij c_i c_j cos(l theta_ij), l = 1, 2, ..: a sum of squares, which cannot cancel."""
    angles = np.arctan2(directions[:, 1], directions[:, 0])

    def form(degree: int) -> _Quadratic:
        cosine, sine = np.cos(degree * angles), np.sin(degree * angles)
        return lambda rows: (rows @ cosine) ** 2 + (rows @ sine) ** 2

    return (form(degree) for degree in itertools.count(1))


def _gram_legendre(directions: Array) -> Iterator[_Quadratic]:
    """c -> sum_ij c_i c_j P_l(m_i . m_j) for l = 1, 2, .., d >= 3."""
    d = directions.shape[1]
    gram = np.clip(directions @ directions.T, -1.0, 1.0)
    lower, upper = np.ones_like(gram), gram
    for degree in itertools.count(1):
        yield functools.partial(_quadratic, upper)
        ahead = ((2 * degree + d - 2) * gram * upper - degree * lower) / (degree + d - 2)
        lower, upper = upper, ahead


def _quadratic(matrix: Array, rows: Array) -> Array:
    """sum_ij c_i c_j M_ij for each row c; a square, so below zero is rounding."""
    return np.maximum(np.sum((rows @ matrix) * rows, axis=1), 0.0)


def _profiles(d: int, radii: Array) -> Iterator[tuple[Array, Array]]:
    """psi_l(s r), shape (s, radii), and weights of E_s, for l = 1, 2, ..

    For each degree only the s at which some radius adds more than e^-46 of the largest, judged by
    the height of the integrand of psi_l; a few degrees are evaluated in one call.
    """
    s, gauss = gaussian_rule(last=13.0 + math.sqrt(1.2 * _DEGREES))
    s, gauss = s[1:], gauss[1:]  # psi_l(0) = 0
    products = s[:, None] * radii
    for start in range(1, _DEGREES + 1, _TOGETHER):
        windows = []
        for degree in range(start, start + _TOGETHER):
            a, c, tilt = 0.5 * (degree + d), 0.5 * degree, 0.5 * products**2
            at = centre(*np.broadcast_arrays(a, c, tilt))
            height = degree * np.log(products) + a * np.log(at.v) + c * np.log(at.w) - tilt * at.v
            height = np.max(height, axis=1) - 0.25 * s * s
            windows.append(np.flatnonzero(height > height.max() - 23.0))
        degrees = np.repeat(np.arange(start, start + _TOGETHER), [w.size for w in windows])
        values = np.exp(lift.log_profile(d, degrees[:, None], products[np.concatenate(windows)]))
        edges = np.cumsum([w.size for w in windows])[:-1]
        for window, block in zip(windows, np.split(values, edges), strict=True):
            yield block, gauss[window]


_TOGETHER = 8
