"""Ball arithmetic: enclosures against independent routes, the driver, and the proofs."""

# ruff: noqa: E741  (l is the degree, as in the formulas)

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import random
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath as mp
import pytest
import reference

from spherelab.arguments import ArgumentError
from spherelab.claim import Proof
from spherelab.rigour import RigourUnavailable, balls

flint = pytest.importorskip("flint", reason="ball arithmetic needs python-flint")

from spherelab import rigour  # noqa: E402
from spherelab.rigour import losses, remainder, spectrum, tangent  # noqa: E402

GOLDEN = json.loads((Path(__file__).parent / "data" / "golden.json").read_text(encoding="utf-8"))


def golden(name: str, **params: Any) -> str:
    """The stored value as text."""
    found = [
        entry["value"]
        for entry in GOLDEN
        if entry["name"].startswith(name)
        and all(entry["params"].get(key) == value for key, value in params.items())
    ]
    assert len(found) == 1, (name, params)
    return str(found[0])


def holds_stored(ball: Any, stored: str) -> bool:
    """The ball meets the stored value, which is rounded in its last digit."""
    mantissa, _, power = stored.partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = Fraction(10) ** (int(power or 0) - decimals)
    with balls.workprec(300):
        low, high = (balls.exact(Fraction(stored) + side * unit) for side in (-1, 1))
        return bool(ball.overlaps(low.union(high))) and bool(ball.rad() < unit.__float__() * 10)


@pytest.fixture(autouse=True)
def precision_stays() -> Iterator[None]:
    """No function may leave another working precision behind."""
    before = flint.ctx.prec
    yield
    assert flint.ctx.prec == before


# --- enclosures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("l", "d"), [(1, 2), (2, 2), (1, 8), (3, 8), (10, 8), (1, 16), (2, 128), (100, 8), (1, 1024)]
)
def test_mu_is_the_stored_value(l: int, d: int) -> None:
    assert holds_stored(rigour.mu(l, d), golden("mu_l", l=l, d=d, Delta=None))


def test_the_other_stored_values() -> None:
    with balls.workprec(160):
        cases = [
            (rigour.mu(1, 16, delta="0.3"), golden("mu_l(Delta)", l=1, d=16)),
            (rigour.cross(2, 8, "0.36", 1), golden("k_l(r1,r2)", l=2, d=8)),
            (rigour.gain(1, 8), golden("gain_l", l=1, d=8)),
            (rigour.gain(2, 8), golden("gain_l", l=2, d=8)),
            (rigour.lambda_(0, 8, 5), golden("lambda_l", l=0, d=8)),
            (rigour.lambda_(3, 8, 5), golden("lambda_l", l=3, d=8)),
            (rigour.lambda_(2, 2, "0.5"), golden("lambda_l", l=2, d=2)),
            (rigour.domination_constant(2, "0.5").value, golden("C_U", d=2)),
            (rigour.domination_constant(8, 5).value, golden("C_U", d=8)),
            (rigour.extremal_loss("0.1"), golden("J extremal", D=0.1)),
            (rigour.extremal_loss(1), golden("J extremal", D=1.0)),
            (rigour.extremal_ratio("0.1"), golden("ratio D", D=0.1)),
            (rigour.extremal_ratio(1), golden("V=-U")),
            (rigour.mixture_ratio(16), golden("Prop3", d=16)),
            (rigour.polygon_loss(14), golden("J of aligned regular", n=14)),
            (rigour.polygon_excess(14, 20), golden("U_beta of aligned regular", n=14)),
            (rigour.linear_constant(8, 5).trace, golden("Theorem 1 linear constant C_0", d=8)),
        ]
    for ball, stored in cases:
        assert holds_stored(ball, stored), (ball, stored)
    ratio = rigour.tangent_ratio(16, 2, "0.01", order=40)
    assert abs(float(ratio.mid()) - float(golden("unequal-marginal"))) < 1e-14
    assert float(ratio.rad()) < 1e-14


