"""Figure 1 of the Shared Gaussianization paper: the theory on controlled families.

(a) The InfoNCE excess over the leading term of Theorem 1: families of misaligned views attain the
sharp constant, Proposition 3's mixture path stays at 0.77, aligned laws have an excess Theta(J).
(b) The expected plug-in loss is least away from alignment, the U-statistic's is J itself.
(c) On the isotropic channel pure SG's optimal misalignment is rho_l J_unif, InfoNCE's is zero.
(d) With an alignment weight the rescaled optimum collapses onto [1 - alpha/g]_+.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from figures._data import Array, Data, ProgressCall, claim
from figures._draw import BLACK, BLUE, GREEN, GREY, ORANGE, PAGE, PURPLE, SKY, letter
from spherelab.gegenbauer import gegenbauer
from spherelab.laws import Law, Uniform, VonMisesFisher, ZonalLaw
from spherelab.pairs import (
    Aligned,
    AntipodalPath,
    Extremal,
    MixturePath,
    NuisanceChannel,
    Pair,
    VMFPair,
)
from spherelab.population import (
    gain,
    infonce_excess,
    optimal_misalignment,
    plug_in_loss,
    plug_in_minimiser,
    rho,
    sg_loss,
)
from spherelab.population.batch import sample_batches, u_statistic, v_statistic
from spherelab.theory.theorem1 import leading_term

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Theory on controlled families: Theorems 1 and 3, Proposition 3, finite batches"

CLAIMS = (
    "finite_batch.bias.falls",
    "finite_batch.bias.integrated",
    "finite_batch.bias.sampled",
    "finite_batch.minimiser.least.integrated",
    "finite_batch.minimiser.least.sampled",
    "finite_batch.minimiser.sampled",
    "finite_batch.unbiased.extremal",
    "finite_batch.unbiased.extremal-integrated",
    "proposition3.caption",
    "proposition3.ratio",
    "theorem1.bound.aligned-vmf",
    "theorem1.bound.antipodal",
    "theorem1.bound.channel",
    "theorem1.bound.extremal",
    "theorem1.bound.mixture",
    "theorem1.bound.vmf-pair",
    "theorem1.leading.extremal",
    "theorem1.sharp",
    "theorem1.sharp.slope",
    "theorem1.theta",
    "theorem3.collapse",
    "theorem3.collapse.width",
    "theorem3.infonce",
    "theorem3.infonce.slope",
    "theorem3.optimum.degree",
    "theorem3.optimum.gain",
)

_WIDE, BETA, BATCH = 16, 2.0, 32  # d and beta of (a), d and B of (b)
#: Channels of a uniform code in (a), by c: the least Delta and the number of marks.
_NUISANCES = {0.0: (2e-3, 6), 0.5: (3.5e-3, 5)}
_RADII = ("sampled", "integrated")
_LAST_DELTA = 0.14  # of (b)
#: Delta of the marks in (b), apart from each other and from the minimisers.
_MARKS = {"sampled": (0.015, 0.045, 0.08, 0.11, 0.135), "integrated": (0.03, 0.07, 0.095, 0.125)}
_NARROW = 8  # d of (c)
_DEGREES = (1, 2, 3, 4)  # of (c)
_CORRELATIONS = {"antithetic": -1.0, "orthogonal": 0.0}
_LEAST_LOSS = 1e-8  # J_unif at the left end of (c)
_LAST_SHARE = 1.6  # of alpha/g in (d)


#: The codes of (d), all of small non-uniformity: 1 + a P_l, and a von Mises-Fisher law.
_CODES: dict[str, dict[str, float]] = {
    "degree-1": {"d": 8, "degree": 1, "amplitude": 0.5},
    "degree-2": {"d": 8, "degree": 2, "amplitude": 0.5},
    "degree-4": {"d": 8, "degree": 4, "amplitude": 0.5},
    "wide": {"d": 64, "degree": 2, "amplitude": 0.5},
    "vmf": {"d": 8, "kappa": 1.0},
}


# --- the numbers ----------------------------------------------------------------------------------


def data(*, quick: bool, seed: int, progress: ProgressCall) -> Data:
    """The curves and marks of the four panels.

    Parameters
    ----------
    quick : bool
        Fewer points, and 100 batches a mark in place of 600.
    seed : int
        Of the Monte Carlo marks in (b).
    progress : callable
        Called with (parts done, parts in all).

    Returns
    -------
    Data
        (a) ``a.<family>.root`` = sqrt J and ``a.<family>.ratio`` = excess over the leading term;
        ``a.aligned.limit``, that ratio if U_beta/J were its limit at the uniform law.
        (b) ``b.delta``, ``b.loss`` = J and ``b.<radius>.plug_in`` = E J_V; ``b.<radius>.best`` =
        (Delta, E J_V) at the minimiser. At ``b.<radius>.marks``, ``b.<radius>.u`` and ``.v``, of
        shape (2, marks), hold the mean over batches and its standard error of the change of J_U
        and of J_V from Delta = 0.
        (c) ``c.<degree>.loss`` = J_unif; ``c.<degree>.<c>.optimum`` and ``.infonce`` = Delta* of
        pure SG and of InfoNCE, c "antithetic" (-1) or "orthogonal" (0); ``.line`` = rho_l J_unif
        at the two ends ``c.<degree>.span``.
        (d) ``d.<code>.<c>.share`` = alpha/g and ``.optimum`` = Delta*(alpha)/Delta*(0);
        ``d.share`` and ``d.limit``, the line [1 - alpha/g]_+.
        Relative errors below 1e-9, save the Monte Carlo means.
    """
    parts: list[Callable[[], dict[str, Array]]] = [
        functools.partial(_ratios, quick),
        functools.partial(_expectations, quick),
        *(functools.partial(_marks, quick, seed, radius) for radius in _RADII),
        *(functools.partial(_optima, quick, degree) for degree in _DEGREES),
        functools.partial(_collapse, quick),
    ]
    arrays: dict[str, Array] = {}
    for done, part in enumerate(parts):
        progress(done, len(parts))
        arrays |= part()
    progress(len(parts), len(parts))
    parameters: dict[str, Any] = {
        "a": {"d": _WIDE, "beta": BETA, "channels": list(_NUISANCES)},
        "b": {"d": _WIDE, "batch_size": BATCH, "batches": _batches(quick)},
        "c": {
            "d": _NARROW,
            "beta": BETA,
            "degrees": list(_DEGREES),
            "correlations": _CORRELATIONS,
            "rho": {
                word: [float(rho(_NARROW, degree, c)) for degree in _DEGREES]
                for word, c in _CORRELATIONS.items()
            },
        },
        "d": {"correlations": _CORRELATIONS, "codes": _CODES},
    }
    return Data(arrays, parameters, CLAIMS, seed)


def _batches(quick: bool) -> int:
    return 100 if quick else 600


def _ratios(quick: bool) -> dict[str, Array]:
    """(a): each family from the left edge of the panel to its end."""
    count = 21 if quick else 81
    families: dict[str, Sequence[Pair]] = {
        "extremal": [
            Extremal(_WIDE, x) for x in np.sort(np.append(np.geomspace(4e-4, 1.0, count), 0.1))
        ],
        "vmf-pair": [VMFPair(_WIDE, x) for x in np.append(np.geomspace(1e4, 0.3, count), 0.0)],
        "mixture": [MixturePath(_WIDE, x) for x in (5e-4, 0.1, 1.0)],
        "antipodal": [AntipodalPath(_WIDE, x) for x in (2e-4, 0.1, 1.0)],
        "aligned": [
            Aligned(VonMisesFisher(_WIDE, x)) for x in np.geomspace(3e-3, 1e3, 13 if quick else 37)
        ],
    }
    for c, (first, marks) in _NUISANCES.items():
        deltas = np.geomspace(first, (1 - c) / 2, 3 if quick else marks)
        families[f"channel-{c:g}"] = [NuisanceChannel(Uniform(_WIDE), x, c) for x in deltas]
    arrays = {}
    for name, pairs in families.items():
        losses = [sg_loss(pair) for pair in pairs]
        leading = np.array([leading_term(BETA, loss) for loss in losses])
        excesses = np.array([infonce_excess(pair, BETA) for pair in pairs])
        arrays[f"a.{name}.root"] = np.sqrt(np.array(losses))
        arrays[f"a.{name}.ratio"] = excesses / leading
        if name == "aligned":
            limit = claim("theorem1.theta").right(d=_WIDE, beta=BETA)
            arrays["a.aligned.limit"] = limit * np.array(losses) / leading
    return arrays


def _expectations(quick: bool) -> dict[str, Array]:
    """(b): the curves, and the minimisers of the expected plug-in loss."""
    pairs = [Extremal(_WIDE, x) for x in np.linspace(0.0, _LAST_DELTA, 15 if quick else 36)]
    arrays = {
        "b.delta": np.array([pair.delta for pair in pairs]),
        "b.loss": np.array([sg_loss(pair) for pair in pairs]),
    }
    for radius in _RADII:
        best = plug_in_minimiser(_WIDE, BATCH, radius)
        least = plug_in_loss(Extremal(_WIDE, best), BATCH, radius)
        arrays[f"b.{radius}.plug_in"] = np.array([plug_in_loss(p, BATCH, radius) for p in pairs])
        arrays[f"b.{radius}.best"] = np.array([best, least])
    return arrays


def _marks(quick: bool, seed: int, radius: str) -> dict[str, Array]:
    """(b): means over batches of the change from Delta = 0, from fresh batches for each mark.

    The two ends of a change have the same codes, nuisances and radii (one state of the generator):
    its mean stays what it is, and most of its variance goes.
    """
    deltas = np.array(_MARKS[radius])[:: 2 if quick else 1]
    count = _batches(quick)
    found = np.empty((2, 2, deltas.size))  # (statistic, mean and error, marks)
    for k, delta in enumerate(deltas):
        state = (seed, _RADII.index(radius), k)
        apart, aligned = (
            sample_batches(Extremal(_WIDE, x), count, BATCH, np.random.default_rng(state), radius)
            for x in (delta, 0.0)
        )
        for i, statistic in enumerate((u_statistic, v_statistic)):
            changes = statistic(apart, radius) - statistic(aligned, radius)
            found[i, :, k] = changes.mean(), changes.std(ddof=1) / math.sqrt(count)
    return {f"b.{radius}.marks": deltas, f"b.{radius}.u": found[0], f"b.{radius}.v": found[1]}


def _optima(quick: bool, degree: int) -> dict[str, Array]:
    """(c): codes 1 + a P_l, from J_unif = 1e-8 to the largest a that leaves a density."""
    whole = sg_loss(Aligned(ZonalLaw.perturbed(_NARROW, degree, 1.0)))  # J_unif/a^2
    low = float(gegenbauer(_NARROW, degree, np.cos(np.linspace(0.0, math.pi, 4001))).min())
    largest = -0.999 / low
    # about one mark a decade, those of the four degrees not above each other
    first = math.sqrt(_LEAST_LOSS * 10 ** (0.2 * degree) / whole)
    count = 2 if quick else 1 + round(2 * math.log10(largest / first))
    laws = [ZonalLaw.perturbed(_NARROW, degree, a) for a in np.geomspace(first, largest, count)]
    losses = np.array([sg_loss(Aligned(law)) for law in laws])
    span = np.array([_LEAST_LOSS, losses[-1]])
    arrays = {f"c.{degree}.loss": losses, f"c.{degree}.span": span}
    for word, c in _CORRELATIONS.items():
        arrays |= {
            f"c.{degree}.{word}.optimum": np.array([optimal_misalignment(x, c) for x in laws]),
            f"c.{degree}.{word}.line": rho(_NARROW, degree, c) * span,
            f"c.{degree}.{word}.infonce": np.array([_infonce_optimum(x, c) for x in laws]),
        }
    return arrays


def _infonce_optimum(law: Law, correlation: float) -> float:
    """The Delta of least InfoNCE excess among 0 and four others of the channel.

    That no other Delta is better is theorem3.infonce: the excess rises, for every code and beta.
    """
    deltas = np.array([0.0, 1e-3, 1e-2, 0.1, 1.0]) * (1 - correlation) / 2
    excesses = [infonce_excess(NuisanceChannel(law, x, correlation), BETA) for x in deltas]
    return float(deltas[int(np.argmin(excesses))])


def _laws() -> dict[str, Law]:
    return {
        name: VonMisesFisher(int(code["d"]), code["kappa"])
        if "kappa" in code
        else ZonalLaw.perturbed(int(code["d"]), int(code["degree"]), code["amplitude"])
        for name, code in _CODES.items()
    }


def _collapse(quick: bool) -> dict[str, Array]:
    """(d): every code with both correlations; their shares interlace, so that marks lie apart."""
    share = np.array([0.0, 1.0, _LAST_SHARE])
    line = claim("theorem3.collapse").right
    limit = [line(d=_NARROW, degree=1, correlation=0.0, share=x) for x in share]
    arrays = {"d.share": share, "d.limit": np.array(limit)}
    series = [(name, law, word) for name, law in _laws().items() for word in _CORRELATIONS]
    step = _LAST_SHARE / (2 if quick else 4)
    for place, (name, law, word) in enumerate(series):
        c = _CORRELATIONS[word]
        shares = np.arange(step * (place + 0.5) / len(series), _LAST_SHARE, step)
        g, alone = gain(law, c), optimal_misalignment(law, c)
        optima = np.array([optimal_misalignment(law, c, x * g) for x in shares])
        arrays[f"d.{name}.{word}.share"] = shares
        arrays[f"d.{name}.{word}.optimum"] = optima / alone
    return arrays


# --- the picture ----------------------------------------------------------------------------------

_SMALL = 7.0  # pt: of labels in the panels
_DASHED, _DOTTED = (0, (4.0, 1.6)), (0, (1.0, 1.4))
_OPEN: dict[str, Any] = {"markerfacecolor": "white", "markeredgewidth": 0.9}
_CLEAR: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # of the grid
#: Colour and marker of a degree, the same in (c) and (d).
_BY_DEGREE = {1: (BLUE, "o"), 2: (ORANGE, "s"), 3: (GREEN, "D"), 4: (PURPLE, "^")}
_EXCESS = r"\mathcal{L}_\beta-\mathcal{L}^\star_\beta"


def build(data: Data) -> Figure:
    """The four panels, from ``data`` alone."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PAGE, 5.5))
    upper, lower = figure.subplots(2, 2)
    _draw_ratios(upper[0], data)
    _draw_batches(upper[1], data)
    _draw_optima(lower[0], data)
    _draw_collapse(lower[1], data)
    return figure


