"""Double-double arithmetic, for logarithms whose large parts cancel.

log mu_l or log lambda_l is a sum of terms such as A log v or log Gamma(l/2), each up to 1e6, that
cancel to something much smaller; in plain doubles each brings an error of its own rounding. Here
such sums are carried as pairs (high, low) with high + low exact to about 1e-30 (sums, products)
or 1e-21 (logarithms) relative, and rounded once at the end.

Every function works elementwise on float64 arrays and takes or returns a pair ``(high, low)``.
The products are Dekker's, which need no fused multiply-add; arguments up to 1e150 in magnitude.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]

_SPLITTER = 134217729.0  # 2^27 + 1
LOG_2: Pair = (np.array(0.6931471805599453), np.array(2.3190468138462996e-17))
LOG_PI: Pair = (np.array(1.1447298858494002), np.array(1.0265951162707826e-17))
LOG_2PI: Pair = (np.array(1.8378770664093456), np.array(-7.756588316134483e-17))
_THIRD: Pair = (np.array(1 / 3), np.array(1.850371707708594e-17))
_FIFTH: Pair = (np.array(1 / 5), np.array(-1.1102230246251566e-17))


def two_sum(x: ArrayLike, y: ArrayLike) -> Pair:
    """x + y exactly, for doubles x and y (Knuth)."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def two_product(x: ArrayLike, y: ArrayLike) -> Pair:
    """x y exactly, for doubles x and y (Dekker)."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    x_high = _SPLITTER * x - (_SPLITTER * x - x)
    y_high = _SPLITTER * y - (_SPLITTER * y - y)
    x_low, y_low = x - x_high, y - y_high
    product = x * y
    low = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, low


def add(x: Pair, y: Pair) -> Pair:
    """Sum of two pairs."""
    total, low = two_sum(x[0], y[0])
    return two_sum(total, low + (x[1] + y[1]))


def scale(factor: ArrayLike, x: Pair) -> Pair:
    """Product of a double and a pair."""
    high, low = two_product(factor, x[0])
    return two_sum(high, low + np.asarray(factor) * x[1])


def total(*terms: Pair) -> Pair:
    """Sum of several pairs."""
    result = terms[0]
    for term in terms[1:]:
        result = add(result, term)
    return result


def exact(x: ArrayLike) -> Pair:
    """A double as a pair."""
    x = np.asarray(x, dtype=float)
    return x, np.zeros_like(x)


def log(x: ArrayLike) -> Pair:
    """log x for a double x > 0, to about 1e-21 relative.

    x = 2^k m with m in [1/sqrt 2, sqrt 2]; log m = 2 artanh(q), q = (m-1)/(m+1), |q| < 0.172. The
    series 1 + q^2/3 + q^4/5 + .. takes q and its first three terms in double-double; the rest is
    below 4e-6 of it, so that its rounding is below 1e-21.
    """
    mantissa, exponent = np.frexp(np.asarray(x, dtype=float))
    small = mantissa < np.sqrt(0.5)
    mantissa = np.where(small, 2 * mantissa, mantissa)
    exponent = np.where(small, exponent - 1, exponent).astype(float)
    top = mantissa - 1.0  # exact (Sterbenz)
    bottom, bottom_low = two_sum(mantissa, 1.0)
    quotient = top / bottom
    back, back_low = two_product(quotient, bottom)
    quotient_low = ((top - back) - back_low - quotient * bottom_low) / bottom
    square, square_low = two_product(quotient, quotient)
    square_low = square_low + 2 * quotient * quotient_low
    tail = np.zeros_like(square)
    for k in range(41, 5, -2):  # q^42 < 1e-32
        tail = square * (tail + 1.0 / k)
    series: Pair = (tail, np.zeros_like(tail))
    for coefficient in (_FIFTH, _THIRD):
        high, low = add(series, coefficient)
        product, product_low = two_product(high, square)
        series = two_sum(product, product_low + high * square_low + low * square)
    # 2 q (1 + series)
    high, low = two_product(2 * quotient, series[0])
    low = low + 2 * quotient * series[1] + 2 * quotient_low * series[0]
    logarithm = add((2 * quotient, 2 * quotient_low), two_sum(high, low))
    return add(scale(exponent, LOG_2), logarithm)


def log_complement(x: ArrayLike) -> Pair:
    """log(1 - x) for 0 <= x <= 1/2, where 1 - x is exact or x is below 2^-28."""
    x = np.asarray(x, dtype=float)
    tiny = x < 2.0**-28
    small = np.where(tiny, x, 0.0)
    square, square_low = two_product(small, small)
    high, low = two_sum(-small, -0.5 * square)
    near = two_sum(high, low - 0.5 * square_low - small * square / 3)
    far = log(np.where(tiny, 1.0, 1.0 - x))
    return np.where(tiny, near[0], far[0]), np.where(tiny, near[1], far[1])


# B_{2k} / (2k (2k-1)), k = 1.. : Stirling's series, DLMF 5.11.1
_STIRLING = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)
_STIRLING_FROM = 24.0


def log_gamma(x: ArrayLike) -> Pair:
    """log Gamma(x) for a double x > 0, to 3e-18 max(1, |log x|, x |log x|); far better above 30.

    From x = 24 on by Stirling's series (DLMF 5.11.1; its eighth term is below 1e-21 there); below,
    Gamma(x) = Gamma(x + n) / (x (x+1) .. (x+n-1)), the product in double-double.
    """
    x = np.asarray(x, dtype=float)
    steps = np.maximum(np.ceil(_STIRLING_FROM - x), 0.0)
    shifted = x + steps
    lowered = two_sum(x, steps)[1]  # what the shift rounds away, at most an ulp of 24
    inverse = 1.0 / shifted
    series = np.zeros_like(inverse)
    for coefficient in reversed(_STIRLING):
        series = coefficient + inverse * inverse * series
    logarithm = log(shifted)
    result = total(
        scale(shifted, logarithm),
        scale(-0.5, logarithm),
        exact(-shifted),
        scale(0.5, LOG_2PI),
        exact(inverse * series + lowered * (logarithm[0] - 0.5 * inverse)),
    )
    small = steps > 0
    if not np.any(small):
        return result
    base, count = x[small], steps[small]
    product = exact(np.ones_like(base))
    for k in range(int(np.max(count))):
        # x + k rounds as well: 24 of them would leave 1e-15
        factor, rest = two_sum(np.where(k < count, base, 1.0), np.where(k < count, float(k), 0.0))
        lost = rest * product[0]
        high, low = scale(factor, product)
        product = two_sum(high, low + lost)
    high, low = log(product[0])
    low = low + product[1] / product[0]
    corrected = add((result[0][small], result[1][small]), (-high, -low))
    raised = (np.array(result[0]), np.array(result[1]))
    raised[0][small], raised[1][small] = corrected
    return raised
