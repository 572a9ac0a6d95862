"""Slow, independent routes to the library's numbers, for tests only.

Nothing here is meant to be fast, and nothing here imports the library: each value is computed from
its definition, by a route that shares no formula with the one it checks. Two kinds of routes:

- ``*_arb``: ball arithmetic (python-flint), good to `DIGITS` digits or more for d up to 1e5,
  degrees to 1e4, beta from 1e-8 to 1e6. Special functions are Arb's own (rigorous); the integrals
  over the frequency are trapezoid sums in log s, halved until two of them agree to 30 digits (not
  a proof). Results are ``flint.arb``.
- ``*_mp``: mpmath, for moderate parameters, so that the two sides of a test can both be slow.
  Results are ``mpmath.mpf``.

Arguments are read exactly: a float is its binary value, a string is its decimal value.
"""

# ruff: noqa: E741  (l is the degree, as in the formulas)

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any

#: Decimal digits that the arb routes promise.
DIGITS = 25

_GUARD_BITS = 100  # 30 digits: what a result must have before it is returned
_START_BITS = 160

Number = Any  # int, float, str, Fraction, arb or mpf


# --- ball arithmetic ------------------------------------------------------------------------------


def have_flint() -> bool:
    """Whether python-flint is installed."""
    try:
        import flint  # noqa: F401
    except ImportError:
        return False
    return True


def _workprec(bits: int) -> AbstractContextManager[None]:
    from flint import ctx

    return ctx.workprec(bits)


def exact(value: Number) -> Any:
    """The argument as a ball, read exactly (at the working precision for non-dyadic values)."""
    from flint import arb, fmpq

    if isinstance(value, arb):
        return value
    if isinstance(value, str):
        value = Fraction(value)
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(int(value)) if isinstance(value, int) else arb(float(value))


def to_digits(route: Callable[[], Any], bits: int = _START_BITS) -> Any:
    """``route()`` at doubling precision until the ball has 30 digits."""
    while bits <= 1 << 16:
        with _workprec(bits):
            value = route()
            if value.is_finite() and (value.is_zero() or value.rel_accuracy_bits() >= _GUARD_BITS):
                return value
        bits *= 2
    raise ArithmeticError("no 30 digits at 65536 bits")


def relative_error(value: float, truth: Any) -> float:
    """|value / truth - 1| as a float, computed in balls (|value| where the truth is 0)."""
    with _workprec(256):
        truth = exact(truth) if not hasattr(truth, "rel_accuracy_bits") else truth
        gap = exact(float(value)) - truth
        return float(abs(gap if truth.is_zero() else gap / truth).mid())


def absolute_error(value: float, truth: Any) -> float:
    """|value - truth| as a float, computed in balls."""
    with _workprec(256):
        return float(abs(exact(float(value)) - truth).mid())


def kummer_ball(a: Any, b: Any, x: Any) -> Any:
    """1F1(a; b; x) for x >= 0 at the working precision.

    Arb's choice of the number of terms fails (nan) where b is large against x, since the terms
    first fall and then rise; then the number is given here. Its error bound is rigorous for any.
    """
    from flint import acb, ctx

    value = x.hypgeom_1f1(a, b)
    if value.is_finite():
        return value
    terms = int(2 * float(x.mid())) + ctx.prec + 40
    return acb(x).hypgeom([a], [b], n=terms).real


def log_kummer_arb(a: Number, b: Number, x: Number) -> Any:
    """log 1F1(a; b; x), b > a > 0, real x (through e^x 1F1(b-a; b; -x) for x < 0)."""

    def route() -> Any:
        first, second, at = exact(a), exact(b), exact(x)
        if at < 0:
            return kummer_ball(second - first, second, -at).log() + at
        return kummer_ball(first, second, at).log()

    return to_digits(route)


