"""Every check of arguments says, in one line, what is wrong; nothing slips through as a number."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from spherelab import arguments
from spherelab.arguments import ArgumentError


@pytest.mark.parametrize("value", [2, 3, np.int32(7), np.uint8(200), 10**9])
def test_dimensions(value: int) -> None:
    got = arguments.dimension(value)
    assert got == value and type(got) is int


@pytest.mark.parametrize("value", [1.5, np.float32(2.5), 3, np.int64(4), np.float64(1e-300)])
def test_numbers(value: float) -> None:
    assert arguments.positive(value, "x") == float(value)
    assert type(arguments.finite(value, "x")) is float


BAD: list[tuple[Callable[[object], object], object]] = [
    (arguments.dimension, value)
    for value in (1, 0, -2, 2.0, 2.5, "2", None, True, math.nan, [2], 1 + 0j, 10**10)
]
BAD += [
    (lambda v: arguments.positive(v, "d"), v)
    for v in (0, -1.0, math.nan, math.inf, "1", None, False, [1.0], 1j, 10**400)
]
BAD += [(lambda v: arguments.nonnegative(v, "d"), v) for v in (-1e-300, math.nan, "0", None)]
BAD += [(lambda v: arguments.unit_interval(v, "d"), v) for v in (-1e-9, 1.0000001, math.nan)]
BAD += [(lambda v: arguments.finite(v, "d"), v) for v in (math.nan, -math.inf, "a", object())]
BAD += [
    (lambda v: arguments.degrees(v, "d"), v)
    for v in (-1, [1, -1], 0.5, [1.0], "1", None, [True], [[1], [2, 3]], 1e19)
]
BAD += [
    (lambda v: arguments.weights(v, 2, "d"), v)
    for v in (
        [0.5, 0.4],
        [1.5, -0.5],
        [1.0],
        [0.5, 0.5, 0.0],
        [math.nan, 1.0],
        ["a", "b"],
        [[0.5, 0.5]],
        [math.inf, 0.0],
        1.0,
    )
]
BAD += [
    (lambda v: arguments.unit_rows(v, "d"), v)
    for v in (
        [],
        [[]],
        [1.0, 0.0],
        [[2.0, 0.0]],
        [[0.0, 0.0]],
        [[math.nan, 1.0]],
        [[1.0, math.inf]],
        [[1e200, 0.0]],
        [[1e-200, 0.0]],
        [["a", "b"]],
        [[1.0, 0.0], [1.0]],
        [[[1.0, 0.0]]],
        [[1 + 0j, 0]],
        np.zeros((0, 3)),
    )
]
BAD += [(lambda v: arguments.unit_vector(v, 2, "d"), v) for v in ([1.0], [1.0, 1.0], 1.0, None)]
BAD += [(lambda v: arguments.generator(v, "d"), v) for v in (0, None, np.random.RandomState(0))]
BAD += [(lambda v: arguments.choice(v, "d", ("a", "b")), v) for v in ("c", None, 1)]


@pytest.mark.parametrize(("check", "value"), BAD)
def test_bad_values_are_refused_in_one_line(
    check: Callable[[object], object], value: object
) -> None:
    with pytest.raises(ArgumentError) as caught:
        check(value)
    message = str(caught.value)
    assert message.startswith("d must") and "\n" not in message and len(message) < 200


def test_the_row_is_named() -> None:
    rows = np.eye(4)
    rows[2] *= 1.5
    with pytest.raises(ArgumentError, match="row 2"):
        arguments.unit_rows(rows, "u")
    rows[2] = 0
    with pytest.raises(ArgumentError, match="row 2"):
        arguments.unit_rows(rows, "u")
    rows[2] = math.nan
    with pytest.raises(ArgumentError, match="row 2, column 0"):
        arguments.unit_rows(rows, "u")


def test_rows_are_normalised_in_double() -> None:
    rows = np.random.default_rng(0).standard_normal((5, 6)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    got = arguments.unit_rows(rows, "u")
    assert got.dtype == np.float64
    assert np.linalg.norm(got, axis=1) == pytest.approx(np.ones(5), abs=4e-16)


def test_weights() -> None:
    assert arguments.weights(None, 4).tolist() == [0.25] * 4
    assert arguments.weights([1, 0], 2).tolist() == [1.0, 0.0]
    assert math.fsum(arguments.weights([1 / 3, 1 / 3, 1 / 3 + 1e-10], 3)) == pytest.approx(
        1, abs=2e-16
    )


def test_degrees_keep_their_shape() -> None:
    assert arguments.degrees(3).shape == () and arguments.degrees([[1, 2]]).shape == (1, 2)
    assert arguments.degrees(np.array([], dtype=int)).size == 0
