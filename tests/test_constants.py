"""The closed forms of the constants: numbers, derivations by sympy, and that both can fail."""

from __future__ import annotations

import math
from typing import Any

import pytest

from spherelab.claim import Claim
from spherelab.theory import constants
from spherelab.theory.constants import CLAIMS

KEYS = [claim.key for claim in CLAIMS]
PROVED = [claim for claim in CLAIMS if claim.prove is not None]


def test_known_values() -> None:
    """The digits that the paper and the theory print."""
    value: dict[str, Any] = {claim.key: claim.right for claim in CLAIMS}
    for name, expected in (
        ("k0", 4.559014),
        ("one-slice", 0.0734),
        ("antipodal", 0.543067),
        ("mixture.ratio", 0.784459),
        ("radial.one", 0.163137),
    ):
        digits = len(str(expected).partition(".")[2])
        found = value[f"constants.{name}"](d=2, beta=1.0, eps=0.1)
        assert found == pytest.approx(expected, abs=0.51 * 10.0**-digits)


@pytest.mark.parametrize("claim", CLAIMS, ids=KEYS)
def test_each_side_states_an_error_near_rounding(claim: Claim) -> None:
    """The closed forms a few eps of their largest term; none is so wide that it hides a digit."""
    for point in claim.domain.points(quick=True):
        value = claim.right(**point)
        assert 0 < value.error <= 2e-10 * abs(value)


# --- the derivations ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("closed", "derive"),
    [
        (constants.k0, constants.derived_k0),
        (constants.mu_zero, constants.derived_mu_zero),
        (constants.mu_two_d2, lambda: constants.derived_mu(2, 2)),
        (constants.one_slice, constants.derived_one_slice),
        (constants.radial, constants.derived_radial),
        (constants.radial_one, lambda: constants.derived_radial(1)),
        (constants.mixture, constants.derived_mixture),
    ],
)
def test_derivation_refutes_a_wrong_constant(closed: Any, derive: Any) -> None:
    """A constant that is off by a millionth part is refuted, and the true one is not."""

    def wrong(root: Any, *delta: Any) -> Any:
        return closed(root, *delta) * (10**6 + 1) / 10**6

    true = constants._prove(closed, derive)([{}])
    false = constants._prove(wrong, derive)([{}])
    assert true.decided and true.holds
    assert false.decided and not false.holds


@pytest.mark.parametrize(("d", "degree"), [(2, 2), (4, 2), (2, 4), (6, 2)])
def test_derived_spectrum_is_that_of_the_lift(d: int, degree: int) -> None:
    from spherelab.zonal import SGLift

    exact = constants.derived_mu(d, degree)
    assert not exact.free_symbols
    found = float(SGLift().eigenvalues(d, degree))
    assert found == pytest.approx(float(exact.evalf(30)), rel=1e-13)


def test_derivation_needs_decaying_even_terms() -> None:
    import sympy

    s = constants._frequency()
    for term in (s**2, s**3 * sympy.exp(-(s**2)), s**2 * sympy.exp(s**2)):
        with pytest.raises(ArithmeticError):
            constants._continued(term)
    exact = constants._continued(5 * s**4 * sympy.exp(-3 * s**2))
    assert float(exact) == pytest.approx(5 * 3 / 8 * math.sqrt(math.pi) * 3**-2.5, rel=1e-14)
