"""What the linear term of Theorem 1 needs [ours].

(a) The proved constant C(d, beta) of J. (b) The degree at which Condition (U)'s sup is attained.
(c) Aligned regular n-gons, on which the excess is above the leading term alone. (d) How large C
must therefore be, and how large the proved one is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from figures._data import Array, Data, ProgressCall, claim
from figures._draw import BLACK, BLUE, GREEN, GREY, ORANGE, PAGE, PURPLE, SKY, YELLOW, letter
from spherelab.laws import Atoms
from spherelab.pairs import Aligned
from spherelab.population import (
    condition_u_constant,
    infonce_excess,
    linear_constant,
    sg_loss,
)
from spherelab.theory import uniformity
from spherelab.theory.theorem1 import leading_term
from spherelab.value import Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

TITLE = "What the linear term of Theorem 1 needs [ours]"

CLAIMS = (
    "theorem1.bound.polygon",
    "theorem1.linear-needed",
    "theorem1.misalignment.polygon",
    "linear_term.remainder",
    "theorem2.argmax.band.least",
    "theorem2.argmax.band.most",
    "theorem2.argmax.least",
    "theorem2.argmax.most",
    "theorem2.constant",
    "uniformity.polygon",
)

#: The grid of (a); (b) and the proved constants of (d) are read off it.
_DIMENSIONS = (2, 4, 8, 16, 32, 64, 128, 1024)
_BETAS = (0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 6.5, 8.0, 10.0, 14.0, 20.0, 28.0, 36.0, 50.0)
_QUICK_DIMENSIONS, _QUICK_BETAS = (2, 8, 1024), (2.0, 5.0, 10.0, 36.0)
_LINES = (2, 16, 128, 1024)  # d of the lines in (b)
_LEAST = 5.0  # beta in (b): below, the degree is too small an integer to say where the sup is
_FAR = (70.0, 100.0, 200.0, 400.0, 1000.0)
_POLYGON_BETAS = (5.0, 10.0, 20.0, 30.0, 50.0)
_LARGEST = 40  # vertices: what theorem1.bound.polygon covers, J resolved to 1e-7
#: beta in (d), as far as the n-gon that needs the largest constant has at most 40 vertices
_NEEDED = (8.0, 36.0)


# --- laws -----------------------------------------------------------------------------------------


def icosians() -> Atoms:
    """The 120 vertices of the 600-cell on S^3, with equal weights: |q_l| = 0 for 1 <= l <= 11."""
    golden = (1 + math.sqrt(5)) / 2
    corners = [sign * row for row in np.eye(4) for sign in (1, -1)]
    halves = [np.array(signs) / 2 for signs in itertools.product((1, -1), repeat=4)]
    base = np.array([golden, 1, 1 / golden, 0]) / 2
    even = [p for p in itertools.permutations(range(4)) if np.linalg.det(np.eye(4)[list(p)]) > 0]
    signed = [base * (*signs, 1) for signs in itertools.product((1, -1), repeat=3)]
    return Atoms(np.array([*corners, *halves, *(row[list(p)] for row in signed for p in even)]))


def roots() -> Atoms:
    """The 240 roots of E8 on S^7, with equal weights: |q_l| = 0 for 1 <= l <= 7."""
    pairs = [
        first * np.eye(8)[i] + second * np.eye(8)[j]
        for i, j in itertools.combinations(range(8), 2)
        for first, second in itertools.product((1, -1), repeat=2)
    ]
    halves = [
        np.array(signs) / 2
        for signs in itertools.product((1, -1), repeat=8)
        if math.prod(signs) > 0
    ]
    return Atoms(np.array([*pairs, *halves]) / math.sqrt(2))


# --- the numbers ----------------------------------------------------------------------------------


def data(*, quick: bool, seed: int, progress: ProgressCall) -> Data:
    """The curves of the four panels.

    Parameters
    ----------
    quick : bool
        Fewer d, beta and n.
    seed : int
        Kept beside the numbers; nothing here is random.
    progress : callable
        Called with (parts done, parts in all).

    Returns
    -------
    Data
        - ``a.log10_constant``, (d, beta): log10 C(d, beta) at ``a.d``, ``a.beta``;
          ``a.log10_condition_u``: of C_U, at most C.
        - ``b.<d>.degree``: l* that attains C_U, at ``b.beta``; ``b.band.least``, ``.most``: the
          bounds of the claims on it, at ``b.band.beta``.
        - ``c.<beta>.ratio``: excess over the leading term of the n-gons ``c.n``.
        - ``d.<law>.needed``: (excess - leading term)/J, positive, at ``d.<law>.beta``, from the
          beta on where the two are equal, ``d.<law>.onset``; ``d.<d>.proved``: C at
          ``d.proved.beta``.

        Relative error below 1e-6, that of ``onset`` below 1e-3.
    """
    dimensions = _QUICK_DIMENSIONS if quick else _DIMENSIONS
    betas = _QUICK_BETAS if quick else _BETAS
    steps = len(dimensions) + 4
    arrays = _map(dimensions, betas, lambda done: progress(done, steps))
    arrays |= _degrees([d for d in _LINES if d in dimensions], betas if quick else (*betas, *_FAR))
    arrays |= _band()
    progress(len(dimensions) + 1, steps)
    vertices = (7, 14, 15, 21, 28, 32, 35, 38, 40) if quick else range(2, _LARGEST + 1)
    losses = {n: sg_loss(Aligned(Atoms.regular_polygon(n))) for n in vertices}
    arrays |= _polygons(losses)
    arrays |= _needed_by_polygons(losses, 9 if quick else 60)
    progress(len(dimensions) + 2, steps)
    arrays |= _needed("icosians", icosians(), (14.0, 14.2), 3 if quick else 8)
    progress(len(dimensions) + 3, steps)
    if not quick:
        arrays |= _needed("roots", roots(), (9.2, 9.4), 8)
    arrays |= _proved(arrays)
    progress(steps, steps)
    parameters = {
        "c.beta": list(_POLYGON_BETAS),
        "b.d": [d for d in _LINES if d in dimensions],
        "d.d": [d for d in (2, 4, 8) if d in dimensions],
        "d.laws": [law for law in ("polygon", "icosians", "roots") if f"d.{law}.beta" in arrays],
        "vertices": list(vertices),
    }
    return Data(arrays, parameters, CLAIMS, seed)


def _map(
    dimensions: Sequence[int], betas: Sequence[float], done: Callable[[int], object]
) -> dict[str, Array]:
    """log10 C and log10 C_U on a grid of d and beta."""
    constants = np.empty((2, len(dimensions), len(betas)))
    for i, d in enumerate(dimensions):
        for j, beta in enumerate(betas):
            constants[:, i, j] = linear_constant(d, beta), condition_u_constant(d, beta)[0]
        done(i + 1)
    return {
        "a.d": np.array(dimensions, dtype=float),
        "a.beta": np.array(betas),
        "a.log10_constant": np.log10(constants[0]),
        "a.log10_condition_u": np.log10(constants[1]),
    }


def _degrees(dimensions: Sequence[int], betas: Sequence[float]) -> dict[str, Array]:
    """The degree that attains sup_l r_l/mu_l."""
    betas = [beta for beta in betas if beta >= _LEAST]
    arrays: dict[str, Array] = {"b.beta": np.array(betas)}
    for d in dimensions:
        found = [condition_u_constant(d, beta)[1] for beta in betas]
        arrays[f"b.{d}.degree"] = np.array(found, dtype=float)
    return arrays


def _band() -> dict[str, Array]:
    """The two sides between which the claims have l*, whatever d, at beta where they have it."""
    sides = {end: claim(f"theorem2.argmax.band.{end}") for end in ("least", "most")}
    beta = np.geomspace(_LEAST, sides["most"].domain.axes[1].high, 40)
    band = {
        f"b.band.{end}": np.array([float(side.right(d=2, beta=b)) for b in beta])
        for end, side in sides.items()
    }
    return {"b.band.beta": beta, **band}


def _polygons(losses: Mapping[int, Value]) -> dict[str, Array]:
    """The excess of aligned n-gons over the leading term."""
    arrays: dict[str, Array] = {"c.n": np.array(list(losses), dtype=float)}
    for beta in _POLYGON_BETAS:
        ratios = [_polygon_excess(n, beta) / leading_term(beta, j) for n, j in losses.items()]
        arrays[f"c.{beta:g}.ratio"] = np.array(ratios)
    return arrays


def _polygon_excess(n: int, beta: float) -> float:
    """U_beta of the n-gon, its whole excess where both views are the same, by a series in n."""
    found = next(claim for claim in uniformity.CLAIMS if claim.key == "uniformity.polygon")
    return float(found.right(d=2, n=n, beta=beta))


def _needed_by_polygons(losses: Mapping[int, Value], count: int) -> dict[str, Array]:
    """The largest (excess - leading term)/J over n."""

    def needed(beta: float) -> float:
        return max(
            (_polygon_excess(n, beta) - leading_term(beta, loss)) / loss
            for n, loss in losses.items()
        )

    return _from_onset("polygon", needed, (19.2, 19.4), count)


def _needed(name: str, law: Atoms, bracket: tuple[float, float], count: int) -> dict[str, Array]:
    """(excess - leading term)/J of one aligned law."""
    pair = Aligned(law)
    loss = sg_loss(pair)

    def needed(beta: float) -> float:
        return (infonce_excess(pair, beta) - leading_term(beta, loss)) / loss

    return _from_onset(name, needed, bracket, count)


def _from_onset(
    name: str, needed: Callable[[float], float], bracket: tuple[float, float], count: int
) -> dict[str, Array]:
    """The curve from where it is 0, in the bracket, to the last beta, more densely at its foot."""
    from scipy.optimize import brentq

    onset = float(brentq(needed, *bracket, xtol=1e-3, rtol=1e-3))
    share = np.linspace(0, 1, count + 1)[1:] ** 2
    betas = onset + (_NEEDED[1] - onset) * share
    return {
        f"d.{name}.onset": np.array(onset),
        f"d.{name}.beta": betas,
        f"d.{name}.needed": np.array([needed(beta) for beta in betas]),
    }


def _proved(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """C(d, beta) on the range of (d), from the grid of (a)."""
    inside = (arrays["a.beta"] >= _NEEDED[0]) & (arrays["a.beta"] <= _NEEDED[1])
    found: dict[str, Array] = {"d.proved.beta": arrays["a.beta"][inside]}
    for d in (2, 4, 8):
        for row in np.flatnonzero(arrays["a.d"] == d):
            found[f"d.{d}.proved"] = 10 ** arrays["a.log10_constant"][row, inside]
    return found


# --- the picture ----------------------------------------------------------------------------------

_BY_DIMENSION = {2: BLUE, 4: ORANGE, 8: GREEN}
#: In (d): the law's name, its dimension, and where its name stands.
_LAWS = {
    "polygon": ("$n$-gons ($d=2$)", 2, (25.2, 2e8)),
    "icosians": ("600-cell ($d=4$)", 4, (26.2, 5.5e5)),
    "roots": ("roots of $E_8$ ($d=8$)", 8, (22.3, 2e4)),
}


def build(data: Data) -> Figure:
    """The four panels, from ``data`` alone."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PAGE, 5.7))
    figure.suptitle("What the linear term of Theorem 1 needs (ours)", fontsize=9)
    (a, b), (c, d) = figure.subplots(2, 2)
    _draw_map(a, data)
    _draw_degrees(b, data)
    _draw_polygons(c, data)
    _draw_needed(d, data)
    return figure


