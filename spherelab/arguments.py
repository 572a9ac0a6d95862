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
    # NumPy counts its time differences among the integers
    whole = isinstance(d, numbers.Integral) and not isinstance(d, bool | np.bool_ | np.timedelta64)
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


def real_array(value: ArrayLike, name: str) -> NDArray[np.float64]:
    """Real numbers in double precision, of any shape; NaN and infinities pass."""
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ArgumentError(
            f"{name} must be a rectangular array of numbers, got {_shown(value)}"
        ) from error
    if array.dtype.kind not in "fiu":
        raise ArgumentError(
            f"{name} must be an array of real numbers, got dtype {array.dtype}: {_shown(value)}"
        )
    with np.errstate(over="ignore"):  # a long double beyond the doubles is infinite here
        return array.astype(np.float64)


def reals(
    value: ArrayLike, name: str, low: float = -math.inf, high: float = math.inf
) -> NDArray[np.float64]:
    """Finite numbers in the closed interval [low, high], of any shape."""
    array = real_array(value, name)
    good = np.isfinite(array) & (array >= low) & (array <= high)
    if not np.all(good):
        where = "" if math.isinf(low) and math.isinf(high) else f" and in [{low:g}, {high:g}]"
        raise ArgumentError(f"{name} must be finite{where}, got {array[~good].flat[0]}")
    return array


def cosines(value: ArrayLike, name: str = "t") -> NDArray[np.float64]:
    """Numbers in [-1, 1], of any shape."""
    array = real_array(value, name)
    good = np.abs(array) <= 1  # NaN fails too
    if not np.all(good):
        raise ArgumentError(f"{name} must be in [-1, 1], got {array[~good].flat[0]}")
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
        if count < 1:
            raise ArgumentError(f"{name} must have at least one entry, got {count}")
        return np.full(count, 1.0 / count)
    array = real_array(value, name)
    if array.shape != (count,):
        raise ArgumentError(f"{name} must have shape ({count},), got {array.shape}")
    if not np.all(array >= 0):
        bad = int(np.flatnonzero(~(array >= 0))[0])
        raise ArgumentError(f"{name} must be >= 0, got {array[bad]} at index {bad}")
    try:
        total = math.fsum(array)
    except OverflowError:
        total = math.inf
    if not abs(total - 1) <= _SUM_TOLERANCE:
        raise ArgumentError(f"{name} must sum to 1, got {total}")
    return array / total


def unit_vector(value: ArrayLike, d: int, name: str) -> NDArray[np.float64]:
    """A vector of shape (d,) and norm 1 (within 1e-6; then normalised)."""
    array = real_array(value, name)
    if array.shape != (d,):
        raise ArgumentError(f"{name} must have shape ({d},), got {array.shape}")
    if not np.all(np.isfinite(array)):
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ArgumentError(f"{name} must be finite, got {array[at]} at index {at}")
    norm = float(_norms(array[None, :])[0, 0])
    if abs(norm - 1) > UNIT_TOLERANCE:
        raise ArgumentError(f"{name} must be a unit vector, got norm {norm:.9g}")
    return array / norm


def unit_rows(value: ArrayLike, name: str) -> NDArray[np.float64]:
    """An array of shape (n, d), n >= 1, with rows of norm 1 (within 1e-6; then normalised)."""
    array = real_array(value, name)
    if array.ndim != 2 or array.size == 0:
        raise ArgumentError(f"{name} must be a non-empty array of shape (n, d), got {array.shape}")
    if not np.all(np.isfinite(array)):
        row, column = (int(i) for i in np.argwhere(~np.isfinite(array))[0])
        bad = array[row, column]
        raise ArgumentError(f"{name} must be finite, got {bad} in row {row}, column {column}")
    norms = _norms(array)
    off = np.abs(norms[:, 0] - 1)
    if np.max(off) > UNIT_TOLERANCE:
        row = int(np.flatnonzero(off > UNIT_TOLERANCE)[0])
        raise ArgumentError(
            f"{name} must have unit rows, got norm {norms[row, 0]:.9g} in row {row}"
        )
    return array / norms


def _norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Norms of the rows as a column, where the squares overflow or underflow too."""
    largest = np.max(np.abs(rows), axis=1, keepdims=True)
    scale = np.where((largest > 1e100) | (largest < 1e-100), np.maximum(largest, 1e-300), 1.0)
    with np.errstate(over="ignore"):  # rows of 1e308: inf, to be refused
        norms: NDArray[np.float64] = scale * np.linalg.norm(rows / scale, axis=1, keepdims=True)
    return norms


def rule_level(level: object) -> int:
    """How often a rule is refined: an integer in [0, 12] (each level doubles the nodes)."""
    whole = isinstance(level, numbers.Integral) and not isinstance(level, bool | np.bool_)
    if not whole or not 0 <= int(level) <= 12:  # type: ignore[call-overload]
        raise ArgumentError(f"level must be an integer in [0, 12], got {_shown(level)}")
    return int(level)  # type: ignore[call-overload]


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
    number = isinstance(value, numbers.Real) and not isinstance(
        value, bool | np.bool_ | np.timedelta64
    )
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


def _shown(value: object) -> str:
    try:
        text = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    except ValueError:  # Python prints no integer of more than 4300 digits
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