def _draw_ratios(axes: Axes, data: Data) -> None:
    from matplotlib.patches import Rectangle

    d, beta = (data.parameters["a"][name] for name in ("d", "beta"))
    letter(axes, "a", rf"Excess over the leading term, $d={d}$, $\beta={beta:g}$")
    axes.set_xscale("log")
    axes.set_xlim(1e-4, 1.0)
    axes.set_ylim(0.0, 1.12)
    axes.set_yticks(np.arange(0, 1.01, 0.2))
    axes.set_xlabel(r"$\sqrt{\mathcal{J}}$")
    axes.set_ylabel(rf"$({_EXCESS})\;/\;(2\beta k_0\sqrt{{\mathcal{{J}}}})$")
    axes.axhline(1.0, color=GREY, linewidth=0.6, zorder=1)
    for name, colour, dashes in (
        ("extremal", BLUE, "-"),
        ("vmf-pair", ORANGE, _DASHED),
        ("mixture", GREEN, (0, (6, 1.5, 1.2, 1.5))),
        ("antipodal", PURPLE, _DOTTED),
        ("aligned", BLACK, "-"),
    ):
        x, y = data[f"a.{name}.root"], data[f"a.{name}.ratio"]
        axes.plot(x, y, color=colour, linestyle=dashes)
    for c, marker in zip(data.parameters["a"]["channels"], "oD", strict=True):
        x, y = data[f"a.channel-{c:g}.root"], data[f"a.channel-{c:g}.ratio"]
        axes.plot(x, y, marker, color=BLUE, label=rf"$c={c:g}$", **_OPEN)
    axes.legend(
        title="uniform-code channels",
        ncols=2,
        loc="lower left",
        bbox_to_anchor=(0.02, 0.71),
        alignment="left",
        borderpad=0.0,
        handlelength=0.8,
        columnspacing=1.0,
    )
    say = functools.partial(axes.text, fontsize=_SMALL, va="center", bbox=_CLEAR)
    say(1.4e-4, 1.06, "sharp constant of Theorem 1", color="#555555")
    say(0.1, 0.92, "extremal", color=BLUE)
    say(0.042, 0.86, "vMF pair", color=ORANGE, ha="right")
    mixture, antipodal = (data[f"a.{name}.ratio"][-1] for name in ("mixture", "antipodal"))
    say(1.4e-4, mixture - 0.055, f"mixture path: {mixture:.2f}", color=GREEN)
    say(1.4e-4, antipodal + 0.05, f"antipodal path: {antipodal:.2f}", color=_dark(PURPLE))
    say(0.9, 0.21, "aligned vMF", ha="right")
    say(4e-4, 0.485, "aligned vMF, log axes", zorder=4)
    cover = Rectangle((0.01, 0.02), 0.56, 0.43, transform=axes.transAxes, color="white", zorder=2)
    axes.add_patch(cover)  # no grid behind the inset's numbers
    _draw_aligned(axes.inset_axes((0.15, 0.13, 0.4, 0.265)), data)


