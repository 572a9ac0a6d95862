"""The remainder constant K_l of Theorem 1's linear term, in closed form and in balls; ours.

Setting. |M| = cos theta, |W| = sin theta, x = sin^2 theta, b_l(r) = k_l(r, 1)/mu_l, and

    K_l^2 = sup_theta F_l/sin^4 theta,
    F_l = (1 + P_l(cos 2 theta))/2 - 2 b_l(cos theta) P_l(cos theta) + b_l(cos theta)^2.

*Statement.* The sup is the limit at theta -> 0,

    K_l^2 = q_l + s_l^2,   q_l = (g4_l - (L_l/(d-1))^2)/4,   s_l = L_l/(2(d-1)) - gain_l/(2 mu_l),
    L_l = l(l+d-2),   g4_l = L_l (3 L_l - 2d + 4)/(d^2-1).

F_l = Q_l + (b_l - P_l)^2 with Q_l = (1 + P_l(cos 2 theta))/2 - P_l(cos theta)^2, so that two bounds
give it:

(i) Q_l <= q_l sin^4 theta, *proved for all l and d*. At d = 2, Q_l = 0. For d >= 3, the addition
    theorem (DLMF 18.18.8) with both colatitudes theta and azimuth 0 (+) or pi (-) reads
        1 or P_l(cos 2 theta) = sum_m (+-1)^m kappa_m(l, d) sin^(2m) theta R_{l-m}^2,
    R_{l-m} the normalised polynomial of degree l-m in dimension d+2m, kappa_m >= 0. Half the sum
    of the two is the part with m even, whose m = 0 is P_l(cos theta)^2. So
        Q_l/sin^4 theta = sum_{m = 2, 4, ...} kappa_m(l, d) sin^(2m-4) theta R_{l-m}^2.
    The addition theorem in dimension d+4 for degree l-2 gives, with the same R_{l-m},
        1 = sum_{m>=2} kappa_{m-2}(l-2, d+4) sin^(2m-4) theta R_{l-m}^2,
    and from the Gamma functions of DLMF 18.18.8 (lambda = d/2 - 1)
        kappa_m(l, d)/kappa_{m-2}(l-2, d+4) = C/(m (m-1) (2 lambda+m) (2 lambda+m-1)),
    C free of m: it falls with m, and at m = 2 it is kappa_2(l, d) = q_l. Term by term,
    Q_l/sin^4 theta <= q_l.

(ii) |b_l - P_l| <= s_l x, by balls for each (l, d): `remainder_margin`. With l = 2n or 2n + 1 and
    e = l - 2n, P_l(cos theta) = cos^e theta p(x), p = 2F1(-n, n+e+d/2-1; (d-1)/2; x), and
    b_l = cos^e theta (1-x)^n B(x),  B(x) = E*(1 - x Z)^(-l-1/2),  Z = V1/(1+V1+V2) <= 1/2
    (the V of `spectrum`, E* weighted by (1+V1+V2)^(-l-1/2)): a power series with positive terms.
    So D = ((1-x)^n B - p)/x is a polynomial and a bounded rest, D(0) = s_l, and what is checked is
    s_l -+ w D >= 0 with w = 1 - x/2 >= cos theta for odd l, w = 1 for even l; the first of the two
    divided by x. For x >= 2/s_l there is nothing to check: |b_l - P_l| <= 2.
    Every (l, d) with l <= 50 and d <= 1024 has been decided so (51150 of them, about 13 minutes).

*Without* (ii), for all l and d (`remainder_bound`): K_l^2 <= q_l + k_l^2, k_l = L_l/(2(d-1)) for
even l, and 2/(1 + sqrt(1 - min(1, 4(d-1)/L_l))) times that for odd l. For r^l <= b_l <= 1, since
k_l(r, r) rises with r (l/r^2 >= (2l+1)/(1+2r^2)), by Cauchy and Schwarz. So P - b <= 1 - r^l <=
max(1, l/2) x, and b - P <= 1 - P. For even l, |dP/dx| is largest at x = 0 (DLMF 18.14.1, since
(d-1)/2 >= 1/2), so 1 - P <= L x/(2(d-1)). For odd l, 1 - P <= (L/(d-1)) (1 - cos theta) =
(L/(d-1)) x/(1 + cos theta); and beyond x = 4(d-1)/L, |b - P| <= 2 is at most L x/(2(d-1)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from spherelab.rigour.balls import BITS, Ball, exact, flint, half, power, workprec
from spherelab.rigour.spectrum import check_degree, gain_ratio

_TERMS = 28  # of B(x); what is left is bounded


def _laplace(degree: int, d: int) -> int:
    return degree * (degree + d - 2)


def tangential_part(degree: int, d: int) -> Fraction:
    """q_l = (g4_l - (L_l/(d-1))^2)/4: the sup of Q_l/sin^4 theta, exactly."""
    degree, d = check_degree(degree, d, 1)
    laplace = _laplace(degree, d)
    g4 = Fraction(laplace * (3 * laplace - 2 * d + 4), d * d - 1)
    return (g4 - Fraction(laplace, d - 1) ** 2) / 4


def radial_part(degree: int, d: int, bits: int = BITS) -> Ball:
    """s_l = L_l/(2(d-1)) - gain_l/(2 mu_l)."""
    degree, d = check_degree(degree, d, 1)
    with workprec(bits + 32):
        return exact(Fraction(_laplace(degree, d), 2 * (d - 1))) - gain_ratio(degree, d, bits) / 2


def remainder_limit(degree: int, d: int, bits: int = BITS) -> Ball:
    """q_l + s_l^2: the limit of F_l/sin^4 theta at 0; it is K_l^2 where (ii) is proved."""
    with workprec(bits + 32):
        radial = radial_part(degree, d, bits)
        return exact(tangential_part(degree, d)) + radial * radial


def remainder_bound(degree: int, d: int, bits: int = BITS) -> Ball:
    """An upper bound of K_l^2 that is proved for every l >= 1 and d >= 2."""
    degree, d = check_degree(degree, d, 1)
    with workprec(bits + 32):
        laplace = _laplace(degree, d)
        slope = exact(Fraction(laplace, 2 * (d - 1)))
        if degree % 2:
            end = min(Fraction(1), Fraction(4 * (d - 1), laplace))
            slope = slope * 2 / (1 + exact(1 - end).sqrt())
        return exact(tangential_part(degree, d)) + slope * slope


# --- (ii), by balls -------------------------------------------------------------------------------


def _lift_coefficients(degree: int, d: int, count: int) -> list[Ball]:
    """The coefficients of B(x), 0 <= n <= count: (c)_n/n! E* Z^n, at the working precision.

    With A = (l+d)/2, H = l/2, c = l + 1/2 and W = 1 - V, the unnormalised n-th one is
        (A)_n/((A+H)_n n!) sum_i (H)_i/((A+H+n)_i i!) 3^(-n-i) (c)_{n+i} tau_{n+i},
        tau_q = 2F1(H, c+q; A+H; 1/3),
    all positive. *Tail* in i: its ratio is at most (1/2)(H+i)/(i+1), since W1/(3-W2) <= 1/2 and
    c <= A + H. The tau_q by the recurrence DLMF 15.5.11 upwards: it is stable, but balls lose one
    bit a step on it, which is why it has more bits.
    """
    module = flint()
    arb, fmpq, bits = module.arb, module.fmpq, module.ctx.prec
    l = degree  # noqa: E741
    tau: list[Ball] = []

    def tau_at(q: int) -> Ball:
        while len(tau) <= q:
            with workprec(4 * bits + 4 * l):
                if len(tau) < 2:
                    upper = [half(l), half(2 * l + 1) + len(tau)]
                    tau.append(arb(fmpq(1, 3)).hypgeom(upper, [half(2 * l + d)]))
                    continue
                b = 2 * l - 1 + 2 * len(tau)  # twice the second parameter of tau[-1]
                left = tau[-2] * fmpq(2 * l + d - b, 2)
                middle = tau[-1] * fmpq(3 * (2 * b - 2 * l - d) + l - b, 6)
                tau.append((left + middle) / fmpq(b, 3))
        return tau[q]

    result = []
    lead, small = arb(1), arb(2) ** (8 - bits)
    for n in range(count + 1):
        weight, total, i = arb(1), arb(0), 0
        while True:
            term = weight * tau_at(n + i)
            total += term
            weight *= fmpq(
                (l + 2 * i) * (2 * l + 1 + 2 * n + 2 * i),
                (2 * l + d + 2 * n + 2 * i) * (i + 1) * 6,
            )
            i += 1
            ratio = max(0.5, 0.25 * (l + 2 * i) / (i + 1))
            if ratio < 0.97 and (term < total * small or not term.is_finite()):
                break
        bound = max(Fraction(1, 2), Fraction(l + 2 * i, 4 * (i + 1)))
        rest = weight * tau_at(n + i) / exact(1 - bound)
        result.append(lead * (total + arb(0).union(rest)))
        lead *= fmpq((l + d + 2 * n) * (2 * l + 1 + 2 * n), (2 * l + d + 2 * n) * (n + 1) * 6)
    return [value / result[0] for value in result]


@dataclass(frozen=True)
class RemainderMargin:
    """What `remainder_margin` found for one (l, d).

    Attributes
    ----------
    proved : whether |b_l - P_l| <= s_l x on [0, 1], hence K_l^2 = q_l + s_l^2.
    bisections : how many cuts [0, min(1, 2/s_l)] needed.
    least : a lower bound of (s_l - w D)/(s_l x) and (s_l + w D)/s_l over what was checked.
    reason : why not, when it is not proved.
    """

    proved: bool
    bisections: int
    least: float
    reason: str = ""


def remainder_margin(degree: int, d: int, bits: int = 96, max_depth: int = 30) -> RemainderMargin:
    """Decide (ii) for one degree and dimension by balls on [0, min(1, 2/s_l)]."""
    degree, d = check_degree(degree, d, 1)
    module = flint()
    arb, arb_poly, fmpq = module.arb, module.arb_poly, module.fmpq
    with workprec(bits + 2 * degree):
        n, e = divmod(degree, 2)
        coefficients = _lift_coefficients(degree, d, _TERMS)
        last = coefficients.pop()  # bounds the rest
        p = [arb(1)]
        for k in range(n):
            step = fmpq((k - n) * (2 * n + 2 * e + d - 2 + 2 * k), (k + 1) * (d - 1 + 2 * k))
            p.append(p[-1] * step)
        fall = arb_poly([(-1) ** k * math.comb(n, k) for k in range(n + 1)])
        difference = fall * arb_poly(coefficients) - arb_poly(p)
        quotient = arb_poly([difference[k] for k in range(1, difference.length())])
        slope = quotient[0]  # s_l: (1-x)^n x^count is beyond
        end = arb((2 / slope).upper()) if 2 / slope < 1 else arb(1)
        # the rest of B is at most last x^count/(1 - ratio) for x <= end
        ratio = end * exact(Fraction(2 * degree + 1 + 2 * _TERMS, 4 * (_TERMS + 1)))
        if not ratio < 1:
            return RemainderMargin(False, 0, 0.0, "the series of b_l does not converge here")
        rest = arb((last / (1 - ratio)).upper())
        weight = arb_poly([1, arb(-0.5)]) if e else arb_poly([1])
        above = slope - weight * quotient
        above = arb_poly([above[k] / slope for k in range(1, above.length())])  # / (s x)
        below = arb_poly([1]) + weight * quotient * (1 / slope)

        rest_above = rest / slope
        stack, cuts, least = [(Fraction(0), Fraction(1), 0)], 0, math.inf
        while stack:
            low, high, depth = stack.pop()
            x = (exact(low) * end).union(exact(high) * end)
            top = arb(x.upper())
            slack = rest_above * power(top, _TERMS - 2) * arb(0, 1)
            values = (above(x) + slack, below(x) + slack)
            if values[0] > 0 and values[1] > 0:
                least = min(least, *(float(value.lower()) for value in values))
                continue
            if values[0] < 0 or values[1] < 0 or depth >= max_depth:
                side = "above" if not values[0] > 0 else "below"
                kind = "fails" if values[0] < 0 or values[1] < 0 else "is open"
                reason = f"the bound {side} {kind} near x = {float((x).mid()):.6g}"
                return RemainderMargin(False, cuts, least, reason)
            middle = (low + high) / 2
            cuts += 1
            stack.append((middle, high, depth + 1))
            stack.append((low, middle, depth + 1))
        return RemainderMargin(True, cuts, least)
