"""Finite batches: the bias of the plug-in estimator, and the U-statistic without it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from verify._command import main

if TYPE_CHECKING:
    from spherelab.claim import Claim


def claims() -> Sequence[Claim]:
    """The claims about finite batches."""
    from spherelab.theory.finite_batch import CLAIMS

    return CLAIMS


if __name__ == "__main__":
    sys.exit(main(claims, prog="python -m verify.finite_batch", description=__doc__))
