"""What the evaluation of a claim concludes: at one point, and over the grid of its domain.

What one point concludes, from the sides l and r with their stated errors
--------------------------------------------------------------------------
error      e = l.error + r.error + 4 eps max(|l|, |r|)     (a plain float states no error)
margin     m = r - l (at most), l - r (at least), -|l - r| (equal, rate); it lies in [m - e, m + e]
magnitude  s = max(|l|, |r|, claim.scale)

at most, at least
    HOLDS      m - e >= 0, which includes two sides that are exactly 0;
               or the claim is tight and |m| <= e <= 1e-9 s: "equality up to rounding"
    VIOLATED   m + e < 0
    UNDECIDED  otherwise: the margin straddles its error
equal, rate
    VIOLATED   |l - r| > e
    HOLDS      |l - r| <= e <= resolution * s
    UNDECIDED  |l - r| <= e, but e is too large to tell
in law, and every claim whose left side is sampled (a statistic with its standard error)
    VIOLATED   the difference is outside the two-sided normal quantile at the claim's false-alarm
               rate, shared out over the points (Bonferroni)
    SAMPLED    otherwise

A side that is not a finite number, or that raises, is UNDECIDED with the reason: never a pass.
"""

from __future__ import annotations

import math
import sys
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spherelab.arguments import ArgumentError
from spherelab.claim import Claim, Point, Proof, Relation, Verdict

if TYPE_CHECKING:
    import numpy

#: Each side is rounded once, and so is their difference.
ROUNDING = 4 * sys.float_info.epsilon
#: Relative error up to which a tight inequality at equality counts as equality up to rounding.
EQUALITY_RESOLUTION = 1e-9
#: Relative error up to which two equal numbers are called equal, unless the claim says otherwise.
RESOLUTION = 1e-8


# --- what one point concludes ---------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """The two sides at one point and what follows; ``margin`` is the interval [m - e, m + e]."""

    verdict: Verdict
    left: float
    right: float
    margin: tuple[float, float]
    magnitude: float
    reason: str = ""

    @property
    def urgency(self) -> tuple[int, float]:
        """Sorts the point that matters most last: severity first, then the relative margin.

        The margin is the part that is certain, m - e, over the magnitude. A pass of 0 <= 0 says
        nothing and comes first; a point without a number comes last among the UNDECIDED.
        """
        if math.isnan(self.margin[0]):
            return self.verdict.severity, math.inf
        if self.magnitude == 0.0:
            return self.verdict.severity, -math.inf
        return self.verdict.severity, -self.margin[0] / self.magnitude


def compare(
    relation: Relation,
    left: float,
    right: float,
    *,
    tight: bool = False,
    resolution: float | None = None,
    scale: float = 0.0,
) -> Comparison:
    """Compares two numbers with their stated errors (the table in the module's docstring)."""
    stated = _stated_error(left) + _stated_error(right)
    left, right = float(left), float(right)
    magnitude = max(abs(left), abs(right), scale)
    error = stated + ROUNDING * max(abs(left), abs(right))
    margin = _margin(relation, left, right)
    if not (math.isfinite(margin) and math.isfinite(error)):
        return _no_number(left, right, f"not finite: left {left}, right {right}, errors {stated}")

    if relation in (Relation.AT_MOST, Relation.AT_LEAST):
        verdict, reason = _one_sided(margin, error, magnitude, tight)
    else:
        limit = RESOLUTION if resolution is None else resolution
        verdict, reason = _two_sided(margin, error, magnitude, limit)
    return Comparison(verdict, left, right, (margin - error, margin + error), magnitude, reason)


