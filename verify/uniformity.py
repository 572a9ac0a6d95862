"""The uniformity excess: when it vanishes, what bounds it, and closed forms on explicit laws."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify._command import main

if TYPE_CHECKING:
    from spherelab.claim import Claim


def claims() -> Sequence[Claim]:
    """The claims about the uniformity excess."""
    from spherelab.theory.uniformity import CLAIMS

    return CLAIMS


if __name__ == "__main__":
    sys.exit(main(claims, prog="python -m verify.uniformity", description=__doc__))
