"""Theorem 1's claims at points whose values are known."""

from __future__ import annotations

import pytest

from spherelab.check import evaluate
from spherelab.theory.theorem1 import CLAIMS


@pytest.mark.parametrize(
    ("key", "left", "right"),
    [
        # theory, section 3: at the points named there
        ("theorem1.linear-needed", 0.015877301468939334, 0.013993433),
        ("theorem1.hypothesis", 1.4271216823251543, 1.0),
    ],
)
def test_sides_at_known_points(key: str, left: float, right: float) -> None:
    claim = next(c for c in CLAIMS if c.key == key)
    if key == "theorem1.linear-needed":
        found = evaluate(claim, {"d": 2, "beta": 20.0, "n": 14})
        assert found.left == pytest.approx(left, rel=1e-13)
        assert found.left / found.right == pytest.approx(1.1346, abs=5e-5)
    else:
        found = evaluate(claim, {"d": 16, "delta": 0.01, "beta": 2.0})
        assert found.left / found.right == pytest.approx(left, rel=1e-12)


def test_theta_limit_is_the_stated_constant() -> None:
    claim = next(c for c in CLAIMS if c.key == "theorem1.theta")
    assert claim.right(d=16, beta=2.0) == pytest.approx(9.354605, abs=5e-7)
