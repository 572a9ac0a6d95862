"""Proposition 3: no squared mean embedding bounds the InfoNCE excess faster than by its root."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify._command import main

if TYPE_CHECKING:
    from spherelab.claim import Claim


def claims() -> Sequence[Claim]:
    """The claims of Proposition 3."""
    from spherelab.theory.proposition3 import CLAIMS

    return CLAIMS


if __name__ == "__main__":
    sys.exit(main(claims, prog="python -m verify.proposition3", description=__doc__))
