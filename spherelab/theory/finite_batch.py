"""Finite batches: the plug-in estimator's bias toward misalignment, and the U-statistic without it.

The plug-in estimator of J keeps the diagonal of its Gram matrix. Its bias falls as the views
disagree, so that on the extremal family its expectation is least not at Delta = 0 but at about 2/B
(radius sampled) or 6 sqrt 3 sum N_l gain_l/B (radius integrated). The off-diagonal U-statistic is
unbiased; its variance at the null is known. Exact values are held against Monte Carlo.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from spherelab.claim import Axis, Claim, Domain, Relation
from spherelab.laws import Uniform, VonMisesFisher
from spherelab.limits import extrapolated
from spherelab.pairs import (
    Aligned,
    AntipodalPath,
    Extremal,
    MixturePath,
    NuisanceChannel,
    Pair,
    VMFPair,
)
from spherelab.population import extremal_loss, sg_loss
from spherelab.population.batch import (
    null_second_moment,
    plug_in_bias,
    plug_in_coefficient,
    plug_in_loss,
    plug_in_minimiser,
    sample_batches,
    u_statistic,
    v_statistic,
)
from spherelab.population.radial import gaussian_rule
from spherelab.sphere import coordinate_rule
from spherelab.value import Value

Array = NDArray[np.float64]

_PAPER = "SG paper, abstract and Figure 1b"
_RADII = ("sampled", "integrated")

_D = Axis("d", (2, 16, 128), 2, 1024, "integer", quick=(16,))
_SMALL_D = Axis("d", (2, 16), 2, 64, "integer", quick=(16,))
_DELTA = Axis("delta", (0.0, 0.3, 0.9), 0.0, 0.95, quick=(0.1,))
_BATCH = Axis("batch", (4, 32, 1024), 2, 65536, "integer", quick=(32,))
_SAMPLE_BATCH = Axis("batch", (8, 32), 8, 64, "integer", quick=(32,))


# --- the bias -------------------------------------------------------------------------------------


def _sampled_closed(d: int, delta: float) -> Value:
    value = 1 - 1 / math.sqrt(3 - 2 * delta)
    return Value(value, 1e-15)


_BIAS_SAMPLED = Claim(
    key="finite_batch.bias.sampled",
    statement="on the extremal family B times the plug-in's bias is 1 - 1/sqrt(3 - 2 Delta), "
    "radius sampled",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, _DELTA)),
    left=lambda d, delta: plug_in_bias(Extremal(d, delta)),
    relation=Relation.EQUAL,
    right=_sampled_closed,
    tight=True,
    formula=r"B\left(\mathbb{E}\widehat{\mathcal{J}}_V-\mathcal{J}\right)=1-\frac{1}"
    r"{\sqrt{3-2\Delta}}",
)


def _radius_integral(d: int, delta: float) -> Value:
    """E_s E_t |E_R e^{i s r R t}|^2 - 1/sqrt(3 - 2 Delta): the diagonal by quadrature.

    t is one coordinate on S^(d-1), R ~ chi_d; no harmonics.
    """
    t, shares = coordinate_rule(d, 48)
    s, gauss = gaussian_rule()
    nodes, weights = np.polynomial.legendre.leggauss(96)
    low, high = max(0.0, math.sqrt(d) - 9.0), math.sqrt(d) + 9.0
    radii = 0.5 * (low + high) + 0.5 * (high - low) * nodes
    log_density = (d - 1) * np.log(radii) - 0.5 * radii**2
    masses = weights * np.exp(log_density - log_density.max())
    frequencies = math.sqrt(1 - delta) * np.multiply.outer(s, t)
    waves = np.exp(1j * np.multiply.outer(frequencies, radii)) @ (masses / masses.sum())
    value = float(gauss @ np.abs(waves) ** 2 @ shares) - 1 / math.sqrt(3 - 2 * delta)
    return Value(value, 1e-11)


_BIAS_INTEGRATED = Claim(
    key="finite_batch.bias.integrated",
    statement="on the extremal family B times the plug-in's bias is sum_{l>=1} N_l mu_l(Delta), "
    "radius integrated: the diagonal's own integral less 1/sqrt(3 - 2 Delta)",
    source=_PAPER,
    ours=True,
    domain=Domain((Axis("d", (2, 16, 64), 2, 64, "integer", quick=(16,)), _DELTA)),
    left=lambda d, delta: plug_in_bias(Extremal(d, delta), "integrated"),
    relation=Relation.EQUAL,
    right=_radius_integral,
    tight=True,
    formula=r"B\left(\mathbb{E}\widehat{\mathcal{J}}_V-\mathcal{J}\right)=\sum_{\ell\geq 1}"
    r"N_\ell\,\mu_\ell(\Delta)",
)


def _family(name: str) -> Callable[[int], Pair]:
    families: dict[str, Callable[[int], Pair]] = {
        "extremal": lambda d: Extremal(d, 0.2),
        "null": lambda d: Extremal(d, 0.0),
        "aligned-vmf": lambda d: Aligned(VonMisesFisher(d, 3.0)),
        "channel": lambda d: NuisanceChannel(VonMisesFisher(d, 3.0), 0.15),
        "vmf-pair": lambda d: VMFPair(d, 3.0),
        "mixture": lambda d: MixturePath(d, 0.4),
        "antipodal": lambda d: AntipodalPath(d, 0.4),
    }
    return families[name]


_WORDS = {
    "extremal": "the extremal family, Delta = 0.2",
    "null": "the null (aligned and uniform)",
    "aligned-vmf": "an aligned vMF law, kappa = 3",
    "channel": "an antithetic channel of a vMF code, Delta = 0.15",
    "vmf-pair": "a vMF pair, kappa = 3",
    "mixture": "the mixture path, eps = 0.4",
    "antipodal": "the antipodal path, eps = 0.4",
}


def _mean(values: Array) -> Value:
    """The mean with its standard error."""
    return Value(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(values.size))


def _bias_by_sampling(name: str, radius: str) -> Claim:
    make = _family(name)

    def sample(rng: np.random.Generator, samples: int, d: int, batch: int) -> Value:
        pair = make(d)
        z = sample_batches(pair, samples, batch, rng, radius)
        return _mean(batch * (v_statistic(z, radius) - u_statistic(z, radius)))

    suffix = "" if radius == "sampled" else "-integrated"
    return Claim(
        key=f"finite_batch.bias.mc.{name}{suffix}",
        statement=f"B times the mean of plug-in less U-statistic is E k(Z,Z) - E k(Z,Z'), radius "
        f"{radius}, on {_WORDS[name]}",
        source=_PAPER,
        ours=name not in ("extremal", "null"),
        domain=Domain((_SMALL_D, _SAMPLE_BATCH)),
        sample=sample,
        samples=200,
        relation=Relation.EQUAL,
        right=lambda d, batch: plug_in_bias(make(d), radius),
        tight=False,
        formula=r"B\left(\mathbb{E}\widehat{\mathcal{J}}_V-\mathcal{J}\right)="
        r"\mathbb{E}k(Z,Z)-\mathbb{E}k(Z,Z^\prime)",
        resolution=0.2,
    )


_FALLS = Claim(
    key="finite_batch.bias.falls",
    statement="the plug-in's bias falls as the views of the extremal family disagree, with either "
    "radius (integrated = 0, 1)",
    source=_PAPER,
    ours=False,
    domain=Domain(
        (
            _D,
            Axis("delta", (1e-3, 0.1, 0.9), 1e-4, 1.0, "log", quick=(0.1,)),
            Axis("integrated", (0, 1), 0, 1, "integer"),
        )
    ),
    left=lambda d, delta, integrated: plug_in_bias(Extremal(d, delta), _RADII[integrated]),
    relation=Relation.AT_MOST,
    right=lambda d, delta, integrated: plug_in_bias(Extremal(d, 0.0), _RADII[integrated]),
    tight=False,
    formula=r"\mathrm{bias}(\Delta)<\mathrm{bias}(0)",
)


# --- its minimiser --------------------------------------------------------------------------------


def _least(d: int, batch: int, radius: str) -> Value:
    best = plug_in_minimiser(d, batch, radius)
    return plug_in_loss(Extremal(d, best), batch, radius)


def _elsewhere(d: int, batch: int, radius: str) -> Value:
    """The least expected plug-in loss at other points of the extremal family, 0 among them."""
    best = plug_in_minimiser(d, batch, radius)
    points = [0.0, *(best * np.array([0.5, 0.9, 1.1, 2.0])), 0.5, 1.0]
    inside = [p for p in points if p <= 1 and abs(p - best) > 0.05 * best]
    return min((plug_in_loss(Extremal(d, p), batch, radius) for p in inside), key=float)


def _minimum(radius: str) -> Claim:
    return Claim(
        key=f"finite_batch.minimiser.least.{radius}",
        statement="the expected plug-in loss is least away from alignment: on the extremal family "
        f"it is lower at its minimiser than at Delta = 0 and elsewhere, radius {radius}",
        source=_PAPER,
        ours=False,
        domain=Domain((_D, _BATCH)),
        left=lambda d, batch: _least(d, batch, radius),
        relation=Relation.AT_MOST,
        right=lambda d, batch: _elsewhere(d, batch, radius),
        tight=False,
        formula=r"\mathbb{E}\widehat{\mathcal{J}}_V(\Delta^\star)<"
        r"\mathbb{E}\widehat{\mathcal{J}}_V(0),\quad\Delta^\star>0",
    )


def _scaled_minimiser(d: int, radius: str, step: float) -> Value:
    """B Delta* at B = 1/step, a power series in 1/B."""
    size = round(1 / step)
    best = plug_in_minimiser(d, size, radius)
    return Value(size * best, size * best.error)


def _coefficient(radius: str) -> Claim:
    limit = "2" if radius == "sampled" else "6 sqrt 3 sum_{l>=1} N_l gain_l"
    formula = (
        "2" if radius == "sampled" else r"6\sqrt{3}\sum_{\ell\geq 1}N_\ell\,\mathrm{gain}_\ell"
    )
    return Claim(
        key=f"finite_batch.minimiser.rate.{radius}",
        statement=f"the plug-in's minimiser on the extremal family falls like 1/B: B Delta* -> "
        f"{limit}, radius {radius}",
        source=_PAPER,
        ours=True,
        domain=Domain((_D,)),
        left=lambda d: extrapolated(lambda step: _scaled_minimiser(d, radius, step), 2.0**-10),
        relation=Relation.RATE,
        right=lambda d: plug_in_coefficient(d, radius),
        tight=True,
        formula=r"\lim_{B\to\infty}B\,\Delta^\star=" + formula,
        resolution=1e-5,
    )


_MINIMISER_SAMPLED = Claim(
    key="finite_batch.minimiser.sampled",
    statement="radius sampled, the minimiser is free of d: 3 (1-kappa)/(2-kappa), kappa = "
    "(1 - 1/B)^(2/3), by minimising J0(Delta) + (1 - 1/sqrt(3-2 Delta))/B",
    source="derivative of the expected plug-in loss",
    ours=True,
    domain=Domain((_BATCH,)),
    left=lambda batch: plug_in_minimiser(2, batch),
    relation=Relation.EQUAL,
    right=lambda batch: _by_golden_section(batch),
    tight=True,
    formula=r"\Delta^\star=\frac{3(1-\kappa)}{2-\kappa},\quad\kappa=(1-1/B)^{2/3}",
    resolution=1e-5,
)


def _by_golden_section(batch: int) -> Value:
    """The minimiser by golden section, on values of the expected loss less that at 0.

    Values of relative error eps decide the place of a minimum to about sqrt(eps) of itself.
    """

    def loss(delta: float) -> float:
        a, c = math.sqrt(3), math.sqrt(3 - 2 * delta)
        return extremal_loss(delta) - 2 * delta / (a * c * (a + c)) / batch  # 1/c - 1/a

    ratio = (math.sqrt(5) - 1) / 2
    low, high = 0.0, min(1.0, 8 / batch)
    for _ in range(50):
        first, second = high - ratio * (high - low), low + ratio * (high - low)
        if loss(first) < loss(second):
            high = second
        else:
            low = first
    return Value(0.5 * (low + high), 1e-7 * high)


# --- the U-statistic ------------------------------------------------------------------------------


def _unbiased(name: str, radius: str) -> Claim:
    make = _family(name)

    def sample(rng: np.random.Generator, samples: int, d: int, batch: int) -> Value:
        return _mean(u_statistic(sample_batches(make(d), samples, batch, rng, radius), radius))

    suffix = "" if radius == "sampled" else "-integrated"
    return Claim(
        key=f"finite_batch.unbiased.{name}{suffix}",
        statement=f"the U-statistic is unbiased: its mean over batches is J, radius {radius}, on "
        f"{_WORDS[name]}",
        source=_PAPER,
        ours=False,
        domain=Domain((_SMALL_D, _SAMPLE_BATCH)),
        sample=sample,
        samples=400,
        relation=Relation.EQUAL,
        right=lambda d, batch: sg_loss(make(d)),
        tight=False,
        formula=r"\mathbb{E}\,\widehat{\mathcal{J}}_U=\mathcal{J}",
    )


def _null_claim(name: str, words: str, formula: str, ours: bool, radius: str, one: bool) -> Claim:
    """E J_U^2 B (B-1)/2 at the null, against the second moment of the degenerate kernel."""

    def sample(rng: np.random.Generator, samples: int, d: int, batch: int) -> Value:
        z = sample_batches(Aligned(Uniform(d)), samples, batch, rng, radius)
        if one:
            slices = rng.standard_normal((samples, d, 1))
            z = z @ (slices / np.linalg.norm(slices, axis=1, keepdims=True))
        return _mean(0.5 * batch * (batch - 1) * u_statistic(z, radius) ** 2)

    return Claim(
        key=f"finite_batch.null.{name}",
        statement="at the null the U-statistic has variance 2 E h^2/(B (B-1)), " + words,
        source="variance of a degenerate U-statistic",
        ours=ours,
        domain=Domain((_SMALL_D, _SAMPLE_BATCH)),
        sample=sample,
        samples=2000,
        relation=Relation.EQUAL,
        right=lambda d, batch: null_second_moment(d, radius, 1 if one else None),
        tight=False,
        formula=formula,
        resolution=0.5,
    )


_NULLS: Sequence[Claim] = (
    _null_claim(
        "sampled",
        "E h^2 = (2F1(1/2,1/2;d/2;4/9) - 2 2F1(1/2,1/2;d/2;1/9) + 1)/3, radius sampled, all slices",
        r"\mathrm{Var}\,\widehat{\mathcal{J}}_U=\frac{2\,\mathbb{E}h^2}{B(B-1)},\quad"
        r"\mathbb{E}h^2=\frac{1}{3}\left[F\left(\frac{4}{9}\right)-2F\left(\frac{1}{9}\right)+1"
        r"\right]",
        True,
        "sampled",
        False,
    ),
    _null_claim(
        "slice",
        "E h^2 = 1/sqrt 5 - 1/sqrt 2 + 1/3, radius sampled, one slice for the batch",
        r"\mathbb{E}h^2=\frac{1}{\sqrt{5}}-\frac{1}{\sqrt{2}}+\frac{1}{3}",
        True,
        "sampled",
        True,
    ),
    _null_claim(
        "integrated",
        "E h^2 = sum_{l>=1} N_l mu_l^2, radius integrated, all slices",
        r"\mathbb{E}h^2=\sum_{\ell\geq 1}N_\ell\,\mu_\ell^2",
        True,
        "integrated",
        False,
    ),
)

_NULL_LARGE = Claim(
    key="finite_batch.null.large-d",
    statement="E h^2 is 1/(27 d) to first order in 1/d, radius sampled, all slices",
    source="series of 2F1",
    ours=True,
    domain=Domain(()),
    left=lambda: extrapolated(_null_times_d, 2.0**-8),
    relation=Relation.RATE,
    right=lambda: 1 / 27,
    tight=True,
    formula=r"\lim_{d\to\infty}d\,\mathbb{E}h^2=\frac{1}{27}",
    resolution=1e-5,
)


def _null_times_d(step: float) -> Value:
    d = round(1 / step)
    moment = null_second_moment(d)
    return Value(d * moment, d * moment.error)


def _slice_mean(d: int) -> Value:
    """E_rho [(9 - 4 rho^2)^(-1/2) - 2 (9 - rho^2)^(-1/2) + 1/3], rho the cosine of two slices."""
    cosines, shares = coordinate_rule(d, 64)
    s = cosines**2
    # the bracket without its cancellation at rho = 0: 1/sqrt(9-x) - 1/3 = x/(3 q (3 + q))
    first, second = np.sqrt(9 - 4 * s), np.sqrt(9 - s)
    bracket = 4 * s / (3 * first * (3 + first)) - 2 * s / (3 * second * (3 + second))
    value = float(shares @ bracket)
    return Value(value, 1e-13 * value)


_NULL_TWO = Claim(
    key="finite_batch.null.moment",
    statement="the null's E h^2, radius sampled, is the mean over the cosine of two slices of "
    "(9-4 rho^2)^(-1/2) - 2 (9-rho^2)^(-1/2) + 1/3",
    source="Gaussian integral over the two frequencies",
    ours=True,
    domain=Domain((_D,)),
    left=null_second_moment,
    relation=Relation.EQUAL,
    right=_slice_mean,
    tight=True,
    formula=r"\mathbb{E}h^2=\mathbb{E}_\rho\left[(9-4\rho^2)^{-1/2}-2(9-\rho^2)^{-1/2}\right]"
    r"+\frac{1}{3}",
)


@functools.cache
def _all() -> tuple[Claim, ...]:
    families = ("extremal", "channel", "vmf-pair", "mixture")
    return (
        _BIAS_SAMPLED,
        _BIAS_INTEGRATED,
        _FALLS,
        *(_bias_by_sampling(name, "sampled") for name in ("null", *families)),
        *(_bias_by_sampling(name, "integrated") for name in ("null", "channel")),
        *(_minimum(radius) for radius in _RADII),
        *(_coefficient(radius) for radius in _RADII),
        _MINIMISER_SAMPLED,
        *(_unbiased(name, "sampled") for name in ("null", "antipodal", *families)),
        *(_unbiased(name, "integrated") for name in ("extremal", "aligned-vmf")),
        _NULL_TWO,
        _NULL_LARGE,
        *_NULLS,
    )


CLAIMS: tuple[Claim, ...] = _all()
