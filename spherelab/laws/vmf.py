"""The von Mises-Fisher law: density proportional to e^{kappa m.x} on S^(d-1)."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.bessel import (
    iv_ratio,
    iv_ratio_complement,
    iv_ratio_inverse,
    log_iv_quotient,
    log_lambda0,
    log_lambda0_scaled,
)
from spherelab.kummer import tilted_beta_rule
from spherelab.laws import geometry
from spherelab.laws.base import AxialLaw, axis, cosines
from spherelab.sphere import log_area, uniform_sample

Array = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)
_BLOCK_ENTRIES = 1 << 18


class VonMisesFisher(AxialLaw):
    """The law with density e^{kappa m.x} / (lambda_0(kappa) |S^(d-1)|).

    lambda_0(kappa) = Gamma(d/2) (2/kappa)^nu I_nu(kappa), nu = d/2 - 1, and
    a_l = A_l(kappa) = I_{nu+l}(kappa) / I_nu(kappa).

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    kappa : float
        Concentration, >= 0 (0: the uniform law).
    mean : array_like, shape (d,), optional
        Mean direction m, a unit vector; the first axis if omitted.

    Raises
    ------
    ArgumentError
        Where an argument is outside its range.

    Notes
    -----
    Accuracy: log density, entropy and coefficients to 1e-13 absolute or a few ulp of the largest
    of the result, log |S^(d-1)| and d; kappa from 0 to 1e6 and beyond, d to 1e5. Where kappa > d
    the normaliser is carried as log lambda_0(kappa) - kappa = log 1F1((d-1)/2; d-1; -2 kappa)
    (DLMF 10.39.5, 13.2.39), since log lambda_0 - kappa A_d would lose log10 kappa digits.
    Mardia & Jupp, Directional Statistics (2000), section 9.3.2.
    """

    _parameters = ("d", "kappa", "mean")
    d: int
    kappa: float

    def __init__(self, d: int, kappa: float, mean: ArrayLike | None = None) -> None:
        d, kappa = arguments.dimension(d), arguments.nonnegative(kappa, "kappa")
        self._set(d=d, dimension=d, kappa=kappa, mean=axis(mean, d))

    @property
    def mean_resultant(self) -> float:
        """A_d(kappa) = I_{nu+1}(kappa) / I_nu(kappa) = |E X|."""
        return float(iv_ratio(0.5 * self.d - 1, self.kappa)) if self.kappa > 0 else 0.0

    @property
    def mean_resultant_complement(self) -> float:
        """1 - A_d(kappa), to full relative accuracy for large kappa."""
        return float(iv_ratio_complement(0.5 * self.d - 1, self.kappa)) if self.kappa > 0 else 1.0

    def entropy(self) -> float:
        """-E log density = log |S^(d-1)| + log lambda_0(kappa) - kappa A_d(kappa), in nats."""
        if self.kappa <= self.d:
            excess = float(log_lambda0(self.d, self.kappa)) - self.kappa * self.mean_resultant
        else:
            excess = float(log_lambda0_scaled(self.d, self.kappa))
            excess += self.kappa * self.mean_resultant_complement
        return log_area(self.d) + excess

    def log_density(self, x: ArrayLike) -> Array:
        """kappa m.x - log lambda_0(kappa) - log |S^(d-1)|, for unit x of any leading shape.

        For kappa > d as -kappa |x-m|^2/2 - (log lambda_0(kappa) - kappa) - log |S^(d-1)|.
        """
        rows, shape = geometry.points(x, self.d)
        if self.kappa <= self.d:
            exponent = self.kappa * (rows @ self.mean) - log_lambda0(self.d, self.kappa)
        else:
            distance = np.sum((rows - self.mean) ** 2, axis=1)
            exponent = -0.5 * self.kappa * distance - log_lambda0_scaled(self.d, self.kappa)
        return np.reshape(exponent - log_area(self.d), shape)

    def log_mean_legendre(self, degrees: ArrayLike) -> tuple[Array, Array]:
        degrees = arguments.degrees(degrees)
        if self.kappa == 0:
            return np.where(degrees == 0, 1.0, 0.0), np.where(degrees == 0, 0.0, -np.inf)
        return np.ones(degrees.shape), log_iv_quotient(self.d, degrees, self.kappa)

    def axis_rule(self, level: int = 0) -> tuple[Array, Array]:
        """Rule for the density prop. to e^{kappa t} (1-t^2)^{(d-3)/2}, through v = (1+t)/2."""
        a = 0.5 * (self.d - 1)
        v, complement, weights = tilted_beta_rule(a, a, -2.0 * self.kappa, level)
        return np.clip(v - complement, -1.0, 1.0), weights

    def log_potential(self, beta: float, t: ArrayLike) -> Array:
        """log lambda_0(|kappa m + beta u|) - log lambda_0(kappa) - log lambda_0(beta)."""
        beta, t = arguments.nonnegative(beta, "beta"), cosines("t", t)
        return log_lambda0_excess(self.d, self.kappa, beta, t)

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Exact: Wood's rejection for the cosine, then a uniform direction around the mean."""
        n, rng = geometry.count(n), arguments.generator(rng)
        if self.kappa == 0:
            return uniform_sample(n, self.d, rng)
        complement = self.sample_complements(n, rng)
        return geometry.place_about(self.mean, 1.0 - complement, complement, rng)

    def sample_complements(self, n: int, rng: np.random.Generator) -> Array:
        """n draws of 1 - <mean, X>, to full relative accuracy for large kappa; kappa > 0."""
        return _sampled_complements(self.d, self.kappa, n, rng)

    @staticmethod
    def kappa_of_mean_resultant(
        d: int, resultant: float | None = None, *, complement: float | None = None
    ) -> float:
        """The kappa >= 0 with A_d(kappa) = ``resultant``, or 1 - ``complement`` (give one).

        Parameters
        ----------
        d : int
            Ambient dimension, >= 2.
        resultant : float
            Mean resultant length, in [0, 1).
        complement : float
            1 - resultant, in (0, 1]; for resultants whose distance to 1 a double does not hold.

        Raises
        ------
        ArgumentError
            At resultant 1, where kappa is infinite, and outside the ranges.
        """
        nu = 0.5 * arguments.dimension(d) - 1
        if (resultant is None) == (complement is None):
            raise ArgumentError("give exactly one of resultant and complement")
        if complement is not None:
            complement = arguments.in_range(complement, "complement", 0.0, 1.0)
            if complement == 0:
                raise ArgumentError("complement must be > 0, got 0.0: kappa would be infinite")
            return iv_ratio_inverse(nu, complement=complement)
        resultant = arguments.unit_interval(cast(float, resultant), "resultant")
        if resultant == 1:
            raise ArgumentError("resultant must be < 1, got 1.0: kappa would be infinite")
        return iv_ratio_inverse(nu, resultant)

    @classmethod
    def fit(cls, x: ArrayLike) -> VonMisesFisher:
        """Maximum likelihood: m the mean direction, A_d(kappa) the mean resultant length.

        Parameters
        ----------
        x : array_like, shape (n, d)
            Unit rows, not all equal.

        Returns
        -------
        VonMisesFisher
            With kappa = 0 (and the first axis) where the mean vector is zero to rounding.

        Raises
        ------
        ArgumentError
            Where all rows are equal to rounding: the likelihood grows without bound in kappa.

        Notes
        -----
        For unit rows 1 - R = mean |x_i - m|^2 / 2, which keeps its digits for R near 1.
        Mardia & Jupp (2000), section 10.3.1.
        """
        rows = arguments.unit_rows(x, "x")
        n, d = rows.shape
        d = arguments.dimension(d)
        center = rows.mean(axis=0)
        resultant = float(np.linalg.norm(center))
        if resultant <= 4 * _EPS:
            return cls(d, 0.0)
        direction = center / resultant
        distance = np.linalg.norm(rows - direction, axis=1)
        if np.max(distance) <= 8 * _EPS:
            raise ArgumentError(
                f"x holds {n} copies of one point, so its mean resultant length is 1 and the "
                "likelihood has no maximum: kappa would be infinite"
            )
        if resultant < 0.5:
            return cls(d, cls.kappa_of_mean_resultant(d, resultant), direction)
        complement = float(np.mean(distance**2)) / 2
        return cls(d, cls.kappa_of_mean_resultant(d, complement=complement), direction)


