"""InfoNCE with cross-view negatives: what holds without equal marginals."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify._command import main

if TYPE_CHECKING:
    from spherelab.claim import Claim


def claims() -> Sequence[Claim]:
    """The claims about cross-view negatives."""
    from spherelab.theory.cross_view import CLAIMS

    return CLAIMS


if __name__ == "__main__":
    sys.exit(main(claims, prog="python -m verify.cross_view", description=__doc__))
