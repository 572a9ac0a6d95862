"""Finite batches: expectations of the plug-in and the U-statistic, the statistics, the claims."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special

from spherelab.arguments import ArgumentError
from spherelab.check import check
from spherelab.claim import Claim, Verdict
from spherelab.laws import Uniform, VonMisesFisher
from spherelab.pairs import (
    Aligned,
    AntipodalPath,
    Extremal,
    MixturePath,
    NuisanceChannel,
    Pair,
    PairAtoms,
    TangentShift,
    VMFPair,
)
from spherelab.population import (
    null_second_moment,
    null_variance,
    plug_in_bias,
    plug_in_coefficient,
    plug_in_loss,
    plug_in_minimiser,
    sg_loss,
)
from spherelab.population.batch import sample_batches, u_statistic, v_statistic
from spherelab.sphere import multiplicity
from spherelab.theory.finite_batch import CLAIMS
from spherelab.value import Value
from spherelab.zonal import SGLift

Array = NDArray[np.float64]

KEYS = [claim.key for claim in CLAIMS]
RADII = ("sampled", "integrated")
ONE_SLICE = 1 / math.sqrt(5) - 1 / math.sqrt(2) + 1 / 3


def square(d: int) -> Pair:
    """Four pairs of atoms with different |M|."""
    u = np.eye(d)[[0, 1, 0, 1]]
    v = np.eye(d)[[0, 1, 1, 0]] * np.array([[1.0], [1.0], [1.0], [-1.0]])
    return PairAtoms(u, v, [0.4, 0.3, 0.2, 0.1])


PAIRS: dict[str, Pair] = {
    "extremal": Extremal(5, 0.3),
    "aligned": Aligned(VonMisesFisher(5, 2.0)),
    "tangent": TangentShift(5, 0.1),
    "channel": NuisanceChannel(VonMisesFisher(5, 2.0), 0.2, 0.0),
    "mixture": MixturePath(5, 0.4),
    "antipodal": AntipodalPath(5, 0.4),
    "vmf-pair": VMFPair(5, 3.0),
    "atoms": square(5),
}


# --- known values ---------------------------------------------------------------------------------


def test_known_values() -> None:
    assert plug_in_minimiser(16, 32) == pytest.approx(0.06154, abs=5e-6)
    assert plug_in_minimiser(16, 32, "integrated") == pytest.approx(0.05403, abs=5e-6)
    assert plug_in_bias(Extremal(3, 0.0), "integrated") == pytest.approx(
        0.312689937498166890, rel=1e-12
    )
    assert plug_in_bias(Extremal(16, 0.0), "integrated") == pytest.approx(
        0.395071081620614061, rel=1e-12
    )
    assert plug_in_coefficient(16, "integrated") == pytest.approx(1.74121102257090812, rel=1e-12)
    assert plug_in_coefficient(2, "integrated") == pytest.approx(0.9151, abs=5e-5)
    assert plug_in_coefficient(100_000, "integrated") == pytest.approx(2.0, abs=1e-4)
    assert plug_in_coefficient(7) == 2
    assert null_second_moment(16) == pytest.approx(2.5663966224354010904e-3, rel=1e-13)
    assert null_second_moment(9, slices=1) == pytest.approx(ONE_SLICE, rel=1e-14)


@given(d=st.integers(2, 10**5))
def test_null_moment_is_the_hypergeometric_formula(d: int) -> None:
    four, one = (float(special.hyp2f1(0.5, 0.5, d / 2, x)) for x in (4 / 9, 1 / 9))
    assert null_second_moment(d) == pytest.approx((four - 2 * one + 1) / 3, abs=1e-15)
    assert 0 < null_second_moment(d) < null_second_moment(d, slices=1) < 0.0735


def test_null_moment_of_several_slices_lies_between() -> None:
    values = [null_second_moment(8, slices=k) for k in (1, 2, 10, 10**6)]
    assert values == sorted(values, reverse=True)
    assert values[1] == pytest.approx(0.5 * (ONE_SLICE + null_second_moment(8)), rel=1e-13)
    assert values[-1] == pytest.approx(null_second_moment(8), rel=1e-4)
    assert null_variance(8, 10) == pytest.approx(2 * null_second_moment(8) / 90, rel=1e-15)


# --- expectations ---------------------------------------------------------------------------------


def test_bias_of_atoms_with_integrated_radius() -> None:
    """All pairs of atoms, k = sum_l k_l(r, r') N_l P_l with Appell's two radii."""
    from spherelab.gegenbauer import gegenbauer_all

    pair = square(3)
    middle = 0.5 * (pair.u + pair.v)
    radii = np.linalg.norm(middle, axis=1)
    degrees = np.arange(60)
    counts = multiplicity(3, degrees)

    def kernel(i: int, j: int) -> float:
        cosine = float(np.clip(middle[i] @ middle[j] / (radii[i] * radii[j]), -1.0, 1.0))
        legendre = gegenbauer_all(3, 59, np.array(cosine))
        return float(np.sum(SGLift().cross(3, degrees, radii[i], radii[j]) * counts * legendre))

    table = np.array([[kernel(i, j) for j in range(4)] for i in range(4)])
    weights = pair.weights
    expected = float(weights @ np.diag(table) - weights @ table @ weights)
    assert plug_in_bias(pair, "integrated") == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("name", PAIRS)
def test_bias_is_positive_and_larger_with_a_sampled_radius(name: str) -> None:
    pair = PAIRS[name]
    sampled, integrated = plug_in_bias(pair), plug_in_bias(pair, "integrated")
    assert 0 < integrated < sampled < 1
    assert 0 <= sampled.error <= integrated.error < 1e-11


@pytest.mark.parametrize("radius", RADII)
def test_plug_in_loss_is_the_loss_and_its_bias(radius: str) -> None:
    pair = PAIRS["channel"]
    expected = sg_loss(pair) + plug_in_bias(pair, radius) / 7
    assert plug_in_loss(pair, 7, radius) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("name", PAIRS)
def test_statistics_against_their_expectations(name: str) -> None:
    pair = PAIRS[name]
    rng = np.random.default_rng(3)
    z = sample_batches(pair, 800, 6, rng)
    assert z.shape == (800, 6, 5)
    u, v = u_statistic(z), v_statistic(z)
    for values, expected in (
        (u, sg_loss(pair)),
        (v, plug_in_loss(pair, 6)),
        (6 * (v - u), plug_in_bias(pair)),
    ):
        spread = values.std() / math.sqrt(values.size)
        assert abs(values.mean() - expected) < 4.5 * spread


@given(
    delta=st.floats(0.0, 0.99),
    d=st.sampled_from([2, 16]),
    batch=st.sampled_from([2, 7, 100, 10**5]),
)
@settings(max_examples=10)
def test_plug_in_on_the_extremal_family(delta: float, d: int, batch: int) -> None:
    pair, further = Extremal(d, delta), Extremal(d, delta + 0.01)
    for radius in RADII:
        assert plug_in_bias(further, radius) < plug_in_bias(pair, radius)
        least = plug_in_loss(Extremal(d, plug_in_minimiser(d, batch, radius)), batch, radius)
        found = plug_in_loss(pair, batch, radius)
        assert least <= found + found.error


@pytest.mark.parametrize("radius", RADII)
def test_minimiser_at_the_smallest_batches(radius: str) -> None:
    values = [plug_in_minimiser(8, batch, radius) for batch in (1, 2, 3, 10, 1000, 10**9)]
    assert values[0] == 1
    assert all(a > b > 0 for a, b in itertools.pairwise(values))
    assert values[-1] * 1e9 == pytest.approx(plug_in_coefficient(8, radius), rel=1e-8)


# --- the statistics themselves --------------------------------------------------------------------


def by_definition(z: Array) -> tuple[float, float]:
    n, d = z.shape
    distances = np.sum((z[:, None] - z[None]) ** 2, axis=2)
    table = special.hyp1f1(0.5, d / 2, -distances / 2)
    own = special.hyp1f1(0.5, d / 2, -np.sum(z * z, axis=1) / 4) / math.sqrt(2)
    base = 1 / math.sqrt(3) - 2 * own.mean()
    return (
        (table.sum() - n) / (n * (n - 1)) + base,
        table.mean() + base,
    )


@pytest.mark.parametrize("d", [1, 2, 7, 64])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_statistics_are_their_definition(d: int, scale: float) -> None:
    z = scale * np.random.default_rng(d).standard_normal((3, 9, d))
    for batch, u, v in zip(z, u_statistic(z), v_statistic(z), strict=True):
        expected = by_definition(batch)
        assert u == pytest.approx(expected[0], abs=1e-10)
        assert v == pytest.approx(expected[1], abs=1e-10)
    assert u_statistic(z[0]).shape == ()


def test_integrated_statistics_average_the_sampled_ones() -> None:
    """The mean over many radii of the sampled statistic, the directions fixed."""
    rng = np.random.default_rng(5)
    d, n = 4, 5
    middle = sample_batches(Extremal(d, 0.2), 1, n, rng, "integrated")[0]
    radii = np.sqrt(rng.chisquare(d, (40_000, n, 1)))
    values = v_statistic(radii * middle)
    spread = values.std() / math.sqrt(values.size)
    exact = plug_in_bias(Extremal(d, 0.2)) - plug_in_bias(Extremal(d, 0.2), "integrated")
    # the diagonal keeps its own radius twice: sampled, k(z,z) = 1
    assert abs(values.mean() - v_statistic(middle, "integrated") - exact / n) < 4.5 * spread


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 12), d=st.sampled_from([2, 5]))
def test_statistics_do_not_see_rotations_or_order(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n, d))
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    turned = (z @ turn)[rng.permutation(n)]
    assert u_statistic(turned) == pytest.approx(float(u_statistic(z)), abs=1e-11)
    v = float(v_statistic(z))
    assert v_statistic(turned) == pytest.approx(v, abs=1e-11)
    assert v >= -1e-11  # a squared distance


# --- the sampled claims ---------------------------------------------------------------------------


def moved(claim: Claim, share: float, shift: float = 0.0) -> Claim:
    def right(**at: float) -> Value:
        value = claim.right(**at)
        return Value(value * (1 + share) + shift, getattr(value, "error", 0.0))

    return dataclasses.replace(claim, right=right)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.sample is not None], ids=lambda c: c.key)
def test_a_sampled_claim_can_fail(claim: Claim) -> None:
    """The bias is seen to a tenth, the null variance to two thirds; and the U-statistic's mean is
    told from the plug-in's, which is higher by about 0.4/B."""
    if ".unbiased." in claim.key:
        wrong = moved(claim, 0.0, 0.25 / 32)
    elif ".null." in claim.key:
        wrong = moved(claim, 2 / 3)
    else:
        wrong = moved(claim, 0.1)
    assert check(wrong, quick=True).verdict is Verdict.VIOLATED


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: plug_in_bias(Uniform(3)),  # type: ignore[arg-type]
        lambda: plug_in_bias(Extremal(3, 0.1), "both"),
        lambda: plug_in_loss(Extremal(3, 0.1), 0),
        lambda: plug_in_loss(Extremal(3, 0.1), 2.5),  # type: ignore[arg-type]
        lambda: plug_in_minimiser(1, 8),
        lambda: plug_in_minimiser(8, 0),
        lambda: plug_in_minimiser(8, 8, "none"),
        lambda: plug_in_coefficient(8, "none"),
        lambda: null_second_moment(1),
        lambda: null_second_moment(8, slices=0),
        lambda: null_second_moment(8, "integrated", 4),
        lambda: null_variance(8, 1),
        lambda: u_statistic(np.zeros((1, 3))),
        lambda: u_statistic(np.zeros(3)),
        lambda: u_statistic(np.full((4, 3), np.nan)),
        lambda: u_statistic(np.ones((4, 3)), "integrated"),
        lambda: u_statistic(np.diag([1.0, 0.5, 0.5]), "integrated"),
        lambda: v_statistic(np.zeros((0, 3))),
        lambda: v_statistic(np.eye(3), "none"),
        lambda: sample_batches(Extremal(3, 0.1), 4, 4, np.random.default_rng(0), "none"),
    ],
)
def test_bad_input_is_refused(call: Any) -> None:
    with pytest.raises(ArgumentError):
        call()
