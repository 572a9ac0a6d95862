"""Corollary 1: which tests bound the uniformity excess linearly, and which do not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify._command import main

if TYPE_CHECKING:
    from spherelab.claim import Claim


def claims() -> Sequence[Claim]:
    """The claims of Corollary 1."""
    from spherelab.theory.corollary1 import CLAIMS

    return CLAIMS


if __name__ == "__main__":
    sys.exit(main(claims, prog="python -m verify.corollary1", description=__doc__))
