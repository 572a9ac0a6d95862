"""The spectrum of the Shared Gaussianization lift: mu_l, k_l(r1, r2), gains and profiles.

The lift of a point r u (|u| = 1) is the characteristic function of r R a.u, R ~ chi_d, seen in
every direction a. Its degree-l part has the profile psi_l(r s) at frequency s, and

    k_l(r1, r2) = E_s psi_l(r1 s) psi_l(r2 s), s ~ N(0, 1);
    mu_l(Delta) = k_l(r, r), r^2 = 1 - Delta.

Form used. With T of ``kummer``, A = (l+d)/2, B = l/2 and x = s^2/2 (DLMF 13.4.1 applied to the
Kummer form of psi_l; the Gamma functions of d cancel),

    psi_l(s) = 2^(-l/2) s^l T(A, B; s^2/2) / Gamma(l/2),
    k_l(r1, r2) = (r1 r2)^l / (sqrt(pi) Gamma(l/2)^2)
                  int_0^inf x^(l-1/2) e^-x T(A, B; r1^2 x) T(A, B; r2^2 x) dx,

a positive integral of positive integrals: the trapezoid rule in log x, over that of ``kummer`` in
logit v. Forms that are not used: the alternating 1F1 (cancels to nothing), Appell's F2 (kept for
tests), the finite forms in sqrt 2 and sqrt 3 (they cancel).

Accuracy, against ball arithmetic for d from 2 to 1e5, l to 1e4 and radii to 5: logs to 1e-14
absolute or one ulp of the result, gain_l/mu_l to 1e-15 relative. Radii to 1000: 1e-13 or one ulp.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spherelab import extended
from spherelab.kummer import (
    DROP,
    Centre,
    centre,
    curvature,
    grid,
    log_beta_laplace,
    log_height,
    offsets,
    reach,
    step,
)

Array = NDArray[np.float64]
Degrees = NDArray[np.int64]

_BLOCK = 1 << 18  # elements of one (degrees, x, v) block: stays in cache


@dataclass(frozen=True)
class _Inner:
    """The rule in logit v for T(a, c; square * x), for x around x0; one row a degree."""

    a: Array
    c: Array
    square: Array
    tilt: Array  # square * x0
    at: Centre
    left: Array
    right: Array
    spacing: Array

    @classmethod
    def around(
        cls, a: Array, c: Array, square: Array, x0: Array, low: Array, high: Array
    ) -> _Inner:
        """Set up at x0, wide enough for every x from low to high."""
        tilt = square * x0
        at = centre(a, c, tilt)
        bend = curvature(a, c, tilt, at)
        start = 4.0 / np.sqrt(bend)
        for x in (low, high):  # the step must serve every x
            bend = np.maximum(bend, curvature(a, c, square * x, centre(a, c, square * x)))
        # A larger tilt moves the law of v to the left.
        left = reach(a, c, square * high, at, -1, start)
        right = reach(a, c, square * low, at, +1, start)
        return cls(a, c, square, tilt, at, left, right, step(bend))

    @property
    def width(self) -> Array:
        return (self.left + self.right) / self.spacing + 3

    def rows(self, index: slice) -> _Inner:
        a, c, square, tilt = (p[index] for p in (self.a, self.c, self.square, self.tilt))
        at = Centre(self.at.v[index], self.at.w[index])
        return _Inner(
            a, c, square, tilt, at, self.left[index], self.right[index], self.spacing[index]
        )

    def rise(self, xi: Array, change: Array) -> Array:
        """log of the height of T at x0 e^xi, less that at x0 and less -square change v0; >= 0."""
        a, c, square = self.a[:, None], self.c[:, None], self.square[:, None]
        top = centre(a, c, self.tilt[:, None] * np.exp(xi))
        at = Centre(self.at.v[:, None], self.at.w[:, None])
        point = offsets(at, np.log(top.v / top.w) - np.log(at.v / at.w))
        bent = a * point.log_v + c * point.log_w - self.tilt[:, None] * point.shift
        return bent - square * change * point.shift

    def sums(self, change: Array, rise: Array | None) -> tuple[Array, Array]:
        """T at x0 + change, divided by its height at x0 and by e^{rise - square change v0}.

        ``change`` and ``rise`` (None for 0) are (degrees, x). Returns the sums against 1 and
        against 1 - v, same shape.
        """
        y = grid(self.left, self.right, self.spacing)  # (degrees, v)
        point = offsets(Centre(self.at.v[:, None], self.at.w[:, None]), y)
        base = self.a[:, None] * point.log_v + self.c[:, None] * point.log_w
        base -= self.tilt[:, None] * point.shift
        slope = self.square[:, None] * point.shift
        terms = change[:, :, None] * slope[:, None, :]  # (degrees, x, v)
        np.subtract(base[:, None, :], terms, out=terms)
        if rise is not None:
            terms -= rise[:, :, None]
        np.exp(terms, out=terms)
        terms *= self.spacing[:, None, None]
        w = self.at.w[:, None] * np.exp(point.log_w)
        return terms.sum(axis=2), np.matmul(terms, w[:, :, None])[:, :, 0]

    def log_height(self) -> extended.Pair:
        """log of the integrand of T at its centre for x0."""
        return log_height(self.a, self.c, self.tilt, self.at)


@dataclass(frozen=True)
class _Rule:
    """The double trapezoid rule of k_l(r1, r2), one row a degree (degrees >= 1, increasing)."""

    degrees: Array
    x0: Array
    left: Array
    right: Array
    inner: tuple[_Inner, ...]  # one radius, or two

    @classmethod
    def build(cls, d: int, degrees: Array, squares: tuple[float, ...]) -> _Rule:
        a, c = 0.5 * (degrees + d), 0.5 * degrees
        power = degrees + 0.5
        full = [np.full_like(degrees, square) for square in squares]
        both = full if len(full) == 2 else full * 2

        def load(x: Array) -> Array:  # 1 + r1^2 v1 + r2^2 v2 at the maximum for this x
            return 1.0 + np.add(*(square * centre(a, c, square * x).v for square in both))

        low, high = power / (1.0 + sum(squares[0:1] + squares[-1:])), np.array(power)
        for _ in range(26):  # where x load(x) = power; single precision is plenty
            middle = np.sqrt(low * high)
            over = middle * load(middle) > power
            low, high = np.where(over, low, middle), np.where(over, middle, high)
        x0 = np.sqrt(low * high)

        def height(x: Array) -> Array:
            value = power * np.log(x) - x
            for square in both:
                at = centre(a, c, square * x)
                value += a * np.log(at.v) + c * np.log(at.w) - square * x * at.v
            return value

        top = height(x0)
        edges = []
        for side in (-1, 1):
            outer = np.full_like(x0, 1.0)
            outer /= np.sqrt(power)
            inner = np.zeros_like(x0)
            for _ in range(40):
                short = height(x0 * np.exp(side * outer)) > top - DROP
                if not np.any(short):
                    break
                inner, outer = np.where(short, outer, inner), np.where(short, 2 * outer, outer)
            for _ in range(5):
                middle = 0.5 * (inner + outer)
                short = height(x0 * np.exp(side * middle)) > top - DROP
                inner, outer = np.where(short, middle, inner), np.where(short, outer, middle)
            edges.append(outer)
        left, right = edges
        rules = tuple(
            _Inner.around(a, c, square, x0, x0 * np.exp(-left), x0 * np.exp(right))
            for square in full
        )
        return cls(degrees, x0, left, right, rules)

    @property
    def spacing(self) -> Array:
        # e^(power xi - load e^xi), averaged over loads: the simpler case of ``step``.
        return step(self.degrees + 0.5, 20.0)

    def blocks(self) -> Iterator[slice]:
        """Runs of degrees whose common grid has at most _BLOCK elements."""
        size = (self.left + self.right) / self.spacing + 3
        for inner in self.inner:
            size = size * np.maximum(inner.width, 1.0) if inner is self.inner[0] else size
        first = 0
        while first < size.size:
            largest = np.maximum.accumulate(size[first : first + 4096])
            fits = largest * np.arange(1, largest.size + 1) <= _BLOCK
            count = max(1, int(np.count_nonzero(fits)))
            yield slice(first, first + count)
            first += count

    def evaluate(self) -> tuple[extended.Pair, Array]:
        """log of the double integral, and E x (w1 + w2) under the normalised integrand."""
        area = np.empty_like(self.x0)
        mean = np.empty_like(self.x0)
        for index in self.blocks():
            spacing = self.spacing[index]
            xi = grid(self.left[index], self.right[index], spacing)  # (degrees, x)
            x0 = self.x0[index, None]
            change = x0 * np.expm1(xi)
            inner = [rule.rows(index) for rule in self.inner]
            # Radii above 1 see x far from x0, where T is too large against its height at x0.
            far = any(np.any(rule.square > 1) for rule in inner)
            rises = [rule.rise(xi, change) if far else None for rule in inner]
            pairs = [rule.sums(change, rise) for rule, rise in zip(inner, rises, strict=True)]
            if len(pairs) == 1:
                inner, pairs, rises = inner * 2, pairs * 2, rises * 2
            load = 1.0 + np.add(*(rule.square * rule.at.v for rule in inner))
            exponent = (self.degrees[index, None] + 0.5) * xi - change * load[:, None]
            for rise in rises:
                if rise is not None:
                    exponent += rise
            outer = np.exp(exponent) * spacing[:, None]
            (first, first_w), (second, second_w) = pairs
            weights = outer * first * second
            sums = weights.sum(axis=1)
            area[index] = np.log(sums)
            weighted = outer * (x0 + change) * (first_w * second + first * second_w)
            mean[index] = weighted.sum(axis=1) / sums
        inner = list(self.inner) if len(self.inner) == 2 else list(self.inner) * 2
        power = self.degrees + 0.5
        result = extended.total(
            extended.scale(power, extended.log(self.x0)),
            extended.exact(-self.x0),
            *(rule.log_height() for rule in inner),
            extended.exact(area),
        )
        return result, mean


def _log_prefactor(degrees: Array) -> extended.Pair:
    """-log[sqrt(pi) Gamma(l/2)^2]."""
    return extended.total(
        extended.scale(-0.5, extended.LOG_PI),
        extended.scale(-2.0, extended.log_gamma(0.5 * degrees)),
    )


def _rule(d: int, degrees: Degrees, squares: tuple[float, ...]) -> tuple[Array, Array]:
    """log k_l and E x (w1 + w2) for flat positive ``degrees``, in any order."""
    unique, where = np.unique(degrees, return_inverse=True)
    if unique.size == 0:
        return np.empty(0), np.empty(0)
    rule = _Rule.build(d, unique.astype(float), squares)
    integral, mean = rule.evaluate()
    both = squares if len(squares) == 2 else squares * 2
    radii = extended.scale(0.5 * unique, extended.add(*(extended.log(np.float64(s)) for s in both)))
    high, low = extended.total(integral, _log_prefactor(unique.astype(float)), radii)
    return (high + low)[where], mean[where]


def log_cross(d: int, degrees: Degrees, square1: float, square2: float) -> Array:
    """log k_l(r1, r2) from the squared radii; degrees any shape, >= 0; arguments checked before."""
    flat = degrees.ravel()
    result = np.full(flat.shape, -0.5 * np.log1p(square1 + square2))
    positive = flat > 0
    if square1 == 0.0 or square2 == 0.0:
        result[positive] = -np.inf
    else:
        squares = (square1,) if square1 == square2 else (square1, square2)
        result[positive] = _rule(d, flat[positive], squares)[0]
    return result.reshape(degrees.shape)


def log_mu_and_gain_ratio(d: int, degrees: Degrees) -> tuple[Array, Array]:
    """log mu_l and gain_l / mu_l.

    gain_l/mu_l = l - E x (v1 + v2) by differentiating in r^2, which cancels for l = 1. Integrating
    by parts in x, E x (1 + v1 + v2) = l + 1/2, turns it into the positive form

        gain_l/mu_l = (l-1)/3 + (1/3) E x (w1 + w2),   w = 1 - v,

    which also proves gain_l/mu_l > (l-1)/3. At l = 0: -1/3.
    """
    flat = degrees.ravel()
    log_mu = np.full(flat.shape, -0.5 * np.log(3.0))
    ratio = np.full(flat.shape, -1.0 / 3.0)
    positive = flat > 0
    log_mu[positive], mean = _rule(d, flat[positive], (1.0,))
    ratio[positive] = (flat[positive] - 1 + mean) / 3.0
    return log_mu.reshape(degrees.shape), ratio.reshape(degrees.shape)


def log_profile(d: int, degrees: Degrees, s: Array) -> Array:
    """log psi_l(s), s >= 0: the modulus of the degree-l coefficient of u -> E_R e^{i s R a.u}.

    ``degrees`` and ``s`` are broadcast against each other.
    """
    degrees, s = np.broadcast_arrays(degrees, s)
    half = 0.5 * s * s
    result = -half
    harmonic = degrees > 0
    some = harmonic & (s > 0)
    result = np.where(harmonic, -np.inf, result)
    l, x = degrees[some].astype(float), s[some]  # noqa: E741
    high, low = extended.total(
        log_beta_laplace(0.5 * (l + d), 0.5 * l, half[some]),
        extended.scale(l, extended.log(x)),
        extended.scale(-0.5 * l, extended.LOG_2),
        extended.scale(-1.0, extended.log_gamma(0.5 * l)),
    )
    result[some] = high + low
    return result
