"""Claims, their domains, and what the evaluation of one concludes."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spherelab.arguments import ArgumentError
from spherelab.check import RESOLUTION, ROUNDING, check, compare, evaluate
from spherelab.claim import Axis, Claim, Domain, Proof, Relation, Verdict
from spherelab.value import Value

EPS = sys.float_info.epsilon
D = Axis("d", (2, 3, 8), 2, 1024, "integer", quick=(3,))
BETA = Axis("beta", (0.5, 2.0), 0.1, 50.0, "log")
DELTA = Axis("delta", (0.0, 0.5, 1.0), 0.0, 1.0)
ONE = Domain(())


def make(**changed: Any) -> Claim:
    """A claim that 1 <= 2 over (d, beta), with some of its fields changed."""
    fields: dict[str, Any] = {
        "key": "toy.bound",
        "statement": "one is at most two",
        "source": "arithmetic",
        "ours": False,
        "domain": Domain((D, BETA)),
        "left": lambda **point: 1.0,
        "relation": Relation.AT_MOST,
        "right": lambda **point: 2.0,
        "tight": False,
        "formula": r"$1 \leq 2$",
    }
    if "sample" in changed:
        fields["left"] = None
    return Claim(**(fields | changed))


# --- verdicts -------------------------------------------------------------------------------------


def test_every_verdict_has_its_own_sentence() -> None:
    assert len({verdict.sentence for verdict in Verdict}) == len(Verdict) == 5
    assert [v.name for v in Verdict if v.passed] == ["PROVED", "HOLDS", "SAMPLED"]
    assert Verdict.VIOLATED.severity > Verdict.UNDECIDED.severity > Verdict.HOLDS.severity


@pytest.mark.parametrize(
    ("left", "right", "tight", "verdict"),
    [
        (1.0, 2.0, False, "HOLDS"),
        (2.0, 1.0, False, "VIOLATED"),
        (0.0, 0.0, False, "HOLDS"),  # both sides exactly 0
        (1.0, 1.0, False, "UNDECIDED"),  # a strict bound cannot be told from equality
        (1.0, 1.0, True, "HOLDS"),
        (1.0 + EPS, 1.0, True, "HOLDS"),  # equality up to rounding
        (1.0 + 8 * EPS, 1.0, True, "VIOLATED"),
        (Value(1.0, 0.4), Value(2.0, 0.4), False, "HOLDS"),
        (Value(1.0, 0.6), Value(2.0, 0.6), False, "UNDECIDED"),
        (Value(2.0, 0.6), Value(1.0, 0.6), False, "UNDECIDED"),
        (Value(2.0, 0.4), Value(1.0, 0.4), False, "VIOLATED"),
        (Value(1.0, 1e-10), 1.0, True, "HOLDS"),
        (Value(1.0, 1e-8), 1.0, True, "UNDECIDED"),  # tight is no excuse for a rough evaluation
        (Value(0.0, 1e-300), 0.0, True, "UNDECIDED"),
    ],
)
def test_at_most(left: float, right: float, tight: bool, verdict: str) -> None:
    assert compare(Relation.AT_MOST, left, right, tight=tight).verdict.name == verdict
    assert compare(Relation.AT_LEAST, right, left, tight=tight).verdict.name == verdict


@pytest.mark.parametrize("relation", [Relation.EQUAL, Relation.RATE])
@pytest.mark.parametrize(
    ("left", "right", "options", "verdict"),
    [
        (1.0, 1.0, {}, "HOLDS"),
        (1.0 + EPS, 1.0, {}, "HOLDS"),
        (1.0 + 8 * EPS, 1.0, {}, "VIOLATED"),
        (0.0, 0.0, {}, "HOLDS"),
        (Value(1.001, 0.01), 1.0, {}, "UNDECIDED"),  # agrees, but would agree with much else
        (Value(1.001, 0.01), 1.0, {"resolution": 0.02}, "HOLDS"),
        (Value(1.1, 0.01), 1.0, {"resolution": 0.02}, "VIOLATED"),
        (Value(1e-17, 1e-16), 0.0, {}, "UNDECIDED"),  # near zero, on no scale
        (Value(1e-17, 1e-16), 0.0, {"scale": 1.0}, "HOLDS"),
        (Value(1e-3, 1e-16), 0.0, {"scale": 1.0}, "VIOLATED"),
    ],
)
def test_equal(
    relation: Relation, left: float, right: float, options: dict[str, float], verdict: str
) -> None:
    assert compare(relation, left, right, **options).verdict.name == verdict
    assert compare(relation, right, left, **options).verdict.name == verdict


@pytest.mark.parametrize("relation", [r for r in Relation if r is not Relation.IN_LAW])
@pytest.mark.parametrize(
    "broken", [math.nan, math.inf, -math.inf, Value(1.0, math.nan), Value(1.0, math.inf)]
)
def test_no_number_is_never_a_pass(relation: Relation, broken: float) -> None:
    for left, right in ((broken, 1.0), (1.0, broken), (broken, broken)):
        found = compare(relation, left, right, tight=True, scale=1.0)
        assert found.verdict is Verdict.UNDECIDED
        assert "not finite" in found.reason
        assert all(map(math.isnan, found.margin))


def test_an_overflowing_margin_is_no_number() -> None:
    huge = sys.float_info.max
    assert compare(Relation.AT_MOST, -huge, huge).verdict is Verdict.UNDECIDED


FINITE = st.floats(-1e100, 1e100)
ERRORS = st.floats(0, 1e100)


@given(FINITE, FINITE, ERRORS, ERRORS, st.booleans(), st.floats(-1, 1), st.floats(-1, 1))
def test_a_verdict_is_true_of_every_number_within_the_errors(
    left: float,
    right: float,
    left_error: float,
    right_error: float,
    tight: bool,
    left_shift: float,
    right_shift: float,
) -> None:
    """HOLDS and VIOLATED must not depend on where in its error bar each side really is."""
    found = compare(
        Relation.AT_MOST, Value(left, left_error), Value(right, right_error), tight=tight
    )
    exact_left, exact_right = left + left_shift * left_error, right + right_shift * right_error
    slack = ROUNDING * max(abs(left), abs(right), left_error, right_error)
    if found.verdict is Verdict.VIOLATED:
        assert exact_left >= exact_right - slack
    if found.verdict is Verdict.HOLDS and not found.reason:
        assert exact_left <= exact_right + slack
    assert found.margin[0] <= right - left <= found.margin[1]


@given(FINITE, ERRORS, ERRORS)
def test_equality_holds_only_at_the_resolution(number: float, left: float, right: float) -> None:
    found = compare(Relation.EQUAL, Value(number, left), Value(number, right))
    fine = left + right + ROUNDING * abs(number) <= RESOLUTION * abs(number)
    assert found.verdict is (Verdict.HOLDS if fine else Verdict.UNDECIDED)


# --- domains --------------------------------------------------------------------------------------


def test_points_run_over_the_product_that_where_leaves() -> None:
    domain = Domain((D, DELTA), where=lambda d, delta: d > 2 or delta > 0)
    points = list(domain.points())
    assert len(points) == 8
    assert points[0] == {"d": 2, "delta": 0.5}
    assert all(isinstance(p["d"], int) and isinstance(p["delta"], float) for p in points)
    assert list(domain.points(quick=True)) == [{"d": 3, "delta": t} for t in (0.0, 0.5, 1.0)]
    assert list(domain.points(restrict={"d": [2], "delta": [0.0]})) == []
    assert list(Domain(()).points()) == [{}]


def test_restrict_replaces_a_grid() -> None:
    points = Domain((D, BETA)).points(restrict={"beta": [7], "d": [5, 1024]}, quick=True)
    assert list(points) == [{"d": 5, "beta": 7.0}, {"d": 1024, "beta": 7.0}]


@pytest.mark.parametrize(
    ("restrict", "message"),
    [
        ({"d": [1]}, r"d must be an integer in \[2, 1024\], got 1"),
        ({"d": [2.5]}, r"d must be an integer in \[2, 1024\], got 2.5"),
        ({"d": [math.nan]}, r"d must be an integer in \[2, 1024\], got nan"),
        ({"beta": [51.0]}, r"beta must be in \[0.1, 50\], got 51.0"),
        ({"beta": [math.inf]}, r"beta must be in \[0.1, 50\], got inf"),
        ({"kappa": [1.0]}, r"restrict must name axes of the domain \(d, beta\), got 'kappa'"),
    ],
)
def test_restrict_out_of_range(restrict: dict[str, list[float]], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        list(Domain((D, BETA)).points(restrict=restrict))


@pytest.mark.parametrize(
    "arguments",
    [
        ("t", (), 0.0, 1.0),
        ("t", (2.0,), 0.0, 1.0),
        ("t", (math.nan,), 0.0, 1.0),
        ("t", (0.5,), 1.0, 0.0),
        ("t", (0.5,), 0.0, math.inf),
        ("t", (0.5,), 0.0, 1.0, "log"),
        ("t", (0.5,), 0.0, 1.0, "integer"),
        ("t", (0.5,), 0.0, 1.0, "cubic"),
        ("t", (0.5,), 0.0, 1.0, "linear", ()),
        ("t", (0.5,), 0.0, 1.0, "linear", (2.0,)),
    ],
)
def test_an_axis_that_makes_no_sense(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ArgumentError):
        Axis(*arguments)


def test_axes_have_different_names() -> None:
    with pytest.raises(ArgumentError, match="different names"):
        Domain((D, D))


@given(st.floats(0, 1), st.sampled_from([D, BETA, DELTA]))
def test_every_fraction_of_an_axis_is_in_range(fraction: float, axis: Axis) -> None:
    value = axis.value_at(fraction)
    assert axis.contains(value)
    assert axis.value_at(0.0) == axis.low
    assert axis.value_at(1.0) == axis.high
    assert axis.admit(value) == value


def test_fractions() -> None:
    assert BETA.value_at(0.5) == pytest.approx(math.sqrt(5.0), rel=1e-14)
    assert Axis("n", (1,), 1, 4, "integer").value_at(0.5) == 3
    domain = Domain((DELTA,), where=lambda delta: delta < 0.5)
    assert domain.point_at([0.25]) == {"delta": 0.25}
    assert domain.point_at([0.75]) is None
    with pytest.raises(ArgumentError, match="fraction"):
        DELTA.value_at(1.5)


# --- claims ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"key": ""}, "key"),
        ({"key": "two words"}, "key"),
        ({"left": None}, "either left or sample"),
        ({"sample": lambda rng, n: 1.0, "left": lambda: 1.0}, "either left or sample"),
        ({"relation": Relation.IN_LAW}, "in law needs sample"),
        ({"sample": lambda rng, n: 1.0}, "samples >= 1"),
        ({"sample": lambda rng, n: 1.0, "samples": 9, "false_alarm": 0.0}, "false_alarm"),
    ],
)
def test_a_claim_that_makes_no_sense(changed: dict[str, Any], message: str) -> None:
    fields = dict(changed)
    with pytest.raises(ArgumentError, match=message):
        if "left" in fields and "sample" in fields:
            Claim(**(vars(make()) | fields))
        make(**fields)


def test_check_finds_the_least_relative_margin() -> None:
    claim = make(
        domain=Domain((DELTA,)),
        left=lambda delta: delta,
        right=lambda delta: delta * (2.0 - 0.5 * delta),
    )
    result = check(claim)
    assert (result.verdict, result.points, result.failures) == (Verdict.HOLDS, 3, 0)
    # at delta = 0 both sides are 0, which says nothing; at 1 the ratio is nearest to 1
    assert result.at == {"delta": 1.0}
    assert result.ratio == pytest.approx(1 / 1.5)
    assert 0.49 < result.margin[0] <= 0.5 <= result.margin[1]
    assert result.seconds >= 0


def test_check_puts_violated_before_undecided_before_the_least_margin() -> None:
    table = {2: 1.0, 3: math.nan, 8: 2.0 + 1e-9}
    claim = make(domain=Domain((D,)), left=lambda d: table[d])
    result = check(claim)
    assert (result.verdict, result.at, result.failures) == (Verdict.VIOLATED, {"d": 8}, 2)
    assert "2 of 3 points do not pass" in result.reason
    result = check(claim, restrict={"d": [2, 3]})
    assert (result.verdict, result.at) == (Verdict.UNDECIDED, {"d": 3})
    assert math.isnan(result.left)
    assert check(claim, restrict={"d": [2]}).verdict is Verdict.HOLDS


def test_an_exception_is_undecided_with_its_reason() -> None:
    def left(d: int) -> float:
        if d == 3:
            raise ZeroDivisionError("no such\nnumber")
        return 1.0

    result = check(make(domain=Domain((D,)), left=left))
    assert (result.verdict, result.at) == (Verdict.UNDECIDED, {"d": 3})
    assert result.reason.startswith("ZeroDivisionError: no such number")


def test_an_interrupt_is_not_swallowed() -> None:
    def left(**point: float) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(make(left=left))


def test_no_points_is_an_error() -> None:
    with pytest.raises(ArgumentError, match=r"toy\.bound has no point"):
        check(make(domain=Domain((D,), where=lambda d: d > 8)))


def test_progress_counts_the_points() -> None:
    seen: list[tuple[int, int]] = []
    check(make(), progress=lambda done, points: seen.append((done, points)))
    assert seen == [(k, 6) for k in range(1, 7)]


# --- proofs ---------------------------------------------------------------------------------------

BOX = {"d": (2.0, 1024.0), "beta": (0.1, 50.0)}


@pytest.mark.parametrize(
    ("proof", "left", "verdict", "reason"),
    [
        (Proof(True, BOX, 128, 7), 1.0, "PROVED", ""),
        (Proof(True, BOX), 2.0, "PROVED", ""),  # floating point alone is UNDECIDED here
        (Proof(False, BOX, reason="too wide"), 1.0, "UNDECIDED", "not proved: too wide"),
        (Proof(False, BOX, reason="too wide"), 2.0, "UNDECIDED", "not proved: too wide"),
        (Proof(True, BOX, holds=False), 1.0, "VIOLATED", "refuted"),
        (Proof(True, BOX | {"d": (2.0, 4.0)}), 1.0, "HOLDS", "a part of the points"),
        (Proof(True, {"d": BOX["d"]}), 1.0, "HOLDS", "a part of the points"),
        (Proof(True, BOX), 3.0, "VIOLATED", "one of the two is wrong"),
    ],
)
def test_proofs(proof: Proof, left: float, verdict: str, reason: str) -> None:
    claim = make(left=lambda **point: left, prove=lambda points: proof)
    result = check(claim, rigorous=True)
    assert result.verdict.name == verdict
    assert reason in result.reason
    assert result.proof is proof
    assert check(claim).proof is None


def test_a_proof_that_breaks_down_decides_nothing() -> None:
    def prove(points: Any) -> Proof:
        raise RuntimeError("out of bits")

    result = check(make(prove=prove), rigorous=True)
    assert result.verdict is Verdict.UNDECIDED
    assert "RuntimeError: out of bits" in result.reason


def test_a_proof_sees_the_points_of_the_check() -> None:
    seen: list[Any] = []

    def prove(points: Any) -> Proof:
        seen.extend(points)
        return Proof(True, BOX, points=len(points))

    assert check(make(prove=prove), rigorous=True, restrict={"d": [5]}).points == 2
    assert seen == [{"d": 5, "beta": 0.5}, {"d": 5, "beta": 2.0}]


# --- sampled claims -------------------------------------------------------------------------------


def mean_of_normals(rng: Any, n: int, **point: float) -> Value:
    x = rng.standard_normal(n)
    return Value(x.mean(), x.std(ddof=1) / math.sqrt(n), "Monte Carlo")


def sampled(truth: float, **changed: Any) -> Claim:
    return make(
        relation=Relation.IN_LAW,
        sample=mean_of_normals,
        right=lambda **point: truth,
        samples=1000,
        **changed,
    )


def test_a_true_sampled_claim() -> None:
    result = check(sampled(0.0), seed=5)
    assert result.verdict is Verdict.SAMPLED
    assert result.sampled is not None
    assert (result.sampled.n, result.sampled.seed) == (1000, 5)
    assert result.margin[0] < 0 < result.margin[1]


def test_a_false_sampled_claim() -> None:
    result = check(sampled(0.5))
    assert result.verdict is Verdict.VIOLATED
    assert "standard errors off" in result.reason
    assert result.failures == 6


def test_a_sampled_bound_is_one_sided() -> None:
    def verdict(relation: Relation, bound: float) -> Verdict:
        fields = {"sample": mean_of_normals, "samples": 1000, "right": lambda **point: bound}
        return check(make(relation=relation, **fields)).verdict

    assert verdict(Relation.AT_MOST, 0.5) is Verdict.SAMPLED
    assert verdict(Relation.AT_LEAST, 0.5) is Verdict.VIOLATED


def test_one_point_repeats_its_draw_whatever_else_is_checked() -> None:
    claim = sampled(0.0)
    point = {"d": 8, "beta": 2.0}
    alone = evaluate(claim, point, seed=3).left
    assert check(claim, seed=3, restrict={"d": [8], "beta": [2.0]}).left == alone
    assert evaluate(claim, {"beta": 2.0, "d": 8}, seed=3).left == alone
    assert evaluate(claim, point, seed=4).left != alone
    assert evaluate(claim, {"d": 3, "beta": 2.0}, seed=3).left != alone
    assert evaluate(sampled(0.0, key="toy.other"), point, seed=3).left != alone


def test_the_false_alarm_rate_is_that_of_the_whole_claim() -> None:
    """At a rate of 1/2 over 6 points, about half of the seeds raise an alarm: 5 sd either side."""
    claim = sampled(0.0, false_alarm=0.5)
    seeds = 200
    alarms = sum(check(claim, seed=s).verdict is Verdict.VIOLATED for s in range(seeds))
    # independent points: 1 - (1 - 0.5/6)^6
    rate = 1 - (1 - 0.5 / 6) ** 6
    assert abs(alarms - seeds * rate) < 5 * math.sqrt(seeds * rate * (1 - rate))


@pytest.mark.parametrize("error", [0.0, math.nan, math.inf])
def test_a_statistic_without_a_standard_error_is_no_test(error: float) -> None:
    claim = make(sample=lambda rng, n, **point: Value(2.0, error), samples=10)
    result = check(claim)
    assert result.verdict is Verdict.UNDECIDED
    assert "no test" in result.reason


def test_a_band_above_the_resolution_is_undecided() -> None:
    claim = sampled(0.0, scale=1.0, resolution=0.01)
    assert check(claim).verdict is Verdict.UNDECIDED
    assert check(sampled(0.0, scale=1.0, resolution=0.5)).verdict is Verdict.SAMPLED