@pytest.mark.parametrize(
    ("l", "d", "delta"),
    [(1, 2, "0"), (1, 100000, "0.5"), (7, 3, "0.999"), (60, 16, "0.01"), (300, 1024, "0.25")],
)
def test_mu_and_gain_by_the_frequency_integral(l: int, d: int, delta: str) -> None:
    ball, truth = rigour.mu(l, d, delta=delta), reference.mu_arb(l, d, delta)
    with balls.workprec(200):
        assert abs(ball / truth - 1) < 1e-28
        assert ball.rel_accuracy_bits() > 110
        assert abs(rigour.gain(l, d) / reference.gain_arb(l, d) - 1) < 1e-28


def test_cross_is_the_series_of_appell() -> None:
    for l, d, r1, r2 in [(1, 2, 0.25, 1.0), (4, 8, 0.5, 0.75), (11, 30, 1.0, 0.125)]:
        truth = reference.cross_mp(l, d, r1, r2)
        ball = rigour.cross(l, d, r1 * r1, r2 * r2)
        with balls.workprec(160), mp.workdps(40):
            assert abs(ball / balls.exact(mp.nstr(truth, 35)) - 1) < 1e-28
    assert rigour.cross(3, 8, 0, 1).is_zero()
    with balls.workprec(160):
        third = rigour.cross(0, 8, 1, 1)
        assert (third * third * 3).contains(1)


def test_enclosures_hold_the_value_at_every_precision() -> None:
    for bits in (24, 53, 128, 400):
        for l, d in [(1, 2), (5, 3), (40, 17)]:
            narrow = rigour.mu(l, d, 600)
            assert rigour.mu(l, d, bits).contains(narrow) or rigour.mu(l, d, bits).overlaps(narrow)
            assert rigour.mu(l, d, bits).rel_accuracy_bits() > bits - 10


def test_a_wide_ball_holds_the_values_of_its_points() -> None:
    rng = random.Random(5)
    beta, delta = balls.hull("1.9", "2.3"), balls.hull("0.2", "0.25")
    wide = {
        "r": rigour.r(3, 8, beta),
        "lambda": rigour.lambda_(3, 8, beta),
        "loss": rigour.extremal_loss(delta),
        "quotient": rigour.extremal_quotient(delta),
        "ratio": rigour.extremal_ratio(delta),
        "second": rigour.extremal_second_order(delta),
        "mu": rigour.mu(2, 5, delta=delta),
    }
    for _ in range(20):
        b, x = Fraction(rng.uniform(1.91, 2.29)), Fraction(rng.uniform(0.201, 0.249))
        assert wide["r"].contains(rigour.r(3, 8, b))
        assert wide["lambda"].contains(rigour.lambda_(3, 8, b))
        assert wide["loss"].contains(rigour.extremal_loss(x))
        assert wide["quotient"].contains(rigour.extremal_quotient(x))
        assert wide["ratio"].contains(rigour.extremal_ratio(x))
        assert wide["second"].contains(rigour.extremal_second_order(x))
        assert wide["mu"].contains(rigour.mu(2, 5, delta=x))


def test_r_and_lambda_are_arb_bessel_functions() -> None:
    for l, d, beta in [(1, 2, "0.001"), (4, 3, 7), (30, 128, 50), (3, 1024, "0.1")]:
        with balls.workprec(200):
            b = balls.exact(beta)
            nu = balls.half(d) - 1
            truth = b.bessel_i(nu + l) / b.bessel_i(nu)
            assert abs(rigour.r(l, d, beta) / truth - 1) < 1e-35
            log_truth = reference.log_lambda_arb(l, d, beta)
            assert abs(rigour.lambda_log(l, d, beta) - log_truth) < 1e-28


