"""Every result of the theory, checked: the claims of all modules, in one table."""

from __future__ import annotations

import sys

import verify
from verify._command import main

if __name__ == "__main__":
    sys.exit(main(verify.claims, prog="python -m verify", description=__doc__))
