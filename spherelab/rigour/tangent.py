"""What equal marginals do, in balls: the tangent shift, whose within-view ratio exceeds 1.

X uniform on S^(d-1), Y(X) the unit tangent at X toward a fixed pole, U, V = sqrt(1-D) X +-
sqrt(D) Y(X): J = J0(D) exactly. With the uniformity of one view's own law,

    ratio = (2 beta D + U_beta)/(2 beta k0 sqrt(J0(D))),   U_beta = E log(1 + x(theta)),
    x(theta) = sum_{l>=1} r_l N_l a_l P_l(cos theta),   a_l = E P_l(cos theta),

theta = phi - alpha the angle of U to the pole, phi that of X (density prop. to sin^(d-2)), and
alpha = arcsin sqrt(D). All is finite trigonometry: P_l(cos theta) = sum_j c_lj cos(j theta) with
c_lj >= 0, and E cos(j theta) = e_j cos(j (pi/2 - alpha)), e_j = Gamma(d/2)^2/(Gamma((d+j)/2)
Gamma((d-j)/2)) (DLMF 5.12.6). Everything is divided by alpha where it vanishes with alpha, so that
boxes of D may touch 0:

    a_l = alpha b_l,  y = x/alpha,
    U_beta/alpha^2 = sum_l r_l N_l b_l^2 + sum_{k=2}^K (-1)^(k-1) alpha^(k-2) E y^k/k + rest.

*Tails.* |b_l| <= l (Bernstein's inequality for a cosine polynomial of degree l bounded by 1), so
what is left of y beyond degree L is at most sum_{l>L} l r_l N_l, whose terms' ratio falls with l
and is computed at L. With |y| <= Y and alpha Y < 1 the rest of the logarithm is at most
alpha^(K-1) Y^(K+1)/((K+1)(1 - alpha Y)).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from spherelab.arguments import ArgumentError, dimension
from spherelab.rigour.balls import BITS, Ball, Number, exact, flint, half, power, workprec
from spherelab.rigour.losses import extremal_ratio
from spherelab.rigour.spectrum import multiplicity, r, r_ratio_upper


@lru_cache(maxsize=64)
def cosine_coefficients(d: int, degree: int) -> tuple[Fraction, ...]:
    """c with P_l(cos theta) = sum_m c[m] cos((l - 2m) theta), m = 0..l; all >= 0, their sum is 1.

    c[m] is proportional to (lambda)_m (lambda)_{l-m}/(m! (l-m)!), lambda = d/2 - 1; at d = 2 only
    c[0] and c[l] remain.
    """
    if degree == 0:
        return (Fraction(1),)
    if d == 2:
        return (Fraction(1, 2), *([Fraction(0)] * (degree - 1)), Fraction(1, 2))
    rising = [Fraction(1)]  # (lambda)_m/m!
    for m in range(degree):
        rising.append(rising[-1] * Fraction(d - 2 + 2 * m, 2 * (m + 1)))
    products = [rising[m] * rising[degree - m] for m in range(degree + 1)]
    total = sum(products)
    return tuple(value / total for value in products)


def _shift_term(j: int, alpha: Ball) -> Ball:
    """(cos(j (pi/2 - alpha)) - cos(j pi/2))/alpha, smooth at alpha = 0."""
    if j % 2:
        sign = 1 if (j - 1) % 4 == 0 else -1
        return sign * j * (j * alpha).sinc()
    sign = 1 if j % 4 == 0 else -1
    return -sign * j * (j * alpha / 2).sin() * (j * alpha / 2).sinc()


@dataclass(frozen=True)
class _Shift:
    """The law of theta at one alpha (a ball)."""

    d: int
    alpha: Ball

    def mass(self, j: int) -> Ball:
        """e_j."""
        d = self.d
        return power(half(d).gamma(), 2) * half(d + j).rgamma() * half(d - j).rgamma()

    def mean_cosine(self, j: int) -> Ball:
        """E cos(j theta)."""
        return self.mass(j) * (j * (flint().arb.pi() / 2 - self.alpha)).cos()

    def slope(self, degree: int) -> Ball:
        """b_l = a_l/alpha."""
        total = flint().arb(0)
        for m, c in enumerate(cosine_coefficients(self.d, degree)):
            j = degree - 2 * m
            if j > 0 and c:  # c[m] and c[l-m] belong to the same cosine
                total += 2 * exact(c) * self.mass(j) * _shift_term(j, self.alpha)
        return total


def _last_degree(d: int, beta: Ball, bits: int) -> tuple[int, Ball, Ball]:
    """L, and bounds of sum_{l>L} l r_l N_l and of sum_{l>L} l^2 r_l N_l."""
    degree = 1
    while True:
        first = degree + 1
        growth = r_ratio_upper(first, d, beta) * exact(
            Fraction(
                multiplicity(d, first + 1) * (first + 1) ** 2, multiplicity(d, first) * first**2
            )
        )
        if growth < exact(Fraction(1, 2)):
            term = r(first, d, beta, bits) * multiplicity(d, first) * first
            if term * first < exact(Fraction(1, 2**bits)):
                return degree, (2 * term).upper(), (2 * term * first).upper()
        degree += 1


def tangent_uniformity(
    d: int, beta: Number, delta: Number, bits: int = BITS, order: int = 24
) -> Ball:
    """U_beta/alpha^2, alpha = arcsin sqrt(D), D small (a ball may touch 0); else not finite."""
    d = dimension(d)
    with workprec(bits + 32):
        arb, arb_poly = flint().arb, flint().arb_poly
        alpha = _angle(delta)
        shift = _Shift(d, alpha)
        b = exact(beta)
        last, tail, tail_squares = _last_degree(d, b, bits)
        # y as a polynomial in z = e^{i theta}, times z^last: coefficients from -last to last
        coefficients = [arb(0)] * (2 * last + 1)
        size, main = tail, arb(0).union(arb(tail_squares))
        for degree in range(1, last + 1):
            weight = r(degree, d, b, bits) * multiplicity(d, degree)
            slope = shift.slope(degree)
            main += weight * slope * slope
            size += abs(weight * slope)
            for m, c in enumerate(cosine_coefficients(d, degree)):
                coefficients[last + degree - 2 * m] += exact(c) * weight * slope
        y = arb_poly(coefficients)
        size = arb(size.upper())
        if not alpha * size < 1:
            return arb("nan")
        means = {0: arb(1)}
        product, total = y, main
        for k in range(2, order + 1):
            product = product * y
            mean = arb(0)
            for i in range(2 * last * k + 1):
                j = abs(i - last * k)
                if j not in means:
                    means[j] = shift.mean_cosine(j)
                mean += product[i] * means[j]
            slack = k * power(size, k - 1) * tail
            mean += slack * arb(0, 1)
            total += (-1) ** (k - 1) * power(alpha, k - 2) * mean / k
        top = arb(alpha.upper())
        rest = power(top, order - 1) * power(size, order + 1)
        rest /= (order + 1) * (1 - top * size)
        return total + rest * arb(0, 1)


def _angle(delta: Number) -> Ball:
    ball = exact(delta)
    arb = flint().arb
    if not (ball < 1 and ball > -1):
        raise ArgumentError(f"delta must be in [0, 1), got {ball.str(12)}")
    ends = (arb(max(ball.lower(), arb(0))), arb(ball.upper()))
    low, high = (end.sqrt().asin() for end in ends)
    return low.union(high)


def tangent_ratio(d: int, beta: Number, delta: Number, bits: int = BITS, order: int = 24) -> Ball:
    """The within-view ratio (2 beta D + U_beta)/(2 beta k0 sqrt(J0(D))); D may touch 0."""
    d = dimension(d)
    with workprec(bits + 32):
        arb = flint().arb
        ball = exact(delta)
        uniformity = tangent_uniformity(d, beta, ball, bits, order)
        # alpha^2/D = (arcsin(s)/s)^2 rises with s = sqrt(D), from 1
        top = arb(ball.upper())
        stretch = arb(1)
        if top > 0:
            stretch = stretch.union(power(top.sqrt().asin(), 2) / top)
        if ball.lower() > 0:
            low = arb(ball.lower())
            stretch = (power(low.sqrt().asin(), 2) / low).union(power(top.sqrt().asin(), 2) / top)
        return (1 + stretch * uniformity / (2 * exact(beta))) * extremal_ratio(ball, bits)
