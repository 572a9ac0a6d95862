"""Figure 1: its numbers at known points, its Monte Carlo marks, and how it is drawn."""

from __future__ import annotations

import io
import itertools
import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from figures import fig1
from figures._data import Array, Data, claim, sides, write
from figures._draw import PAGE, style
from spherelab.laws import PointMass
from spherelab.pairs import Extremal
from spherelab.population import optimal_misalignment, plug_in_loss, sg_loss

WORDS = ("antithetic", "orthogonal")
RADII = ("sampled", "integrated")


def made(quick: bool, seed: int = 0) -> Data:
    return fig1.data(quick=quick, seed=seed, progress=lambda done, count: None)


@pytest.fixture(scope="module")
def data() -> Data:
    return made(True)


@pytest.fixture(scope="module")
def full() -> tuple[Data, float]:
    """The whole figure's numbers, and the seconds of one core that they took."""
    start = time.process_time()
    numbers = made(False)
    return numbers, time.process_time() - start


# --- (a) ------------------------------------------------------------------------------------------


def test_mixture_and_antipodal_paths_are_flat(data: Data) -> None:
    # six printed digits
    assert data["a.mixture.ratio"] == pytest.approx(0.766730, abs=5e-7)
    assert data["a.antipodal.ratio"] == pytest.approx(0.543067, abs=5e-7)


def test_misaligned_families_attain_the_constant(data: Data) -> None:
    x, y = data["a.extremal.root"], data["a.extremal.ratio"]
    # 1 - (5/12) Delta: 2e-4 below 1 at the left end, the vMF pair (|M| varies) 3e-4
    for name in ("extremal", "vmf-pair"):
        assert 1e-4 < 1 - data[f"a.{name}.ratio"][0] < 1e-3, name
    # at Delta = 0.1, five printed digits
    left, right = sides("theorem1.leading.extremal", d=16, delta=0.1, beta=2.0)
    (at,) = np.flatnonzero(np.isclose(y, left / right, rtol=1e-12, atol=0))
    assert y[at] == pytest.approx(0.95809, abs=5e-6)
    assert x[at] == pytest.approx(right / (4 * 3**0.75 * 2.0), rel=1e-12)
    assert np.all(np.diff(y) < 0) and y[-1] == pytest.approx(0.543067, abs=5e-7)


def test_channels_of_a_uniform_code_lie_on_the_extremal_curve(data: Data) -> None:
    for c in data.parameters["a"]["channels"]:
        for root, ratio in zip(
            data[f"a.channel-{c:g}.root"], data[f"a.channel-{c:g}.ratio"], strict=True
        ):
            # excess = 2 beta Delta, so the ratio gives Delta back; then J0(Delta) must be J
            delta = ratio * 2 * 3**0.75 * root
            assert sg_loss(Extremal(16, delta)) == pytest.approx(root**2, rel=1e-9)


def test_aligned_path_has_an_excess_of_order_j(data: Data) -> None:
    x, y = data["a.aligned.root"], data["a.aligned.ratio"]
    k0 = 2 * 3**0.75
    # the constant's seven printed digits; the next order is kappa^2/d = 6e-7
    assert y[0] == pytest.approx(9.354605 * x[0] / (2 * 2.0 * k0), rel=1e-6)
    assert data["a.aligned.limit"] == pytest.approx(9.354605 * x / (2 * 2.0 * k0), rel=1e-6)
    slope = np.diff(np.log(y)) / np.diff(np.log(x))
    assert slope[0] == pytest.approx(1.0, abs=1e-4)  # again kappa^2/d, 1e-5 at the second point
    assert y.max() < 0.2  # nowhere near the leading term


# --- (b) ------------------------------------------------------------------------------------------


def test_minimisers(data: Data) -> None:
    for radius, known in zip(RADII, (0.06154, 0.05403), strict=True):
        best, least = data[f"b.{radius}.best"]
        assert best == pytest.approx(known, abs=5e-6)  # four printed digits
        values, deltas = data[f"b.{radius}.plug_in"], data["b.delta"]
        lowest = int(np.argmin(values))
        assert 0 < lowest < len(deltas) - 1
        assert abs(deltas[lowest] - best) < deltas[1]
        assert least <= values[lowest]
        # the depth that the panel has to show
        assert 1e-4 < values[0] - least < 2.5e-4


def expected(radius: str, delta: float) -> tuple[float, float]:
    """The change of E J_U and of E J_V from Delta = 0."""
    start = plug_in_loss(Extremal(16, 0.0), 32, radius)
    return float(sg_loss(Extremal(16, delta))), plug_in_loss(
        Extremal(16, delta), 32, radius
    ) - start


def off(numbers: Data) -> Array:
    """How far each mark is from its exact curve, in standard errors."""
    found = []
    for radius in RADII:
        for k, delta in enumerate(numbers[f"b.{radius}.marks"]):
            for name, exact in zip("uv", expected(radius, delta), strict=True):
                mean, error = numbers[f"b.{radius}.{name}"][:, k]
                found.append(abs(mean - exact) / error)
    return np.array(found)


