"""Arrays of embeddings: what is accepted, and the errors that say why one is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from spherelab.arguments import ArgumentError

#: Rows that are further from unit norm than this are refused.
UNIT_TOLERANCE = 1e-3


def namespace(x: Any) -> Any:
    """numpy, or cupy where the array is one of CuPy's."""
    if type(x).__module__.split(".")[0] == "cupy":
        import cupy

        return cupy
    return np


def rows(x: Any, name: str, least: int = 2, unit: bool = True) -> Any:
    """The array, checked: shape (n, d), n >= ``least``, d >= 2, float32 or float64, finite.

    Parameters
    ----------
    x : array_like, shape (n, d)
        NumPy's or CuPy's. float16 is read as float32.
    name : str
        For messages.
    least : int
        The fewest rows.
    unit : bool
        Whether every row must have norm 1 within 1e-3, and none be zero.

    Raises
    ------
    ArgumentError
        With the first row (and column) that is at fault.
    """
    xp = namespace(x)
    array = x if xp is not np else np.asanyarray(x)
    if array.dtype == object or array.dtype.kind not in "f":
        raise ArgumentError(f"{name} must be an array of floats, got dtype {array.dtype}")
    if array.ndim != 2 or array.shape[0] < least or array.shape[1] < 2:
        raise ArgumentError(
            f"{name} must have shape (n, d), n >= {least} and d >= 2, got {tuple(array.shape)}"
        )
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    norms = xp.empty(array.shape[0])
    for start in range(0, array.shape[0], 1 << 14):
        block = array[start : start + (1 << 14)]
        finite = xp.isfinite(block)
        if not bool(finite.all()):
            row, column = (int(k) for k in xp.argwhere(~finite)[0])
            raise ArgumentError(
                f"{name} must be finite, got {float(block[row, column])} in row {start + row}, "
                f"column {column}"
            )
        norms[start : start + (1 << 14)] = xp.sqrt(
            xp.einsum("ij,ij->i", block, block, dtype=xp.float64)
        )
    if unit:
        zero = norms == 0
        if bool(zero.any()):
            raise ArgumentError(f"{name} must have no zero row, row {int(xp.argmax(zero))} is zero")
        off = xp.abs(norms - 1)
        worst = int(xp.argmax(off))
        if not float(off[worst]) <= UNIT_TOLERANCE:
            raise ArgumentError(
                f"{name} must have unit rows (within {UNIT_TOLERANCE:g}), row {worst} has norm "
                f"{float(norms[worst]):.6g}: normalise the rows first"
            )
    return array


def views(u: Any, v: Any, least: int = 2) -> tuple[Any, Any]:
    """Two arrays of views, row i of one belonging to row i of the other."""
    first, second = rows(u, "u", least), rows(v, "v", least)
    if first.shape != second.shape:
        raise ArgumentError(
            f"u and v must have one shape, got {tuple(first.shape)} and {tuple(second.shape)}"
        )
    if namespace(first) is not namespace(second):
        raise ArgumentError("u and v must both be NumPy arrays or both CuPy arrays")
    return first, second
