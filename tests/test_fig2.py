"""Figure 2: its numbers at known points, what they say of Condition (U), and how it is drawn."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from figures import fig2
from figures._data import Data, claim, write
from figures._draw import style
from spherelab.theory.corollary1 import CLAIMS
from spherelab.zonal import ExpKernel, domination


def made(module: Any, quick: bool = True) -> Data:
    data: Data = module.data(quick=quick, seed=0, progress=lambda done, count: None)
    return data


@pytest.fixture(scope="module")
def data() -> Data:
    return made(fig2)


# --- the numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "known"),
    [
        # theory, section 2; each number to half a unit of its last digit
        ("gaussian-1", {1: (9.1, 0.05), 5: (318, 0.5), 12: (1.5e5, 5e3)}),
        ("gaussian-1", {20: (2.1e8, 5e6), 30: (1.9e12, 5e10)}),
        ("gaussian-2", {1: (19, 0.5), 5: (53, 0.5), 12: (230, 5), 20: (1310, 5), 30: (1.2e4, 500)}),
        ("gaussian-2.5", {1: (28.3, 0.05), 5: (37.28, 5e-3), 12: (37.41, 5e-3)}),
        ("gaussian-2.5", {20: (37.41, 5e-3), 30: (37.41, 5e-3)}),
        ("gaussian-3", {1: (40.8, 0.05), 5: (30.7, 0.05), 12: (9.6, 0.05)}),
        ("gaussian-3", {20: (2.4, 0.05), 30: (0.40, 5e-3)}),
        ("sg", {1: (14.8, 0.05), 5: (565, 0.5), 12: (255, 0.5), 20: (1.05, 5e-3)}),
        ("sg", {30: (1.9e-5, 5e-7)}),
    ],
)
def test_exact_quotients(data: Data, name: str, known: dict[int, tuple[float, float]]) -> None:
    for degree, (value, half) in known.items():
        (found,) = data[f"b.{name}.quotient"][data["b.degree"] == degree]
        assert abs(found - value) <= half, degree


def test_the_curves_are_the_sides_of_the_claims(data: Data) -> None:
    """On the laws of Corollary 1's claims; both sides come from the same functionals."""
    grows = next(c for c in CLAIMS if c.key == "corollary1.gaussian.unbounded")
    assert grows.left is not None
    for gamma in (1.0, 2.0):
        point = {"d": fig2.DIMENSION, "beta": fig2.BETA, "ratio": 2 * gamma / fig2.BETA}
        for degree, found in zip(
            data["b.degree"], data[f"b.gaussian-{gamma:g}.quotient"], strict=True
        ):
            assert found == pytest.approx(grows.left(**point, degree=int(degree)), rel=1e-11)
            assert found > grows.right(**point, degree=int(degree))


def test_no_curve_exceeds_its_constant(data: Data) -> None:
    for name, kernel in fig2.kernels().items():
        upper = domination(kernel, ExpKernel(fig2.BETA), fig2.DIMENSION).upper
        assert np.all(data[f"b.{name}.quotient"] <= upper * (1 + 1e-10))


def test_moment_matching_sees_two_degrees(data: Data) -> None:
    assert np.array_equal(data["a.moments.ratio"] > 0, data["a.degree"] <= 2)
    assert np.array_equal(np.isfinite(data["b.moments.quotient"]), data["b.degree"] <= 2)


def test_bounded_exactly_from_half_beta_on(data: Data) -> None:
    """From the last third of the drawn curves, against gamma >= beta/2 and against the scan.

    At gamma = beta/2 both are flat, to r_20 = 7e-15 and rounding.
    """
    reference = ExpKernel(fig2.BETA)
    for test, kernel in zip(data.parameters["tests"], fig2.kernels().values(), strict=True):
        ratio = data[f"a.{test['name']}.ratio"][data["a.degree"] >= 20]
        quotient = data[f"b.{test['name']}.quotient"][data["b.degree"] >= 20]
        if test["name"] == "moments":
            assert np.all(ratio == 0) and np.all(np.isinf(quotient))
            bounded = False
        else:
            falls = bool(np.all(ratio[1:] < ratio[:-1] * (1 - 1e-9)))
            rises = bool(np.all(quotient[1:] > quotient[:-1] * (1 + 1e-9)))
            assert falls == rises, test["name"]
            bounded = not rises
        assert bounded == test["bounded"] == domination(kernel, reference, fig2.DIMENSION).bounded
        if "gamma" in test:
            assert bounded == (test["gamma"] >= fig2.BETA / 2)


