"""The statements of the theory as claims: one topic a file, each with its ``CLAIMS``.

``claims()`` has all of them; ``python -m verify`` checks them, figures draw them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spherelab.claim import Claim

#: The results, in the order of the paper, ours last; each is a module with ``CLAIMS``.
RESULTS: tuple[str, ...] = (
    "theorem1",
    "theorem2",
    "corollary1",
    "proposition3",
    "theorem3",
    "finite_batch",
    "uniformity",
    "constants",
    "linear_term",
    "cross_view",
)


def claims() -> Sequence[Claim]:
    """The claims of every result, in the order of ``RESULTS``."""
    import importlib

    found: list[Claim] = []
    for name in RESULTS:
        found += importlib.import_module(f"spherelab.theory.{name}").CLAIMS
    return found