def _bessel_i(nu: Any, x: Any) -> Any:
    """(2/x)^nu Gamma(nu+1) I_nu(x) = 0F1(; nu+1; x^2/4)."""
    return (x * x / 4).hypgeom_0f1(nu + 1)


def log_iv_arb(nu: Number, x: Number) -> Any:
    """log I_nu(x), nu >= -1/2, x > 0."""

    def route() -> Any:
        order, at = exact(nu), exact(x)
        return _bessel_i(order, at).log() + order * (at / 2).log() - (order + 1).lgamma()

    return to_digits(route)


def iv_ratio_arb(nu: Number, x: Number) -> Any:
    """I_{nu+1}(x) / I_nu(x), x >= 0."""

    def route() -> Any:
        order, at = exact(nu), exact(x)
        return at / (2 * (order + 1)) * _bessel_i(order + 1, at) / _bessel_i(order, at)

    return to_digits(route)


def iv_ratio_complement_arb(nu: Number, x: Number) -> Any:
    """1 - I_{nu+1}(x) / I_nu(x), to 30 digits of the complement itself."""

    def route() -> Any:
        order, at = exact(nu), exact(x)
        return 1 - at / (2 * (order + 1)) * _bessel_i(order + 1, at) / _bessel_i(order, at)

    return to_digits(route)


def log_lambda_arb(l: int, d: int, beta: Number) -> Any:
    """log lambda_l(beta), the eigenvalue of e^{beta u.v} on S^(d-1).

    lambda_l = Gamma(d/2) (2/beta)^nu I_{l+nu}(beta), nu = d/2 - 1; at l = 0 it is
    log 0F1(; d/2; beta^2/4).
    """

    def route() -> Any:
        half, b = exact(Fraction(d, 2)), exact(beta)
        # Gamma(d/2) (beta/2)^l / Gamma(l + d/2) 0F1(; l + d/2; beta^2/4)
        value = _bessel_i(half - 1 + l, b).log()
        return value + l * (b / 2).log() - half.rising(exact(l)).log() if l else value

    return to_digits(route)


def log_r_arb(l: int, d: int, beta: Number) -> Any:
    """log r_l = log(lambda_l / lambda_0) = log(I_{l+nu}(beta) / I_nu(beta))."""

    def route() -> Any:
        half, b = exact(Fraction(d, 2)), exact(beta)
        value = (_bessel_i(half - 1 + l, b) / _bessel_i(half - 1, b)).log()
        return value + l * (b / 2).log() - half.rising(exact(l)).log() if l else value

    return to_digits(route)


def multiplicity_exact(d: int, l: int) -> int:
    """N_l, the dimension of the harmonics of degree l on S^(d-1), as an exact integer."""
    from math import comb

    if l == 0:
        return 1
    if d == 2:
        return 2
    return comb(l + d - 1, d - 1) - (comb(l + d - 3, d - 1) if l >= 2 else 0)


def psi_arb(l: int, d: int, s: Number) -> Any:
    """psi_l(s) of the lift, Kummer form with positive terms."""

    def route() -> Any:
        a, b, at = exact(Fraction(l, 2)), exact(Fraction(2 * l + d, 2)), exact(s)
        x = at * at / 2
        lead = exact(Fraction(l + d, 2)).gamma() / b.gamma()
        return lead * x**a * (-x).exp() * kummer_ball(a, b, x)

    return to_digits(route)