def test_the_bounds_on_neighbours_hold() -> None:
    for d in (2, 3, 16, 300):
        for l in (1, 2, 5, 20):
            low, high = rigour.mu_ratio_lower(l, d), rigour.mu_ratio_upper(l)
            for m in (l, l + 1, l + 7):
                with balls.workprec(128):
                    assert low <= rigour.mu(m + 1, d) / rigour.mu(m, d) < high
                    step = rigour.r(m + 1, d, 5) / rigour.r(m, d, 5)
                    assert step < rigour.r_ratio_upper(l, d, 5)
            assert rigour.gain_ratio_lower(l, d) < rigour.gain_ratio(l, d)


def test_the_loss_at_zero_is_its_leading_term() -> None:
    with balls.workprec(160):
        assert (rigour.extremal_quotient(0) * rigour.k0() * rigour.k0()).contains(1)
        touching = rigour.extremal_quotient(balls.hull(0, "1e-9"))
        assert abs(touching * 12 * balls.exact(3).sqrt() - 1) < 1e-8
        excess = losses.extremal_excess(0) * 12 * balls.exact(3).sqrt()
        assert (excess * 6).contains(5)
        assert (rigour.extremal_second_order(0) * 216).contains(-5)
        for top in ("0.3", "1e-20", 1):
            assert rigour.extremal_loss(balls.hull(0, top)).contains(0)


def test_the_mixture_constant_by_quadrature() -> None:
    for d in (2, 5, 60):
        with mp.workdps(25):
            value = 2 * mp.quad(
                lambda s, d=d: (
                    (mp.exp(-s * s / 4) * mp.hyp0f1(mp.mpf(d) / 2, s**4 / 64) - mp.exp(-s * s / 2))
                    ** 2
                    * mp.npdf(s)
                ),
                [0, 2, 4, 8, 16],
            )
            with balls.workprec(128):
                gap = rigour.mixture_constant(d) - balls.exact(mp.nstr(value, 25))
            assert abs(gap) < 1e-20
    assert rigour.mixture_ratio(1024) < losses.mixture_ratio_beyond(512)


def test_the_tangent_shift_as_delta_falls() -> None:
    for d, limit in [(16, 1.433), (128, 1.492), (3, 1.190)]:
        assert abs(float(rigour.tangent_ratio(d, 2, 0).mid()) - limit) < 5e-4
    wide = rigour.tangent_ratio(16, 2, balls.hull("0.001", "0.002"))
    assert wide.contains(rigour.tangent_ratio(16, 2, "0.0015"))
    # too far for the series: not finite rather than wrong
    assert not rigour.tangent_ratio(128, 5, "0.3").is_finite()


def test_cosine_coefficients_rebuild_the_polynomials() -> None:
    for d in (2, 3, 8, 19):
        for l in (1, 2, 5, 12):
            c = tangent.cosine_coefficients(d, l)
            assert sum(c) == 1 and min(c) >= 0
            with mp.workdps(30):
                a = mp.mpf("0.7")
                value = sum(
                    mp.mpf(x.numerator) / x.denominator * mp.cos((l - 2 * m) * a)
                    for m, x in enumerate(c)
                )
                assert abs(value - reference.gegenbauer_mp(d, l, mp.cos(a))) < 1e-25


# --- the driver -----------------------------------------------------------------------------------


