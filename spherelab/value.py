"""A number that carries its own error bar."""

from __future__ import annotations

from typing import Any, Self


class Value(float):
    """A float with the absolute error that its evaluation states, and how it was obtained.

    It behaves as a plain float everywhere (arithmetic returns plain floats: the error belongs to
    this number, not to what is later made of it).

    Attributes
    ----------
    error : float
        Stated bound (or, where ``method`` says so, estimate) of |computed - exact|, >= 0.
    method : str
        The route in a few words, for example ``"harmonic series"``.
    """

    error: float
    method: str

    def __new__(cls, value: float, error: float = 0.0, method: str = "") -> Self:
        self = super().__new__(cls, value)
        self.error = float(error)
        self.method = method
        return self

    def __getnewargs__(self) -> Any:  # for copy and pickle
        return (float(self), self.error, self.method)

    def __repr__(self) -> str:
        return f"{float(self)!r} +- {self.error:.1e}"


def scaled(value: Value, factor: float) -> Value:
    """A multiple of a value, factor >= 0, with its error."""
    return Value(factor * value, factor * value.error)


def times(x: Value, y: Value) -> Value:
    """The product of two values >= 0, with its error."""
    return Value(x * y, x.error * y + (x + x.error) * y.error)


def quotient(x: Value, y: Value) -> Value:
    """x / y for y > 0, with its error."""
    value = x / y
    return Value(value, (x.error + abs(value) * y.error) / y + 1e-15 * abs(value))
