"""The potential of a law: log G(u), G(u) = E_v e^{beta u.v} / lambda_0(beta), and g = G - 1.

A law is a finite mixture of zonal laws (``Law.components``), so g(u) = sum_j w_j h_j(u.m_j) with

    h_j(t) = sum_{l>=1} r_l N_l a_l^j P_l(t),   r_l = I_{l+nu}(beta)/I_nu(beta).

The series keeps its digits where g is small; the closed forms (von Mises-Fisher, atoms) keep them
where G is large. ``Potential`` offers both; ``excess`` takes the one that the size of g asks for.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.typing import NDArray

from spherelab.bessel import log_iv_quotient, log_lambda0
from spherelab.gegenbauer import clenshaw
from spherelab.laws import AxialLaw, Law, PointMass, TurnedUniform, Uniform, VonMisesFisher
from spherelab.sphere import log_multiplicity

Array = NDArray[np.float64]

_EPS = float(np.finfo(float).eps)
_LAST_DEGREE = 1 << 14
_DROP = 46.0  # terms below e^-46 = 1e-20 of the largest are left out


@dataclass(frozen=True)
class Group:
    """Components that share one profile h and differ by their axes."""

    law: AxialLaw
    weights: Array  # (m,)
    means: Array  # (m, d)

    @property
    def is_atoms(self) -> bool:
        return isinstance(self.law, PointMass)


def groups(law: Law) -> list[Group]:
    """The components of a law, its point masses together."""
    result: list[Group] = []
    atoms: list[tuple[float, AxialLaw]] = []
    for weight, component in law.components():
        if isinstance(component, PointMass):
            atoms.append((weight, component))
        else:
            result.append(Group(component, np.array([weight]), component.mean[None, :]))
    if atoms:
        weights = np.array([weight for weight, _ in atoms])
        means = np.array([component.mean for _, component in atoms])
        result.append(Group(atoms[0][1], weights, means))
    return result


def law_axes(law: Law) -> int:
    """How many axes the components have, opposite means counted once."""
    means = np.concatenate([group.means for group in groups(law)])
    if len(means) == 1:
        return 1
    first = np.argmax(means != 0, axis=1)
    flipped = np.sign(np.take_along_axis(means, first[:, None], axis=1)) * means + 0.0
    return len(np.unique(flipped, axis=0))


def is_uniform(law: Law) -> bool:
    """Whether it is the uniform law, or a mixture of such."""
    return all(
        isinstance(part, Uniform)
        or (isinstance(part, VonMisesFisher) and part.kappa == 0)
        or (isinstance(part, TurnedUniform) and part.delta == 0)
        for _, part in law.components()
    )


def coherent_log_mean(law: Law, degrees: NDArray[np.int64]) -> Array:
    """log sum_i w_i |a_l^i|: N_l times its square would be |q_l|^2 on one axis; a bound on it."""
    total = np.full(degrees.shape, -np.inf)
    for group in groups(law):
        size = group.law.log_mean_legendre(degrees)[1]
        total = np.logaddexp(total, size + math.log(math.fsum(group.weights)))
    return total


def coherent_error(law: Law, degrees: NDArray[np.int64]) -> Array:
    """sum_i w_i times the stated absolute error of a_l^i."""
    total = np.zeros(degrees.shape)
    for group in groups(law):
        total += math.fsum(group.weights) * group.law.mean_legendre_error(degrees)
    return total


def series(law: AxialLaw, beta: float) -> Array:
    """Coefficients r_l N_l a_l of h, l = 0.. (0 at l = 0), up to where they no longer count.

    Some may be inf where r_l N_l leaves the doubles; the caller then has to use a closed form.
    """
    d = law.dimension
    logs, signs = np.array([-np.inf]), np.array([0.0])
    top = -np.inf
    size = 64
    while True:
        degrees = np.arange(logs.size, logs.size + size)
        sign, log_size = law.log_mean_legendre(degrees)
        terms = log_iv_quotient(d, degrees, beta) + log_multiplicity(d, degrees) + log_size
        logs, signs = np.concatenate((logs, terms)), np.concatenate((signs, sign))
        top = max(top, float(np.max(terms)))
        # The tail is done when a whole stretch is negligible against the largest term.
        if top == -np.inf or np.max(terms[size // 2 :]) < top - _DROP:
            break
        if logs.size > _LAST_DEGREE:
            break
        size = logs.size
    kept = np.flatnonzero(logs >= top - _DROP)
    count = int(kept[-1]) + 1 if top > -np.inf else 1
    with np.errstate(over="ignore"):
        coefficients: Array = signs[:count] * np.exp(logs[:count])
    return coefficients


@dataclass(frozen=True)
class Potential:
    """g and log(1 + g) of a law at points given by their cosines to its axes."""

    beta: float
    parts: list[Group]
    coefficients: list[Array]

    @classmethod
    def of(cls, law: Law, beta: float) -> Potential:
        parts = groups(law)
        return cls(beta, parts, [series(part.law, beta) for part in parts])

    @property
    def series_size(self) -> float:
        """Sum of the absolute terms of the series: eps times this is its rounding error."""
        sizes = (
            float(np.sum(part.weights)) * float(np.abs(terms).sum())
            for part, terms in zip(self.parts, self.coefficients, strict=True)
        )
        return sum(sizes)

    def excess_by_series(self, cosines: list[Array]) -> Array:
        """g(u) from the series; ``cosines[j]`` has shape (points, axes of group j)."""
        total = np.zeros(len(cosines[0]))
        for part, terms, t in zip(self.parts, self.coefficients, cosines, strict=True):
            if terms.size > 1:
                total += clenshaw(part.law.dimension, terms, t) @ part.weights
        return total

    def log(
        self, cosines: list[Array], weights: Array, try_series: bool = True
    ) -> tuple[Array, float, bool]:
        """log(1 + g(u)), the error that its rounding makes in the weighted mean, and the route.

        From the series (route True) where that error, eps sum |terms| E 1/(1+g), stays below 2e-12
        of the mean (G is smoother than the law's own density, so E 1/(1+g) is of order one); else
        component by component.
        """
        noise = _EPS * self.series_size
        if try_series and noise < 1e-3:
            total = 1 + self.excess_by_series(cosines)
            lost = total <= 8 * noise  # far from the law, where G is nothing; |log G| <= 2 beta
            total = np.where(lost, 8 * noise, total)
            logs = np.log(total)
            error = noise * float(weights @ (1 / total)) + 2 * self.beta * float(weights @ lost)
            if error <= 2e-12 * abs(float(weights @ logs)):
                return logs, error, True
        rows: list[Array] = []
        missed = 0.0
        for part, t in zip(self.parts, cosines, strict=True):
            closed = part.law.log_potential(self.beta, t)
            if closed is None:
                coefficients, rest = _interpolant(part.law, self.beta)
                closed = np.asarray(chebval(t, coefficients), dtype=float)
                missed = max(missed, rest)
            rows.append(closed + np.log(part.weights))
        stacked = np.concatenate(rows, axis=1)
        top = stacked.max(axis=1)
        spread: Array = np.log(np.exp(stacked - top[:, None]).sum(axis=1))
        # logs of size beta were subtracted from each other
        rounding = _EPS * (4 * self.beta + 8 * float(weights @ (1 + np.abs(top))))
        return top + spread, missed + rounding, False


@functools.lru_cache(maxsize=64)
def _interpolant(law: AxialLaw, beta: float) -> tuple[Array, float]:
    """Chebyshev coefficients in t of ``log_potential_by_quadrature``, and the size of the last.

    Their number is doubled until the last quarter is rounding.
    """
    nodes = 32
    while True:
        angles = (np.arange(nodes) + 0.5) * np.pi / nodes
        values = log_potential_by_quadrature(law, beta, np.cos(angles))
        coefficients: Array = 2 / nodes * np.cos(np.outer(np.arange(nodes), angles)) @ values
        coefficients[0] /= 2
        sizes = np.abs(coefficients)
        if nodes >= 1024 or sizes[-nodes // 4 :].max() <= 8 * _EPS * max(1.0, sizes.max()):
            return coefficients, float(sizes[-nodes // 4 :].sum())
        nodes *= 2


def log_potential_by_quadrature(law: AxialLaw, beta: float, t: Array) -> Array:
    """log E_v e^{beta u.v} - log lambda_0(beta) at <u, mean> = t, for any law about an axis.

    With v at cosine t' to the axis, e^{beta u.v} averaged around it is e^{beta t t'} times
    lambda_0(beta sqrt(1-t^2) sqrt(1-t'^2)) of the sphere of the complement; the rest is a positive
    sum over t'. Used where the series would cancel and the law has no closed form.
    """
    d = law.dimension
    level = min(4, math.ceil(math.log2(1 + beta / 32)))
    cosines, weights = law.axis_rule(level)
    result = np.empty(t.size)
    height = max(1, (1 << 18) // cosines.size)
    for start in range(0, t.size, height):
        block = t[start : start + height, None]
        across = beta * np.sqrt(np.maximum((1 - block**2) * (1 - cosines**2), 0.0))
        around = np.logaddexp(across, -across) - np.log(2) if d == 2 else log_lambda0(d - 1, across)
        exponent = beta * block * cosines + around
        top = exponent.max(axis=1)
        sums = np.exp(exponent - top[:, None]) @ weights
        result[start : start + height] = top + np.log(sums)
    return result - float(log_lambda0(d, beta))