def _draw_aligned(inset: Axes, data: Data) -> None:
    """The aligned path again, on logarithmic axes: the ratio falls like sqrt J."""
    from matplotlib.ticker import NullLocator

    x = data["a.aligned.root"]
    inset.loglog(x, data["a.aligned.ratio"], color=BLACK)
    inset.loglog(x, data["a.aligned.limit"], color=SKY, linestyle=_DASHED)
    inset.set_xlim(1e-4, 1.0)
    inset.set_ylim(2e-5, 1.0)
    inset.set_xticks([1e-4, 1e-2, 1.0])
    inset.set_yticks([1e-4, 1e-2, 1.0])
    inset.xaxis.set_minor_locator(NullLocator())
    inset.yaxis.set_minor_locator(NullLocator())
    inset.tick_params(pad=1.5, length=2)
    inset.text(2e-4, 0.03, r"$\propto\sqrt{\mathcal{J}}$", color=_dark(SKY), fontsize=_SMALL)
    inset.text(0.8, 5e-5, r"excess $\Theta(\mathcal{J})$", ha="right", fontsize=_SMALL)


def _dark(colour: str) -> tuple[float, ...]:
    """For letters: the palette's light colours are too faint for thin strokes."""
    from matplotlib.colors import to_rgb

    return tuple(0.75 * part for part in to_rgb(colour))