def test_the_driver_proves_refutes_and_gives_up() -> None:
    def parabola(x: Any) -> Any:
        return x * x - x + Fraction(26, 100).__float__()

    proof = rigour.prove_positive(parabola, {"x": (0, 1)})
    assert proof.decided and proof.holds and proof.bisections > 3
    assert proof.box == {"x": (0.0, 1.0)}

    refuted = rigour.prove_positive(lambda x: x * x - x + 0.24, {"x": (0, 1)})
    assert refuted.decided and not refuted.holds
    low, high = refuted.box["x"]
    assert 0.4 <= low < high <= 0.6 and refuted.reason

    touching = rigour.prove_positive(lambda x: (x - 0.5) * (x - 0.5), {"x": (0, 1)}, max_depth=12)
    assert not touching.decided and "sign is open" in touching.reason

    # a point is decided by precision alone
    def near(x: Any) -> Any:
        return (1 + x).log() - x + x * x / 2

    point = rigour.prove_positive(near, {"x": (1e-15, 1e-15)})
    assert point.decided and point.holds and point.precision_bits > 64
    assert not rigour.prove_positive(near, {"x": (1e-15, 1e-15)}, max_bits=64).decided
    few = rigour.prove_positive(parabola, {"x": (0, 1)}, max_boxes=3)
    assert not few.decided and few.reason


def test_the_driver_covers_what_its_box_says() -> None:
    """Ends that are no doubles are moved outwards; every part is looked at."""
    seen: list[tuple[float, float]] = []

    def f(x: Any, y: Any) -> Any:
        value = x - y + 0.4
        if value > 0:
            seen.append((float(x.lower()), float(x.upper())))
        return value

    proof = rigour.prove_positive(f, {"x": ("0.1", "0.2"), "y": (0, "0.3")})
    assert proof.decided and proof.holds
    (low, high), (bottom, top) = proof.box["x"], proof.box["y"]
    assert Fraction(low) <= Fraction(1, 10) and Fraction(high) >= Fraction(1, 5)
    assert bottom == 0 and Fraction(top) >= Fraction(3, 10)
    assert min(a for a, _ in seen) <= low and max(b for _, b in seen) >= high
    with pytest.raises(ArgumentError, match="x must be a finite interval"):
        rigour.prove_positive(f, {"x": (1, 0), "y": (0, 1)})
    with pytest.raises((ArgumentError, ValueError, OverflowError)):
        rigour.prove_positive(f, {"x": (0, math.inf), "y": (0, 1)})


def test_a_ball_that_is_not_finite_is_no_proof() -> None:
    proof = rigour.prove_positive(lambda x: x / (x - x), {"x": (1, 1)}, max_bits=256)
    assert not proof.decided
    proof = rigour.prove_positive(lambda x: flint.arb("nan"), {"x": (0, 1)}, max_depth=5)
    assert not proof.decided and "nan" in proof.reason


def test_points_are_no_box() -> None:
    proof = rigour.each_point(
        [{"n": 14, "beta": 20.0}, {"n": 35, "beta": 50.0}],
        lambda n, beta: rigour.prove_polygon(n, beta),
    )
    assert proof.decided and proof.holds and proof.points == 2
    assert proof.covers([{"n": 14, "beta": 20.0, "d": 2}, {"n": 35, "beta": 50.0, "d": 2}])


def test_combining_keeps_the_first_failure() -> None:
    good = Proof(decided=True, box={"x": (0.0, 1.0)}, precision_bits=64, bisections=2, left="a")
    bad = dataclasses.replace(good, holds=False, box={"x": (2.0, 3.0)}, reason="no")
    unsure = dataclasses.replace(good, decided=False, reason="open")
    both = balls.combine([good, dataclasses.replace(good, box={"x": (1.0, 4.0)})])
    assert both.decided and both.holds and both.box == {"x": (0.0, 4.0)} and both.bisections == 4
    assert not balls.combine([good, unsure]).decided
    assert balls.combine([good, unsure]).reason == "open"
    found = balls.combine([unsure, good, bad])
    assert found.decided and not found.holds and found.box == {"x": (2.0, 3.0)}


# --- the proofs -----------------------------------------------------------------------------------


def test_the_bound_by_the_radial_part_on_the_whole_interval() -> None:
    proof = rigour.prove_extremal_bound()
    assert proof.decided and proof.holds and proof.box == {"delta": (0.0, 1.0)}