def _ticks(axis: Axis, places: Sequence[float]) -> None:
    """Plain numbers on a logarithmic axis."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter

    axis.set_major_locator(FixedLocator(list(places)))
    axis.set_major_formatter(FixedFormatter([f"{place:g}" for place in places]))
    axis.set_minor_formatter(NullFormatter())


def _draw_map(axes: Axes, data: Data) -> None:
    from matplotlib.colors import PowerNorm

    beta, d, values = data["a.beta"], data["a.d"], data["a.log10_constant"]
    # most of the map is below 10^6, most of the range above: the root shows both
    shades = np.concatenate((np.arange(-0.5, 10, 0.5), np.arange(10, 34)))
    filled = axes.contourf(
        beta, d, values, levels=shades, cmap="cividis", norm=PowerNorm(0.5, -0.5, 33)
    )
    filled.set_edgecolor("face")  # no hairlines between the shades in PDF viewers
    axes.figure.colorbar(
        filled,
        ax=axes,
        pad=0.03,
        aspect=28,
        ticks=[0, 2, 4, 7, 10, 15, 20, 30],
        label=r"$\log_{10}\,C(d,\beta)$",
    ).minorticks_off()
    axes.set_xscale("log")
    axes.set_yscale("log", base=2)
    levels = [level for level in (1, 2, 3, 4, 6, 10, 20) if level < values.max()]
    colours = [BLACK if level > 6 else "white" for level in levels]
    lines = axes.contour(beta, d, values, levels=levels, colors=colours, linewidths=0.8)
    row = int(np.argmin(np.abs(d - 64)))
    places = [
        (float(np.exp(np.interp(level, values[row], np.log(beta)))), float(d[row]))
        for level in levels
        if values[row].min() < level < values[row].max()
    ]
    axes.clabel(lines, manual=places, fontsize=7, fmt=lambda level: rf"$10^{{{level:.0f}}}$")
    _ticks(axes.xaxis, [place for place in (0.1, 0.5, 1, 5, 10, 50) if place >= beta[0]])
    _ticks(axes.yaxis, (2, 8, 32, 128, 512))
    axes.grid(False)
    axes.set_xlabel(r"$\beta$")
    axes.set_ylabel(r"$d$")
    letter(axes, "a", r"The proved constant $C(d,\beta)$ of $\mathcal{J}$")


def _draw_degrees(axes: Axes, data: Data) -> None:
    beta = data["b.beta"]
    axes.set_xscale("log")
    axes.set_xlim(4.5, 1150)
    axes.set_ylim(1.15, 1.95)
    covered = data["b.band.beta"]
    for end in ("least", "most"):
        edge = data[f"b.band.{end}"] / covered
        axes.plot(covered, edge, color=GREY, linewidth=0.9, linestyle="--", zorder=1)
    axes.text(
        52, 1.335, "checked bounds,\n" r"$\beta\leq 50$", fontsize=7, color="#444444", va="center"
    )
    for height, name in ((1.5, "3/2"), (math.sqrt(3), r"$\sqrt{3}$")):
        axes.axhline(height, color=BLACK, linewidth=0.8, linestyle=":", zorder=1)
        axes.text(1.02, height, name, transform=axes.get_yaxis_transform(), va="center", fontsize=7)
    looks = zip((BLUE, ORANGE, GREEN, PURPLE), "osD^", strict=True)
    for d, (colour, marker) in zip(data.parameters["b.d"], looks, strict=False):
        axes.errorbar(
            beta,
            data[f"b.{d}.degree"] / beta,
            0.5 / beta,  # the degree is an integer
            color=colour,
            marker=marker,
            markersize=3,
            linewidth=1.0,
            elinewidth=0.7,
            capsize=0,
            label=f"$d={d}$",
        )
    _ticks(axes.xaxis, (5, 10, 50, 100, 500, 1000))
    axes.set_xlabel(r"$\beta$")
    axes.set_ylabel(r"$\ell^{*}/\beta$")
    axes.legend(loc="upper right", ncols=2)
    letter(axes, "b", r"Degree $\ell^{*}$ at which $r_\ell/\mu_\ell$ is largest")


def _draw_polygons(axes: Axes, data: Data) -> None:
    n, low = data["c.n"], 1e-3
    axes.set_yscale("log")
    axes.set_ylim(low, 3e3)
    axes.set_xlim(0, _LARGEST + 7)  # room for the names at the right ends
    axes.axhspan(1, 3e3, color="#F9ECE5", zorder=0)
    axes.axhline(1, color=BLACK, linewidth=0.8, zorder=1)
    axes.text(1, 1.1e3, "the leading term alone fails", fontsize=7)
    looks = zip((SKY, BLUE, GREEN, YELLOW, ORANGE), "sD^ov", strict=True)
    for beta, (colour, marker) in zip(data.parameters["c.beta"], looks, strict=True):
        ratio = data[f"c.{beta:g}.ratio"]
        axes.plot(n, ratio, color=colour, marker=marker, markersize=2.6, linewidth=0.9)
        inside = np.flatnonzero(ratio > 2 * low)
        end = int(inside[-1])
        axes.annotate(
            rf"$\beta={beta:g}$",
            (n[end], ratio[end]),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
            annotation_clip=False,
        )
        best = int(np.argmax(ratio))
        if ratio[best] > 1:
            axes.annotate(
                f"{ratio[best]:.3g}",
                (n[best], ratio[best]),
                (0, -11 if ratio[best] < 2 else 4),
                textcoords="offset points",
                ha="center",
                fontsize=7,
            )
    axes.set_xticks(range(0, _LARGEST + 1, 10))
    axes.set_xlabel(r"number of vertices $n$")
    axes.set_ylabel("excess / leading term")
    letter(axes, "c", r"Aligned regular $n$-gons ($d=2$)")


def _draw_needed(axes: Axes, data: Data) -> None:
    from matplotlib.lines import Line2D

    low, high = 1e2, 1e18
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.set_xlim(_NEEDED[0], _NEEDED[1] + 0.5)
    for law in data.parameters["d.laws"]:
        name, d, place = _LAWS[law]
        onset = float(data[f"d.{law}.onset"])
        axes.plot(
            [onset, *data[f"d.{law}.beta"]],
            [low, *data[f"d.{law}.needed"]],
            color=_BY_DIMENSION[d],
        )
        axes.text(*place, name, fontsize=7)
        axes.text(onset + 0.5, 1.6 * low, f"{onset:.1f}", fontsize=7, va="bottom")
    for d in data.parameters["d.d"]:
        proved = data[f"d.{d}.proved"]
        axes.plot(data["d.proved.beta"], proved, color=_BY_DIMENSION[d], linestyle="--")
    axes.legend(
        [Line2D([], [], color="#555555", linestyle=dash) for dash in ("--", "-")],
        [r"proved $C(d,\beta)$, $d=8,4,2$", "needed by an explicit law"],
        loc="upper left",
    )
    axes.set_xlabel(r"$\beta$")
    axes.set_ylabel(r"constant of $\mathcal{J}$")
    letter(axes, "d", r"Proved and necessary constants of $\mathcal{J}$")
