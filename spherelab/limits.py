"""Limits of functions that a power series describes, extrapolated with a stated error."""

from __future__ import annotations

import sys
from collections.abc import Callable

from spherelab.value import Value

Function = Callable[[float], Value]


def extrapolated(function: Function, h: float) -> Value:
    """Limit of f(h) as h -> 0 for f = f0 + f1 h + f2 h^2 + ..., from f(h), f(h/2), f(h/4).

    Richardson's table; the error is its last correction plus what the errors of f become in it.
    """
    a, b, c = function(h), function(h / 2), function(h / 4)
    first, second = 2 * b - a, 2 * c - b
    limit = (4 * second - first) / 3
    rounding = (8 * c.error + 6 * b.error + a.error) / 3
    return Value(limit, abs(limit - second) + rounding, "Richardson extrapolation")


def right_derivative(function: Function, h: float) -> Value:
    """f'(0) of an f on [0, h], from f(0), f(h/4), f(h/2) and f(h)."""
    start = function(0.0)

    def quotient(step: float) -> Value:
        value = function(step)
        rounding = 2 * sys.float_info.epsilon * (abs(value) + abs(start))
        return Value((value - start) / step, (value.error + start.error + rounding) / step)

    return extrapolated(quotient, h)
