"""Figure 2 of the Shared Gaussianization paper: Condition (U) at d = 8, beta = 5.

(a) Eigenvalues mu_l of zonal tests relative to lambda_l of e^{beta u.v}, normalized at l = 1:
bounded below for SG's lift and for Gaussian kernels with gamma >= beta/2, and for no other.
(b) The exact U_beta over the squared MMD of the law 1 + P_l/2: bounded in l for the same tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from figures._data import Array, Data, ProgressCall
from figures._draw import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, YELLOW, letter
from spherelab.laws import ZonalLaw
from spherelab.population import squared_mmd, uniformity_excess
from spherelab.zonal import (
    ExpKernel,
    GaussianKernel,
    MomentMatching,
    SGLift,
    ZonalKernel,
    domination,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Condition (U): which tests bound uniformity linearly (d = 8, beta = 5)"

DIMENSION, BETA, AMPLITUDE, LAST = 8, 5.0, 0.5, 30
GAMMAS = (1.0, 2.0, 2.5, 3.0, 5.0)
_QUICK = (1, 2, 3, 5, 8, 10, 12, 15, 20, 25, 30)

CLAIMS = (
    "corollary1.gaussian.bounded",
    "corollary1.gaussian.equality",
    "corollary1.gaussian.best",
    "corollary1.gaussian.unbounded",
    "corollary1.gaussian.step",
    "corollary1.gaussian.limit",
    "corollary1.sg.decay",
    "corollary1.sg.bounded",
    "corollary1.moments.blind",
    "corollary1.moments.never",
    "theorem2.constant",
    "theorem2.linear.degree",
    "theorem2.spectrum.lift",
    "theorem2.spectrum.infonce",
)


def kernels() -> dict[str, ZonalKernel]:
    """The tests that are compared, by the name of their curve."""
    gaussian = {f"gaussian-{gamma:g}": GaussianKernel(gamma) for gamma in GAMMAS}
    return {"sg": SGLift(), **gaussian, "moments": MomentMatching()}


def data(*, quick: bool, seed: int, progress: ProgressCall) -> Data:
    """The curves of both panels.

    Parameters
    ----------
    quick : bool
        Eleven degrees in place of all of 1..30 in (b).
    seed : int
        Kept beside the numbers; nothing here is random.
    progress : callable
        Called with (laws done, laws in all).

    Returns
    -------
    Data
        ``a.degree``, ``a.<test>.ratio`` = (mu_l/lambda_l)/(mu_1/lambda_1), 0 where mu_l = 0;
        ``b.degree``, ``b.<test>.quotient`` = U_beta/MMD^2 of 1 + P_l/2, inf where MMD = 0.
        Relative error below 1e-10. ``parameters["tests"]`` says which tests Condition (U) holds
        for, by ``zonal.domination``.
    """
    reference, tests = ExpKernel(BETA), kernels()
    degrees = np.arange(1, LAST + 1)
    arrays: dict[str, Array] = {"a.degree": degrees.astype(float)}
    log_lambda = reference.log_eigenvalues(DIMENSION, degrees)
    for name, kernel in tests.items():
        log_ratio = kernel.log_eigenvalues(DIMENSION, degrees) - log_lambda
        arrays[f"a.{name}.ratio"] = np.exp(log_ratio - log_ratio[0])

    laws = _QUICK if quick else tuple(range(1, LAST + 1))
    arrays["b.degree"] = np.array(laws, dtype=float)
    quotients: dict[str, list[float]] = {name: [] for name in tests}
    for done, degree in enumerate(laws):
        progress(done, len(laws))
        law = ZonalLaw.perturbed(DIMENSION, degree, AMPLITUDE)
        excess = uniformity_excess(law, BETA)
        for name, kernel in tests.items():
            mmd = squared_mmd(law, kernel)
            quotients[name].append(excess / mmd if mmd > 0 else np.inf)
    progress(len(laws), len(laws))
    arrays |= {f"b.{name}.quotient": np.array(values) for name, values in quotients.items()}
    return Data(arrays, _parameters(tests), CLAIMS, seed)


def _parameters(tests: dict[str, ZonalKernel]) -> dict[str, Any]:
    described = []
    for name, kernel in tests.items():
        found = domination(kernel, ExpKernel(BETA), DIMENSION)
        entry: dict[str, Any] = {"name": name, "bounded": found.bounded, "reason": found.reason}
        if isinstance(kernel, GaussianKernel):
            entry["gamma"] = kernel.gamma
        described.append(entry)
    return {"d": DIMENSION, "beta": BETA, "amplitude": AMPLITUDE, "tests": described}


# --- the picture ----------------------------------------------------------------------------------

#: Colour and marker by the name of the curve.
_LOOKS = {
    "sg": (BLUE, "o"),
    "gaussian-1": (ORANGE, "v"),
    "gaussian-2": (YELLOW, "^"),
    "gaussian-2.5": (BLACK, "s"),
    "gaussian-3": (GREEN, "D"),
    "gaussian-5": (SKY, "P"),
    "moments": (PURPLE, "X"),
}
_DASHED = (0, (3.5, 1.6))
_MARKED = (1, 5, 10, 15, 20, 25, 30)  # a marker at every degree would hide the dashes
_GAP = 0.047  # of the panel's height: between two labels of 7 pt


def build(data: Data) -> Figure:
    """The two panels, from ``data`` alone."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PAGE, 3.3))
    d, beta = data.parameters["d"], data.parameters["beta"]
    figure.suptitle(rf"Condition (U), $d={d}$, $\beta={beta:g}$", fontsize=9)
    left, right = figure.subplots(1, 2)
    for axes, panel, quantity in ((left, "a", "ratio"), (right, "b", "quotient")):
        axes.set_yscale("log")
        axes.set_xlim(0, LAST + 0.9)
        axes.set_xticks(_MARKED)
        axes.set_xlabel(r"degree $\ell$")
        ends = {}
        for test in data.parameters["tests"]:
            values = data[f"{panel}.{test['name']}.{quantity}"]
            _curve(axes, test, data[f"{panel}.degree"], values)
            if 0 < values[-1] < np.inf:
                ends[_name(test)] = float(values[-1])
        axes.set_ylim(*((1e-14, 1e11) if panel == "a" else (1e-9, 1e15)))
        _label(axes, ends)
    letter(left, "a", r"Eigenvalues relative to those of $e^{\beta u\cdot v}$")
    letter(right, "b", "Exact uniformity excess over squared MMD")
    left.set_ylabel(r"$(\mu_\ell/\lambda_\ell)\;/\;(\mu_1/\lambda_1)$")
    right.set_ylabel(r"$\mathcal{U}_\beta\;/\;\mathrm{MMD}^2$ of the law $1+P_\ell/2$")
    _vanish(
        left, data, "a.moments.ratio", "moment matching:\n$\\mu_\\ell=0$ from $\\ell=3$ on", 0.02
    )
    _vanish(
        right,
        data,
        "b.moments.quotient",
        "moment matching:\n$\\mathrm{MMD}=0$ from $\\ell=3$ on",
        0.98,
    )
    _key(left, "upper left", "bounded below", "not bounded below")
    _key(right, "lower left", "bounded", "not bounded")
    return figure


