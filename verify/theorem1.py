"""Theorem 1: the SG loss bounds the excess of population InfoNCE, with a sharp constant."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify._command import main

if TYPE_CHECKING:
    from spherelab.claim import Claim


def claims() -> Sequence[Claim]:
    """The claims of Theorem 1."""
    from spherelab.theory.theorem1 import CLAIMS

    return CLAIMS


if __name__ == "__main__":
    sys.exit(main(claims, prog="python -m verify.theorem1", description=__doc__))