def test_marks_are_within_their_errors(data: Data, full: tuple[Data, float]) -> None:
    # of 10 and 18 means of at least 100 batches, 5 errors are a chance of 1e-5
    for numbers in (data, full[0]):
        assert np.all(off(numbers) < 5)
    for radius in RADII:
        deltas, errors = full[0][f"b.{radius}.marks"], full[0][f"b.{radius}.v"][1]
        # and the errors are small enough to tell the two statistics apart everywhere
        changes = np.array([expected(radius, x) for x in deltas])
        assert np.all(changes[:, 0] - changes[:, 1] > 5 * errors)


def test_the_marks_see_the_minimum(full: tuple[Data, float]) -> None:
    for radius, k in (("sampled", 1), ("integrated", 1)):
        mean, error = full[0][f"b.{radius}.v"][:, k]
        assert mean < -5 * error
        mean, error = full[0][f"b.{radius}.u"][:, k]
        assert mean > 5 * error


# --- (c) and (d) ----------------------------------------------------------------------------------


def test_optimum_follows_rho(data: Data) -> None:
    known = {"antithetic": (0.435156, 4.779938), "orthogonal": (10.827461, 28.533778)}
    for word in WORDS:
        for degree in (1, 2, 3, 4):
            name = f"c.{degree}.{word}"
            slope = data[f"{name}.optimum"][0] / data[f"c.{degree}.loss"][0]
            stated = data.parameters["c"]["rho"][word][degree - 1]
            if degree <= 2:
                assert stated == pytest.approx(known[word][degree - 1], abs=5e-7)
            assert data[f"{name}.line"] == pytest.approx(
                stated * data[f"c.{degree}.span"], rel=1e-12
            )
            # J_unif is below 1e-7 there, and the next order another factor J_unif
            assert slope == pytest.approx(stated, rel=1e-2)


def test_codes_reach_where_the_first_order_ends(data: Data) -> None:
    """Else the marks of (c) could not leave their lines, and would be no check of them."""
    found = data["c.2.orthogonal.optimum"][-1] / data["c.2.orthogonal.line"][-1]
    assert 0.8 < found < 0.95


def test_infonce_stays_at_zero(data: Data) -> None:
    for word, c in data.parameters["c"]["correlations"].items():
        for degree in (1, 2, 3, 4):
            assert np.all(data[f"c.{degree}.{word}.infonce"] == 0)
        for kappa, delta in itertools.product((0.1, 3.0), (0.01, 0.3)):
            point = {"d": 8, "kappa": kappa, "beta": 2.0, "correlation": c, "delta": delta}
            risen, bound = sides("theorem3.infonce", **point)
            assert risen > bound
    # where nuisances agree in part, a concentrated code has another optimum: the search finds it
    assert fig1._infonce_optimum(PointMass(np.eye(8)[0]), 0.5) > 0


def test_collapse(data: Data, full: tuple[Data, float]) -> None:
    for numbers in (data, full[0]):
        for name, word in itertools.product(numbers.parameters["d"]["codes"], WORDS):
            share, optimum = (numbers[f"d.{name}.{word}.{part}"] for part in ("share", "optimum"))
            # theorem3.collapse.width: 0.02 for these amplitudes
            assert np.max(np.abs(optimum - np.maximum(1 - share, 0.0))) < 0.02
            assert np.all(optimum[share > 1] == 0)
    assert np.array_equal(data["d.limit"], [1, 0, 0])


def test_collapse_is_of_small_non_uniformity() -> None:
    """It is no identity: a point mass is off the line by more than the codes drawn may be."""
    law = PointMass(np.eye(8)[0])
    alone, half = (
        optimal_misalignment(law, -1.0, share * fig1.gain(law, -1.0)) for share in (0.0, 0.5)
    )
    assert abs(half / alone - 0.5) > 0.02


# --- the file -------------------------------------------------------------------------------------


def test_claims_are_there(data: Data) -> None:
    assert list(data.claims) == sorted(set(data.claims))
    for key in data.claims:
        assert claim(key).key == key


