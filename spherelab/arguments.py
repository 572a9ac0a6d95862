"""Checks of arguments: each returns the converted value, or raises one line that says why not.

The line names the argument, the range that is allowed and the value that was given.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# A row is unit when its norm is off by no more than this (single precision passes); it is then
# normalised again in double precision.
UNIT_TOLERANCE = 1e-6
_SUM_TOLERANCE = 1e-9

LARGEST_INTEGER = 10**9  # of d and of degrees


class ArgumentError(ValueError):
    """An argument outside its range; the message names it, its range and its value."""


def dimension(d: object, minimum: int = 2, name: str = "d") -> int:
    """An integer >= minimum, up to a billion: beyond, doubles lose what depends on it."""
    whole = isinstance(d, numbers.Integral) and not isinstance(d, bool | np.bool_)
    result = int(d) if whole else minimum - 1  # type: ignore[call-overload]
    if result < minimum:
        raise ArgumentError(f"{name} must be an integer >= {minimum}, got {_shown(d)}")
    if result > LARGEST_INTEGER:
        raise ArgumentError(f"{name} must be at most {LARGEST_INTEGER}, got {_shown(d)}")
    return result


def finite(value: object, name: str) -> float:
    """A finite real number."""
    return _real(value, name, "finite", lambda x: True)


def positive(value: object, name: str) -> float:
    """A finite number > 0."""
    return _real(value, name, "finite and > 0", lambda x: x > 0)


def nonnegative(value: object, name: str) -> float:
    """A finite number >= 0."""
    return _real(value, name, "finite and >= 0", lambda x: x >= 0)


def in_range(value: object, name: str, low: float, high: float) -> float:
    """A number in the closed interval [low, high]."""
    return _real(value, name, f"in [{low:g}, {high:g}]", lambda x: low <= x <= high)


def unit_interval(value: object, name: str) -> float:
    """A number in [0, 1]."""
    return in_range(value, name, 0.0, 1.0)


def degrees(value: ArrayLike, name: str = "degrees") -> NDArray[np.int64]:
    """Integers >= 0, of any shape."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype.kind not in "iu" or (array.size == 0 and array.ndim == 0):
        raise ArgumentError(f"{name} must be integers >= 0, got {_shown(value)}")
    if array.size and array.min() < 0:
        raise ArgumentError(f"{name} must be integers >= 0, got {array.min()}")
    if array.size and array.max() > LARGEST_INTEGER:
        raise ArgumentError(f"{name} must be at most {LARGEST_INTEGER}, got {array.max()}")
    return array.astype(np.int64)


def reals(
    value: ArrayLike, name: str, low: float = -math.inf, high: float = math.inf
) -> NDArray[np.float64]:
    """Finite numbers in the closed interval [low, high], of any shape."""
    array = _real_array(value, name)
    good = np.isfinite(array) & (array >= low) & (array <= high)
    if not np.all(good):
        where = "" if math.isinf(low) and math.isinf(high) else f" and in [{low:g}, {high:g}]"
        raise ArgumentError(f"{name} must be finite{where}, got {array[~good].flat[0]}")
    return array


def broadcast(**arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """The arrays, named as arguments, brought to one shape."""
    try:
        return list(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = " and ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ArgumentError(f"shapes must fit together, got {shapes}") from None


def weights(value: ArrayLike | None, count: int, name: str = "weights") -> NDArray[np.float64]:
    """``count`` numbers >= 0 that sum to 1 (within 1e-9, then divided by the sum); None: equal."""
    if value is None:
        return np.full(count, 1.0 / count)
    array = _real_array(value, name)
    if array.shape != (count,):
        raise ArgumentError(f"{name} must have shape ({count},), got {array.shape}")
    if not np.all(array >= 0):
        bad = int(np.flatnonzero(~(array >= 0))[0])
        raise ArgumentError(f"{name} must be >= 0, got {array[bad]} at index {bad}")
    total = math.fsum(array)
    if not abs(total - 1) <= _SUM_TOLERANCE:
        raise ArgumentError(f"{name} must sum to 1, got {total}")
    return array / total


def unit_vector(value: ArrayLike, d: int, name: str) -> NDArray[np.float64]:
    """A vector of shape (d,) and norm 1 (within 1e-6; then normalised)."""
    array = _real_array(value, name)
    if array.shape != (d,):
        raise ArgumentError(f"{name} must have shape ({d},), got {array.shape}")
    row: NDArray[np.float64] = unit_rows(array[None, :], name)[0]
    return row


def unit_rows(value: ArrayLike, name: str) -> NDArray[np.float64]:
    """An array of shape (n, d), n >= 1, with rows of norm 1 (within 1e-6; then normalised)."""
    array = _real_array(value, name)
    if array.ndim != 2 or array.size == 0:
        raise ArgumentError(f"{name} must be a non-empty array of shape (n, d), got {array.shape}")
    if not np.all(np.isfinite(array)):
        row, column = (int(i) for i in np.argwhere(~np.isfinite(array))[0])
        bad = array[row, column]
        raise ArgumentError(f"{name} must be finite, got {bad} in row {row}, column {column}")
    largest = np.max(np.abs(array), axis=1, keepdims=True)
    scale = np.where((largest > 1e100) | (largest < 1e-100), np.maximum(largest, 1e-300), 1.0)
    norms = scale * np.linalg.norm(array / scale, axis=1, keepdims=True)
    off = np.abs(norms[:, 0] - 1)
    if np.max(off) > UNIT_TOLERANCE:
        row = int(np.flatnonzero(off > UNIT_TOLERANCE)[0])
        raise ArgumentError(
            f"{name} must have unit rows, got norm {norms[row, 0]:.9g} in row {row}"
        )
    return array / norms


def generator(rng: object, name: str = "rng") -> np.random.Generator:
    """A numpy.random.Generator."""
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"{name} must be a numpy.random.Generator, got {type(rng).__name__}")
    return rng


def choice(value: object, name: str, options: Sequence[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in options:
        raise ArgumentError(f"{name} must be one of {', '.join(options)}, got {_shown(value)}")
    return value


def _real(value: object, name: str, allowed: str, test: Callable[[float], bool]) -> float:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    if (
        not number
        and isinstance(value, np.ndarray)
        and value.ndim == 0
        and value.dtype.kind in "fiu"
    ):
        number = True
    if not number:
        raise ArgumentError(f"{name} must be a number {allowed}, got {_shown(value)}")
    try:
        result = float(value)  # type: ignore[arg-type]
    except OverflowError:
        result = math.inf
    if not (math.isfinite(result) and test(result)):
        raise ArgumentError(f"{name} must be {allowed}, got {_shown(value)}")
    return result


def _real_array(value: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ArgumentError(f"{name} must be a rectangular array of numbers") from error
    if array.dtype.kind not in "fiu":
        raise ArgumentError(f"{name} must be an array of real numbers, got dtype {array.dtype}")
    return array.astype(np.float64)


def _shown(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
