"""Limits of functions that a power series describes, extrapolated with a stated error."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

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


def right_derivative(function: Function, h: float, n: int = 7) -> Value:
    """f'(0) of an f that is analytic on [0, h], from n + 1 values there: the derivative, at the
    end, of their interpolant at Chebyshev's points.

    The error is that of a geometric series from its last term on, at the rate of its last two, and
    what the errors of f become in the derivative: up to 2 n^2/h times the largest.
    """
    nodes = 0.5 * h * (1 - np.cos(np.pi * np.arange(n + 1) / n))
    values = [function(float(node)) for node in nodes]
    worst = max(value.error + 2 * sys.float_info.epsilon * abs(value) for value in values)
    ends = np.ones(n + 1)
    ends[[0, -1]] = 0.5
    k = np.arange(n + 1)
    # differences from f(0): a constant has no derivative, and should have no rounding either
    change = np.array([float(value) - float(values[0]) for value in values])
    waves = np.cos(np.pi * k[:, None] * k / n)  # T_k at -(1 - 2 x/h), up to (-1)^k
    coefficients = 2 / n * ends * (waves @ (ends * change))  # of T_k(1 - 2 x/h)
    terms = -2 / h * k**2 * coefficients  # T_k'(1) = k^2
    limit = float(terms.sum())
    before, last = np.abs(terms[-2:])
    rate = min(0.9, last / before) if before > 0 else 0.9
    error = float(last / (1 - rate)) + 2 * n * n / h * worst
    return Value(limit, error, "derivative of an interpolant")
