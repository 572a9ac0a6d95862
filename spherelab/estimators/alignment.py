"""What is linear in the pairs of views: misalignment and its kin."""

from __future__ import annotations

from typing import Any

from spherelab.estimators.arrays import namespace, views
from spherelab.estimators.blocks import from_influence
from spherelab.estimators.estimate import Estimate

_ROWS = 1 << 14


def squared_distances(u: Any, v: Any) -> Any:
    """|u_i - v_i|^2, shape (n,), in float64."""
    xp = namespace(u)
    found = xp.empty(u.shape[0])
    for start in range(0, u.shape[0], _ROWS):
        rows = slice(start, start + _ROWS)
        gap = u[rows].astype(xp.float64) - v[rows]
        found[rows] = xp.einsum("ij,ij->i", gap, gap)
    return found


def misalignment(u: Any, v: Any) -> Estimate:
    """Delta = E|U-V|^2/4, the mean of |u_i - v_i|^2/4, with the standard error of a mean.

    Parameters
    ----------
    u, v : array, shape (n, d)
        Unit rows, n >= 2: two views of each example. NumPy or CuPy, float32 or float64.

    Raises
    ------
    ArgumentError
        For arrays that are not such (NaN, zero or unnormalised rows, shapes that differ).
    """
    u, v = views(u, v)
    quarter = squared_distances(u, v) / 4
    return from_influence(float(quarter.mean()), quarter, u.shape[0], "mean")


def alignment(u: Any, v: Any) -> Estimate:
    """E|U-V|^2 = 4 Delta, the alignment of Wang and Isola; arguments as ``misalignment``."""
    u, v = views(u, v)
    squares = squared_distances(u, v)
    return from_influence(float(squares.mean()), squares, u.shape[0], "mean")
