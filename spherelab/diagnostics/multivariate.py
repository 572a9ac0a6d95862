"""Henze and Zirkler's test that all coordinates together are Gaussian.

With y the rows whitened by the covariance divided by n, and
b = ((2d+1) n/4)^{1/(d+4)} / sqrt 2,

    HZ = (1/n) sum_ij e^{-b^2 |y_i-y_j|^2/2} - 2 (1+b^2)^{-d/2} sum_i e^{-b^2 |y_i|^2/(2(1+b^2))}
         + n (1+2b^2)^{-d/2},

n times the squared distance of characteristic functions under the weight N(0, b^2 I). No light
library keeps it (pingouin's, the one kept well in Python, needs pandas and statsmodels).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spherelab import arguments
from spherelab.arguments import ArgumentError
from spherelab.diagnostics.spread import whiten
from spherelab.estimators.runner import total_over_rows

Array = NDArray[np.float64]

_COLUMNS = 1024


@dataclass(frozen=True)
class HenzeZirkler:
    """The statistic, its p-value and the size of the sample.

    Attributes
    ----------
    statistic : float
        HZ >= 0, without unit, the same for every invertible affine map of the rows. In more than
        about 30 dimensions all but its diagonal, 1, is small, and the test has little power.
    p : float
        Probability of a statistic at least as large under a Gaussian law.
    n, d : int
    draws : int
        Gaussian samples behind p; 0: the lognormal approximation.
    """

    statistic: float
    p: float
    n: int
    d: int
    draws: int = 0


def henze_zirkler(x: Any, draws: int = 0, rng: np.random.Generator | None = None) -> HenzeZirkler:
    """Test of multivariate normality against every alternative.

    Parameters
    ----------
    x : array, shape (n, d)
        Finite floats, n > d >= 2, with a covariance of full rank. Time O(n^2 d), in blocks.
    draws : int
        0: p by Henze and Zirkler's lognormal law of the statistic, for large n at fixed d; a 5%
        test then rejects 4 to 7% of Gaussian samples for n >= 50 and d <= 10, but 0 to 10% where d
        is larger. Else that many Gaussian samples of the same size are drawn: p = (1 + how many
        have at least this statistic)/(draws + 1), of exact level at every n > d, since the
        statistic's null law is free of mean and covariance.
    rng : numpy.random.Generator, optional
        For the draws; needed with them.

    Returns
    -------
    HenzeZirkler
        Statistic to about n eps times the condition number of the covariance.

    Raises
    ------
    ArgumentError
        For an array that is not such (as ``whiten``), or draws without rng.

    References
    ----------
    Henze and Zirkler (1990), Communications in Statistics 19, 3595.
    """
    draws = arguments.dimension(draws, 0, "draws")
    y = whiten(x).whitened
    n, d = y.shape
    excess = _excess(y)
    if not draws:
        return HenzeZirkler(1 + excess, _lognormal_tail(excess, n, d), n, d)
    if rng is None:
        raise ArgumentError("rng must be a numpy.random.Generator where draws > 0, got None")
    rng = arguments.generator(rng)
    above = sum(
        _excess(whiten(rng.standard_normal((n, d))).whitened) >= excess for _ in range(draws)
    )
    return HenzeZirkler(1 + excess, (1 + above) / (draws + 1), n, d, draws)


def _square(n: int, d: int) -> float:
    """b^2, the square of the smoothing."""
    return 0.5 * (0.25 * (2 * d + 1) * n) ** (2 / (d + 4))


def _excess(whitened: Array) -> float:
    """HZ - 1: what pairs i = j add to HZ is 1, beside which the rest is lost in many dimensions."""
    n, d = whitened.shape
    b = _square(n, d)
    y = whitened * math.sqrt(n / (n - 1))
    (pairs,) = total_over_rows(functools.partial(_pairs, 0.5 * b), (y,))
    squares = np.einsum("ij,ij->i", y, y)
    single = float(np.exp(-0.5 * b / (1 + b) * squares).sum())
    return float(pairs) / n - 2 * (1 + b) ** (-d / 2) * single + n * (1 + 2 * b) ** (-d / 2)


def _pairs(rate: float, arrays: tuple[Any, ...], rows: slice) -> tuple[float]:
    """Sum of e^{-rate |y_i-y_j|^2} over i in the rows and all j != i."""
    y = arrays[0]
    some = y[rows]
    sizes = np.einsum("ij,ij->i", some, some)
    own = np.arange(rows.start, rows.stop)
    total = 0.0
    for start in range(0, y.shape[0], _COLUMNS):
        others = y[start : start + _COLUMNS]
        distances = sizes[:, None] + np.einsum("ij,ij->i", others, others) - 2 * some @ others.T
        values = np.exp(-rate * np.maximum(distances, 0.0))
        here = own[(own >= start) & (own < start + _COLUMNS)]
        values[here - rows.start, here - start] = 0.0
        total += float(values.sum())
    return (total,)


def _lognormal_tail(excess: float, n: int, d: int) -> float:
    """P(X > 1 + excess), X lognormal with the mean and variance of HZ's limit at fixed b."""
    b = _square(n, d)
    a, w = 1 + 2 * b, (1 + b) * (1 + 3 * b)
    less = a ** (-d / 2) * (1 + d * b / a + d * (d + 2) * b**2 / (2 * a**2))
    variance = (
        2 * (1 + 4 * b) ** (-d / 2)
        + 2 * a**-d * (1 + 2 * d * b**2 / a**2 + 3 * d * (d + 2) * b**4 / (4 * a**4))
        - 4 * w ** (-d / 2) * (1 + 3 * d * b**2 / (2 * w) + d * (d + 2) * b**4 / (2 * w**2))
    )
    square = math.log1p(variance / (1 - less) ** 2)
    score = (math.log1p(excess) - math.log1p(-less) + 0.5 * square) / math.sqrt(square)
    return float(special.ndtr(-score))
