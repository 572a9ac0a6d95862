"""Results, checked from the command line: one module a result, all with the same options.

``python -m verify`` checks all of them; ``python -m verify.theorem1 --help`` says what a command
does and what its exit code means.
"""

from __future__ import annotations

#: The results that have a command, in the order of the theory: ``python -m verify.<name>``.
from spherelab.theory import RESULTS as RESULTS
from spherelab.theory import claims as claims
