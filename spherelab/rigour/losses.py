"""Enclosures of losses in closed form or by a positive series: J0, the mixture path, polygons.

J0(D) = (3-2D)^(-1/2) - 2 (3-D)^(-1/2) + 3^(-1/2) is the SG loss of the extremal family. Expanding
both roots by the binomial series,

    J0(D)/D^2 = 3^(-1/2) sum_{k>=2} (1/2)_k/k! (2^k - 2) 3^-k D^(k-2):

all terms are positive, and the first is 1/(12 sqrt 3) = 1/k0^2. That is the bound J0 >= D^2/k0^2 on
[0, 1], and an evaluation that does not cancel at 0. *Tail* from k = K, on D <= 1: (1/2)_k/k! falls
with k, so it is at most (1/2)_K/K! sum_{k>=K} (2/3)^k = 3 (1/2)_K/K! (2/3)^K.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from spherelab.arguments import ArgumentError, dimension
from spherelab.rigour.balls import (
    BITS,
    Ball,
    Number,
    certainly_within,
    exact,
    flint,
    power,
    workprec,
)
from spherelab.rigour.spectrum import mu, mu_ratio_upper, r, r_ratio_upper


def k0(bits: int = BITS) -> Ball:
    """k0 = 2 * 3^(3/4), the constant in D <= k0 sqrt(J)."""
    with workprec(bits + 32):
        return 2 * exact(27).root(4)


def _delta(delta: Number) -> Ball:
    ball = exact(delta)
    if not certainly_within(ball, 0, 1):
        # an outward rounded [0, 1] is still read as [0, 1]
        if ball > 1 or ball < 0 or not ball.is_finite():
            raise ArgumentError(f"delta must be in [0, 1], got {ball.str(12)}")
        ball = ball.intersection(flint().arb(0).union(flint().arb(1)))
    return ball


@lru_cache(maxsize=64)
def _quotient_polynomial(first: int, count: int, bits: int) -> tuple[Ball, Ball]:
    """The coefficients (1/2)_k/k! (2^k - 2) 3^-k, first <= k < count, and the rest at D = 1."""
    module = flint()
    with workprec(bits):
        coefficients, weight = [], Fraction(1)
        for k in range(count):
            if k >= first:
                coefficients.append(exact(weight * (2**k - 2)))
            weight *= Fraction(2 * k + 1, 6 * (k + 1))  # (1/2)_k/k! 3^-k
        return module.arb_poly(coefficients), exact(3 * weight * 2**count)


def _quotient_from(first: int, delta: Ball, bits: int) -> Ball:
    """sum_{k>=first} (1/2)_k/k! (2^k - 2) 3^(-k-1/2) D^(k-first), D in [0, 1]: rises with D."""
    arb = flint().arb
    count = first + 2 * bits + 16  # (2/3)^count < 2^-bits
    polynomial, rest = _quotient_polynomial(first, count, bits + 32)
    below, above = polynomial(arb(delta.lower())), polynomial(arb(delta.upper())) + rest
    return below.union(above) / exact(3).sqrt()


def extremal_quotient(delta: Number, bits: int = BITS) -> Ball:
    """J0(D)/D^2 on [0, 1]; 1/k0^2 at D = 0. Balls that touch 0 are as good as others."""
    with workprec(bits + 32):
        return _quotient_from(2, _delta(delta), bits)


def extremal_excess(delta: Number, bits: int = BITS) -> Ball:
    """(J0(D) - D^2/k0^2)/D^3 on [0, 1]; (5/6)/k0^2 at D = 0."""
    with workprec(bits + 32):
        return _quotient_from(3, _delta(delta), bits)


def extremal_loss(delta: Number, bits: int = BITS) -> Ball:
    """J0(D), the SG loss of the extremal family at misalignment D in [0, 1]."""
    with workprec(bits + 32):
        ball = _delta(delta)
        arb = flint().arb
        # J0 rises with D; a ball around [0, h] may reach below 0
        low, high = arb(max(ball.lower(), arb(0))), arb(ball.upper())
        below = low * low * _quotient_from(2, low, bits)
        return below.union(high * high * _quotient_from(2, high, bits))


def extremal_ratio(delta: Number, bits: int = BITS) -> Ball:
    """D/(k0 sqrt(J0(D))): excess over the leading term of Theorem 1, for every d and beta."""
    with workprec(bits + 32):
        return 1 / (k0(bits) * extremal_quotient(delta, bits).sqrt())


def extremal_second_order(delta: Number, bits: int = BITS) -> Ball:
    """c(D) with D/(k0 sqrt(J0(D))) = 1 - (5/12) D + c(D) D^2 on [0, 1].

    k0^2 J0/D^2 = 1 + y, y = (5/6) D + w D^2, and (1+y)^(-1/2) = 1 - y/2 + v y^2 with
    v = (s+2)/(2 s (s+1)^2), s = sqrt(1+y): nothing cancels. So c = -w/2 + v (5/6 + w D)^2.
    """
    with workprec(bits + 32):
        ball = _delta(delta)
        square = 12 * exact(3).sqrt()  # k0^2
        w = square * _quotient_from(4, ball, bits)
        slope = exact(Fraction(5, 6)) + w * ball
        s = (1 + ball * slope).sqrt()
        v = (s + 2) / (2 * s * (s + 1) * (s + 1))
        return v * slope * slope - w / 2


# --- the mixture path of Proposition 3 ------------------------------------------------------------


def mixture_constant(d: int, bits: int = BITS) -> Ball:
    """I_d = E_s (e^(-s^2/4) 0F1(; d/2; s^4/64) - e^(-s^2/2))^2, s ~ N(0, 1): J = eps^2 I_d.

    Squared out, and integrated term by term with E e^(-(q-1)s^2/2) s^(4n) = q^(-1/2-2n) (4n-1)!!:

        I_d = 2^(-1/2) sum_n t_n - 2 (2/5)^(1/2) sum_n u_n + 3^(-1/2),
        t_n = (b-1/2)_n (1/4)_n (3/4)_n/((b)_n (2b-1)_n n!) 4^-n     (b = d/2; 0F1^2 is a 1F2),
        u_n = (1/4)_n (3/4)_n/((b)_n n!) 25^-n.

    *Tails*: for b >= 1, t_{n+1}/t_n < 1/4 and u_{n+1}/u_n < 1/25.
    """
    d = dimension(d)
    with workprec(bits + 32):
        arb = flint().arb
        return (
            _mixture_square(d, bits) / arb(2).sqrt()
            - 2 * exact(Fraction(2, 5)).sqrt() * _mixture_cross(d, bits)
            + 1 / arb(3).sqrt()
        )


def _mixture_square(d: int, bits: int) -> Ball:
    """sum t_n: (b-1/2+n)/(b+n) < 1 and (1/4+n)(3/4+n) < (2b-1+n)(n+1), so the ratio is < 1/4."""
    module = flint()
    total, term = module.arb(0), module.arb(1)
    for n in range((bits + 32) // 2 + 8):
        total += term
        top = (d - 1 + 2 * n) * (4 * n + 1) * (4 * n + 3)
        term *= module.fmpq(top, (d + 2 * n) * 64 * (d - 1 + n) * (n + 1))
    return total + module.arb(0).union(term * 4 / 3)


def _mixture_cross(d: int, bits: int) -> Ball:
    """sum u_n: (1/4+n)(3/4+n) < (b+n)(n+1), so the ratio is < 1/25."""
    module = flint()
    total, term = module.arb(0), module.arb(1)
    for n in range((bits + 32) // 4 + 8):
        total += term
        term *= module.fmpq((4 * n + 1) * (4 * n + 3), 200 * (d + 2 * n) * (n + 1))
    return total + module.arb(0).union(term * 25 / 24)


def mixture_ratio(d: int, bits: int = BITS) -> Ball:
    """1/(2 k0 sqrt(I_d)): excess over the leading term on the mixture path, every beta and eps."""
    with workprec(bits + 32):
        return 1 / (2 * k0(bits) * mixture_constant(d, bits).sqrt())


def mixture_ratio_limit(bits: int = BITS) -> Ball:
    """Its limit as d -> inf: t_n and u_n vanish but for n = 0."""
    with workprec(bits + 32):
        arb = flint().arb
        constant = 1 / arb(2).sqrt() - 2 * exact(Fraction(2, 5)).sqrt() + 1 / arb(3).sqrt()
        return 1 / (2 * k0(bits) * constant.sqrt())


def mixture_ratio_beyond(d: int, bits: int = BITS) -> Ball:
    """An upper bound of the mixture ratio for all dimensions >= d.

    sum t_n >= 1, and sum u_n falls in b: I >= 2^(-1/2) - 2 (2/5)^(1/2) sum u_n(d) + 3^(-1/2).
    """
    d = dimension(d)
    with workprec(bits + 32):
        arb = flint().arb
        cross_term = 2 * exact(Fraction(2, 5)).sqrt() * _mixture_cross(d, bits)
        least = 1 / arb(2).sqrt() - cross_term + 1 / arb(3).sqrt()
        return 1 / (2 * k0(bits) * least.sqrt())


# --- the aligned regular polygon ------------------------------------------------------------------


def polygon_loss(n: int, bits: int = BITS) -> Ball:
    """J = 2 sum_{k>=1} mu_{kn}, d = 2: the SG loss of the aligned uniform law on a regular n-gon.

    *Tail* from k = K: mu_{m+1}/mu_m <= q for m >= Kn (`spectrum.mu_ratio_upper`), so it is at most
    mu_{Kn}/(1 - q^n).
    """
    n = dimension(n, minimum=2, name="n")
    with workprec(bits + 32):
        total, k = flint().arb(0), 1
        while True:
            term = mu(k * n, 2, bits)
            q = power(mu_ratio_upper(k * n), n)
            small = term < total * flint().arb(2) ** (-bits)
            if q < 1 and small:
                return 2 * (total + flint().arb(0).union(term / (1 - q)))
            total += term
            k += 1


def polygon_excess(n: int, beta: Number, bits: int = BITS) -> Ball:
    """U_beta = log(1 + 2 sum_{k>=1} r_{kn}(beta)), d = 2, of the uniform law on a regular n-gon.

    *Tail* from k = K: r_{m+1}/r_m <= q = beta/(2Kn + 2) for m >= Kn, so at most r_{Kn}/(1 - q^n).
    """
    n = dimension(n, minimum=2, name="n")
    with workprec(bits + 32):
        total, k = flint().arb(0), 1
        while True:
            term = r(k * n, 2, beta, bits)
            q = power(r_ratio_upper(k * n, 2, beta), n)
            small = term < total * flint().arb(2) ** (-bits)
            if q < 1 and small:
                return (2 * (total + flint().arb(0).union(term / (1 - q)))).log1p()
            total += term
            k += 1


def polygon_ratio(n: int, beta: Number, bits: int = BITS) -> Ball:
    """Excess of the aligned regular n-gon over the leading term: U_beta/(2 beta k0 sqrt J)."""
    with workprec(bits + 32):
        leading = 2 * exact(beta) * k0(bits) * polygon_loss(n, bits).sqrt()
        return polygon_excess(n, beta, bits) / leading
