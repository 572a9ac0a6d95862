"""Results, checked from the command line: one module a result, all with the same options.

``python -m verify.theorem1 --help`` says what a command does and what its exit code means.
"""

from __future__ import annotations

#: The results that have a command, in the order of the theory: ``python -m verify.<name>``.
RESULTS: tuple[str, ...] = ("theorem1", "theorem3", "finite_batch")