def _trapezoid(log_height: Callable[[float], float], term: Callable[[Any], Any]) -> Any:
    """The integral of ``term`` over the line by the trapezoid rule, halved until 30 digits agree.

    ``log_height`` is a rough log of a positive unimodal bound for |term|, to find where to sum.
    """
    from flint import arb

    low, high = -30.0, 15.0
    for _ in range(80):  # ternary search for the mode
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if log_height(first) < log_height(second):
            low = first
        else:
            high = second
    mode = 0.5 * (low + high)
    top = log_height(mode)

    def reach(side: int) -> float:
        short, far = 0.0, 1e-3
        while log_height(mode + side * far) > top - 95.0:
            short, far = far, 2 * far
        for _ in range(20):
            middle = 0.5 * (short + far)
            short, far = (
                (middle, far) if log_height(mode + side * middle) > top - 95 else (short, middle)
            )
        return far

    left, right = reach(-1), reach(+1)
    start = arb(mode)
    h = min(left, right) / 16
    step = arb(h)

    def line(offset: Any, spacing: Any) -> Any:
        total = arb(0)
        below, above = int(left / float(spacing)) + 1, int(right / float(spacing)) + 1
        for k in range(-below, above + 1):
            total += term(start + offset + spacing * k)
        return total

    total = line(arb(0), step) * step
    for _ in range(8):
        finer = (total + line(step / 2, step) * step) / 2
        step /= 2
        gap = abs(finer - total)
        total = finer
        if gap < abs(total) * arb(2) ** (-_GUARD_BITS):
            return total.mid()
    raise ArithmeticError("the trapezoid sums do not settle")


def _frequency_integral(
    l: int,
    d: int,
    first: Number,
    second: Number,
    weight: Callable[[Any], Any] | None = None,
) -> Any:
    """E_s w(s^2/2) psi_l(s r1) psi_l(s r2), s ~ N(0, 1), from the squared radii ``first, second``.

    With x = s^2/2 and y = log x: Q^2/sqrt(pi) int (r1 r2)^l x^(l+1/2) e^(-(1 + r1^2 + r2^2) x)
    1F1(l/2; l+d/2; r1^2 x) 1F1(l/2; l+d/2; r2^2 x) dy, Q = Gamma((l+d)/2)/Gamma(l+d/2).
    """
    from flint import arb

    bits = 320
    with _workprec(bits):
        one, two = exact(first), exact(second)
        if l >= 1 and (one.is_zero() or two.is_zero()):
            return arb(0)
        a, b = exact(Fraction(l, 2)), exact(Fraction(2 * l + d, 2))
        power = exact(Fraction(2 * l + 1, 2))
        rate = 1 + one + two
        same = first is second or first == second

        def log_value(y: Any) -> Any:
            x = y.exp()
            left = kummer_ball(a, b, one * x).log()
            right = left if same else kummer_ball(a, b, two * x).log()
            return power * y - rate * x + left + right

        def rough(y: float) -> float:
            with _workprec(64):
                return float(log_value(arb(y)).mid())

        top_value = []

        def term(y: Any) -> Any:
            value = log_value(y)
            if not top_value:
                top_value.append(value.mid())
            scaled = (value - top_value[0]).exp()
            return scaled if weight is None else scaled * weight(y.exp())

        total = _trapezoid(rough, term)
        lead = 2 * (exact(Fraction(l + d, 2)).lgamma() - b.lgamma()) - arb.pi().log() / 2
        lead += a * (one * two).log()
        return total * (lead + top_value[0]).exp()


def mu_arb(l: int, d: int, delta: Number = 0) -> Any:
    """mu_l(Delta) of the lift, a frequency integral in Arb's 1F1."""
    with _workprec(320):
        square = 1 - exact(delta)
    return _frequency_integral(l, d, square, square)


def log_mu_arb(l: int, d: int, delta: Number = 0) -> Any:
    """log mu_l(Delta)."""
    value = mu_arb(l, d, delta)
    with _workprec(320):
        return value.log()


def cross_arb(l: int, d: int, r1: Number, r2: Number) -> Any:
    """k_l(r1, r2) = E_s psi_l(s r1) psi_l(s r2)."""
    with _workprec(320):
        one, two = exact(r1), exact(r2)
        return _frequency_integral(l, d, one * one, two * two)


def gain_arb(l: int, d: int) -> Any:
    """gain_l = (1/2) E_s[(s^2 - 1) psi_l^2], from this definition: it cancels, at 320 bits."""
    from flint import arb

    return _frequency_integral(l, d, 1, 1, lambda x: x - arb(1) / 2)


