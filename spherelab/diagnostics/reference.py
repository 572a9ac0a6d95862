"""What the tests of ``coordinates`` show for an exact law, so that a share can be read.

A column of N(0, I_d) is a Gaussian sample, and one of uniform points on the sphere a sample of
2B - 1, B ~ Beta((d-1)/2, (d-1)/2). Means and shares over columns depend on that law alone, however
the columns depend on each other; they are simulated.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spherelab import arguments
from spherelab.diagnostics.coordinates import (
    ANDERSON_DARLING_CRITICAL,
    LEAST_ROWS,
    LEVEL,
    tests,
)
from spherelab.estimators.estimate import Estimate

Array = NDArray[np.float64]

_DRAWN = 1 << 22  # numbers, about half a second
_HELD = 1 << 20
_FEWEST, _MOST = 16, 4000  # columns
# Beyond it the null laws of both tests have converged: shares differ from those at larger n by less
# than 0.002
_GAUSSIAN_ROWS = 2000


@dataclass(frozen=True)
class NormalityReference:
    """What the tests show on n rows of an exact law: the same names as ``CoordinateNormality``.

    Attributes
    ----------
    n, d : int
        Rows, and columns or dimension.
    mean_anderson_darling, mean_dagostino_p, anderson_darling_share, dagostino_share : Estimate
        Expected values for a data set of that size. Their ``standard_error`` is that of the
        simulation, their ``n`` the number of columns simulated.
    """

    n: int
    d: int
    mean_anderson_darling: Estimate
    mean_dagostino_p: Estimate
    anderson_darling_share: Estimate
    dagostino_share: Estimate

    def scatter(self, expected: Estimate) -> float:
        """The standard deviation, over data sets of d columns, of one of the four.

        As if columns were independent: they are for the Gaussian, and on the sphere it is right
        within a tenth from d = 8 on (a quarter at d = 3).
        """
        return expected.standard_error * math.sqrt(expected.n / self.d)


def gaussian_reference(
    n: int, d: int, seed: int = 0, columns: int | None = None
) -> NormalityReference:
    """What ``coordinates`` finds, on average, for n points of N(0, I_d).

    Parameters
    ----------
    n : int
        Rows, >= 8. Above 2000 it is simulated at 2000, which moves shares by less than 0.002.
    d : int
        Columns, >= 1; only ``scatter`` depends on it.
    seed : int
        Of the simulation, >= 0: the same call gives the same numbers.
    columns : int, optional
        How many to simulate, >= 2; by default about half a second's worth.

    Raises
    ------
    ArgumentError
        For arguments out of these ranges.
    """
    n = arguments.dimension(n, LEAST_ROWS, "n")
    d = arguments.dimension(d, 1)
    return _reference(n, d, *_plan(min(n, _GAUSSIAN_ROWS), columns, seed), None)


def sphere_reference(
    n: int, d: int, seed: int = 0, columns: int | None = None
) -> NormalityReference:
    """What ``coordinates`` finds, on average, for n uniform points on S^(d-1).

    Parameters
    ----------
    n : int
        Rows, >= 8. At least 16 columns are simulated, so that the time grows beyond 250,000.
    d : int
        Ambient dimension, >= 2: the smaller, and the larger n, the fewer columns pass.
    seed, columns
        As for ``gaussian_reference``.

    Raises
    ------
    ArgumentError
        For arguments out of these ranges.
    """
    n = arguments.dimension(n, LEAST_ROWS, "n")
    d = arguments.dimension(d)
    return _reference(n, d, *_plan(n, columns, seed), 0.5 * (d - 1))


def _plan(rows: int, columns: int | None, seed: int) -> tuple[int, int, int]:
    count = max(_FEWEST, min(_MOST, _DRAWN // rows))
    if columns is not None:
        count = arguments.dimension(columns, 2, "columns")
    return rows, count, arguments.dimension(seed, 0, "seed")


@functools.lru_cache(maxsize=64)
def _reference(
    n: int, d: int, rows: int, count: int, seed: int, shape: float | None
) -> NormalityReference:
    rng = np.random.default_rng(seed)
    statistics, p_values = [], []
    height = max(1, _HELD // rows)
    for start in range(0, count, height):
        size = (min(height, count - start), rows)
        drawn = rng.standard_normal(size) if shape is None else 2 * rng.beta(shape, shape, size) - 1
        statistic, p, _ = tests(drawn)
        statistics.append(statistic)
        p_values.append(p)
    statistic, p = np.concatenate(statistics), np.concatenate(p_values)
    return NormalityReference(
        n,
        d,
        _mean(statistic),
        _mean(p),
        _share(statistic < ANDERSON_DARLING_CRITICAL),
        _share(p > LEVEL),
    )


def _mean(values: Array) -> Estimate:
    error = float(values.std(ddof=1)) / math.sqrt(values.size)
    return Estimate(float(values.mean()), error, values.size, "Monte Carlo")


def _share(passed: NDArray[np.bool_]) -> Estimate:
    share = float(passed.mean())
    error = math.sqrt(share * (1 - share) / passed.size)
    return Estimate(share, error, passed.size, "Monte Carlo")
