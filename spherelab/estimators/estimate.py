"""A number estimated from samples, with its standard error."""

from __future__ import annotations

from typing import Any, Self


class Estimate(float):
    """A float with its standard error; arithmetic returns plain floats.

    Attributes
    ----------
    standard_error : float
        Estimated standard deviation over samples of this size, >= 0.
    n : int
        How many samples (rows, or pairs of views) it is from.
    method : str
        How it and its standard error were made, in a few words.
    bias : float
        The bias that was estimated and taken off; 0 where the estimator has none.
    """

    standard_error: float
    n: int
    method: str
    bias: float

    def __new__(
        cls, value: float, standard_error: float, n: int, method: str = "", bias: float = 0.0
    ) -> Self:
        self = super().__new__(cls, value)
        self.standard_error = float(standard_error)
        self.n = int(n)
        self.method = method
        self.bias = float(bias)
        return self

    def __getnewargs__(self) -> Any:  # for copy and pickle
        return (float(self), self.standard_error, self.n, self.method, self.bias)

    def __repr__(self) -> str:
        return f"{float(self)!r} +- {self.standard_error:.2g} (n = {self.n})"