def test_the_expansion_of_the_extremal_ratio() -> None:
    proof = rigour.prove_extremal_expansion()
    assert proof.decided and proof.holds and proof.box == {"delta": (0.0, 1.0)}
    for delta, ratio in [(0.01, 0.99583), (0.1, 0.95809), (1, 0.54307)]:
        assert abs(float(rigour.extremal_ratio(delta).mid()) - ratio) < 5e-6


def test_the_mixture_ratio_in_every_dimension() -> None:
    proof = rigour.prove_mixture()
    assert proof.decided and proof.holds and proof.box == {"d": (2.0, 1024.0)}
    for d, ratio in [(2, 0.650662), (16, 0.766730), (32, 0.775581), (128, 0.782238)]:
        assert abs(float(rigour.mixture_ratio(d).mid()) - ratio) < 6e-7


def test_the_linear_term_is_needed() -> None:
    proof = rigour.prove_polygon(14, 20)
    assert proof.decided and proof.holds and "1.1346" in proof.left
    on_a_box = rigour.prove_polygon(14, ("20", "20.5"))
    assert on_a_box.decided and on_a_box.holds and on_a_box.bisections >= 0
    # and where it is not so, that is found
    refuted = rigour.prove_polygon(14, 5)
    assert refuted.decided and not refuted.holds


def test_equal_marginals_are_needed_on_a_box() -> None:
    proof = rigour.prove_tangent(16, 2, (0, "0.01"))
    assert proof.decided and proof.holds
    assert proof.covers([{"d": 16, "beta": 2.0, "delta": x} for x in (0.0, 1e-8, 0.01)])
    wider = rigour.prove_tangent(3, (1, 2), (0, "0.01"))
    assert wider.decided and wider.holds
    far = rigour.prove_tangent(128, 5, "0.5")
    assert not far.decided and far.reason


def test_gains_are_positive() -> None:
    proof = rigour.prove_gain()
    assert proof.decided and proof.holds
    assert proof.covers([{"degree": l, "d": d} for l in (1, 1000) for d in (2, 1024)])
    for d in (2, 3, 8, 16, 128, 1024):
        assert rigour.gain(1, d) > 0
        for l in (2, 17, 150):
            assert 3 * rigour.gain_ratio(l, d) > l - 1


@pytest.mark.parametrize(
    ("d", "beta", "l"),
    [(2, "0.5", 1), (8, 2, 3), (8, 5, 7), (16, 2, 3), (16, 5, 7), (128, 5, 7), (3, 50, 86)],
)
def test_where_the_spectra_are_dominated(d: int, beta: Any, l: int) -> None:
    proof = rigour.prove_domination(d, beta, l)
    assert proof.decided and proof.holds, proof
    wrong = rigour.prove_domination(d, beta, l + 1)
    assert wrong.decided and not wrong.holds
    found = rigour.domination_constant(d, beta)
    assert found.lower <= found.value and 2 * found.lower > found.value
    # beyond the degree from which it is proved to fall, it falls
    quotients = [rigour.r(m, d, beta) / rigour.mu(m, d) for m in range(found.checked, 130)]
    assert all(b < a for a, b in itertools.pairwise(quotients))


def test_gaussian_kernels_dominate_from_half_beta_on() -> None:
    proof = rigour.prove_gaussian()
    assert proof.decided and proof.holds and proof.precision_bits == 0
    rng = random.Random(7)
    for _ in range(30):
        d, l = rng.randint(2, 300), rng.randint(0, 60)
        beta, stretch = rng.uniform(0.1, 50), rng.uniform(1.0, 2.0)
        with balls.workprec(128):
            wide = rigour.lambda_(l, d, beta * stretch) / rigour.lambda_(l, d, beta)
            assert wide >= balls.power(balls.exact(beta * stretch) / balls.exact(beta), l) * (
                1 - balls.exact(Fraction(1, 10**30))
            )
    with pytest.raises(ArgumentError, match="beta > 0"):
        rigour.prove_gaussian((2, 3), (0, 1))