def _draw_batches(axes: Axes, data: Data) -> None:
    from matplotlib.lines import Line2D

    described = data.parameters["b"]
    d, size, count = (described[name] for name in ("d", "batch_size", "batches"))
    letter(axes, "b", rf"Batches of {size} pairs, extremal family, $d={d}$")
    axes.set_xlabel(r"misalignment $\Delta$")
    axes.set_ylabel(r"$\mathrm{E}\,J(\Delta)-\mathrm{E}\,J(0)$  [$10^{-4}$]")
    axes.set_xlim(-0.003, 0.147)
    axes.set_ylim(-4.3, 11.5)
    axes.set_xticks(np.arange(0, 0.15, 0.02))
    axes.set_yticks(np.arange(-4, 11, 2))
    axes.axhline(0.0, color=GREY, linewidth=0.6, zorder=1)
    x = data["b.delta"]
    axes.plot(x, 1e4 * data["b.loss"], color=BLUE)
    say = functools.partial(axes.text, fontsize=_SMALL, va="center", bbox=_CLEAR)
    keys: list[Line2D] = []
    for radius, colour, marker, dashes in (
        ("sampled", ORANGE, "o", _DASHED),
        ("integrated", GREEN, "s", (0, (6, 1.5, 1.2, 1.5))),
    ):
        start = data[f"b.{radius}.plug_in"][0]
        axes.plot(x, 1e4 * (data[f"b.{radius}.plug_in"] - start), color=colour, linestyle=dashes)
        for statistic, ink in (("u", BLUE), ("v", colour)):
            mean, error = 1e4 * data[f"b.{radius}.{statistic}"]
            axes.errorbar(
                data[f"b.{radius}.marks"],
                mean,
                error,
                fmt=marker,
                color=ink,
                markersize=3.6,
                elinewidth=0.8,
                zorder=4,
                **_OPEN,
            )
        best, least = data[f"b.{radius}.best"]
        depth = 1e4 * (least - start)
        axes.plot([best, best], [axes.get_ylim()[0], depth], color=colour, linestyle=_DOTTED)
        axes.plot([best], [depth], "*", color=colour, markersize=7.5, zorder=5)
        side = -1 if radius == "integrated" else 1
        say(best + 0.002 * side, -3.7, f"{best:.4f}", ha="left" if side > 0 else "right")
        words = rf"$R$ {radius}, $\mathrm{{E}}\,J_V(0)={start:.4f}$"
        keys.append(
            Line2D([], [], color=GREY, marker=marker, markersize=3.6, lw=0, label=words, **_OPEN)
        )
    say(0.08, 5.8, "U-statistic,\n$\\mathrm{E}\\,J_U=\\mathcal{J}$", color=BLUE, ha="right")
    say(0.145, 4.2, "plug-in $J_V$,\n$R$ integrated", color=GREEN, ha="right")
    say(0.145, -2.2, "plug-in $J_V$,\n$R$ sampled", color=ORANGE, ha="right")
    axes.legend(
        handles=keys,
        title=rf"marks: mean $\pm$ s.e. of {count} batches",
        loc="upper left",
        alignment="left",
        handlelength=1.0,
        borderpad=0.0,
    )


