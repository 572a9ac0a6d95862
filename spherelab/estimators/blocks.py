"""All pairs of rows, a block of inner products at a time; and the error of what is summed of them.

Memory is a block of ``BLOCK`` rows by ``BLOCK`` columns beside the arrays, time O(n^2 d).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spherelab.estimators.arrays import namespace
from spherelab.estimators.estimate import Estimate

#: Rows and columns of a block: 1024^2 doubles are 8 MiB, which a cache holds in part.
BLOCK = 1024


@dataclass(frozen=True)
class Block:
    """Inner products of some rows with some columns, in float64.

    Attributes
    ----------
    rows, columns : slices of the two arrays.
    products : shape (rows, columns).
    mirrored : whether the block stands for its transpose too (one array with itself).
    diagonal : whether rows and columns are the same indices.
    """

    rows: slice
    columns: slice
    products: Any
    mirrored: bool
    diagonal: bool


def blocks(u: Any, v: Any | None = None) -> Iterator[Block]:
    """The blocks of u v^T, or of u u^T with one of each two mirror images."""
    xp = namespace(u)
    other = u if v is None else v
    n = u.shape[0]
    for start in range(0, n, BLOCK):
        for column in range(start if v is None else 0, n, BLOCK):
            left, right = u[start : start + BLOCK], other[column : column + BLOCK]
            products = (left @ right.T).astype(xp.float64, copy=False)
            yield Block(
                slice(start, min(start + BLOCK, n)),
                slice(column, min(column + BLOCK, n)),
                products,
                mirrored=v is None and column != start,
                diagonal=column == start,
            )


def row_sums(block: Block, values: Any, sums: Any) -> None:
    """Adds a block's values to the sums of its rows, off the diagonal, and to its mirror image's.

    ``values``, of the block's shape, is overwritten on the diagonal.
    """
    if block.diagonal:
        xp = namespace(values)
        xp.fill_diagonal(values, 0.0)
    sums[block.rows] += values.sum(axis=1)
    if block.mirrored:
        sums[block.columns] += values.sum(axis=0)


def from_influence(
    value: float, influence: Any, n: int, method: str, bias: float = 0.0
) -> Estimate:
    """The estimate with the standard error sqrt(sum phi_i^2/(n(n-1))) of its influence phi_i.

    For a mean they are x_i - mean; for a U-statistic of pairs 2 (row mean - U), which gives the
    jackknife's error up to 1 + O(1/n), and up to twice the variance where U is degenerate.
    """
    centred = influence - influence.mean()
    variance = float((centred * centred).sum()) / (n * (n - 1))
    return Estimate(value, math.sqrt(variance), n, method, bias)
