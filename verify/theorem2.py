"""Theorem 2: when and with which constant a test bounds the uniformity excess linearly."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify._command import main

if TYPE_CHECKING:
    from spherelab.claim import Claim


def claims() -> Sequence[Claim]:
    """The claims of Theorem 2 and Condition (U)."""
    from spherelab.theory.theorem2 import CLAIMS

    return CLAIMS


if __name__ == "__main__":
    sys.exit(main(claims, prog="python -m verify.theorem2", description=__doc__))
