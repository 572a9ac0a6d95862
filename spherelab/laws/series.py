"""Zonal laws given by finitely many Gegenbauer coefficients."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.bessel import log_iv_quotient
from spherelab.gegenbauer import clenshaw, gegenbauer_all
from spherelab.laws import geometry
from spherelab.laws.base import AxialLaw, axis, cosines
from spherelab.sphere import coordinate_rule, log_area, log_multiplicity, uniform_sample

Array = NDArray[np.float64]

_CELLS = 1 << 20  # most cells of the sampling envelope


class ZonalLaw(AxialLaw):
    """Density f(t) = sum_{l<=L} N_l a_l P_l(t) relative to the uniform law, t = <mean, x>.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    coefficients : array_like, shape (L + 1,)
        a_0 = 1, ..., a_L; a_l = E P_l(t).
    mean : array_like, shape (d,), optional
        The axis; the first coordinate axis if omitted.

    Raises
    ------
    ArgumentError
        Where a_0 is not 1, a coefficient is not finite, N_l a_l exceeds the double range, or the
        density is negative somewhere: looked for on a grid of 32 (L+1) angles with both poles, and
        again 64 times finer around its low points; the message names the point and the value.

    Notes
    -----
    ``log_potential`` sums N_l a_l r_l(beta) P_l, so its absolute error is 1e-15 sum_l |N_l a_l r_l|
    divided by the potential itself: full accuracy for perturbations of the uniform law, fewer
    digits on the far side of a law with a high peak.
    """

    _parameters = ("d", "coefficients", "mean", "_terms")
    d: int
    coefficients: Array
    _terms: Array  # N_l a_l
    _perturbation: tuple[int, float] | None

    def __init__(self, d: int, coefficients: ArrayLike, mean: ArrayLike | None = None) -> None:
        d = arguments.dimension(d)
        a = arguments.real_array(coefficients, "coefficients")
        if a.ndim != 1 or a.size == 0:
            raise ArgumentError(f"coefficients must have shape (L + 1,), L >= 0, got {a.shape}")
        if not np.all(np.isfinite(a)):
            bad = int(np.flatnonzero(~np.isfinite(a))[0])
            raise ArgumentError(f"coefficients must be finite, got {a[bad]} at degree {bad}")
        if abs(a[0] - 1) > 1e-12:
            raise ArgumentError(f"coefficients[0] must be 1, got {a[0]}")
        nonzero = a != 0
        logs = log_multiplicity(d, np.arange(a.size)) + np.log(np.where(nonzero, np.abs(a), 1.0))
        largest = int(np.argmax(np.where(nonzero, logs, -np.inf)))
        if logs[largest] > 700:
            raise ArgumentError(
                f"coefficients must keep N_l a_l in the double range, got log = {logs[largest]} "
                f"at degree {largest}"
            )
        terms = np.where(nonzero, np.sign(a) * np.exp(np.where(nonzero, logs, 0.0)), 0.0)
        self._build(d, a, terms, mean, None)

    def _build(
        self,
        d: int,
        coefficients: Array,
        terms: Array,
        mean: ArrayLike | None,
        perturbation: tuple[int, float] | None,
    ) -> None:
        terms = terms.copy()
        terms[0] = 1.0
        _check_positive(d, terms)
        self._set(d=d, dimension=d, coefficients=coefficients, mean=axis(mean, d))
        self._set(_terms=terms, _perturbation=perturbation)

    @classmethod
    def perturbed(
        cls, d: int, degree: int, amplitude: float, mean: ArrayLike | None = None
    ) -> ZonalLaw:
        """Density 1 + amplitude P_degree(t), degree >= 1: the coefficient amplitude / N_degree.

        Any |amplitude| <= 1 is a density, and for even degrees larger positive ones as far as
        1 / |min P_degree|. Works where N_degree itself exceeds the double range.
        """
        d = arguments.dimension(d)
        degree = geometry.count(degree, "degree")
        amplitude = arguments.finite(amplitude, "amplitude")
        coefficients, terms = np.zeros(degree + 1), np.zeros(degree + 1)
        coefficients[0], terms[degree] = 1.0, amplitude
        coefficients[degree] = amplitude * math.exp(-float(log_multiplicity(d, degree)))
        law = cls.__new__(cls)
        law._build(d, coefficients, terms, mean, (degree, amplitude))
        return law

    def __repr__(self) -> str:
        if self._perturbation is None:
            return super().__repr__()
        degree, amplitude = self._perturbation
        mean = "" if "mean" not in self._shown() else f", mean={self.mean.tolist()!r}"
        return f"ZonalLaw.perturbed(d={self.d}, degree={degree}, amplitude={amplitude!r}{mean})"

    def _shown(self) -> Iterator[str]:
        return (name for name in super()._shown() if name != "_terms")

    def log_mean_legendre(self, degrees: ArrayLike) -> tuple[Array, Array]:
        degrees = arguments.degrees(degrees)
        inside = degrees < self._terms.size
        terms = np.where(inside, self._terms[np.where(inside, degrees, 0)], 0.0)
        size = np.log(np.where(terms != 0, np.abs(terms), 1.0))
        log_size = np.where(terms != 0, size - log_multiplicity(self.d, degrees), -np.inf)
        return np.sign(terms), log_size

    def _relative_density(self, t: Array) -> Array:
        """f(t), cut at 0: below is rounding, since the constructor checked it."""
        return np.maximum(clenshaw(self.d, self._terms, t), 0.0)

    def log_density(self, x: ArrayLike) -> Array:
        """log f(<mean, x>) - log |S^(d-1)|; -inf where f vanishes."""
        rows, shape = geometry.points(x, self.d)
        t = np.clip(rows @ self.mean, -1.0, 1.0)
        return np.reshape(_log(self._relative_density(t)) - log_area(self.d), shape)

    def axis_rule(self, level: int = 0) -> tuple[Array, Array]:
        """Gauss rule for one coordinate, max(64, L + 32) 2^level nodes, times the density."""
        level = arguments.rule_level(level)
        nodes, weights = coordinate_rule(self.d, max(64, self._terms.size + 31) << level)
        weights = weights * self._relative_density(nodes)
        return nodes, weights / np.sum(weights)

    def log_potential(self, beta: float, t: ArrayLike) -> Array:
        """log1p sum_{l>=1} N_l a_l r_l(beta) P_l(t), r_l = I_{nu+l}/I_nu: a finite sum."""
        return self.smoothed_log_potential(1.0, beta, t)

    def smoothed_log_potential(self, cosine: float, beta: float, t: ArrayLike) -> Array:
        beta, t = arguments.nonnegative(beta, "beta"), cosines("t", t)
        degrees = np.arange(self._terms.size)
        terms = self._terms * np.exp(log_iv_quotient(self.d, degrees, beta))
        return self._log1p_series(terms, cosine, t)

    def smoothed_log_ratio(self, cosine: float, t: Array) -> Array:
        return self._log1p_series(self._terms, cosine, t)

    def _log1p_series(self, terms: Array, cosine: float, t: Array) -> Array:
        """log(1 + sum_{l>=1} terms_l P_l(cosine) P_l(t)); -inf where that is <= 0 by rounding."""
        terms = terms * gegenbauer_all(self.d, terms.size - 1, np.float64(cosine))
        terms[0] = 0.0
        total = clenshaw(self.d, terms, t)
        positive = total > -1
        return np.where(positive, np.log1p(np.where(positive, total, 0.0)), -np.inf)

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Exact, by rejection from a piecewise constant envelope of f in the polar angle.

        f(cos theta) is a trigonometric polynomial of degree L. From its values on a grid of step
        h < pi/L, max |f| <= max_grid |f| / cos(h L/2) (M. Riesz), and by Bernstein's inequality f
        exceeds the larger end value on a cell by at most h^2 L^2/8 max |f|: a bound on each cell.
        A cell is drawn by bound times uniform mass, the cosine in it by inverting the incomplete
        Beta function (to its accuracy, about 1e-13), and accepted by f over the bound.
        """
        n, rng = geometry.count(n), arguments.generator(rng)
        degree = self._terms.size - 1
        if degree == 0:
            return uniform_sample(n, self.d, rng)
        edges, bounds = self._envelope(degree)
        # Half angles measure the distance to the nearer pole: y = (1 - |t|)/2 = sin^2(theta/2).
        near = np.sin(0.5 * edges[: edges.size // 2 + 1]) ** 2  # pole to equator
        near[-1] = 0.5
        a = 0.5 * (self.d - 1)
        mass = special.betainc(a, a, near)
        half = len(mass) - 1
        cumulative = np.cumsum(np.concatenate((np.diff(mass), np.diff(mass)[::-1])) * bounds)
        parts: list[Array] = []
        missing = n
        while missing > 0:
            size = missing + missing // 2 + 8
            cell = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
            cell = np.minimum(cell, 2 * half - 1)
            mirrored = np.minimum(cell, 2 * half - 1 - cell)
            low, high = mass[mirrored], mass[mirrored + 1]
            y = special.betaincinv(a, a, low + (high - low) * rng.random(size))
            y = np.clip(y, near[mirrored], near[mirrored + 1])
            complement = np.where(cell < half, 2.0 * y, 2.0 - 2.0 * y)  # 1 - t
            accepted = rng.random(size) * bounds[cell] <= self._relative_density(1.0 - complement)
            kept = complement[accepted][:missing]
            parts.append(kept)
            missing -= len(kept)
        complement = np.concatenate(parts)
        return geometry.place_about(self.mean, 1.0 - complement, complement, rng)

    def _envelope(self, degree: int) -> tuple[Array, Array]:
        """Grid angles (an even number of cells) and an upper bound of f on each cell."""
        total = float(np.sum(np.abs(self._terms)))
        if total <= 4:  # |P_l| <= 1: good enough as one bound everywhere
            return np.array([0.0, 0.5 * math.pi, math.pi]), np.full(2, total)
        cells = 64 * degree
        while True:
            edges = np.linspace(0.0, math.pi, cells + 1)
            values = self._relative_density(np.cos(edges))
            reach = math.pi / cells * degree  # h L
            top = np.max(values) / math.cos(0.5 * reach)
            slack = reach**2 / 8 * top + 1e-12 * total
            if slack < 0.5 or 2 * cells > _CELLS:
                return edges, np.maximum(values[:-1], values[1:]) + slack
            cells *= 2


def _log(values: Array) -> Array:
    positive = values > 0
    return np.where(positive, np.log(np.where(positive, values, 1.0)), -np.inf)


def _check_positive(d: int, terms: Array) -> None:
    """Refuse a series that is negative anywhere by more than rounding (1e-12 of sum |N_l a_l|)."""
    total = float(np.sum(np.abs(terms)))
    if total <= 2:  # terms[0] = 1 and |P_l| <= 1
        return
    tolerance = 1e-12 * total
    cells = 32 * terms.size
    spacing = math.pi / cells
    angles = spacing * np.arange(cells + 1)
    values = clenshaw(d, terms, np.cos(angles))
    # Between grid points f can dip by (h L)^2/8 < 0.2% of its maximum; look closer where it might.
    low = np.flatnonzero(values < 2e-3 * np.max(np.abs(values)))
    fine = (angles[low, None] + spacing * np.linspace(-1.0, 1.0, 129)).ravel()
    fine = np.clip(fine, 0.0, math.pi)
    angles = np.concatenate((angles, fine))
    values = np.concatenate((values, clenshaw(d, terms, np.cos(fine))))
    worst = int(np.argmin(values))
    if values[worst] < -tolerance:
        raise ArgumentError(
            "coefficients must give a density >= 0 on [-1, 1], got "
            f"{values[worst]} at t = {math.cos(angles[worst])}"
        )