def log_lambda0_excess(d: int, kappa: float, beta: float, t: Array) -> Array:
    """log lambda_0(s) - log lambda_0(kappa) - log lambda_0(beta), s = |kappa m + beta u|, t = m.u.

    s^2 = kappa^2 + beta^2 + 2 kappa beta t, taken as (kappa-beta)^2 + 2 kappa beta (1+t), which
    does not cancel near t = -1. Write small <= big for kappa and beta. Regimes:

    small min(1/sqrt d, sqrt(d/2)/big) <= 1/2, and small <= 3 or small <= big/7:
        with tau the cosine of the law vMF(big), whose standard deviation is below that minimum,
        and gap = s - big = (small^2 + 2 kappa beta t)/(s + big),
        log lambda_0(s) - log lambda_0(big) = log E e^{gap tau}, which is taken about the mean A:
        gap A + log1p E[e^{gap (tau - A)} - 1 - gap (tau - A)]. Every term keeps its relative
        accuracy as small -> 0. (The second condition keeps the tilt within the reach of the rule.)
    else: with log lambda_0(x) - x, which does not grow, and s - kappa - beta
        = -2 kappa beta (1-t)/(s + kappa + beta).

    Error: a few ulp of the result, or of small |t| A + small^2/d in the first regime;
    1e-14 (kappa + beta) absolute, which is that of the interpolated logarithms, in the second.
    """
    small, big = min(kappa, beta), max(kappa, beta)
    if small == 0:
        return np.zeros_like(t)
    s = np.sqrt((kappa - beta) ** 2 + 2.0 * kappa * beta * (1.0 + t))
    spread = min(1.0 / math.sqrt(d), math.sqrt(0.5 * d) / big)
    if small * spread <= 0.5 and (small <= 3 or small <= big / 7):
        gap = np.asarray((small * small + 2.0 * kappa * beta * t) / (s + big))
        a = 0.5 * (d - 1)
        v, complement, weights = tilted_beta_rule(a, a, -2.0 * big, 1)
        mean = float(iv_ratio(0.5 * d - 1, big))
        if mean < 0.5:
            centred = (v - complement) - mean
        else:
            centred = float(iv_ratio_complement(0.5 * d - 1, big)) - 2.0 * complement
        flat = gap.ravel()
        second_order = np.empty(flat.size)
        height = max(1, _BLOCK_ENTRIES // centred.size)
        for start in range(0, flat.size, height):
            block = flat[start : start + height, None]
            second_order[start : start + height] = _exp_remainder(block * centred) @ weights
        change: Array = np.log1p(second_order.reshape(gap.shape))
        return gap * mean + change - log_lambda0(d, small)
    scaled = log_lambda0_scaled(d, s) - log_lambda0_scaled(d, kappa) - log_lambda0_scaled(d, beta)
    return scaled - 2.0 * kappa * beta * (1.0 - t) / (s + kappa + beta)


def _exp_remainder(y: Array) -> Array:
    """e^y - 1 - y >= 0: the power series up to |y| = 1/2, where the plain form cancels."""
    near = np.abs(y) < 0.5
    term = np.where(near, y, 0.0)
    series = np.zeros_like(y)
    for k in range(14, 1, -1):  # y^2/2! + ... + y^14/14!, nested; the rest is below 1e-17 y^2
        series = (series + 1.0) * term / k
    return np.where(near, series * term, np.expm1(y) - y)


def _sampled_complements(d: int, kappa: float, n: int, rng: np.random.Generator) -> Array:
    """n draws of 1 - t, t = m.X, from the density prop. to e^{kappa t} (1-t^2)^{(d-3)/2}.

    Wood (1994), algorithm VM*: t = (1 - (1+b) Z)/(1 - (1-b) Z), Z ~ Beta((d-1)/2, (d-1)/2),
    accepted with probability e^{kappa (t - x0)} ((1 - x0 t)/(1 - x0^2))^{d-1}, x0 = (1-b)/(1+b).
    Rearranged for large kappa: b without its cancellation, and 1 - t in place of t, since t and
    x0 both crowd against 1. About two thirds of the proposals or more are accepted at every
    kappa and d.
    """
    b = (d - 1) / (2.0 * kappa + math.sqrt(4.0 * kappa * kappa + (d - 1.0) ** 2))
    y0 = 2.0 * b / (1.0 + b)  # 1 - x0
    floor = y0 * (2.0 - y0)  # 1 - x0^2
    parts: list[Array] = []
    missing = n
    while missing > 0:
        size = missing + missing // 2 + 8
        z = rng.beta(0.5 * (d - 1), 0.5 * (d - 1), size=size)
        y = np.minimum(2.0 * b * z / (1.0 - (1.0 - b) * z), 2.0)  # 1 - t
        rest = y + y0 - y0 * y  # 1 - x0 t
        log_acceptance = kappa * (y0 - y) + (d - 1) * np.log(rest / floor)
        kept = y[-rng.standard_exponential(size) <= log_acceptance][:missing]
        parts.append(kept)
        missing -= len(kept)
    return np.concatenate(parts)
