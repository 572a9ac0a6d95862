"""Points and directions on the sphere: checks, random complements, points about an axis."""

from __future__ import annotations

import numbers

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spherelab import arguments
from spherelab.arguments import ArgumentError

Array = NDArray[np.float64]

_ULPS = 4 * np.finfo(np.float64).eps


def count(n: object, name: str = "n") -> int:
    """``n`` as an int >= 1."""
    if isinstance(n, bool | np.bool_) or not isinstance(n, numbers.Integral) or n < 1:
        raise ArgumentError(f"{name} must be an integer >= 1, got {n!r}")
    return int(n)


def _kept(value: ArrayLike, checked: Array) -> Array:
    """``value`` itself where normalising it only moved the last digits.

    Dividing by a norm of 1 +- 2^-52 is not idempotent: without this an object rebuilt from its
    ``repr`` would differ from the original by an ulp.
    """
    raw = np.array(value, dtype=np.float64)
    return raw if np.max(np.abs(raw - checked)) <= _ULPS else checked


def unit_vector(value: ArrayLike, d: int, name: str) -> Array:
    return _kept(value, arguments.unit_vector(value, d, name))


def unit_rows(value: ArrayLike, name: str) -> Array:
    rows = _kept(value, arguments.unit_rows(value, name))
    if rows.shape[1] < 2:
        raise ArgumentError(f"{name} must have rows of dimension >= 2, got shape {rows.shape}")
    return rows


def weights(value: ArrayLike | None, size: int, name: str = "weights") -> Array:
    checked: Array = arguments.weights(value, size, name)
    return checked if value is None else _kept(value, checked)


def points(x: ArrayLike, d: int, name: str = "x") -> tuple[Array, tuple[int, ...]]:
    """Unit points of any leading shape as rows (m, d), and that shape."""
    shape = np.shape(x)
    if len(shape) < 1 or shape[-1] != d:
        raise ArgumentError(f"{name} must have a last axis of length {d}, got shape {shape}")
    return arguments.unit_rows(np.reshape(np.asarray(x), (-1, d)), name), shape[:-1]


def first_axis(d: int) -> Array:
    axis = np.zeros(d)
    axis[0] = 1.0
    return axis


def is_first_axis(direction: Array) -> bool:
    return bool(direction[0] == 1.0 and not np.any(direction[1:]))


def normalised(rows: Array) -> Array:
    result: Array = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return result


def _rejected(x: Array, directions: tuple[Array, ...], rng: np.random.Generator) -> Array:
    """Unit rows, uniform in the orthogonal complement of the (orthonormal) directions' rows.

    A normal vector less its parts along the directions, which is done twice: where the first
    pass cancels, its rounding is what the second removes. Vectors almost within the span of the
    directions are drawn anew. That happens to someone who seeds the point and the sample alike;
    the test is symmetric around the span, so that it does not bias the direction.
    """
    rows = np.empty_like(x)
    missing = np.arange(len(x))
    while missing.size:
        drawn = rng.standard_normal((missing.size, x.shape[1]))
        length = np.linalg.norm(drawn, axis=1)
        for _ in range(2):
            for direction in directions:
                part = np.sum(drawn * direction[missing], axis=1, keepdims=True)
                drawn = drawn - part * direction[missing]
        good = np.linalg.norm(drawn, axis=1) > 1e-6 * length
        rows[missing[good]] = normalised(drawn[good])
        missing = missing[~good]
    for direction in directions:  # in the scale of unit rows the rounding is an ulp again
        rows = rows - np.sum(rows * direction, axis=1, keepdims=True) * direction
    return normalised(rows)


def complement_sample(x: Array, rng: np.random.Generator) -> Array:
    """One unit vector orthogonal to each row of x (n, d), uniform there. In d = 2 one of two."""
    if x.shape[1] == 2:
        sign = 2.0 * rng.integers(0, 2, size=len(x)) - 1.0
        return np.column_stack((-sign * x[:, 1], sign * x[:, 0]))
    return _rejected(x, (x,), rng)


def second_complement_sample(x: Array, y: Array, rng: np.random.Generator) -> Array:
    """One unit vector orthogonal to each row pair x, y (orthonormal), uniform there; d >= 3."""
    return _rejected(x, (x, y), rng)


def reflect_first_axis(rows: Array, direction: Array) -> Array:
    """Image of the rows under an orthogonal map that takes the first axis to ``direction`` (d,).

    With s the sign of the first coordinate (1 at zero), minus s times the Householder reflection
    in direction + s e_1. That vector has norm >= sqrt 2; the textbook's direction - e_1 vanishes
    at the first axis and loses digits near it.
    """
    sign = 1.0 if direction[0] >= 0 else -1.0
    normal = direction.copy()
    normal[0] += sign
    scale = 2.0 / (normal @ normal)
    result: Array = -sign * (rows - scale * np.outer(rows @ normal, normal))
    return result


def place_about(
    direction: Array, cosine: Array, complement: Array, rng: np.random.Generator
) -> Array:
    """Points at the given cosines to ``direction``, uniform around it.

    Parameters
    ----------
    direction : ndarray, shape (d,)
    cosine, complement : ndarray, shape (n,)
        t and 1 - t, the latter to full relative accuracy.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n, d)
        Unit rows t direction + sqrt(1 - t^2) y, y uniform in the complement of ``direction``.
    """
    d = len(direction)
    rows = np.empty((len(cosine), d))
    if d == 2:
        around = 2.0 * rng.integers(0, 2, size=(len(cosine), 1)) - 1.0
    else:
        around = normalised(rng.standard_normal((len(cosine), d - 1)))
    rows[:, 0] = cosine
    rows[:, 1:] = np.sqrt(complement * (1.0 + cosine))[:, None] * around
    return normalised(reflect_first_axis(rows, direction))