def test_the_claims_exist(data: Data) -> None:
    for key in data.claims:
        assert claim(key).key == key


# --- the file -------------------------------------------------------------------------------------


def test_same_seed_same_bytes(data: Data, tmp_path: Path) -> None:
    for folder, numbers in (("a", data), ("b", made(fig2))):
        (tmp_path / folder).mkdir()
        write(numbers, "fig2", str(tmp_path / folder))
    for file in ("fig2.npz", "fig2.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_quick_points_are_points_of_the_full_figure(data: Data) -> None:
    full = made(fig2, quick=False)
    assert np.array_equal(full["b.degree"], np.arange(1, 31))
    chosen = np.isin(full["b.degree"], data["b.degree"])
    for name in fig2.kernels():
        assert np.array_equal(full[f"b.{name}.quotient"][chosen], data[f"b.{name}.quotient"])


# --- the picture ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def figure(data: Data) -> Figure:
    return drawn(fig2, data)


def drawn(module: Any, data: Data) -> Figure:
    """The figure in its style, laid out."""
    with style():
        figure: Figure = module.build(data)
        figure.draw_without_rendering()
    return figure


def formats(module: Any, data: Data) -> dict[str, bytes]:
    pictures = {}
    for form in ("png", "pdf", "svg"):
        picture = io.BytesIO()
        with style():
            module.build(data).savefig(picture, format=form)
        pictures[form] = picture.getvalue()
    return pictures


def texts(figure: Figure) -> Iterator[tuple[Text, Bbox]]:
    for text in figure.findobj(Text):
        if isinstance(text, Text) and text.get_visible() and text.get_text().strip():
            yield text, text.get_window_extent()


def paths(axes: Axes) -> Iterator[np.ndarray]:
    """What is drawn in a panel, in pixels, a hundred points to each piece of a curve."""
    drawn = [(line.get_transform(), np.asarray(line.get_xydata())) for line in axes.lines]
    curves = [transform.transform(points) for transform, points in drawn if len(points)]
    for bars in axes.collections:
        if hasattr(bars, "get_segments"):
            curves += [bars.get_transform().transform(piece) for piece in bars.get_segments()]
    share = np.linspace(0, 1, 100)[:, None]
    for curve in curves:
        pieces = [a + share * (b - a) for a, b in itertools.pairwise(curve)]
        yield np.concatenate([curve, *pieces])


def assert_legible(figure: Figure) -> None:
    """No text below 7 pt, none beyond the page, none on another; no legend on data."""
    page = figure.bbox
    found = list(texts(figure))
    assert len(found) > 10
    for k, (text, box) in enumerate(found):
        words = text.get_text()
        assert float(text.get_fontsize()) >= 7, words
        assert box.x0 >= page.x0 and box.x1 <= page.x1, words
        assert box.y0 >= page.y0 and box.y1 <= page.y1, words
        if text.get_rotation() % 90 == 0:  # else the box is larger than the text
            for other, place in found[:k]:
                if other.get_rotation() % 90 == 0:
                    assert not box.overlaps(place), (words, other.get_text())
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is not None:
            box = legend.get_window_extent()
            for path in paths(axes):
                assert not box.count_contains(path), axes.get_title(loc="left")


def test_legible(figure: Figure) -> None:
    assert_legible(figure)


def test_a_covered_curve_would_be_seen(data: Data) -> None:
    figure = drawn(fig2, data)
    axes = figure.axes[0]
    with style():
        axes.legend(loc="lower right")
        figure.draw_without_rendering()
    with pytest.raises(AssertionError):
        assert_legible(figure)


def test_solid_where_the_condition_holds(data: Data, figure: Figure) -> None:
    bounded = {test["name"]: test["bounded"] for test in data.parameters["tests"]}
    for axes in figure.axes:
        drawn_as = {str(line.get_label()): line.get_linestyle() for line in axes.lines}
        assert {name: dash == "-" for name, dash in drawn_as.items()} == bounded


def test_every_format(data: Data) -> None:
    pictures = formats(fig2, data)
    assert pictures["png"].startswith(b"\x89PNG") and pictures["pdf"].startswith(b"%PDF")
    assert b"<svg" in pictures["svg"]
