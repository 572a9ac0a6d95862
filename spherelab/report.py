"""What the theory certifies about a person's own embeddings: the numbers of ``spherelab report``.

One pass over all rows for what is linear in them (norms, alignment, the covariance); what looks at
pairs of rows is from a random subsample, or from all rows. Every number says its n.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spherelab import arguments, estimators
from spherelab.arguments import ArgumentError
from spherelab.bessel import log_lambda0
from spherelab.estimators import Estimate
from spherelab.estimators.arrays import UNIT_TOLERANCE
from spherelab.estimators.blocks import from_influence
from spherelab.population import (
    critical_sigreg_weight,
    leading_constant,
    linear_constant,
    misalignment_certificate,
)
from spherelab.zonal import ExpKernel

Array = NDArray[np.float64]

#: Rows of the random subsample from which pair quantities are, unless more are asked for.
SUBSAMPLE = 4096
DEGREES = tuple(range(1, 7))
_ROWS = 1 << 13  # of the pass over all rows


@dataclass(frozen=True)
class Line:
    """One number of a report.

    Attributes
    ----------
    name, value : what it is.
    standard_error : None where it is exact or has none.
    n : how many rows it is from; None where it is from none.
    note : what a reader must know beside it.
    """

    name: str
    value: float
    standard_error: float | None = None
    n: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Section:
    """Lines under one title, and sentences under them."""

    title: str
    lines: tuple[Line, ...]
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """What a person asks of a report.

    Attributes
    ----------
    beta : inverse temperature of InfoNCE, finite and > 0.
    batch_size : B, for the critical SIGReg weight, >= 1.
    sigreg_weight : lambda in (0, 1), to be compared with it; None for no comparison.
    normalise : whether to divide rows by their norms; without it rows off unit norm are refused.
    subsample : rows for pair quantities, >= 3; None for all.
    seed : of the subsample and of the radii of SG's loss.
    """

    beta: float = 10.0
    batch_size: int = 256
    sigreg_weight: float | None = None
    normalise: bool = False
    subsample: int | None = SUBSAMPLE
    seed: int = 0

    def __post_init__(self) -> None:
        arguments.positive(self.beta, "beta")
        arguments.dimension(self.batch_size, 1, "batch_size")
        if self.sigreg_weight is not None:
            weight = arguments.unit_interval(self.sigreg_weight, "sigreg_weight")
            if weight in (0.0, 1.0):
                raise ArgumentError(f"sigreg_weight must be in (0, 1), got {weight:g}")
        if self.subsample is not None:
            arguments.dimension(self.subsample, 3, "subsample")
        arguments.dimension(self.seed, 0, "seed")


def report(
    a: Any,
    b: Any | None = None,
    settings: Settings | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[Section]:
    """The sections of a report on one or two arrays of embeddings.

    Parameters
    ----------
    a, b : array, shape (n, d)
        Floats, n >= 3, d >= 2; row i of b is the other view of row i of a. They may be memory
        mapped: all rows are read once, in blocks. Without b what needs two views is left out.
    settings : Settings, optional
    progress : callable, optional
        Called with (steps done, steps in all).

    Raises
    ------
    ArgumentError
        For arrays that are not such, with the row at fault.
    """
    settings = settings or Settings()
    arrays = [_checked(a, "a")] + ([] if b is None else [_checked(b, "b")])
    if b is not None and arrays[0].shape != arrays[1].shape:
        raise ArgumentError(
            f"a and b must have one shape, got {arrays[0].shape}, {arrays[1].shape}"
        )
    steps = 4 if b is None else 6
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, steps)

    rows = _pass(arrays, settings.normalise)
    step()
    n = arrays[0].shape[0]
    rng = np.random.default_rng(settings.seed)
    count = n if settings.subsample is None else min(settings.subsample, n)
    chosen = np.arange(n) if count == n else np.sort(rng.choice(n, count, replace=False))
    sample = [_taken(array, chosen, settings.normalise) for array in arrays]

    sections = [_data(arrays, rows, count)]
    if b is None:
        sections.append(_uniformity_of_one(sample[0], settings.beta))
        step()
    else:
        sections.append(_contrastive(sample, rows, settings.beta))
        step()
        step()
        sections.append(_shared(sample, rows, settings.beta, rng))
        step()
    sections.append(_degrees(sample[0], settings.beta))
    step()
    sections.append(_gain(sample[0], settings))
    step()
    sections.append(_covariance(rows))
    return sections


# --- all rows, once -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rows:
    """What one pass over all rows gives."""

    norms: list[Array]  # one array a view, shape (n,), before rows are normalised
    distances: Array | None  # |u_i - v_i|^2
    mean: Array
    second: Array  # E x x^T of the first view

    @property
    def n(self) -> int:
        return self.norms[0].size


def _checked(x: Any, name: str) -> Any:
    array = np.asanyarray(x)
    if array.dtype.kind != "f":
        raise ArgumentError(f"{name} must be an array of floats, got dtype {array.dtype}")
    if array.ndim != 2 or array.shape[0] < 3 or array.shape[1] < 2:
        raise ArgumentError(
            f"{name} must have shape (n, d), n >= 3 and d >= 2, got {tuple(array.shape)}"
        )
    return array


def _pass(arrays: list[Any], normalise: bool) -> _Rows:
    n, d = arrays[0].shape
    norms = [np.empty(n) for _ in arrays]
    distances = np.empty(n) if len(arrays) == 2 else None
    mean, second = np.zeros(d), np.zeros((d, d))
    for start in range(0, n, _ROWS):
        where = slice(start, min(start + _ROWS, n))
        units = []
        for k, array in enumerate(arrays):
            block = np.asarray(array[where], dtype=float)
            finite = np.isfinite(block)
            if not finite.all():
                row, column = np.argwhere(~finite)[0]
                raise ArgumentError(
                    f"{'ab'[k]} must be finite, got {block[row, column]} in row {start + row}, "
                    f"column {column}"
                )
            size = np.linalg.norm(block, axis=1)
            if not size.all():
                row = start + int(np.argmin(size))
                raise ArgumentError(f"{'ab'[k]} must have no zero row, row {row} is zero")
            norms[k][where] = size
            units.append(block / size[:, None] if normalise else block)
        if distances is not None:
            distances[where] = np.sum((units[0] - units[1]) ** 2, axis=1)
        mean += units[0].sum(axis=0)
        second += units[0].T @ units[0]
    if not normalise:
        for k, size in enumerate(norms):
            off = np.abs(size - 1)
            worst = int(np.argmax(off))
            if off[worst] > UNIT_TOLERANCE:
                raise ArgumentError(
                    f"{'ab'[k]} must have unit rows (within {UNIT_TOLERANCE:g}), row {worst} has "
                    f"norm {size[worst]:.6g}: normalise them"
                )
    return _Rows(norms, distances, mean / n, second / n)


def _taken(array: Any, rows: NDArray[np.int64], normalise: bool) -> Array:
    chosen = np.asarray(array[rows], dtype=float)
    return chosen / np.linalg.norm(chosen, axis=1, keepdims=True) if normalise else chosen


# --- sections -------------------------------------------------------------------------------------


def _line(name: str, found: Estimate, note: str = "") -> Line:
    return Line(name, float(found), found.standard_error, found.n, note)


def _data(arrays: list[Any], rows: _Rows, count: int) -> Section:
    n, d = arrays[0].shape
    lines = [Line("rows n", n), Line("dimension d", d)]
    for name, size in zip("AB", rows.norms, strict=False):
        spread = float(size.std() / size.mean())
        lines.append(Line(f"norms of {name}, mean", float(size.mean()), None, n))
        lines.append(Line(f"norms of {name}, CV", spread, None, n))
    said = "all rows" if count == n else f"a random subsample of {count} rows"
    return Section("data", tuple(lines), (f"What looks at pairs of rows is from {said}.",))


def _exact_uniformity(d: int, t: float = 2.0) -> float:
    """log E e^{-t |U-U'|^2} of the uniform law."""
    return float(log_lambda0(d, 2 * t)) - 2 * t


def _least(d: int, beta: float) -> float:
    return float(log_lambda0(d, beta)) - beta


def _uniformity_lines(u: Array, beta: float) -> tuple[Line, Line]:
    d = u.shape[1]
    excess = estimators.uniformity_excess(u, beta)
    note = f"exact for the uniform law: {_exact_uniformity(d):.5g}"
    return (
        _line("uniformity (t = 2)", estimators.uniformity(u), note),
        _line("uniformity excess U_beta", excess, _bias_note(excess)),
    )


def _bias_note(found: Estimate) -> str:
    if abs(found.bias) <= 2 * found.standard_error:
        return ""
    return f"a bias of {found.bias:.2g} was taken off: take more rows, or a smaller beta"


def _uniformity_of_one(u: Array, beta: float) -> Section:
    return Section(f"uniformity, beta = {beta:g}", _uniformity_lines(u, beta))


def _contrastive(sample: list[Array], rows: _Rows, beta: float) -> Section:
    assert rows.distances is not None
    n, d = rows.n, sample[0].shape[1]
    align = from_influence(float(rows.distances.mean()), rows.distances, n, "mean")
    delta = Estimate(align / 4, align.standard_error / 4, n)
    misaligned = Estimate(2 * beta * delta, 2 * beta * delta.standard_error, n)
    uniformity, excess_line = _uniformity_lines(sample[0], beta)
    excess = estimators.infonce_excess(sample[0], sample[1], beta, symmetrised=True)
    lines = (
        _line("alignment E|u-v|^2", align),
        uniformity,
        _line("misalignment Delta", delta),
        _line("2 beta Delta", misaligned, "the excess's part of misalignment"),
        excess_line,
        _line("InfoNCE excess", excess, _bias_note(excess)),
        Line("least loss L*", _least(d, beta), None, None, "of aligned, uniform views"),
    )
    larger = "misalignment" if misaligned > excess_line.value else "non-uniformity"
    sentence = f"The larger part of the InfoNCE excess is {larger}."
    return Section(f"InfoNCE, beta = {beta:g}", lines, (sentence,))


def _shared(sample: list[Array], rows: _Rows, beta: float, rng: np.random.Generator) -> Section:
    assert rows.distances is not None
    d = sample[0].shape[1]
    loss = estimators.sg_loss(sample[0], sample[1], rng)
    upper = max(float(loss), 0.0) + 2 * loss.standard_error
    certified = misalignment_certificate(upper)
    leading = leading_constant() * beta * math.sqrt(upper)
    bound = leading + float(linear_constant(d, beta)) * upper
    most = 2 * beta - _least(d, beta)  # Delta <= 1, and U_beta is largest at a point mass
    lines = (
        _line("SG loss J", loss, "U-statistic, radii drawn"),
        Line("J, upper", upper, None, loss.n, "two standard errors up; what follows is from it"),
        Line("Delta is at most", certified, None, None, "J0^-1(J); no hypothesis"),
        Line("4*3^(3/4) beta sqrt(J)", leading, None, None, "Theorem 1, leading term"),
        Line("Theorem 1's bound", bound, None, None, "with C(d, beta) J; equal marginals"),
        Line("largest possible excess", most),
    )
    if bound >= most:
        sentence = (
            "Theorem 1's bound is vacuous here: it is above the largest excess that any pair of "
            "views can have. beta is too large for its linear term, or J too large."
        )
    else:
        sentence = "Theorem 1 certifies that the InfoNCE excess is below that bound."
    return Section("shared Gaussianization", lines, (sentence,))


def _degrees(u: Array, beta: float) -> Section:
    d = u.shape[1]
    energies = estimators.harmonic_energy(u, DEGREES)
    ratios = np.exp(ExpKernel(beta).log_ratios(d, np.array(DEGREES)))
    lines = [
        _line(f"|q_{degree}|^2", found, f"times r_{degree}: {ratio * found:.3g}")
        for degree, found, ratio in zip(DEGREES, energies, ratios, strict=True)
    ]
    seen = [
        (ratio * found, degree)
        for degree, found, ratio in zip(DEGREES, energies, ratios, strict=True)
        if found > 3 * found.standard_error
    ]
    if seen:
        sentence = f"Degree {max(seen)[1]} carries most of InfoNCE's uniformity excess."
    else:
        sentence = "No degree is told from the uniform law by three standard errors."
    return Section("non-uniformity by degree", tuple(lines), (sentence,))


def _gain(u: Array, settings: Settings) -> Section:
    d, size = u.shape[1], settings.batch_size
    antithetic = estimators.gain(u)
    lines = [_line("gain g, c = -1", antithetic, "antithetic nuisances, the smaller of the two")]
    used = antithetic
    if d > 2:
        used = estimators.gain(u, 0.0)
        lines.append(_line("gain g, c = 0", used, "independent nuisances"))
    sentences = []
    for convention in ("paper", "reference"):
        value = critical_sigreg_weight(max(float(used), 0.0), size, d, convention)
        ends = [
            critical_sigreg_weight(max(used + k * used.standard_error, 0.0), size, d, convention)
            for k in (2, -2)
        ]
        name = f"critical weight, {convention}"
        note = f"B = {size}; from {ends[0]:.4g} to {ends[1]:.4g} at two standard errors"
        lines.append(Line(name, value, None, used.n, note))
        if settings.sigreg_weight is not None:
            sentences.append(_side(settings.sigreg_weight, ends, convention))
    sentences.append(
        "The gain is that of SG's test on these unit rows; LeJEPA weighs its test on the views "
        "before they are normalised."
    )
    return Section("nuisance: gain and SIGReg weight", tuple(lines), tuple(sentences))


def _side(weight: float, ends: list[float], convention: str) -> str:
    if weight > ends[1]:
        said = "is above the critical weight: adding per-view nuisance lowers the loss"
    elif weight < ends[0]:
        said = "is below the critical weight: views without nuisance are a strict local minimum"
    else:
        said = "is within two standard errors of the critical weight: these rows do not tell"
    return f"A SIGReg weight of {weight:g} ({convention} scaling) {said}."


def _covariance(rows: _Rows) -> Section:
    covariance = rows.second - np.outer(rows.mean, rows.mean)
    values = np.clip(np.linalg.eigvalsh(covariance)[::-1], 0.0, None)
    total = float(values.sum())
    if total == 0:
        return Section("covariance", (), ("degenerate: every row is the same.",))
    shares = values / total
    positive = shares[shares > 0]
    entropy = -float(positive @ np.log(positive))
    lines = (
        Line("|mean|^2", float(rows.mean @ rows.mean), None, rows.n, "0 for the uniform law"),
        Line("effective rank", math.exp(entropy), None, rows.n, f"of {values.size}, by entropy"),
        Line("participation ratio", float(1 / (shares @ shares)), None, rows.n),
        Line("largest eigenvalue's share", float(shares[0]), None, rows.n),
        Line("smallest over largest", float(values[-1] / values[0]), None, rows.n),
    )
    return Section("covariance", lines)
