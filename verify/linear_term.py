"""The linear term of Theorem 1: where it is needed, and the bracket of its best constant."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify._command import main

if TYPE_CHECKING:
    from spherelab.claim import Claim


def claims() -> Sequence[Claim]:
    """The claims about the linear term."""
    from spherelab.theory.linear_term import CLAIMS

    return CLAIMS


if __name__ == "__main__":
    sys.exit(main(claims, prog="python -m verify.linear_term", description=__doc__))
