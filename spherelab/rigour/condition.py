"""Condition (U) in balls: C_U = sup_{l>=1} r_l/mu_l with its argmax proved, and Gaussian kernels.

Beyond a degree L the quotient falls, by the ratio bounds of `spectrum`:

    (r_{m+1}/mu_{m+1})/(r_m/mu_m) <= (beta/(2m+d))/q_L for m >= L,

q_L = `mu_ratio_lower(L, d)`. Once that is below 1 at L, the sup is the largest of r_1/mu_1, ...,
r_L/mu_L, and those are compared as balls.
"""

from __future__ import annotations

from dataclasses import dataclass

from spherelab.arguments import dimension
from spherelab.rigour.balls import BITS, Ball, Number, workprec
from spherelab.rigour.spectrum import mu, mu_ratio_lower, r, r_ratio_upper


@dataclass(frozen=True)
class DominationConstant:
    """sup_{l>=1} r_l/mu_l as a ball, and where it is attained.

    Attributes
    ----------
    value : enclosure of the sup.
    argmax : the degree that attains it, alone; 0 when balls do not separate two degrees.
    checked : the degree L from which on the quotient is proved to fall.
    lower : enclosure of sup over l of (r_l - r_l^2/2)/mu_l, l <= L, a lower bound for the best
        constant of Condition (U).
    precision_bits : what it took.
    """

    value: Ball
    argmax: int
    checked: int
    lower: Ball
    precision_bits: int


def falls_from(d: int, beta: Number, bits: int = BITS) -> int:
    """A degree L such that r_l/mu_l falls for all l >= L, proved."""
    d = dimension(d)
    degree = 1
    while True:
        with workprec(bits + 32):
            if r_ratio_upper(degree, d, beta) < mu_ratio_lower(degree, d, bits):
                return degree
        # q_L >= mu_2/mu_1-like numbers, so that a step proportional to L wastes little
        degree += max(1, degree // 8)


def domination_constant(
    d: int, beta: Number, bits: int = BITS, max_bits: int = 2048
) -> DominationConstant:
    """C_U(d, beta) = sup_{l>=1} r_l/mu_l, beta > 0, with a proved argmax."""
    d = dimension(d)
    last = falls_from(d, beta, bits)
    while True:
        with workprec(bits + 32):
            ratios = [r(degree, d, beta, bits) for degree in range(1, last + 1)]
            quotients = [ratio / mu(degree, d, bits) for degree, ratio in enumerate(ratios, 1)]
            halved = [q * (1 - ratio / 2) for q, ratio in zip(quotients, ratios, strict=True)]
            value = quotients[0]
            for q in quotients[1:]:
                value = value.max(q)
            lower = halved[0]
            for q in halved[1:]:
                lower = lower.max(q)
            best = max(range(last), key=lambda i: quotients[i].mid())
            alone = all(quotients[best] > q for i, q in enumerate(quotients) if i != best)
        if alone or 2 * bits > max_bits:
            return DominationConstant(value, best + 1 if alone else 0, last, lower, bits)
        bits *= 2
