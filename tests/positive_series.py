"""A second slow route, for tests only: positive series summed outward in ball arithmetic.

    pFq(a; b; x) = sum_n prod (a)_n / prod (b)_n x^n / n!,   a, b, x > 0

has positive terms that rise to one largest term (they may first fall: then all are summed) and fall
after it. Only those near the largest are summed, each from its neighbour by the exact ratio; its
logarithm comes from Arb's log Gamma. So parameters of 1e6 and x of 1e7 take a fraction of a second,
where Arb's own 1F1 and 0F1 give up. The cut-off is at 2^-110 of the sum; it is not proved.

And the spectrum of the lift by the series of E (1 + r1^2 V1 + r2^2 V2)^-(l+1/2) in powers of 1 - V
(Appell's F2 at p - x - y), all terms positive, which shares no formula with the library's rule.

Nothing here imports the library. Results are ``flint.arb``, good to 30 digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

_BITS = 200
_CUT_BITS = 110


def workprec(bits: int = _BITS) -> Any:
    from flint import ctx

    return ctx.workprec(bits)


def log_pfq(top: Sequence[Any], bottom: Sequence[Any], x: Any) -> Any:
    """log pFq(top; bottom; x), everything positive."""
    from flint import arb

    with workprec():
        top, bottom, x = [arb(a) for a in top], [arb(b) for b in bottom], arb(x)
        above, below = [float(a) for a in top], [float(b) for b in bottom]
        log_x = float(x.log())

        def log_ratio(n: float) -> float:  # of the term n + 1 to the term n
            up = sum(math.log(a + n) for a in above)
            return up - sum(math.log(b + n) for b in below) + log_x - math.log(n + 1)

        largest = _last_crossing(log_ratio)
        total = term = arb(1)
        n = largest
        while True:
            term *= _product(top, n) / _product(bottom, n) * x / (n + 1)
            total += term
            n += 1
            if term < total * arb(2) ** -_CUT_BITS and log_ratio(n) < 0:
                break
        term, n = arb(1), largest
        while n > 0:
            n -= 1
            term *= _product(bottom, n) / _product(top, n) * (n + 1) / x
            total += term
            if largest > 3000 and term < total * arb(2) ** -_CUT_BITS:
                break
        result = total.log() + largest * x.log() - arb(largest + 1).lgamma()
        for sign, parameters in ((1, top), (-1, bottom)):
            for a in parameters:
                result += sign * ((a + largest).lgamma() - a.lgamma())
        return result


def _product(parameters: Sequence[Any], n: int) -> Any:
    product = 1
    for a in parameters:
        product = product * (a + n)
    return product


def _last_crossing(log_ratio: Any) -> int:
    """The index of the largest term: where the ratio of neighbours falls through 1 for good."""
    high = 2.0
    while log_ratio(high) > 0:
        high *= 2
    left, right = 0.0, high
    for _ in range(100):  # the ratio has one maximum
        first, second = left + (right - left) / 3, right - (right - left) / 3
        if log_ratio(first) < log_ratio(second):
            left = first
        else:
            right = second
    if log_ratio(left) <= 0:
        return 0
    low = left
    for _ in range(100):
        middle = 0.5 * (low + high)
        if log_ratio(middle) > 0:
            low = middle
        else:
            high = middle
    return int(high)


def log_kummer(a: Any, b: Any, x: Any) -> Any:
    """log 1F1(a; b; x), b > a > 0, any real x."""
    from flint import arb

    with workprec():
        a, b, x = arb(a), arb(b), arb(x)
        if x > 0:
            return log_pfq([a], [b], x)
        return log_pfq([b - a], [b], -x) + x if x < 0 else arb(0)


def log_iv(nu: Any, x: Any) -> Any:
    """log I_nu(x), x > 0."""
    from flint import arb

    with workprec():
        nu, x = arb(nu), arb(x)
        return log_pfq([], [nu + 1], x * x / 4) + nu * (x / 2).log() - (nu + 1).lgamma()


def iv_ratio(nu: Any, x: Any) -> Any:
    """I_{nu+1}(x) / I_nu(x), x > 0."""
    from flint import arb

    with workprec():
        nu, x = arb(nu), arb(x)
        quotient = log_pfq([], [nu + 2], x * x / 4) - log_pfq([], [nu + 1], x * x / 4)
        return quotient.exp() * x / (2 * (nu + 1))


def log_lambda(ell: int, d: int, beta: Any) -> Any:
    """log lambda_l(beta) on S^(d-1)."""
    from flint import arb

    with workprec():
        half, beta = arb(d) / 2, arb(beta)
        value = log_pfq([], [half + ell], beta * beta / 4)
        return value + ell * (beta / 2).log() - (half + ell).lgamma() + half.lgamma()


def log_r(ell: int, d: int, beta: Any) -> Any:
    """log r_l = log I_{nu+l}(beta)/I_nu(beta), nu = d/2 - 1."""
    with workprec():
        return log_lambda(ell, d, beta) - log_lambda(0, d, beta)


def lift(ell: int, d: int, square1: Any, square2: Any) -> tuple[Any, Any]:
    """log k_l(r1, r2), l >= 1, from the squared radii, and gain_l/mu_l where both are 1.

    k_l = (r1 r2)^l Q^2 Gamma(c)/sqrt(pi) p^-c sum_n (c)_n p^-n [z^n] M(r1^2 z) M(r2^2 z),
    M(z) = 1F1(l/2; l+d/2; z), Q = Gamma((l+d)/2)/Gamma(l+d/2), c = l + 1/2, p = 1 + r1^2 + r2^2;
    gain_l/mu_l = (l-1)/3 + <n>/3, <n> the mean of n under the terms.
    """
    from flint import arb, arb_poly, fmpq

    with workprec():
        square1, square2 = arb(square1), arb(square2)
        p = 1 + square1 + square2
        rho = float(((square1 + square2) / p).mid())
        a, b, c = ell / 2, ell + d / 2, ell + 0.5
        count, log_term, best = 0, 0.0, 0.0
        while True:
            ratio = rho * (c + count) * (a + count) / ((count + 1) * (b + count))
            log_term, count = log_term + math.log(ratio), count + 1
            best = max(best, log_term)
            bound = rho * max(1.0, (a + count) / (count + 1) * (c + count) / (b + count))
            if bound < 1 and log_term - math.log1p(-bound) < best - 80:
                break

        def moments(square: Any) -> Any:
            values = [arb(1)]
            for k in range(count):
                ratio = fmpq(ell + 2 * k, (2 * ell + d + 2 * k) * (k + 1))
                values.append(values[-1] * ratio * square / p)
            return arb_poly(values)

        left = moments(square1)
        product = left * (left if square1 == square2 else moments(square2))
        total, first, rise = arb(0), arb(0), arb(1)
        for n in range(count + 1):
            term = rise * product[n]
            total, first = total + term, first + n * term
            rise *= fmpq(2 * ell + 1 + 2 * n, 2)
        half_l, half_ld, half_2ld = arb(ell) / 2, arb(ell + d) / 2, arb(2 * ell + d) / 2
        result = 2 * (half_ld.lgamma() - half_2ld.lgamma()) + (arb(ell) + 0.5).lgamma()
        result += (
            half_l * (square1 * square2).log() - (arb(ell) + 0.5) * p.log() - arb.pi().log() / 2
        )
        return result + total.log(), (ell - 1 + first / total) / 3


def gap(value: Any, truth: Any) -> float:
    """|value - truth| for a float (or a pair of floats, whose sum is meant)."""
    from flint import arb

    with workprec(1200):
        parts = value if isinstance(value, tuple) else (value,)
        return float(abs(sum((arb(float(part)) for part in parts), arb(0)) - truth).mid())


def relative_gap(value: Any, truth: Any) -> float:
    """|value/truth - 1|."""
    with workprec(1200):
        return gap(value, truth) / abs(float(truth.mid()))
