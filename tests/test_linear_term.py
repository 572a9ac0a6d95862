"""The figure of the linear term: its numbers at known points, its laws, and how it is drawn."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import special
from test_fig2 import assert_legible, drawn, formats, made

from figures import linear_term
from figures._data import Data, claim, sides, write
from spherelab.gegenbauer import gegenbauer
from spherelab.laws import Atoms
from spherelab.pairs import Aligned
from spherelab.population import infonce_excess, leading_constant, sg_loss
from spherelab.sphere import multiplicity
from spherelab.theory import uniformity
from spherelab.zonal import SGLift


@pytest.fixture(scope="module")
def data() -> Data:
    return made(linear_term)


# --- the numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("beta", "known", "half"), [(5.0, 13205.79, 5e-3), (2.0, 352.415, 5e-4)])
def test_constant_at_known_points(data: Data, beta: float, known: float, half: float) -> None:
    row, column = data["a.d"] == 8, data["a.beta"] == beta
    (found,) = 10 ** data["a.log10_constant"][row, column]
    assert abs(found - known) <= half


def test_constant_is_at_least_that_of_condition_u(data: Data) -> None:
    assert np.all(data["a.log10_constant"] >= data["a.log10_condition_u"])
    assert np.all(np.diff(data["a.log10_constant"], axis=1) > 0)  # rises with beta


def test_degrees_are_between_the_bounds_of_the_claims(data: Data) -> None:
    for d in data.parameters["b.d"]:
        for beta, degree in zip(data["b.beta"], data[f"b.{d}.degree"], strict=True):
            for end, sign in (("least", 1), ("most", -1)):
                left, right = sides(f"theorem2.argmax.band.{end}", d=d, beta=beta)
                assert left == degree and sign * (left - right) >= 0
                at = np.interp(beta, data["b.band.beta"], data[f"b.band.{end}"])
                assert at == pytest.approx(right, rel=1e-12)  # both are linear in beta


@pytest.mark.parametrize(
    ("n", "beta", "known", "half"), [(14, 20.0, 1.1346, 5e-5), (35, 50.0, 392.0, 1.0)]
)
def test_polygons_at_known_points(
    data: Data, n: int, beta: float, known: float, half: float
) -> None:
    (found,) = data[f"c.{beta:g}.ratio"][data["c.n"] == n]
    left, right = sides("theorem1.linear-needed", d=2, beta=beta, n=n)
    assert abs(found - known) <= half
    assert found == pytest.approx(left / right, rel=1e-8)  # J of 35 vertices is good to 1e-10


def test_polygons_within_the_leading_term_for_small_beta(data: Data) -> None:
    """Theory: none is above it for beta <= 5; and the leading term fails at 20, 30 and 50."""
    for beta in data.parameters["c.beta"]:
        assert (data[f"c.{beta:g}.ratio"].max() > 1) == (beta >= 20)


def test_polygons_by_the_atoms_themselves(data: Data) -> None:
    pair = Aligned(Atoms.regular_polygon(21))
    loss = sg_loss(pair)
    for beta in (10.0, 30.0):
        ratio = infonce_excess(pair, beta) / (leading_constant() * beta * math.sqrt(loss))
        (found,) = data[f"c.{beta:g}.ratio"][data["c.n"] == 21]
        assert found == pytest.approx(ratio, rel=1e-11)


def test_what_is_needed_is_proved(data: Data) -> None:
    """The proved constant is a constant: it is above what any law needs, in its dimension."""
    beta = data["d.proved.beta"]
    needed = np.interp(beta, data["d.polygon.beta"], np.log(data["d.polygon.needed"]), left=-np.inf)
    assert np.all(needed < np.log(data["d.2.proved"]))
    for law in data.parameters["d.laws"]:
        assert np.all(data[f"d.{law}.needed"] > 0)
        assert np.all(data[f"d.{law}.beta"] > data[f"d.{law}.onset"])


def test_what_is_needed_grows_exponentially(data: Data) -> None:
    """By n-gons: over the last quarter of the range, at least like e^beta, as C does."""
    beta, log = data["d.polygon.beta"], np.log(data["d.polygon.needed"])
    assert log[-1] - np.interp(28.0, beta, log) > beta[-1] - 28.0


# --- the two laws of higher dimension -------------------------------------------------------------


LAWS = [
    (linear_term.icosians(), 120, 4, 12, (14.0, 14.2)),
    (linear_term.roots(), 240, 8, 8, (9.2, 9.4)),
]
ids = ["600-cell", "E8"]


@pytest.mark.parametrize(("law", "size", "d", "first", "bracket"), LAWS, ids=ids)
def test_designs(law: Atoms, size: int, d: int, first: int, bracket: tuple[float, float]) -> None:
    """Distinct unit vectors; E P_l(X.X') = 0 up to the first degree that their group leaves."""
    gram = law.points @ law.points.T
    assert gram.shape == (size, size) and law.dimension == d
    assert np.sum(gram > 1 - 1e-9) == size
    means = [float(np.mean(gegenbauer(d, degree, np.clip(gram, -1, 1)))) for degree in range(1, 13)]
    assert np.allclose(means[: first - 1], 0, atol=1e-14)
    assert means[first - 1] > 1e-3


@pytest.mark.parametrize(("law", "size", "d", "first", "bracket"), LAWS, ids=ids)
def test_they_exceed_the_leading_term_from_the_onset_on(
    law: Atoms, size: int, d: int, first: int, bracket: tuple[float, float]
) -> None:
    """Excess and J by their definitions: one vertex stands for all of them."""
    row = np.clip(law.points @ law.points[0], -1, 1)
    degrees = np.arange(1, 61)
    means = np.array([float(np.mean(gegenbauer(d, degree, row))) for degree in range(1, 61)])
    means[np.abs(means) < 1e-14] = 0
    loss = float(SGLift().eigenvalues(d, degrees) @ (multiplicity(d, degrees) * means))
    assert loss == pytest.approx(float(sg_loss(Aligned(law))), rel=1e-6)
    nu = d / 2 - 1
    signs = []
    for beta in bracket:
        zero = math.gamma(d / 2) * (2 / beta) ** nu * float(special.ive(nu, beta))
        excess = math.log(float(np.mean(np.exp(beta * (row - 1)))) / zero)
        assert excess == pytest.approx(float(infonce_excess(Aligned(law), beta)), rel=1e-9)
        signs.append(excess > leading_constant() * beta * math.sqrt(loss))
    assert signs == [False, True]


def test_onsets(data: Data) -> None:
    assert 19.3 < data["d.polygon.onset"] < 19.33
    assert 14.0 < data["d.icosians.onset"] < 14.2


# --- the file -------------------------------------------------------------------------------------


def test_the_claims_exist(data: Data) -> None:
    others = {found.key for found in uniformity.CLAIMS}
    for key in data.claims:
        assert key in others or claim(key).key == key


def test_same_seed_same_bytes(data: Data, tmp_path: Path) -> None:
    for folder, numbers in (("a", data), ("b", made(linear_term))):
        (tmp_path / folder).mkdir()
        write(numbers, "linear_term", str(tmp_path / folder))
    for file in ("linear_term.npz", "linear_term.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


# --- the picture ----------------------------------------------------------------------------------


def test_legible(data: Data) -> None:
    figure: Figure = drawn(linear_term, data)
    assert_legible(figure)


@pytest.mark.slow
def test_all_of_it() -> None:
    """Every law is there, each below the constant of its dimension; nothing covers anything."""
    full = made(linear_term, quick=False)
    assert full.parameters["d.laws"] == ["polygon", "icosians", "roots"]
    assert 9.2 < full["d.roots.onset"] < 9.4
    for law, d in (("polygon", 2), ("icosians", 4), ("roots", 8)):
        beta, needed = full[f"d.{law}.beta"], np.log(full[f"d.{law}.needed"])
        proved = np.interp(beta, full["d.proved.beta"], np.log(full[f"d.{d}.proved"]))
        assert np.all(needed < proved)
    assert_legible(drawn(linear_term, full))


def test_every_format(data: Data) -> None:
    pictures = formats(linear_term, data)
    assert pictures["png"].startswith(b"\x89PNG") and pictures["pdf"].startswith(b"%PDF")
    assert b"<svg" in pictures["svg"]
