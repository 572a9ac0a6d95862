"""Enclosures of spectra: the lift's k_l, mu_l and gain_l, and the exponential kernel's lambda_l.

The lift. With V1, V2 iid Beta((l+d)/2, l/2), W = 1 - V and p = 1 + r1^2 + r2^2, the two-radius
spectrum is (SG paper; the Beta mean is Euler's integral, DLMF 13.4.1, for both Kummer factors)

    k_l(r1, r2) = (r1 r2)^l Q^2 Gamma(c)/sqrt(pi) E (1 + r1^2 V1 + r2^2 V2)^-c,
    Q = Gamma((l+d)/2)/Gamma(l+d/2),  c = l + 1/2,

and 1 + r1^2 V1 + r2^2 V2 = p - r1^2 W1 - r2^2 W2, so that by the binomial series

    E (...)^-c = p^-c sum_n (c)_n p^-n s_n,   s_n = [z^n] M(r1^2 z) M(r2^2 z) > 0,
    M(z) = E e^{zW} = 1F1(l/2; l+d/2; z).

All terms are positive: one product of two polynomials gives them. *Tail.* n! s_n = E (r1^2 W1 +
r2^2 W2)^n <= (p-1)^n E W^n by convexity, so the n-th term is at most

    T_n = (c)_n/n! rho^n (a)_n/(b)_n,   rho = (p-1)/p,  a = l/2,  b = l + d/2 >= c,
    T_{n+1}/T_n <= rho max(1, (a+n)/(n+1)),

a bound that does not grow with n; the sum over n >= N is at most T_N/(1 - that bound at N).

The gain. d/dDelta under the sum, or (1/2) E_s (s^2-1) psi_l^2, both give

    gain_l/mu_l = (l-1)/3 + <n>/3,   <n> = the mean of n under the terms of the series, r1 = r2 = 1,

which is positive term by term: gain_l > 0, and gain_l/mu_l > (l-1)/3, for all l >= 1 and d >= 2.

The exponential kernel. lambda_l(beta) = (beta/2)^l/(d/2)_l 0F1(; l+d/2; beta^2/4): Arb's 0F1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from spherelab.arguments import ArgumentError, dimension
from spherelab.rigour.balls import BITS, Ball, Number, exact, flint, half, power, workprec


def multiplicity(d: int, degree: int) -> int:
    """N_l, the dimension of the harmonics of a degree on S^(d-1), exactly."""
    d = dimension(d)
    if degree == 0:
        return 1
    if d == 2:
        return 2
    below = math.comb(degree + d - 3, d - 1) if degree >= 2 else 0
    return math.comb(degree + d - 1, d - 1) - below


# --- the lift -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Series:
    """sum t_n and sum n t_n of the positive series of E (...)^-c p^c, tails included."""

    total: Ball
    first_moment: Ball


def _terms_needed(degree: int, d: int, rho: float, bits: int) -> int:
    """How many terms leave a tail below 2^-bits of the first: a guess, the bound is computed."""
    a, b, c = degree / 2, degree + d / 2, degree + 0.5
    log_term, n = 0.0, 0
    while True:
        q = rho * max(1.0, (a + n) / (n + 1.0)) * (n + 1.0) / max(n, 1)
        if q < 0.999 and log_term - math.log1p(-q) < -(bits + 8) * math.log(2.0):
            return n + 1
        if n > 4 * degree + 64 * bits + 100_000:
            return n
        log_term += math.log(rho * (c + n) * (a + n) / ((n + 1.0) * (b + n)))
        n += 1


def _series(degree: int, d: int, first: Ball, second: Ball, bits: int) -> _Series:
    """The series for squared radii ``first, second`` (balls within [0, 1], not both 0)."""
    module = flint()
    arb, fmpq = module.arb, module.fmpq
    l = degree  # noqa: E741
    p = 1 + first + second
    rho = (p - 1) / p
    count = max(2, _terms_needed(l, d, float(rho.upper()), bits))

    def moments(square: Ball) -> Ball:
        # coefficients of M(square z / p): (a)_k/((b)_k k!) (square/p)^k
        scale = square / p
        values = [arb(1)]
        for k in range(count - 1):
            values.append(values[-1] * fmpq(l + 2 * k, (2 * l + d + 2 * k) * (k + 1)) * scale)
        return module.arb_poly(values)

    left = moments(first)
    product = left * (left if first is second else moments(second))
    total, moment, rise = arb(0), arb(0), arb(1)  # rise = (c)_n
    for n in range(count):
        term = rise * product[n]
        total += term
        moment += n * term
        rise *= fmpq(2 * l + 1 + 2 * n, 2)
    # T_N at N = count, by Pochhammer symbols, and the bound on all later ratios
    a, b, c = half(l), half(2 * l + d), half(2 * l + 1)
    big = c.rising(arb(count)) * a.rising(arb(count)) / b.rising(arb(count))
    big *= power(rho, count) / arb(count).fac()
    growth = (a + count) / (count + 1)
    growth = arb(1) if growth <= 1 else growth
    q = rho * growth
    q_moment = q * (count + 1) / count  # the ratio of n T_n
    if not (q < 1 and q_moment < 1):
        return _Series(arb("nan"), arb("nan"))
    tail = (big / (1 - q)).upper()
    tail_moment = (count * big / (1 - q_moment)).upper()
    return _Series(
        total + arb(0).union(arb(tail)),
        moment + arb(0).union(arb(tail_moment)),
    )


@lru_cache(maxsize=4096)
def _unit_series(degree: int, d: int, bits: int) -> _Series:
    """The series at r1 = r2 = 1."""
    with workprec(bits + 32):
        one = flint().arb(1)
        return _series(degree, d, one, one, bits)


def _lead(degree: int, d: int, p: Ball) -> Ball:
    """Q^2 Gamma(c)/sqrt(pi) p^-c."""
    l = degree  # noqa: E741
    logs = 2 * (half(l + d).lgamma() - half(2 * l + d).lgamma()) + half(2 * l + 1).lgamma()
    pi = flint().arb.pi()
    return (logs - half(2 * l + 1) * p.log() - pi.log() / 2).exp()


def check_degree(degree: int, d: int, lowest: int) -> tuple[int, int]:
    if isinstance(degree, bool) or int(degree) != degree or degree < lowest:
        raise ArgumentError(f"degree must be an integer >= {lowest}, got {degree!r}")
    return int(degree), dimension(d)


def cross(degree: int, d: int, r1sq: Number, r2sq: Number, bits: int = BITS) -> Ball:
    """k_l(r1, r2) from the squared radii r1^2, r2^2 in [0, 1] (balls allowed).

    Degree 0 is the closed form 1/sqrt(1 + r1^2 + r2^2).
    """
    degree, d = check_degree(degree, d, 0)
    with workprec(bits + 32):
        first = exact(r1sq)
        second = first if r2sq is r1sq else exact(r2sq)
        p = 1 + first + second
        if degree == 0:
            return 1 / p.sqrt()
        if first.is_zero() or second.is_zero():
            return flint().arb(0)
        whole = first == 1 and second == 1
        series = _unit_series(degree, d, bits) if whole else _series(degree, d, first, second, bits)
        radii = power(first * second, degree // 2)  # (r1 r2)^l
        if degree % 2:
            radii *= (first * second).sqrt()
        return radii * _lead(degree, d, p) * series.total


def mu(degree: int, d: int, bits: int = BITS, delta: Number = 0) -> Ball:
    """mu_l(Delta) = k_l(r, r), r^2 = 1 - Delta, to about ``bits`` bits."""
    with workprec(bits + 32):
        square = 1 - exact(delta)
    return cross(degree, d, square, square, bits)


def gain_ratio(degree: int, d: int, bits: int = BITS) -> Ball:
    """gain_l/mu_l = (l - 1)/3 + <n>/3, l >= 1."""
    degree, d = check_degree(degree, d, 1)
    with workprec(bits + 32):
        series = _unit_series(degree, d, bits)
        return (degree - 1 + series.first_moment / series.total) / 3


def gain(degree: int, d: int, bits: int = BITS) -> Ball:
    """gain_l = -d mu_l/dDelta at 0, l >= 1."""
    degree, d = check_degree(degree, d, 1)
    with workprec(bits + 32):
        series = _unit_series(degree, d, bits)
        return _lead(degree, d, exact(3)) * ((degree - 1) * series.total + series.first_moment) / 3


def gain_ratio_lower(degree: Number, d: Number) -> Ball:
    """A closed lower bound: gain_l/mu_l >= (l-1)/3 + l(2l+1)/(3(4l+3d)), all l >= 1, d >= 2; ours.

    <n> = c E*[S/(3-S)], S = W1 + W2, E* under the density (3-S)^-c relative to the law of the W.
    That density and S/(3-S) both rise with S, so E* >= E (Chebyshev's inequality), and S/(3-S) is
    convex, so E >= ES/(3-ES) (Jensen) with ES = 2l/(2l+d). As d grows with l fixed it is sharp.
    """
    l, dim = exact(degree), exact(d)  # noqa: E741
    # the second term, written so that l and d come once each where it matters for wide balls
    return (l - 1) / 3 + 1 / (12 / (2 * l + 1) + 9 * dim / (l * (2 * l + 1)))


# --- the bounds on ratios of neighbours, for tails ------------------------------------------------


def mu_ratio_upper(degree: int) -> Ball:
    """q with mu_{m+1}/mu_m <= q for all m >= degree and every d >= 2.

    mu_m = C_m I_m, C_m = Gamma(m+1/2)/(sqrt(pi) Gamma(m/2)^2), I_m = int int h^m w dv1 dv2 with

        h = sqrt(v1(1-v1) v2(1-v2))/(1+v1+v2),
        w = (v1 v2)^(d/2-1) ((1-v1)(1-v2))^-1 (1+v1+v2)^(-1/2).

    h <= (2 - sqrt 3)/2: for a given sum of v1 and v2 the product is largest at v1 = v2, and
    v(1-v)/(1+2v) is largest at v = (sqrt 3 - 1)/2. By DLMF 5.6.4, Gamma(x+1/2)/Gamma(x) is above
    x/sqrt(x+1), so C_{m+1}/C_m = (m+1/2) (Gamma(m/2)/Gamma((m+1)/2))^2 < 2(m+1/2)(m+2)/m^2, which
    falls in m.
    """
    l = degree  # noqa: E741
    return (2 - exact(3).sqrt()) * exact(Fraction((2 * l + 1) * (l + 2), 2 * l * l))


def mu_ratio_lower(degree: int, d: int, bits: int = BITS) -> Ball:
    """q with mu_{m+1}/mu_m >= q for all m >= degree, at this d.

    I_m above is the m-th moment of h under a positive measure, hence log-convex in m (Cauchy and
    Schwarz): I_{m+1}/I_m rises with m, so it is at least its value at ``degree``. And C_{m+1}/C_m =
    (m+1/2)(Gamma(m/2)/Gamma((m+1)/2))^2 > (m+1/2)/(m/2) > 2, since Gamma(x+1/2)/Gamma(x) < sqrt(x)
    (DLMF 5.6.4). So q = 2 (mu_{l+1}/C_{l+1})/(mu_l/C_l) at l = degree.
    """
    degree, d = check_degree(degree, d, 1)
    with workprec(bits + 32):
        quotient = mu(degree + 1, d, bits) / mu(degree, d, bits)
        gammas = (half(degree + 1).lgamma() - half(degree).lgamma()) * 2
        return 2 * quotient * gammas.exp() / half(2 * degree + 1)


def r_ratio_upper(degree: int, d: int, beta: Number) -> Ball:
    """q with r_{m+1}/r_m <= q for all m >= degree: beta/(2l + d).

    r_{m+1}/r_m = beta/(2m+d) 0F1(; m+1+d/2; x)/0F1(; m+d/2; x), and 0F1(; b; x) falls in b for
    x > 0, term by term.
    """
    return exact(beta) / (2 * degree + d)


# --- the exponential kernel -----------------------------------------------------------------------


def _at_ends(f: Callable[[Ball], Ball], beta: Ball) -> Ball:
    """f over a ball of beta, f rising: the hull of its values at the ends."""
    if not beta > 0:
        raise ArgumentError(f"beta must be > 0, got {beta.str(12)}")
    if beta.is_exact():
        return f(beta)
    arb = flint().arb
    return f(arb(beta.lower())).union(f(arb(beta.upper())))


def r(degree: int, d: int, beta: Number, bits: int = BITS) -> Ball:
    """r_l = lambda_l(beta)/lambda_0(beta) = I_{l+nu}(beta)/I_nu(beta), beta > 0 (balls allowed).

    It rises with beta: r_{l+1}/r_l is the mean of t under the density prop. to
    e^{beta t} (1-t^2)^(nu+l-1/2), whose derivative in beta is the variance. So a ball of beta is
    evaluated at its ends.
    """
    degree, d = check_degree(degree, d, 0)
    with workprec(bits + 32):
        if degree == 0:
            return flint().arb(1)
        scale = half(d).rising(exact(degree))

        def value(b: Ball) -> Ball:
            x = b * b / 4
            quotient = x.hypgeom_0f1(half(d) + degree) / x.hypgeom_0f1(half(d))
            return power(b / 2, degree) / scale * quotient

        return _at_ends(value, exact(beta))


def lambda_(degree: int, d: int, beta: Number, bits: int = BITS) -> Ball:
    """lambda_l(beta), the eigenvalue of e^{beta u.v}, beta > 0 (balls allowed: it rises)."""
    degree, d = check_degree(degree, d, 0)
    with workprec(bits + 32):
        scale = half(d).rising(exact(degree)) if degree else exact(1)

        def value(b: Ball) -> Ball:
            return power(b / 2, degree) / scale * (b * b / 4).hypgeom_0f1(half(d) + degree)

        return _at_ends(value, exact(beta))


def lambda_log(degree: int, d: int, beta: Number, bits: int = BITS) -> Ball:
    """log lambda_l(beta)."""
    with workprec(bits + 32):
        return lambda_(degree, d, beta, bits).log()
