"""Hypothesis profiles: by default random, in CI the same examples every time."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# deadline=None: the first call of a compiled loop takes seconds, and that is no fault.
# too_slow: exact functionals are slow by nature; the number of examples bounds the time.
settings.register_profile(
    "default",
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "ci",
    settings.get_profile("default"),
    derandomize=True,
    database=None,
    print_blob=True,
)
settings.load_profile("ci" if os.environ.get("CI") else "default")