def test_same_seed_same_bytes_another_seed_other_marks(data: Data, tmp_path: Path) -> None:
    for folder, numbers in (("one", data), ("two", made(True)), ("other", made(True, 1))):
        (tmp_path / folder).mkdir()
        write(numbers, "fig1", str(tmp_path / folder))
        if folder == "other":
            for name, values in data.arrays.items():
                sampled = name.startswith("b.") and name.endswith((".u", ".v"))
                assert np.array_equal(values, numbers[name]) != sampled, name
                if sampled:
                    assert np.all(values != numbers[name]), name
    for file in ("fig1.npz", "fig1.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    one, other = ((tmp_path / name / "fig1.npz").read_bytes() for name in ("one", "other"))
    assert one != other


def test_time(full: tuple[Data, float]) -> None:
    assert full[1] < 20
    start = time.process_time()
    made(True)
    assert time.process_time() - start < 4


# --- the picture ----------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[True, False], ids=["quick", "full"])
def figure(request: pytest.FixtureRequest, data: Data, full: tuple[Data, float]) -> Figure:
    """The figure in its style, laid out."""
    with style():
        figure = fig1.build(data if request.param else full[0])
        figure.draw_without_rendering()
    return figure


@pytest.mark.parametrize("form", ["png", "pdf", "svg"])
def test_formats(data: Data, form: str) -> None:
    picture = io.BytesIO()
    with style():
        fig1.build(data).savefig(picture, format=form)
    start = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[form]
    assert picture.getvalue().startswith(start) and len(picture.getvalue()) > 10_000


def test_letters_are_readable_in_print(figure: Figure) -> None:
    assert figure.get_figwidth() == PAGE
    shown = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    assert len(shown) > 60
    assert min(text.get_fontsize() for text in shown) >= 7


def drawn(figure: Figure) -> Iterator[tuple[str, Array, float]]:
    """Everything drawn from data: its points in pixels, a line's cut to a pixel, and their radius.

    Marks count with their half width.
    """
    for axes in figure.findobj(Axes):
        for line in axes.lines:
            points = line.get_transform().transform(line.get_xydata())
            if line.get_linestyle() != "None":
                yield from ((line.get_label(), p, 0.5) for p in _inside(axes, _cut(points)))
            if line.get_marker() not in ("None", None, ""):
                radius = 0.5 * line.get_markersize() * figure.dpi / 72
                yield from ((line.get_label(), p, radius) for p in points)
        for collection in axes.collections:
            for path in collection.get_paths():
                points = collection.get_transform().transform(path.vertices)
                yield from (("error bar", p, 0.5) for p in _inside(axes, _cut(points)))


def _cut(points: Array) -> Array:
    pieces = [points[:1]]
    for first, second in itertools.pairwise(points):
        steps = max(1, math.ceil(math.dist(first, second)))
        pieces.append(first + (second - first) * np.arange(1, steps + 1)[:, None] / steps)
    return np.concatenate(pieces)


def _inside(axes: Axes, points: Array) -> Array:
    box = axes.get_window_extent()
    x, y = points.T
    return points[(x >= box.x0) & (x <= box.x1) & (y >= box.y0) & (y <= box.y1)]


def boxes(figure: Figure) -> list[tuple[str, Bbox]]:
    """The legends and every piece of text outside of them."""
    found = []
    for axes in figure.findobj(Axes):
        texts = [*axes.texts, axes.title, axes._left_title]
        for axis in (axes.xaxis, axes.yaxis):
            if not axes.axison:
                continue
            texts.append(axis.label)
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if low <= tick.get_loc() <= high and tick.label1.get_visible():
                    texts.append(tick.label1)
        for text in texts:
            if text.get_text():
                found.append((text.get_text(), text.get_window_extent()))
        if axes.get_legend() is not None:
            legend: Legend = axes.get_legend()
            found.append(("legend " + legend.get_title().get_text(), legend.get_window_extent()))
    return found


def test_no_letters_over_data(figure: Figure) -> None:
    places = boxes(figure)
    assert sum(name.startswith("legend") for name, _ in places) == 5
    everything = list(drawn(figure))
    points = np.array([p for _, p, _ in everything])
    radii = np.array([r for _, _, r in everything])
    assert len(points) > 4000
    for name, box in places:
        x = np.clip(points[:, 0], box.x0, box.x1) - points[:, 0]
        y = np.clip(points[:, 1], box.y0, box.y1) - points[:, 1]
        covered = np.flatnonzero(np.hypot(x, y) < radii)
        assert covered.size == 0, (name, [everything[i][:2] for i in covered[:3]])


def test_no_letters_over_letters_nor_off_the_page(figure: Figure) -> None:
    places = boxes(figure)
    page = figure.bbox
    for name, box in places:
        assert page.x0 <= box.x0 and box.x1 <= page.x1, name
        assert page.y0 <= box.y0 and box.y1 <= page.y1, name
    for (one, first), (other, second) in itertools.combinations(places, 2):
        assert not first.overlaps(second), (one, other)


def test_a_covered_point_is_seen(data: Data) -> None:
    """The check above, on a figure whose legend lies on a curve."""
    with style():
        figure = fig1.build(data)
        figure.axes[0].get_legend().set_bbox_to_anchor((0.0, 0.8))
        figure.draw_without_rendering()
    with pytest.raises(AssertionError, match="legend uniform"):
        test_no_letters_over_data(figure)


def test_panels_are_aligned(figure: Figure) -> None:
    a, b, c, d = (axes.get_position() for axes in figure.axes[:4])
    for one, other in ((a, c), (b, d)):
        assert one.x0 == pytest.approx(other.x0, abs=1e-6)
        assert one.x1 == pytest.approx(other.x1, abs=1e-6)
    for one, other in ((a, b), (c, d)):
        assert one.y0 == pytest.approx(other.y0, abs=1e-6)
        assert one.y1 == pytest.approx(other.y1, abs=1e-6)
