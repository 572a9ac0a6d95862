"""Objects that cannot change after they are made, and print as the call that makes them again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np


def _as_source(value: object) -> str:
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, tuple):
        return f"[{', '.join(_as_source(item) for item in value)}]"
    return repr(value)


def _same(left: object, right: object) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return np.array_equal(left, right)
    return bool(left == right)


class Immutable:
    """Base of the laws and pairs: attributes are set once, in ``__init__``, through ``_set``.

    Two objects are equal when their class and parameters are. ``repr`` gives the constructor call,
    with every digit, so that ``eval(repr(x)) == x`` where the class names are imported.
    """

    _parameters: ClassVar[tuple[str, ...]] = ()

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value = value.copy()
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def _shown(self) -> Iterator[str]:
        """Names of the parameters that ``repr`` shows; a subclass leaves out defaults."""
        yield from self._parameters

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name}")

    def __repr__(self) -> str:
        shown = (f"{name}={_as_source(getattr(self, name))}" for name in self._shown())
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(_same(getattr(self, name), getattr(other, name)) for name in self._parameters)

    def __hash__(self) -> int:
        values = (getattr(self, name) for name in self._parameters)
        return hash(
            (type(self), *(v.tobytes() if isinstance(v, np.ndarray) else v for v in values))
        )