# --- the remainder constant -----------------------------------------------------------------------


def remainder_at(l: int, d: int, theta: Any) -> Any:
    """F_l/sin^4 theta from its definition, in mpmath."""
    with mp.workdps(40):
        p, q = (reference.gegenbauer_mp(d, l, x) for x in (mp.cos(theta), mp.cos(2 * theta)))
        ratio = reference.cross_mp(l, d, mp.cos(theta), 1) / reference.mu_mp(l, d)
        return ((1 + q) / 2 - 2 * ratio * p + ratio**2) / mp.sin(theta) ** 4


def test_the_parts_of_the_remainder_are_its_definition() -> None:
    for l, d in [(1, 2), (2, 3), (3, 8), (6, 40)]:
        limit = mp.mpf(rigour.remainder_limit(l, d).str(30, radius=False))
        assert abs(remainder_at(l, d, mp.mpf("1e-5")) / limit - 1) < 1e-8
        bound = float(rigour.remainder_bound(l, d).upper())
        for theta in (0.2, 0.5, 1.0, 1.4):
            assert remainder_at(l, d, theta) < limit <= bound


def test_the_tangential_part_is_a_sum_of_positive_terms() -> None:
    """kappa_m of the addition theorem falls term by term: the proof of (i), in exact numbers."""

    def kappa(m: int, n: int, d: int) -> Any:
        with mp.workdps(40):
            lam = mp.mpf(d) / 2 - 1
            return (
                mp.binomial(n, m)
                * mp.rf(2 * lam + n, m)
                * mp.mpf(4) ** m
                * mp.rf(lam, m) ** 2
                * mp.gamma(2 * lam - 1 + m)
                * (2 * lam + 2 * m - 1)
                * mp.gamma(2 * lam)
                / mp.gamma(2 * lam + 2 * m) ** 2
            )

    for l, d in [(2, 3), (4, 3), (7, 8), (12, 30)]:
        with mp.workdps(40):
            q = mp.mpf(remainder.tangential_part(l, d).numerator)
            q /= remainder.tangential_part(l, d).denominator
            assert abs(kappa(2, l, d) / q - 1) < 1e-30
        quotients = [kappa(m, l, d) / kappa(m - 2, l - 2, d + 4) for m in range(3, l + 1)]
        assert all(x < kappa(2, l, d) for x in quotients)
        for theta in (0.3, 0.9, 1.5):
            with mp.workdps(30):
                p = reference.gegenbauer_mp(d, l, mp.cos(theta))
                whole = (1 + reference.gegenbauer_mp(d, l, mp.cos(2 * theta))) / 2 - p**2
                terms = sum(
                    kappa(m, l, d)
                    * mp.sin(theta) ** (2 * m)
                    * reference.gegenbauer_mp(d + 2 * m, l - m, mp.cos(theta)) ** 2
                    for m in range(2, l + 1, 2)
                )
                assert abs(whole - terms) < 1e-20
    assert remainder.tangential_part(9, 2) == 0


def test_the_series_of_the_lift_in_the_misalignment() -> None:
    for l, d in [(1, 2), (5, 3), (8, 100)]:
        with balls.workprec(128):
            b = remainder._lift_coefficients(l, d, 30)
            assert b[1].overlaps(balls.half(l) - rigour.gain_ratio(l, d) / 2)
            total = sum((value / 4**n for n, value in enumerate(b)), balls.exact(0))
            ratio = rigour.cross(l, d, "0.75", 1) / rigour.mu(l, d)
            assert abs(total * balls.exact("0.75").sqrt() ** l / ratio - 1) < 1e-9


def test_the_remainder_is_largest_at_zero() -> None:
    proof = rigour.prove_remainder(range(1, 51, 7), (2, 3, 8, 64, 256, 1024))
    assert proof.decided and proof.holds and proof.points == 48
    small = rigour.prove_remainder(range(1, 9), range(2, 6))
    assert small.decided and small.points == 0
    assert small.covers([{"degree": 8, "d": 5}])
    with pytest.raises(ArgumentError):
        rigour.prove_remainder((), (2,))


