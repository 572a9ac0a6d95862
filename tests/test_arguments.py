"""Every check of arguments says, in one line, what is wrong; nothing slips through as a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

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


BAD: list[tuple[Callable[[Any], object], Any]] = [
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
NOT_UNIT_ROWS: list[Any] = [
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
]
BAD += [(lambda v: arguments.unit_rows(v, "d"), v) for v in NOT_UNIT_ROWS]
# what NumPy would convert, drop the imaginary part of, or refuse without naming the argument
NOT_NUMBERS: list[Any] = ["a", None, 1j, np.array([1j]), True, [[1.0], [1.0, 2.0]], object()]
BAD += [(lambda v: arguments.real_array(v, "d"), v) for v in NOT_NUMBERS]
BAD += [
    (lambda v: arguments.reals(v, "d", 0, 1), v)
    for v in [*NOT_NUMBERS, math.nan, math.inf, -0.1, [0.5, 1.5]]
]
BAD += [
    (lambda v: arguments.cosines(v, "d"), v)
    for v in [*NOT_NUMBERS, math.nan, -math.inf, 1.0000001, [0.5, -2.0]]
]
BAD += [(lambda v: arguments.weights(None, v, "d"), v) for v in (0, -1)]
BAD += [(lambda v: arguments.unit_vector(v, 2, "d"), v) for v in ([1.0], [1.0, 1.0], 1.0, None)]
BAD += [(lambda v: arguments.unit_vector(v, 2, "d"), v) for v in ([math.nan, 1], [1.7e308] * 2)]
# beyond what doubles hold, and what NumPy calls an integer
LONG, TIME = np.longdouble("1e4000"), np.timedelta64(3)
BAD += [(arguments.dimension, v) for v in (TIME, np.array(3))]
BAD += [(lambda v: arguments.positive(v, "d"), v) for v in (LONG, TIME, np.array([1.0]))]
BAD += [(lambda v: arguments.weights(v, 2, "d"), v) for v in ([1e308, 1e308], [LONG, 0.0])]
BAD += [(lambda v: arguments.unit_rows(v, "d"), v) for v in ([[1.7e308] * 2], [[LONG, 0.0]])]
BAD += [(lambda v: arguments.degrees(v, "d"), v) for v in (10**30, np.uint64(2**63), 2 * 10**9)]
BAD += [(lambda v: arguments.generator(v, "d"), v) for v in (0, None, np.random.RandomState(0))]
BAD += [(lambda v: arguments.choice(v, "d", ("a", "b")), v) for v in ("c", None, 1)]


@pytest.mark.parametrize(("check", "value"), BAD)
def test_bad_values_are_refused_in_one_line(check: Callable[[Any], object], value: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        check(value)
    message = str(caught.value)
    assert message.startswith("d must") and ", got " in message
    assert "\n" not in message and len(message) < 200


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


def test_integers_that_python_does_not_print() -> None:
    with pytest.raises(ArgumentError, match=r"^d must be at most .*, got a value of type int$"):
        arguments.dimension(10**5000)
    with pytest.raises(ArgumentError, match=r"^d must be an integer >= 2, got a value of type int"):
        arguments.dimension(-(10**5000))
    with pytest.raises(ArgumentError, match=r"^x must be finite and > 0, got a value of type int$"):
        arguments.positive(10**5000, "x")
    with pytest.raises(ArgumentError, match=r"^degrees must be integers >= 0, got a value of type"):
        arguments.degrees(10**5000)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            lambda: arguments.positive(np.float64(-1.0), "beta"),
            "beta must be finite and > 0, got -1.0",
        ),
        (lambda: arguments.dimension(np.int64(1)), "d must be an integer >= 2, got 1"),
        (lambda: arguments.unit_interval(1.5, "delta"), "delta must be in [0, 1], got 1.5"),
        (lambda: arguments.weights([0.5, 0.25], 2), "weights must sum to 1, got 0.75"),
        (
            lambda: arguments.weights([1.5, -0.5], 2),
            "weights must be >= 0, got -0.5 at index 1",
        ),
        (
            lambda: arguments.unit_vector([3.0, 4.0], 2, "mean"),
            "mean must be a unit vector, got norm 5",
        ),
        (
            lambda: arguments.unit_vector([1.0, math.nan], 2, "mean"),
            "mean must be finite, got nan at index 1",
        ),
        (
            lambda: arguments.unit_rows([[1.0, 0.0], [1.7e308, 1.7e308]], "u"),
            "u must have unit rows, got norm inf in row 1",
        ),
        (
            lambda: arguments.unit_rows([[1.0, 0.0], [0.0, -1e200]], "u"),
            "u must have unit rows, got norm 1e+200 in row 1",
        ),
        (
            lambda: arguments.unit_rows([[1.0, 0.0], [0.0, 0.0]], "u"),
            "u must have unit rows, got norm 0 in row 1",
        ),
        (
            lambda: arguments.unit_rows(np.zeros((0, 3)), "u"),
            "u must be a non-empty array of shape (n, d), got (0, 3)",
        ),
        (
            lambda: arguments.broadcast(a=np.ones(3), b=np.ones((2, 2))),
            "shapes must fit together, got a (3,) and b (2, 2)",
        ),
        (
            lambda: arguments.choice("c", "method", ("a", "b")),
            "method must be one of a, b, got 'c'",
        ),
        (lambda: arguments.generator(7), "rng must be a numpy.random.Generator, got int"),
    ],
)
def test_the_line(call: Callable[[], object], line: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value) == line


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble, np.int8])
def test_rows_of_any_precision_that_holds_1e6(dtype: Any) -> None:
    got = arguments.unit_rows(np.eye(3, dtype=dtype), "u")
    assert got.dtype == np.float64 and np.array_equal(got, np.eye(3))
    assert np.array_equal(arguments.unit_vector(np.eye(3, dtype=dtype)[1], 3, "u"), np.eye(3)[1])


def test_half_precision_is_not_enough() -> None:
    """0.6 and 0.8 in half precision have norm 0.9999: said, not silently put right."""
    with pytest.raises(ArgumentError, match=r"got norm 0.9999\d+ in row 0"):
        arguments.unit_rows(np.array([[0.6, 0.8]], dtype=np.float16), "u")


def test_the_tolerance_of_a_norm() -> None:
    assert arguments.unit_rows([[1 + 0.9e-6, 0.0]], "u").tolist() == [[1.0, 0.0]]
    for norm in (1 + 1.1e-6, 1 - 1.1e-6):
        with pytest.raises(ArgumentError, match="row 0"):
            arguments.unit_rows([[norm, 0.0]], "u")
        with pytest.raises(ArgumentError, match="unit vector"):
            arguments.unit_vector([norm, 0.0], 2, "u")


def test_what_is_returned_is_a_copy() -> None:
    rows, shares = np.eye(2), np.array([0.5, 0.5])
    t, degrees = np.array([0.5]), np.array([1, 2])
    for got, given in (
        (arguments.unit_rows(rows, "u"), rows),
        (arguments.unit_vector(rows[0], 2, "u"), rows),
        (arguments.weights(shares, 2), shares),
        (arguments.reals(t, "t"), t),
        (arguments.cosines(t), t),
        (arguments.degrees(degrees), degrees),
    ):
        assert not np.shares_memory(got, given)