def _draw_optima(host: Axes, data: Data) -> None:
    """Two logarithmic panels, one a correlation, each over a strip for the value 0."""
    described = data.parameters["c"]
    letter(host, "c", rf"Pure SG's optimum, codes $1+a\,P_\ell$, $d={described['d']}$")
    host.set_axis_off()
    host.title.set_visible(True)
    for place, (word, c) in enumerate(described["correlations"].items()):
        low, width = 0.53 * place, 0.47
        panel = host.inset_axes((low, 0.2, width, 0.8))
        strip = host.inset_axes((low, 0.0, width, 0.15))
        _draw_codes(panel, data, word, c)
        _draw_zeros(strip, data, word)
        _draw_break(panel, strip)
        for axes in (panel, strip):
            axes.tick_params(labelleft=place == 0)
        if place == 0:
            panel.set_ylabel(r"$\Delta^\star$")


def _draw_codes(axes: Axes, data: Data, word: str, c: float) -> None:
    from matplotlib.lines import Line2D

    described = data.parameters["c"]
    keys: list[Line2D] = []
    for degree, slope in zip(described["degrees"], described["rho"][word], strict=True):
        colour, marker = _BY_DEGREE[degree]
        loss, name = data[f"c.{degree}.loss"], f"c.{degree}.{word}"
        axes.plot(data[f"c.{degree}.span"], data[f"{name}.line"], color=colour, linewidth=1.0)
        look: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 3.6}
        if c != -1:
            look |= _OPEN
        axes.plot(loss, data[f"{name}.optimum"], linestyle="", **look)
        label = rf"$\rho_{degree}={slope:.3g}$"
        keys.append(Line2D([], [], linewidth=1.0, label=label, **look))
    if c == -1:
        words = "marks: exact\nlines: $\\rho_\\ell\\,\\mathcal{J}_{\\mathrm{unif}}$"
        axes.text(
            0.98, 0.03, words, transform=axes.transAxes, ha="right", fontsize=_SMALL, bbox=_CLEAR
        )
    axes.set_yscale("log")
    axes.set_ylim(2e-9, 60.0)
    axes.set_yticks([1e-8, 1e-6, 1e-4, 1e-2, 1.0], minor=False)
    axes.set_yticks([], minor=True)
    _loss_axis(axes)
    axes.tick_params(bottom=False, labelbottom=False)
    axes.spines["bottom"].set_visible(False)
    axes.legend(
        handles=keys[::-1],
        title=rf"$c={c:g}$ ({word})",
        loc="upper left",
        alignment="left",
        handlelength=1.3,
        handletextpad=0.5,
        borderpad=0.0,
        borderaxespad=0.2,
    )