def test_the_margin_would_see_a_larger_sup(monkeypatch: pytest.MonkeyPatch) -> None:
    """With another b_l the bound (ii) is false, and the check says so."""
    true = remainder._lift_coefficients

    def other(degree: int, d: int, count: int) -> list[Any]:
        values = true(degree, d, count)
        values[2] = values[2] * 3
        return values

    monkeypatch.setattr(remainder, "_lift_coefficients", other)
    assert not rigour.remainder_margin(3, 8).proved


@pytest.mark.parametrize(
    ("d", "beta", "before", "trace"),
    [
        (2, "0.5", 116.4, 9.566),
        (8, 2, 3895.6, 356.5),
        (8, 5, 1.307e5, 13415.8),
        (16, 2, 4525.8, 408.0),
        (16, 5, 2.56e5, 24918.7),
        (128, 5, 5.25e5, 47875),
    ],
)
def test_a_smaller_linear_constant(d: int, beta: Any, before: float, trace: float) -> None:
    found = rigour.linear_constant(d, beta)
    assert abs(float(found.trace.mid()) / trace - 1) < 2e-4
    assert found.domination < found.eigenvalue < found.trace < before
    # the eigenvalue, by floats
    import numpy as np

    degrees = range(1, 40)
    quotients = [float((rigour.r(l, d, beta) / rigour.mu(l, d)).mid()) for l in degrees]
    squares = [
        float(
            (
                rigour.r(l, d, beta) * spectrum.multiplicity(d, l) * rigour.remainder_limit(l, d)
            ).mid()
        )
        * 12
        * math.sqrt(3)
        for l in degrees
    ]
    v = np.sqrt(squares)
    largest = np.linalg.eigvalsh(np.diag(quotients) + np.outer(v, v))[-1]
    assert abs(float(found.eigenvalue.mid()) / largest - 1) < 1e-10


# --- arguments, and flint missing -----------------------------------------------------------------


def test_arguments_are_checked() -> None:
    bad = [
        lambda: rigour.mu(0.5, 8),
        lambda: rigour.mu(1, 1),
        lambda: rigour.mu(-1, 8),
        lambda: rigour.gain(0, 8),
        lambda: rigour.r(1, 8, 0),
        lambda: rigour.r(1, 8, -1),
        lambda: rigour.r(1, 8, math.nan),
        lambda: rigour.lambda_(1, 8, math.inf),
        lambda: rigour.extremal_loss("1.5"),
        lambda: rigour.extremal_loss(-1),
        lambda: rigour.exact("one"),
        lambda: rigour.exact(True),
        lambda: rigour.mixture_ratio(1),
        lambda: rigour.tangent_ratio(16, 2, 2),
        lambda: rigour.domination_constant(8, 0),
    ]
    for call in bad:
        with pytest.raises(ArgumentError):
            call()


def test_numbers_are_read_exactly() -> None:
    with balls.workprec(200):
        assert (balls.exact("0.1") * 10).contains(1)
        assert balls.exact("0.1") != balls.exact(0.1)
        assert balls.exact(Fraction(1, 3)).overlaps(1 / balls.exact(3))
        assert balls.power(balls.hull(-1, 1), 2).contains(0.5)
        assert balls.power(balls.exact(3), 0) == 1


def test_without_flint_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    for call in (
        lambda: rigour.mu(1, 8),
        rigour.prove_extremal_bound,
        lambda: rigour.domination_constant(8, 2),
        lambda: rigour.prove_positive(lambda x: x, {"x": (1, 2)}),
    ):
        with pytest.raises(RigourUnavailable, match=r"pip install 'spherelab\[rigour\]'"):
            call()
    monkeypatch.undo()