def evaluate(claim: Claim, point: Point, *, seed: int = 0, tests: int = 1) -> Comparison:
    """Evaluates the claim at one point.

    Parameters
    ----------
    seed : for sampled claims; the same seed, claim and point give the same draw.
    tests : number of points that share a sampled claim's false-alarm rate.
    """
    try:
        right = claim.right(**point)
        if claim.sample is not None:
            statistic = claim.sample(_generator(claim, point, seed), claim.samples, **point)
            return _compare_sample(claim, statistic, right, tests)
        assert claim.left is not None  # Claim has either left or sample
        left = claim.left(**point)
        return compare(
            claim.relation,
            left,
            right,
            tight=claim.tight,
            resolution=claim.resolution,
            scale=claim.scale,
        )
    except Exception as error:  # whatever a side raises, the answer is that there is no number
        return _no_number(math.nan, math.nan, _in_one_line(error))


def _margin(relation: Relation, left: float, right: float) -> float:
    if relation is Relation.AT_MOST:
        return right - left
    if relation is Relation.AT_LEAST:
        return left - right
    return -abs(left - right)


def _stated_error(side: float) -> float:
    error = float(getattr(side, "error", 0.0))
    return error if error >= 0 else math.nan


def _no_number(left: float, right: float, reason: str) -> Comparison:
    return Comparison(Verdict.UNDECIDED, left, right, (math.nan, math.nan), math.nan, reason)


def _one_sided(margin: float, error: float, magnitude: float, tight: bool) -> tuple[Verdict, str]:
    if margin - error >= 0:
        return Verdict.HOLDS, ""
    if margin + error < 0:
        return Verdict.VIOLATED, ""
    if tight and error <= EQUALITY_RESOLUTION * magnitude:
        return Verdict.HOLDS, "equality up to rounding"
    return Verdict.UNDECIDED, f"the margin {margin:.3g} straddles its error {error:.3g}"


def _two_sided(
    margin: float, error: float, magnitude: float, resolution: float
) -> tuple[Verdict, str]:
    if -margin > error:
        return Verdict.VIOLATED, ""
    if error <= resolution * magnitude:
        return Verdict.HOLDS, ""
    return (
        Verdict.UNDECIDED,
        f"the error {error:.3g} is above the resolution {resolution * magnitude:.3g}",
    )


def _compare_sample(claim: Claim, statistic: float, right: float, tests: int) -> Comparison:
    from statistics import NormalDist

    standard_error, slack = _stated_error(statistic), _stated_error(right)
    left, right = float(statistic), float(right)
    magnitude = max(abs(left), abs(right), claim.scale)
    quantile = -NormalDist().inv_cdf(claim.false_alarm / tests / 2)
    band = quantile * standard_error + slack + ROUNDING * magnitude
    margin = _margin(claim.relation, left, right)
    if not (math.isfinite(margin) and math.isfinite(band) and standard_error > 0):
        reason = f"no test: statistic {left}, standard error {standard_error}, against {right}"
        return _no_number(left, right, reason)
    verdict, reason = Verdict.SAMPLED, ""
    if margin + band < 0:
        verdict = Verdict.VIOLATED
        reason = f"{-margin / standard_error:.2f} standard errors off, allowed {quantile:.2f}"
    elif claim.resolution is not None and band > claim.resolution * magnitude:
        verdict = Verdict.UNDECIDED
        reason = f"the band {band:.3g} is above the resolution {claim.resolution * magnitude:.3g}"
    return Comparison(verdict, left, right, (margin - band, margin + band), magnitude, reason)


def _generator(claim: Claim, point: Point, seed: int) -> numpy.random.Generator:
    """A stream of its own for each claim and point, so that one point alone repeats its draw."""
    import numpy

    where = f"{claim.key}:{sorted(point.items())!r}"
    return numpy.random.default_rng([seed, zlib.crc32(where.encode())])


def _in_one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


# --- what a check concludes -----------------------------------------------------------------------


@dataclass(frozen=True)
class Sampling:
    """How a sampled verdict was reached: n, the seed, and the rate of false alarms."""

    n: int
    seed: int
    false_alarm: float