def _draw_zeros(axes: Axes, data: Data, word: str) -> None:
    """InfoNCE's optimum: the value 0, which has no place on a logarithmic axis."""
    for degree in data.parameters["c"]["degrees"]:
        x, y = data[f"c.{degree}.loss"], data[f"c.{degree}.{word}.infonce"]
        axes.plot(x, y, "x", color=BLACK, markersize=3.2)
    axes.set_facecolor("#F2F2F2")
    axes.set_ylim(-0.6, 2.0)
    axes.set_yticks([0.0], ["0"])
    axes.grid(False)
    _loss_axis(axes)
    axes.set_xlabel(r"$\mathcal{J}_{\mathrm{unif}}$", labelpad=1)
    axes.text(
        0.04,
        0.72,
        r"InfoNCE: $\Delta^\star=0$",
        transform=axes.transAxes,
        va="center",
        fontsize=_SMALL,
    )


def _loss_axis(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_xlim(3e-9, 1e-2)
    axes.set_xticks([1e-8, 1e-6, 1e-4, 1e-2], minor=False)
    axes.set_xticks([], minor=True)


def _draw_break(upper: Axes, lower: Axes) -> None:
    """Strokes across the left spine where the logarithmic axis ends."""
    stroke: dict[str, Any] = {
        "marker": [(-1, -0.5), (1, 0.5)],
        "markersize": 6,
        "linestyle": "none",
        "color": BLACK,
        "markeredgewidth": 0.6,
        "clip_on": False,
    }
    upper.plot([0], [0], transform=upper.transAxes, **stroke)
    lower.plot([0], [1], transform=lower.transAxes, **stroke)


def _draw_collapse(axes: Axes, data: Data) -> None:
    from matplotlib.legend_handler import HandlerTuple

    letter(axes, "d", r"Optimum of $\mathcal{J}_\alpha=\mathcal{J}+\alpha\Delta$, rescaled")
    axes.set_xlabel(r"$\alpha\,/\,\alpha_c$  ($\alpha_c=g$, the gain)")
    axes.set_ylabel(r"$\Delta^\star(\alpha)\;/\;\Delta^\star(0)$")
    axes.set_xlim(-0.05, 1.65)
    axes.set_ylim(-0.06, 1.06)
    axes.plot(data["d.share"], data["d.limit"], color=BLACK, linewidth=1.0)
    axes.text(0.62, 0.27, r"$[1-\alpha/\alpha_c]_+$", ha="right", va="center", bbox=_CLEAR)
    handles, words = [], []
    looks = {"wide": (SKY, "p"), "vmf": (GREY, "X")}
    for name, code in data.parameters["d"]["codes"].items():
        colour, marker = looks[name] if name in looks else _BY_DEGREE[code["degree"]]
        form = (
            rf"vMF, $\kappa={code['kappa']:g}$"
            if "kappa" in code
            else rf"$1+{code['amplitude']:g}\,P_{code['degree']}$"
        )
        pair = []
        for word, c in data.parameters["d"]["correlations"].items():
            x, y = data[f"d.{name}.{word}.share"], data[f"d.{name}.{word}.optimum"]
            look: dict[str, Any] = {} if c == -1 else _OPEN
            pair += axes.plot(x, y, marker, color=colour, markersize=3.6, zorder=3, **look)
        handles.append(tuple(pair))
        words.append(rf"{form}, $d={code['d']}$")
    axes.legend(
        handles,
        words,
        title="codes; filled $c=-1$, open $c=0$",
        loc="upper right",
        alignment="left",
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.6)},
        handlelength=2.2,
    )
