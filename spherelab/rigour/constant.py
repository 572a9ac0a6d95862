"""A proved linear constant C(d, beta) of Theorem 1, in balls; ours.

Under equal marginals, excess <= 4 * 3^(3/4) beta sqrt(J) + C J. With v_l = k0 sqrt(r_l N_l) K_l,
U_beta is at most the quadratic form sum_l (sqrt(r_l/mu_l) x_l + v_l x_0)^2 in x_0 = sqrt(J_(0)),
x_l = sqrt(J_l), so that

    C = the largest eigenvalue of diag(r_l/mu_l) + v v^T  <=  C_U + |v|^2.

K_l^2 = q_l + s_l^2 where balls prove it (`remainder.remainder_margin`), else the bound that holds
for all l and d (`remainder.remainder_bound`). *Tail*: L_l/(d-1) <= l^2 and g4_l <= 3 l^4 give
K_l^2 <= g4_l/4 + (L_l/(d-1))^2 <= 2 l^4, and r_{l+1} N_{l+1} (l+1)^4/(r_l N_l l^4) falls with l.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from spherelab.arguments import dimension
from spherelab.rigour.balls import BITS, Ball, Number, exact, flint, workprec
from spherelab.rigour.condition import domination_constant, falls_from
from spherelab.rigour.remainder import remainder_bound, remainder_limit, remainder_margin
from spherelab.rigour.spectrum import mu, multiplicity, r, r_ratio_upper

#: Degrees up to which K_l is asked of balls.
DEGREES = 50


@dataclass(frozen=True)
class LinearConstant:
    """A proved C(d, beta).

    Attributes
    ----------
    eigenvalue : ball whose upper end is a proved constant: the largest eigenvalue.
    trace : the simpler C_U + |v|^2, larger.
    domination : C_U.
    degrees : up to which degree K_l is exact; beyond, it is a bound.
    last : the degree from which on the rest is bounded.
    """

    eigenvalue: Ball
    trace: Ball
    domination: Ball
    degrees: int
    last: int


@lru_cache(maxsize=1 << 16)
def _margin_proved(degree: int, d: int) -> bool:
    return remainder_margin(degree, d).proved


def remainder_square(degree: int, d: int, bits: int = BITS) -> tuple[Ball, bool]:
    """A proved upper bound of K_l^2, and whether it is its value."""
    if degree <= DEGREES and _margin_proved(degree, d):
        return remainder_limit(degree, d, bits), True
    return remainder_bound(degree, d, bits), False


def linear_constant(d: int, beta: Number, bits: int = BITS) -> LinearConstant:
    """C(d, beta), beta > 0, with everything that it is made of proved.

    Parameters
    ----------
    d : int
        Ambient dimension, >= 2.
    beta : number
        Inverse temperature, > 0.
    bits : int
        Working precision.
    """
    d = dimension(d)
    domination = domination_constant(d, beta, bits)
    with workprec(bits + 32):
        arb = flint().arb
        tiny = arb(2) ** (-bits)
        scale = 12 * exact(3).sqrt()  # k0^2
        squares: list[Ball] = []  # v_l^2
        quotients: list[Ball] = []  # r_l/mu_l
        exact_to, total, degree = 0, arb(0), 0
        floor = falls_from(d, beta, bits)
        while True:
            degree += 1
            weight = r(degree, d, beta, bits) * multiplicity(d, degree)
            most = scale * weight * 2 * degree**4
            growth = r_ratio_upper(degree, d, beta) * exact(
                Fraction(
                    multiplicity(d, degree + 1) * (degree + 1) ** 4,
                    multiplicity(d, degree) * degree**4,
                )
            )
            if degree > floor and growth < exact(Fraction(1, 2)) and most < total * tiny:
                break
            square, is_exact = remainder_square(degree, d, bits)
            if is_exact and exact_to == degree - 1:
                exact_to = degree
            squares.append(scale * weight * square)
            quotients.append(r(degree, d, beta, bits) / mu(degree, d, bits))
            total += squares[-1]
        rest = arb((2 * most).upper())  # of |v|^2
        trace = domination.value + total + arb(0).union(rest)

        def excess(value: Ball) -> Ball:
            """sum v_l^2/(value - r_l/mu_l) - 1: < 0 above the largest eigenvalue."""
            parts = (v / (value - q) for v, q in zip(squares, quotients, strict=True))
            tail = arb(0).union(rest / (value - domination.value))
            return sum(parts, arb(0)) + tail - 1

        low, high = arb(domination.value.upper()), arb(trace.upper())
        for _ in range(64):
            middle = arb(((low + high) / 2).mid())
            if not middle > domination.value:
                break
            sign = excess(middle)
            if sign < 0:
                high = middle
            elif sign > 0:
                low = middle
            else:
                break
        return LinearConstant(low.union(high), trace, domination.value, exact_to, degree)