# --- mpmath ---------------------------------------------------------------------------------------


def mu_mp(l: int, d: int, delta: Number = 0, dps: int = 30) -> Any:
    """mu_l(Delta) by the Burchnall-Chaundy series of Appell's F2, all terms positive."""
    import mpmath as mp

    with mp.workdps(dps + 10):
        square = 1 - mp.mpf(delta if not isinstance(delta, Fraction) else delta.numerator) / (
            delta.denominator if isinstance(delta, Fraction) else 1
        )
        return cross_squares_mp(l, d, square, square, dps)


def cross_mp(l: int, d: int, r1: Number, r2: Number, dps: int = 30) -> Any:
    """k_l(r1, r2) by the Burchnall-Chaundy series."""
    import mpmath as mp

    with mp.workdps(dps + 10):
        return cross_squares_mp(l, d, mp.mpf(r1) ** 2, mp.mpf(r2) ** 2, dps)


def cross_squares_mp(l: int, d: int, first: Any, second: Any, dps: int = 30) -> Any:
    """k_l from the squared radii: (r1 r2)^l Q^2 Gamma(c)/sqrt(pi) p^-c F2(c; a, a; b, b; x, y)."""
    import mpmath as mp

    with mp.workdps(dps + 10):
        a, b, c = mp.mpf(l) / 2, l + mp.mpf(d) / 2, l + mp.mpf(1) / 2
        p = 1 + first + second
        x, y = first / p, second / p
        total, factor, j = mp.mpf(0), mp.mpf(1), 0
        while True:
            left = mp.hyp2f1(c + j, a + j, b + j, x)
            right = left if x == y else mp.hyp2f1(c + j, a + j, b + j, y)
            term = factor * left * right
            total += term
            if term < total * mp.mpf(10) ** (-dps - 8):
                break
            factor *= (c + j) * (a + j) ** 2 / ((j + 1) * (b + j) ** 2) * x * y
            j += 1
        lead = 2 * (mp.loggamma(a + mp.mpf(d) / 2) - mp.loggamma(b)) + mp.loggamma(c)
        value = mp.exp(lead - c * mp.log(p)) / mp.sqrt(mp.pi) * total
        return value * (first * second) ** a


def psi_mp(l: int, d: int, s: Number, dps: int = 30) -> Any:
    """psi_l(s) from the alternating Kummer form: not the form that the library may use."""
    import mpmath as mp

    with mp.workdps(2 * dps + 20 + l):
        a, b, at = mp.mpf(l + d) / 2, l + mp.mpf(d) / 2, mp.mpf(s)
        lead = mp.gamma(a) / mp.gamma(b) * mp.mpf(2) ** (-mp.mpf(l) / 2)
        return lead * at**l * mp.hyp1f1(a, b, -(at**2) / 2)


def gegenbauer_mp(d: int, l: int, t: Number, dps: int = 30) -> Any:
    """P_l(t) with P_l(1) = 1, by its terminating 2F1 at (1-t)/2."""
    import mpmath as mp

    with mp.workdps(2 * dps + l):
        if d == 2:
            return mp.cos(l * mp.acos(mp.mpf(t)))
        return mp.hyp2f1(-l, l + d - 2, mp.mpf(d - 1) / 2, (1 - mp.mpf(t)) / 2)


def sphere_mean_mp(d: int, f: Callable[[Any], Any], dps: int = 30) -> Any:
    """E f(t), t one coordinate of the uniform law on S^(d-1), by integration over the angle."""
    import mpmath as mp

    with mp.workdps(dps + 10):
        power = d - 2
        total = mp.quad(lambda a: f(mp.cos(a)) * mp.sin(a) ** power, [0, mp.pi / 2, mp.pi])
        return total / mp.beta(mp.mpf(d - 1) / 2, mp.mpf(1) / 2)