@dataclass(frozen=True)
class Result:
    """The verdict on a claim, with the point that matters most.

    That point is the most severe one (VIOLATED, then UNDECIDED), then the one with the least
    relative margin.

    Attributes
    ----------
    left, right : the two sides there (nan when there is no number).
    margin : the interval that holds the margin there.
    at : the point.
    points : how many points were evaluated; ``failures`` of them do not pass.
    visited : those points, each with what it concludes.
    seconds : wall time.
    reason : what there is to say beside the verdict; may be empty.
    proof, sampled : how a rigorous or a sampled verdict was reached.
    """

    claim: Claim
    verdict: Verdict
    left: float
    right: float
    margin: tuple[float, float]
    at: Point
    points: int
    seconds: float
    failures: int = 0
    reason: str = ""
    proof: Proof | None = None
    sampled: Sampling | None = None
    visited: tuple[tuple[Point, Comparison], ...] = ()

    @property
    def ratio(self) -> float:
        """left / right; nan where the right side is 0."""
        return self.left / self.right if self.right else math.nan


def check(
    claim: Claim,
    *,
    quick: bool = False,
    restrict: Mapping[str, Sequence[float]] | None = None,
    rigorous: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Result:
    """Evaluates a claim over the grid of its domain.

    Parameters
    ----------
    quick : take each axis's quick grid, where it has one.
    restrict : axis name -> values in the place of its grid.
    rigorous : also run the claim's proof, where it has one. A proof that decides turns the verdict
        into PROVED or VIOLATED; one that does not turns a pass into UNDECIDED, with why.
    seed : of the sampled claims.
    progress : called with (points done, points in all) after each point.

    Raises
    ------
    ArgumentError : when there is no point to check, or ``restrict`` does not fit the domain.
    """
    start = time.perf_counter()
    points = list(claim.domain.points(quick=quick, restrict=restrict))
    if not points:
        raise ArgumentError(f"claim {claim.key} has no point to check with restrict={restrict}")
    visited: list[tuple[Point, Comparison]] = []
    for done, point in enumerate(points, start=1):
        visited.append((point, evaluate(claim, point, seed=seed, tests=len(points))))
        if progress is not None:
            progress(done, len(points))
    at, comparison = max(visited, key=lambda pair: pair[1].urgency)
    failures = sum(not found.verdict.passed for _, found in visited)
    verdict, reason, proof = comparison.verdict, comparison.reason, None
    if failures and len(points) > 1:
        count = f"{failures} of {len(points)} points do not pass"
        reason = f"{reason}; {count}" if reason else count
    if rigorous and claim.prove is not None:
        proof = _prove(claim, points)
        verdict, reason = _weigh(verdict, reason, proof, points)
    sampled = None
    if claim.sample is not None:
        sampled = Sampling(claim.samples, seed, claim.false_alarm)
    return Result(
        claim=claim,
        verdict=verdict,
        left=comparison.left,
        right=comparison.right,
        margin=comparison.margin,
        at=at,
        points=len(points),
        seconds=time.perf_counter() - start,
        failures=failures,
        reason=reason,
        proof=proof,
        sampled=sampled,
        visited=tuple(visited),
    )


def _prove(claim: Claim, points: Sequence[Point]) -> Proof:
    assert claim.prove is not None
    try:
        return claim.prove(points)
    except Exception as error:  # a proof that breaks down has decided nothing
        return Proof(decided=False, box={}, reason=_in_one_line(error))


def _weigh(
    verdict: Verdict, reason: str, proof: Proof, points: Sequence[Point]
) -> tuple[Verdict, str]:
    """The verdict of floating point and of a proof together, and what there is to say beside it."""
    if not proof.decided:
        remark = f"not proved: {proof.reason}"
        verdict = Verdict.UNDECIDED if verdict.passed else verdict
    elif not proof.holds:
        verdict, remark = Verdict.VIOLATED, "refuted by the proof"
    elif not proof.covers(points):
        remark = "not proved: the proof covers a part of the points only"
    elif verdict is Verdict.VIOLATED:
        remark = "yet the proof says that it holds: one of the two is wrong"
    else:
        return Verdict.PROVED, ""
    return verdict, f"{reason}; {remark}" if reason else remark
