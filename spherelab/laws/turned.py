"""The uniform law turned along the meridians of the first axis: marginals of ``TangentShift``."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.bessel import log_lambda0, log_lambda0_scaled
from spherelab.gegenbauer import gegenbauer_all
from spherelab.kummer import tilted_beta_rule
from spherelab.laws import geometry
from spherelab.laws.base import AxialLaw, cosines, log_sum_exp
from spherelab.sphere import coordinate_rule, log_area, uniform_sample

Array = NDArray[np.float64]

_BLOCK_ENTRIES = 1 << 21


class TurnedUniform(AxialLaw):
    """cos(phi) X + sin(phi) Y(X), X uniform, Y(X) the unit tangent toward or away from e_1.

    With theta the angle of X to e_1, <U, e_1> = cos(theta - phi) toward, cos(theta + phi) away;
    sin^2 phi = delta. A marginal of ``TangentShift``.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    delta : float
        sin^2 phi, in [0, 1].
    toward : bool
        Toward the pole e_1, or away from it.
    """

    _parameters = ("d", "delta", "toward")
    d: int
    delta: float
    toward: bool

    def __init__(self, d: int, delta: float, toward: bool = True) -> None:
        d, delta = arguments.dimension(d), arguments.unit_interval(delta, "delta")
        if not isinstance(toward, bool | np.bool_):
            raise ArgumentError(f"toward must be True or False, got {toward!r}")
        self._set(d=d, dimension=d, delta=delta, toward=bool(toward))
        self._set(mean=geometry.first_axis(d))

    @property
    def _sign(self) -> float:
        return 1.0 if self.toward else -1.0

    def mean_legendre(self, degrees: ArrayLike) -> Array:
        """E P_l(cos(theta - phi)); times (-1)^l for the law away from the pole.

        The density of theta is prop. to sin^{d-2}, symmetric about pi/2, under which half of the
        trigonometric polynomial P_l(cos(theta - phi)) integrates to zero: for even l all but a
        polynomial of degree l in cos theta, for odd l all but sin theta times one of degree l-1,
        and sin theta turns the weight of S^(d-1) into that of S^d. So Gauss rules in d and d+1
        with more than l/2 nodes are exact. For d = 2 the integral is elementary,
        2 sin(l phi)/(pi l) for odd l. Absolute error 1e-14 + 2^-52 l.
        """
        degrees = arguments.degrees(degrees)
        if self.d == 2:
            angle = math.atan2(math.sqrt(self.delta), math.sqrt(1.0 - self.delta))
            odd = np.where(degrees % 2 == 1, degrees, 1)
            mean = np.where(degrees % 2 == 1, 2.0 * np.sin(odd * angle) / (math.pi * odd), 0.0)
            return np.where(degrees == 0, 1.0, self._sign * mean)
        top = int(np.max(degrees, initial=0))
        by_degree = np.empty(top + 1)
        nodes, weights = coordinate_rule(self.d, top // 2 + 2)
        by_degree[0::2] = self._mean_of_legendre(top, nodes, weights)[0::2]
        nodes, weights = coordinate_rule(self.d + 1, top // 2 + 2)
        weights = weights * _mean_sine(self.d) / np.sqrt((1.0 - nodes) * (1.0 + nodes))
        by_degree[1::2] = self._mean_of_legendre(top, nodes, weights)[1::2]
        by_degree[0] = 1.0
        return by_degree[degrees] * np.where(degrees % 2 == 0, 1.0, self._sign)

    def mean_legendre_error(self, degrees: ArrayLike) -> Array:
        """As stated: absolute, since for small phi the means are differences. Exact at d = 2."""
        degrees = arguments.degrees(degrees)
        error = 1e-14 + 2.0**-52 * degrees
        return np.where(degrees == 0, 0.0, 0.0 if self.d == 2 else error)

    def log_mean_legendre(self, degrees: ArrayLike) -> tuple[Array, Array]:
        values = self.mean_legendre(degrees)
        nonzero = values != 0
        return np.sign(values), np.where(
            nonzero, np.log(np.where(nonzero, np.abs(values), 1.0)), -np.inf
        )

    def _mean_of_legendre(self, top: int, nodes: Array, weights: Array) -> Array:
        """sum_i w_i P_l(cos(theta_i - phi)) for l = 0..top, in blocks of nodes."""
        total = np.zeros(top + 1)
        width = max(1, _BLOCK_ENTRIES // (top + 1))
        for start in range(0, nodes.size, width):
            block = slice(start, start + width)
            total += gegenbauer_all(self.d, top, self._turn(nodes[block])) @ weights[block]
        return total

    def _turn(self, t: Array) -> Array:
        """cos(theta - phi) at cos theta = t."""
        sines = np.sqrt((1.0 - t) * (1.0 + t))
        turned = math.sqrt(1.0 - self.delta) * t + math.sqrt(self.delta) * sines
        return np.clip(turned, -1.0, 1.0)

    def axis_rule(self, level: int = 0) -> tuple[Array, Array]:
        """The trapezoid rule in log tan(theta/2) for X, turned: analytic also at the poles."""
        a = 0.5 * (self.d - 1)
        v, complement, weights = tilted_beta_rule(a, a, 0.0, level)
        sines = 2.0 * np.sqrt(v * complement)
        turned = math.sqrt(1.0 - self.delta) * (v - complement) + math.sqrt(self.delta) * sines
        return self._sign * np.clip(turned, -1.0, 1.0), weights

    def log_potential(self, beta: float, t: ArrayLike) -> Array:
        """log E e^{beta (t t' + sqrt(1-t^2) sqrt(1-t'^2) z)} - log lambda_0(beta), by quadrature.

        t' = cos(theta - phi), z a coordinate on the sphere of the complement: lambda_0 of one
        dimension less. The trapezoid rule in y = log tan(theta/2), in which the density of theta is
        prop. to cosh(y)^{1-d}, with a step for the width 1/sqrt(d - 1 + 2 beta) of the narrowest
        peak, and as far as density times e^{2 beta} counts, which is much farther than the law
        itself: E e^{beta u.v} may come from v that are rare. Absolute error 1e-14 (1 + beta).
        """
        beta, t = arguments.nonnegative(beta, "beta"), cosines("t", t)
        power = self.d - 1.0
        step = min(0.15, 0.6 / math.sqrt(power + 2.0 * beta))
        # cosh^{1-d} is down by e^{-2 beta - 46} at the first; a cap of that size about a pole, of
        # radius e^{-y}, holds less than e^-46 of what the peak of width beta^{-1/2} does.
        reach = min((2.0 * beta + 46.0) / power + 1.0, 46.0 / power + 1.0 + 0.5 * math.log1p(beta))
        y = step * np.arange(-math.ceil(reach / step), math.ceil(reach / step) + 1)
        log_cosh = np.abs(y) + np.log1p(np.exp(-2.0 * np.abs(y))) - math.log(2.0)
        weights = np.exp(-power * log_cosh)
        log_total = math.log(math.fsum(weights))
        c, s = math.sqrt(1.0 - self.delta), math.sqrt(self.delta)
        tangent, secant = -np.tanh(y), np.exp(-log_cosh)  # cos theta and sin theta
        along = self._sign * (c * tangent + s * secant)
        across = np.abs(c * secant - s * tangent)  # |sin(theta - phi)|
        flat = t.ravel()
        result = np.empty(flat.size)
        height = max(1, _BLOCK_ENTRIES // y.size)
        for start in range(0, flat.size, height):
            block = flat[start : start + height, None]
            tilt = beta * across * np.sqrt((1.0 - block) * (1.0 + block))
            scaled = _log_mean_tilt(self.d - 1, tilt) + tilt
            exponent = beta * block * along + scaled - power * log_cosh
            top = exponent.max(axis=1)
            result[start : start + height] = top + np.log(np.exp(exponent - top[:, None]).sum(1))
        return np.reshape(result - log_total - log_lambda0(self.d, beta), t.shape)

    def log_density(self, x: ArrayLike) -> Array:
        """With psi the angle to e_1: (sin^{d-2}(psi+phi) + sin^{d-2}(phi-psi)) / sin^{d-2} psi.

        Relative to the uniform law, each term where its angle is in [0, pi]; infinite at the pole
        (d >= 3, 0 < delta < 1). For the law away from the pole, at -x.
        """
        rows, shape = geometry.points(x, self.d)
        t = self._sign * np.clip(rows[:, 0], -1.0, 1.0)
        sine = np.linalg.norm(rows[:, 1:], axis=1)
        c, s = math.sqrt(1.0 - self.delta), math.sqrt(self.delta)
        terms = []
        for turned_sine in (c * sine + s * t, s * t - c * sine):
            from_there = turned_sine > 0
            quotient = np.log(np.where(from_there, turned_sine, 1.0)) - _log(sine)
            # (d-2) log of a quotient; at a pole infinite, and 0 on the circle, where d - 2 = 0
            power = quotient * (self.d - 2) if self.d > 2 else np.zeros_like(quotient)
            terms.append(np.where(from_there, power, -np.inf))
        ratio = log_sum_exp(terms) if self.delta > 0 else np.zeros_like(sine)
        return np.reshape(ratio - log_area(self.d), shape)

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        x = uniform_sample(geometry.count(n), self.d, arguments.generator(rng))
        return turned(x, self.delta, self.toward)


def _log_mean_tilt(d: int, x: Array) -> Array:
    """log E e^{x z} - x, z one coordinate on S^(d-1), x >= 0; for d = 1, z = +-1."""
    if d == 1:
        result: Array = np.log1p(0.5 * np.expm1(-2.0 * x))
        return result
    return log_lambda0_scaled(d, x)


def _log(x: Array) -> Array:
    """log x, -inf at 0."""
    return np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), -np.inf)


def turned(x: Array, delta: float, toward: bool) -> Array:
    """x (n, d) turned by arcsin sqrt(delta) along the meridian through e_1."""
    c, s = math.sqrt(1.0 - delta), math.sqrt(delta) * (1.0 if toward else -1.0)
    sine = np.linalg.norm(x[:, 1:], axis=1)  # of the angle to e_1
    result = np.empty_like(x)
    result[:, 0] = c * x[:, 0] + s * sine
    # At a pole no meridian is distinguished: one direction is as good as another.
    inverse = np.where(sine > 0, 1.0 / np.where(sine > 0, sine, 1.0), 0.0)
    result[:, 1:] = c * x[:, 1:] - (s * x[:, 0] * inverse)[:, None] * x[:, 1:]
    return geometry.normalised(result)


def _mean_sine(d: int) -> float:
    """E sin theta for a uniform point, Gamma(d/2)^2 / (Gamma((d-1)/2) Gamma((d+1)/2)): by the rule
    for the law itself, since differences of log Gamma lose digits for large d."""
    a = 0.5 * (d - 1)
    v, complement, weights = tilted_beta_rule(a, a, 0.0)
    return float(weights @ (2.0 * np.sqrt(v * complement)))
