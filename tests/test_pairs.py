"""Laws of a pair of views: misalignment, marginals and samples against each other."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spherelab import laws as laws_module
from spherelab import pairs as pairs_module
from spherelab.arguments import ArgumentError
from spherelab.bessel import iv_ratio_complement
from spherelab.gegenbauer import gegenbauer_all
from spherelab.laws import Atoms, Mixture, PointMass, Smoothed, Uniform, VonMisesFisher, ZonalLaw
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
from spherelab.sphere import uniform_sample


def axis(d: int, seed: int = 0) -> np.ndarray:
    return uniform_sample(1, d, np.random.default_rng(1000 + seed))[0]


def all_pairs(d: int) -> list[Pair]:
    m = axis(d)
    code = Mixture([0.4, 0.6], [VonMisesFisher(d, 6.0, m), PointMass(-m)])
    u, v = (uniform_sample(6, d, np.random.default_rng(seed)) for seed in (8, 9))
    pairs: list[Pair] = [
        Aligned(VonMisesFisher(d, 3.0, m)),
        Aligned(code),
        Extremal(d, 0.0),
        Extremal(d, 0.3),
        Extremal(d, 1.0),
        MixturePath(d, 0.25),
        AntipodalPath(d, 0.25),
        VMFPair(d, 0.0),
        VMFPair(d, 5.0),
        VMFPair(d, 1e6),
        NuisanceChannel(ZonalLaw.perturbed(d, 2, 0.9, m), 0.4),
        NuisanceChannel(code, 0.0),
        NuisanceChannel(code, 1.0),
        TangentShift(d, 0.0),
        TangentShift(d, 0.2),
        TangentShift(d, 1.0),
        PairAtoms(u, v, np.arange(1.0, 7.0) / 21),
        PairAtoms(u, -u),
    ]
    if d > 2:
        pairs += [
            NuisanceChannel(code, 0.2, 0.0),
            NuisanceChannel(VonMisesFisher(d, 6.0, m), 0.15, 0.7),
            NuisanceChannel(Uniform(d), 0.6, -0.3),
            NuisanceChannel(Uniform(d), 0.5, correlation=0.0),
        ]
    return pairs


def pair_cases(*dimensions: int) -> list[object]:
    return [
        pytest.param(pair, id=f"{type(pair).__name__}-{i}-d{d}")
        for d in dimensions
        for i, pair in enumerate(all_pairs(d))
    ]


@pytest.mark.parametrize("pair", pair_cases(2, 3, 4, 33))
def test_samples_have_the_misalignment_and_the_marginals(pair: Pair) -> None:
    """Means of |U-V|^2/4 and of P_l(<c, .>) within 4 standard errors; rows are unit."""
    n, d = 6000, pair.dimension
    u, v = pair.sample(n, np.random.default_rng(21))
    assert u.shape == v.shape == (n, d)
    square = np.sum((u - v) ** 2, axis=1) / 4
    spread = square.std() / math.sqrt(n)
    assert abs(square.mean() - pair.misalignment()) <= 4 * spread + 1e-15
    center = np.zeros(d)
    center[0] = 1.0
    for x, law in ((u, pair.first), (v, pair.second)):
        np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0, rtol=0, atol=5e-16)
        assert law.dimension == d
        values = gegenbauer_all(d, 3, np.clip(x @ center, -1, 1))
        for degree in (1, 2, 3):
            exact = sum(
                weight
                * float(part.mean_legendre(degree))
                * float(gegenbauer_all(d, degree, np.clip(part.mean @ center, -1, 1))[degree])
                for weight, part in law.components()
            )
            error = values[degree].std() / math.sqrt(n)
            assert abs(values[degree].mean() - exact) <= 4 * error + 1e-12


@pytest.mark.parametrize("pair", pair_cases(2, 5))
def test_equal_marginals_agree_with_the_energies(pair: Pair) -> None:
    degrees = np.arange(1, 9)
    first = pair.first.harmonic_energy(degrees)
    second = pair.second.harmonic_energy(degrees)
    if pair.equal_marginals:
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-12)
    elif isinstance(pair, TangentShift):  # V is -U about the pole: energies agree, signs do not
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-12)
        a = pair.first.components()[0][1].mean_legendre([1])[0]
        b = pair.second.components()[0][1].mean_legendre([1])[0]
        assert a == -b and a > 0.1
    else:
        assert isinstance(pair, PairAtoms)
        assert np.max(np.abs(first - second)) > 1e-3 or np.allclose(pair.u, -pair.v)


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("delta", [0.0, 0.1, 0.5, 1.0])
def test_midpoint_radius_is_fixed_on_the_extremal_and_turned_families(d: int, delta: float) -> None:
    for pair in (Extremal(d, delta), TangentShift(d, delta)):
        u, v = pair.sample(500, np.random.default_rng(1))
        np.testing.assert_allclose(np.sum((u - v) ** 2, axis=1) / 4, delta, atol=1e-15)
        np.testing.assert_allclose(np.sum((u + v) ** 2, axis=1) / 4, 1 - delta, atol=1e-15)


def test_turned_views_go_toward_and_away_from_the_pole() -> None:
    u, v = TangentShift(3, 0.2).sample(500, np.random.default_rng(2))
    turn = math.asin(math.sqrt(0.2))
    angle_u, angle_v = (np.arccos(np.clip(x[:, 0], -1, 1)) for x in (u, v))
    # theta - phi and theta + phi, folded into [0, pi]
    inside = (angle_u > 1e-3) & (angle_v < math.pi - 1e-3)
    plain = inside & np.isclose(angle_v - angle_u, 2 * turn, atol=1e-7)
    assert plain.mean() > 0.7
    assert u[:, 0].mean() > 0.2 and v[:, 0].mean() < -0.2


@pytest.mark.parametrize("correlation", [-1.0, -0.3, 0.0, 0.7, 0.999])
@pytest.mark.parametrize("d", [3, 4, 50])
def test_nuisances_have_the_correlation(d: int, correlation: float) -> None:
    """U.V = 1 - 2 delta surely: Y1.Y2 = c, and each makes the same angle with the code."""
    delta = 0.3 * (1 - correlation) / 2
    pair = NuisanceChannel(PointMass(axis(d)), delta, correlation)
    u, v = pair.sample(400, np.random.default_rng(3))
    np.testing.assert_allclose(np.sum(u * v, axis=1), 1 - 2 * delta, rtol=0, atol=1e-15)
    for x in (u, v):
        np.testing.assert_allclose(x @ axis(d), math.sqrt(0.7), rtol=0, atol=1e-15)
    assert pair.nuisance == pytest.approx(0.3) and pair.cosine == pytest.approx(math.sqrt(0.7))
    assert pair.misalignment() == delta
    # The nuisances have no preferred direction around the code
    around = u - (u @ axis(d))[:, None] * axis(d)
    assert np.linalg.norm(around.mean(axis=0)) <= 4 / math.sqrt(400)


def test_nuisance_marginals() -> None:
    law = VonMisesFisher(6, 3.0)
    pair = NuisanceChannel(law, 0.25, 0.0)
    assert pair.first == pair.second == Smoothed(law, math.sqrt(0.5)) and pair.equal_marginals
    assert NuisanceChannel(law, 0.0).first == law
    everything = NuisanceChannel(law, 1.0).first
    np.testing.assert_allclose(everything.harmonic_energy([1, 3]), 0.0, atol=1e-30)


@pytest.mark.parametrize("d", [2, 3, 100, 100_000])
@pytest.mark.parametrize("kappa", [0.0, 1e-6, 1.0, 1e3, 1e6])
def test_vmf_pair_misalignment(d: int, kappa: float) -> None:
    expected = 0.5 * float(iv_ratio_complement(d / 2 - 1, kappa)) if kappa else 0.5
    assert VMFPair(d, kappa).misalignment() == pytest.approx(expected, rel=1e-15)


def test_vmf_pair_concentrates_without_losing_digits() -> None:
    """Delta ~ (d-1)/(4 kappa) far below the rounding of U.V."""
    delta = VMFPair(3, 1e12).misalignment()
    assert delta == pytest.approx(0.5e-12, rel=1e-9)


@pytest.mark.parametrize("pair", pair_cases(2, 4))
def test_repr_rebuilds(pair: Pair) -> None:
    names = {**vars(laws_module), **vars(pairs_module)}
    again = eval(repr(pair), names)
    assert again == pair and hash(again) == hash(pair)
    assert again.equal_marginals == pair.equal_marginals
    assert pickle.loads(pickle.dumps(pair)) == pair and copy.copy(pair) == pair


def test_samples_are_seeded() -> None:
    for pair in all_pairs(4):
        one = pair.sample(5, np.random.default_rng(6))
        two = pair.sample(5, np.random.default_rng(6))
        np.testing.assert_array_equal(one, two)


def test_aligned_views_are_separate_arrays() -> None:
    u, v = Aligned(Uniform(3)).sample(4, np.random.default_rng(0))
    np.testing.assert_array_equal(u, v)
    assert not np.shares_memory(u, v)


@pytest.mark.parametrize("d", [2, 100_000])
def test_pairs_sample_at_the_ends_of_the_range(d: int) -> None:
    for pair in all_pairs(d)[2:11]:
        u, v = pair.sample(3, np.random.default_rng(0))
        np.testing.assert_allclose(np.linalg.norm(u, axis=1), 1.0, atol=1e-15)
        np.testing.assert_allclose(np.linalg.norm(v, axis=1), 1.0, atol=1e-15)


class TestPairAtoms:
    points = uniform_sample(8, 3, np.random.default_rng(0))

    def test_misalignment_does_not_cancel(self) -> None:
        near = np.array([[math.cos(a), math.sin(a)] for a in (0.0, 1e-9)])
        delta = PairAtoms(near[:1], near[1:]).misalignment()
        assert delta == pytest.approx(0.25e-18, rel=1e-6)

    def test_permuted_points_have_equal_marginals(self) -> None:
        assert PairAtoms(self.points, self.points[::-1]).equal_marginals
        assert PairAtoms(self.points, self.points).equal_marginals

    def test_weights_count(self) -> None:
        weights = np.arange(1.0, 9.0) / 36
        assert not PairAtoms(self.points, self.points[::-1], weights).equal_marginals
        # A repeated point splits its weight
        u = self.points[[0, 0, 1]]
        v = self.points[[1, 0, 0]]
        assert PairAtoms(u, v, [0.25, 0.5, 0.25]).equal_marginals
        assert not PairAtoms(u, v, [0.3, 0.5, 0.2]).equal_marginals

    def test_rounding_does_not_count(self) -> None:
        shaken = self.points + 1e-13 * np.random.default_rng(1).standard_normal((8, 3))
        moved = self.points + 1e-10 * np.random.default_rng(1).standard_normal((8, 3))
        assert PairAtoms(self.points, shaken[::-1]).equal_marginals
        assert not PairAtoms(self.points, moved[::-1]).equal_marginals

    def test_zero_weights_do_not_count(self) -> None:
        u, v = self.points[:2], self.points[[0, 2]]
        assert PairAtoms(u, v, [1.0, 0.0]).equal_marginals

    def test_attributes(self) -> None:
        pair = PairAtoms(self.points, -self.points)
        assert pair.first == Atoms(self.points) and pair.second == Atoms(-self.points)
        assert pair.misalignment() == pytest.approx(1.0, abs=1e-15)


@given(
    d=st.integers(3, 40),
    share=st.floats(0, 1),
    correlation=st.floats(-1, 0.999),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_channel_geometry(d: int, share: float, correlation: float, seed: int) -> None:
    """cos^2 of the angle of M to X is (1 - 2 Delta/(1-c))/(1 - Delta), surely."""
    rng = np.random.default_rng(seed)
    m = uniform_sample(1, d, rng)[0]
    delta = min(share * (1 - correlation) / 2, 1.0)
    pair = NuisanceChannel(PointMass(m), delta, correlation)
    u, v = pair.sample(3, rng)
    middle = (u + v) / 2
    np.testing.assert_allclose(np.sum(middle**2, axis=1), 1 - delta, rtol=0, atol=3e-15)
    squares = (middle @ m) ** 2
    np.testing.assert_allclose(squares, 1 - pair.nuisance, rtol=0, atol=3e-15)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Aligned("law"), "law must be a law"),
        (lambda: Extremal(1, 0.1), "d must be an integer >= 2, got 1"),
        (lambda: Extremal(3, 1.5), r"delta must be in \[0, 1\], got 1.5"),
        (lambda: Extremal(3, math.nan), "delta must be"),
        (lambda: MixturePath(3, -0.1), "eps must be"),
        (lambda: AntipodalPath(3, 1.1), "eps must be"),
        (lambda: VMFPair(3, -1.0), "kappa must be"),
        (lambda: VMFPair(2.0, 1.0), "d must be"),
        (lambda: NuisanceChannel(3, 0.1), "law must be a law"),
        (lambda: NuisanceChannel(Uniform(3), 0.1, 1.0), "equal nuisances"),
        (lambda: NuisanceChannel(Uniform(3), 0.1, -1.2), "correlation must be"),
        (lambda: NuisanceChannel(Uniform(2), 0.1, 0.0), "correlation must be -1 for d = 2"),
        (lambda: NuisanceChannel(Uniform(3), 0.6, 0.0), r"delta must be in \[0, 0.5\].*got 0.6"),
        (lambda: TangentShift(3, -0.1), "delta must be"),
        (lambda: PairAtoms(np.eye(3), np.eye(3)[:2]), "u and v must have one shape"),
        (lambda: PairAtoms(2 * np.eye(3), np.eye(3)), "u must have unit rows"),
        (lambda: PairAtoms(np.eye(3), np.eye(3), [1.0, 0.5, 0.0]), "weights must sum to 1"),
        (lambda: PairAtoms(np.eye(3), np.eye(3) * math.nan), "v must be finite"),
        (lambda: Extremal(3, 0.1).sample(0, np.random.default_rng(0)), "n must be"),
        (lambda: Extremal(3, 0.1).sample(2, None), "rng must be"),
        (lambda: PairAtoms(np.eye(3), np.eye(3)).sample(2, None), "rng must be"),
    ],
)
def test_bad_input_is_named(call: object, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        call()  # type: ignore[operator]
