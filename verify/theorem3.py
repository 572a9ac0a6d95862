"""Theorem 3: nuisance channels, their gain, and the weights at which nuisance pays."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify._command import main

if TYPE_CHECKING:
    from spherelab.claim import Claim


def claims() -> Sequence[Claim]:
    """The claims of Theorem 3."""
    from spherelab.theory.theorem3 import CLAIMS

    return CLAIMS


if __name__ == "__main__":
    sys.exit(main(claims, prog="python -m verify.theorem3", description=__doc__))