def _curve(axes: Axes, test: dict[str, Any], degrees: Array, values: Array) -> None:
    """One test: solid if Condition (U) holds, dashed with open markers if not."""
    colour, marker = _LOOKS[test["name"]]
    shown = np.isfinite(values) & (values > 0)
    border = _is_border(test)
    axes.plot(
        degrees[shown],
        values[shown],
        color=colour,
        linestyle="-" if test["bounded"] else _DASHED,
        linewidth=2.0 if border else 1.2,
        marker=marker,
        markevery=[k for k, degree in enumerate(degrees[shown]) if degree in (*_MARKED, 2)]
        if test["name"] == "moments"
        else [k for k, degree in enumerate(degrees[shown]) if degree in _MARKED],
        markersize=4,
        markerfacecolor=colour if test["bounded"] else "white",
        markeredgewidth=0.9,
        label=test["name"],
        zorder=3,
    )


def _is_border(test: dict[str, Any]) -> bool:
    return bool(2 * test.get("gamma", np.nan) == BETA)


def _name(test: dict[str, Any]) -> str:
    return rf"$\gamma={test['gamma']:g}$" if "gamma" in test else "SG's lift"


def _label(axes: Axes, ends: dict[str, float]) -> None:
    """The names of the curves beside their right ends, moved apart where they would touch."""
    low, high = np.log(axes.get_ylim())
    names = sorted(ends, key=lambda name: ends[name])
    heights = [(np.log(ends[name]) - low) / (high - low) for name in names]
    placed = list(heights)
    for k in range(1, len(placed)):
        overlap = placed[k - 1] + _GAP - placed[k]
        if overlap > 0:
            placed[k - 1] -= overlap / 2
            placed[k] += overlap / 2
    for name, height in zip(names, placed, strict=True):
        axes.text(1.03, height, name, transform=axes.transAxes, va="center", fontsize=7)


def _vanish(axes: Axes, data: Data, name: str, words: str, height: float) -> None:
    """An arrow from the last degree that moment matching sees to the panel's edge, where it is for
    all further degrees."""
    degrees, values = data[f"{name[0]}.degree"], data[name]
    last = int(np.flatnonzero(np.isfinite(values) & (values > 0))[-1])
    axes.annotate(
        words,
        (3, height),
        xycoords=("data", "axes fraction"),
        xytext=(4.0, height),
        textcoords=("data", "axes fraction"),
        va="bottom" if height < 0.5 else "top",
        fontsize=7,
    )
    axes.annotate(
        "",
        (3, height),
        xycoords=("data", "axes fraction"),
        xytext=(degrees[last], values[last]),
        textcoords="data",
        arrowprops={
            "arrowstyle": "->",
            "color": PURPLE,
            "linestyle": "--",
            "linewidth": 1.2,
            "shrinkA": 3,
            "shrinkB": 0,
        },
    )


def _key(axes: Axes, place: Literal["upper left", "lower left"], *words: str) -> None:
    from matplotlib.lines import Line2D

    grey = "#555555"
    lines = [
        Line2D([], [], color=grey, linewidth=1.2, marker="o", markersize=4),
        Line2D([], [], color=grey, linewidth=1.2, marker="o", markersize=4, linestyle=_DASHED),
    ]
    lines[1].set_markerfacecolor("white")
    lines.append(Line2D([], [], color=BLACK, linewidth=2.0, marker="s", markersize=4))
    axes.legend(lines, [*words, r"the border, $\gamma=\beta/2$"], loc=place, handlelength=2.8)
