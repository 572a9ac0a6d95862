"""Theorem 3 of the Shared Gaussianization paper: nuisance channels and their gain.

    J(Delta) = J_0(Delta) + sum_{l>=1} mu_l(Delta) P_l(t)^2 |q_l|^2 has the slope -g at Delta = 0,

so that pure SG adds nuisance to each view whenever the shared code is not uniform, up to about
Delta* = 6 sqrt 3 g (rho_l J_unif for a code of one degree), while an alignment weight alpha > g
makes Delta = 0 a strict local minimum. Also here: InfoNCE's own optimum on the channel, LeJEPA's
critical weight, and where first order ends (concentrated codes). The correlation c of the two
nuisances, which the paper's text does not fix, is an axis everywhere.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from spherelab.claim import Axis, Claim, Domain, Relation
from spherelab.gegenbauer import gegenbauer_all
from spherelab.laws import Law, PointMass, Uniform, VonMisesFisher, ZonalLaw
from spherelab.limits import extrapolated, right_derivative
from spherelab.pairs import Aligned, NuisanceChannel
from spherelab.population import leading_constant, sg_alpha_loss, sg_loss
from spherelab.population.batch import sample_batches, u_statistic
from spherelab.population.channel import (
    channel_loss,
    channel_slope,
    critical_sigreg_weight,
    gain,
    infonce_slope,
    optimal_misalignment,
    rho,
)
from spherelab.population.excess import infonce_excess, uniformity_excess
from spherelab.population.radial import gaussian_rule
from spherelab.population.shrunk import FIRST_ORDER
from spherelab.sphere import coordinate_rule
from spherelab.theory import proofs
from spherelab.value import Value
from spherelab.zonal import ExpKernel, SGLift

Array = NDArray[np.float64]

_PAPER = "SG paper, Theorem 3"

# --- axes -----------------------------------------------------------------------------------------


def _possible(d: int, correlation: float, **_: float) -> bool:
    """On a circle the complement of X is a line: c = -1 only."""
    return d > 2 or correlation == -1


def _on_channel(d: int, correlation: float, delta: float, **_: float) -> bool:
    return _possible(d, correlation) and delta <= (1 - correlation) / 2


_D = Axis("d", (2, 8, 128), 2, 1024, "integer", quick=(8,))
_C = Axis("correlation", (-1.0, 0.0, 0.5), -1.0, 0.9, quick=(0.0,))
_DEGREE = Axis("degree", (1, 2, 3, 4), 1, 6, "integer", quick=(2,))
_THREE = Axis("degree", (1, 2, 4), 1, 6, "integer", quick=(2,))
_SHARE = Axis("share", (0.0, 0.5, 0.9, 1.2), 0.0, 3.0, quick=(0.5, 1.2))


# --- laws of small non-uniformity -----------------------------------------------------------------


@functools.lru_cache(maxsize=512)
def _one_degree(d: int, degree: int, square: float) -> Law:
    """Density 1 + a P_l, a^2 = ``square``: J_unif = mu_l a^2/N_l is linear in it."""
    return ZonalLaw.perturbed(d, degree, math.sqrt(square))


@functools.lru_cache(maxsize=512)
def _vmf(d: int, kappa: float) -> VonMisesFisher:
    return VonMisesFisher(d, kappa)


def _small(d: int, degree: int, correlation: float) -> float:
    """a^2 at which Delta* is about 1e-3 of the channel and of the scale of its code; at most 1."""
    code = _one_degree(d, degree, 1.0)
    whole = (1 - correlation) / 2
    turning = 1 + (1 + correlation) / (1 - correlation) * degree * (degree + d - 2) / (d - 1)
    return min(1.0, 1e-3 * whole / turning / (FIRST_ORDER * gain(code, correlation)))


def _quotient(top: Value, bottom: Value) -> Value:
    value = top / bottom
    return Value(value, abs(value) * (bottom.error / abs(bottom)) + top.error / abs(bottom))


# --- J on the channel, by two routes --------------------------------------------------------------


def _defined_loss(d: int, delta: float, correlation: float) -> Value:
    """J of the channel of a point mass from its definition: quadrature in a, s, Y and R.

    a.Z = R (a.e sqrt(1-D') + m_y), with a.e one coordinate on S^(d-1) and, given it, the nuisance
    part one coordinate on S^(d-2), scaled. No harmonics.
    """
    nuisance = 2 * delta / (1 - correlation)
    across = math.sqrt(max(1 - delta - (1 - nuisance), 0.0))  # |M|^2 = (1-D') + across^2
    tau, shares = coordinate_rule(d, 32)
    y, chances = coordinate_rule(d - 1, 16)
    projections = math.sqrt(1 - nuisance) * tau[:, None]
    projections = projections + across * np.sqrt(1 - tau**2)[:, None] * y  # (a, y)
    s, gauss = gaussian_rule(last=9.0)
    radii, masses = _chi_rule(d)
    waves = np.exp(1j * np.multiply.outer(radii, np.multiply.outer(s, projections)))
    phi = np.tensordot(masses, waves, axes=1) @ chances  # (s, a)
    square = np.abs(phi - np.exp(-0.5 * s * s)[:, None]) ** 2
    value = float(gauss @ square @ shares)
    return Value(value, 1e-10, "quadrature of the definition")


@functools.lru_cache(maxsize=16)
def _chi_rule(d: int) -> tuple[Array, Array]:
    """Gauss-Legendre rule for R ~ chi_d."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    low, high = max(0.0, math.sqrt(d) - 8.0), math.sqrt(d) + 8.0
    r = 0.5 * (low + high) + 0.5 * (high - low) * nodes
    log_density = (d - 1) * np.log(r) - 0.5 * r * r
    masses = weights * np.exp(log_density - log_density.max())
    return r, masses / masses.sum()


_LOSS = Claim(
    key="theorem3.loss",
    statement="on the channel of a point mass (every degree at once) J(Delta) = J0(Delta) + "
    "sum_l mu_l(Delta) P_l(t)^2 |q_l|^2 equals its definition",
    source=_PAPER,
    ours=False,
    domain=Domain(
        (
            Axis("d", (3, 8), 3, 16, "integer", quick=(3,)),
            Axis("delta", (0.15,), 0.0, 0.25),
            Axis("correlation", (-1.0, 0.0, 0.5), -1.0, 0.5, quick=(0.0,)),
        ),
        where=_on_channel,
    ),
    left=lambda d, delta, correlation: channel_loss(_point(d), delta, correlation),
    relation=Relation.EQUAL,
    right=_defined_loss,
    tight=True,
    formula=r"\mathcal{J}(\Delta)=\mathcal{J}_0(\Delta)+\sum_{\ell\geq 1}\mu_\ell(\Delta)\,"
    r"P_\ell(t)^2\,|q_\ell|^2,\quad t^2=\frac{1-2\Delta/(1-c)}{1-\Delta}",
    resolution=1e-7,
)


def _point(d: int) -> Law:
    return PointMass(np.eye(d)[0])


def _sampled_loss(
    rng: np.random.Generator, samples: int, d: int, kappa: float, delta: float, correlation: float
) -> Value:
    """Mean of the U-statistic over independent batches of 32 pairs."""
    pair = NuisanceChannel(_vmf(d, kappa), delta, correlation)
    values = u_statistic(sample_batches(pair, samples, 32, rng))
    return Value(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(samples))


_LOSS_SAMPLED = Claim(
    key="theorem3.loss.sampled",
    statement="J(Delta) on the channel of a vMF code is the mean of the U-statistic of its samples",
    source=_PAPER,
    ours=False,
    domain=Domain(
        (
            Axis("d", (2, 8), 2, 32, "integer", quick=(8,)),
            Axis("kappa", (4.0,), 1.0, 20.0, "log"),
            Axis("delta", (0.1,), 0.0, 0.2),
            Axis("correlation", (-1.0, 0.0, 0.5), -1.0, 0.5, quick=(0.0,)),
        ),
        where=_on_channel,
    ),
    sample=_sampled_loss,
    samples=300,
    relation=Relation.EQUAL,
    right=lambda d, kappa, delta, correlation: channel_loss(_vmf(d, kappa), delta, correlation),
    tight=False,
    formula=r"\mathbb{E}\,\widehat{\mathcal{J}}_U=\mathcal{J}(\Delta)",
)


# --- the gain -------------------------------------------------------------------------------------


def _harmonic_part(law: Law, delta: float, correlation: float) -> Value:
    """sum_{l>=1} J_l: the part of J that is not of second order in Delta."""
    loss = channel_loss(law, delta, correlation)
    parts, errors = loss.by_degree[1:], loss.degree_errors[1:]
    return Value(math.fsum(parts), math.fsum(errors))


def _near_zero(correlation: float) -> float:
    """The Delta up to which J is sampled for its slope at 0: one for all codes, whose mu_l(Delta)
    are then evaluated once. P_l(t)^2 turns faster in Delta the nearer c is to 1."""
    return (1 - correlation) / 24 / (1 + 2 * (1 + correlation) / (1 - correlation))


def _lost_slope(law: Law, correlation: float) -> Value:
    """-dJ/dDelta at 0 from values of J.

    J_0 = Delta^2/k_0^2 + ... is left out: its derivative is 0, and its size would drown small g.
    """
    return _negative(
        right_derivative(
            lambda delta: _harmonic_part(law, delta, correlation), _near_zero(correlation)
        )
    )


_GAIN_DEGREE = Claim(
    key="theorem3.gain.degree",
    statement="-dJ/dDelta at 0 is g = |q_l|^2 mu_l [gain_l/mu_l + ((1+c)/(1-c)) L_l/(d-1)], codes "
    "of one degree",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, _THREE, _C), where=_possible),
    left=lambda d, degree, correlation: _lost_slope(_one_degree(d, degree, 1.0), correlation),
    relation=Relation.RATE,
    right=lambda d, degree, correlation: gain(_one_degree(d, degree, 1.0), correlation),
    tight=True,
    formula=r"-\frac{d\mathcal{J}}{d\Delta}\left(0\right)=g=|q_\ell|^2\mu_\ell\left["
    r"\frac{\mathrm{gain}_\ell}{\mu_\ell}+\frac{1+c}{1-c}\,\frac{\ell(\ell+d-2)}{d-1}\right]",
    resolution=1e-4,
)

_KAPPA = Axis("kappa", (0.1, 3.0, 30.0), 0.01, 50.0, "log", quick=(3.0,))

_GAIN_VMF = Claim(
    key="theorem3.gain.vmf",
    statement="-dJ/dDelta at 0 is the gain, vMF codes",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, _KAPPA, _C), where=_possible),
    left=lambda d, kappa, correlation: _lost_slope(_vmf(d, kappa), correlation),
    relation=Relation.RATE,
    right=lambda d, kappa, correlation: gain(_vmf(d, kappa), correlation),
    tight=True,
    formula=r"-\frac{d\mathcal{J}}{d\Delta}\left(0\right)=g=\sum_{\ell\geq 1}|q_\ell|^2\mu_\ell"
    r"\left[\frac{\mathrm{gain}_\ell}{\mu_\ell}+\frac{1+c}{1-c}\,"
    r"\frac{\ell(\ell+d-2)}{d-1}\right]",
    resolution=1e-4,
)

_GAIN_POSITIVE = Claim(
    key="theorem3.gain.positive",
    statement="the gain is positive for a code that is not uniform: g >= sum_l |q_l|^2 mu_l "
    "[(l-1)/3 + ((1+c)/(1-c)) L_l/(d-1)], and more than that from degree 1",
    source=f"{_PAPER}; the lower bound is ours",
    ours=True,
    domain=Domain(
        (_D, Axis("kappa", (1e-3, 1.0, 100.0), 1e-3, 1e3, "log", quick=(1.0,)), _C),
        where=_possible,
    ),
    left=lambda d, kappa, correlation: gain(_vmf(d, kappa), correlation),
    relation=Relation.AT_LEAST,
    right=lambda d, kappa, correlation: _gain_bound(_vmf(d, kappa), correlation),
    tight=False,
    formula=r"g>\sum_{\ell\geq 1}|q_\ell|^2\mu_\ell\left[\frac{\ell-1}{3}+\frac{1+c}{1-c}\,"
    r"\frac{\ell(\ell+d-2)}{d-1}\right]\geq 0",
)


def _gain_bound(law: Law, correlation: float) -> Value:
    degrees = np.arange(1, 129)
    d = law.dimension
    loss = np.exp(law.log_harmonic_energy(degrees) + SGLift().log_eigenvalues(d, degrees))
    factor = (1 + correlation) / (1 - correlation)
    terms = loss * ((degrees - 1) / 3 + factor * degrees * (degrees + d - 2) / (d - 1))
    return Value(math.fsum(terms), 3e-13 * math.fsum(terms))


_GAIN_UNIFORM = Claim(
    key="theorem3.gain.uniform",
    statement="a uniform code has no gain, and J no better point than Delta = 0",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, _C), where=_possible),
    left=lambda d, correlation: (
        gain(Uniform(d), correlation) + optimal_misalignment(Uniform(d), correlation)
    ),
    relation=Relation.EQUAL,
    right=lambda d, correlation: 0.0,
    tight=True,
    formula=r"g=0=\Delta^\star",
    scale=1.0,
)

_GAIN_RATIO = Claim(
    key="theorem3.gain.ratio",
    statement="gain_l/mu_l > (l-1)/3 + l(2l+1)/(3(4l+3d)) for every degree, and tends to it as d "
    "grows",
    source="integration by parts in the integral of mu_l, then Chebyshev and Jensen",
    ours=True,
    domain=Domain(
        (
            Axis("d", (2, 16, 1024, 100_000), 2, 100_000, "integer", quick=(8, 100_000)),
            Axis("degree", (1, 2, 10, 100, 1000), 1, 1000, "integer", quick=(1, 2, 30)),
        )
    ),
    left=lambda d, degree: _relative(float(SGLift().gain_ratios(d, degree)), 1e-14),
    relation=Relation.AT_LEAST,
    right=lambda d, degree: (degree - 1) / 3 + degree * (2 * degree + 1) / (12 * degree + 9 * d),
    tight=True,
    formula=r"\frac{\mathrm{gain}_\ell}{\mu_\ell}>\frac{\ell-1}{3}+"
    r"\frac{\ell(2\ell+1)}{3(4\ell+3d)}",
    prove=proofs.gain,
)


def _relative(value: float, error: float) -> Value:
    return Value(value, error * abs(value))


# Independent nuisances: Y1.Y2 is one coordinate on S^(d-2), random with mean 0.


def _independent_part(d: int, degree: int, delta: float) -> Value:
    """J_l for independent isotropic nuisances, Delta = D'/2, a code 1 + P_l.

    Given Y1.Y2 = c the average has r_c^2 = 1 - D'(1-c)/2 at a cosine t_c to X; profiles are
    averaged over c before they are squared.
    """
    nuisance = 2 * delta
    c, chances = coordinate_rule(d - 1, 6)
    squares = 1 - 0.5 * nuisance * (1 - c)
    t = np.sqrt(np.clip((1 - nuisance) / squares, 0.0, 1.0))
    s, gauss = gaussian_rule()
    s, gauss = s[1:], gauss[1:]  # profiles vanish at 0
    profile = np.exp(SGLift().log_profile(d, degree, s[:, None] * np.sqrt(squares)))  # (s, c)
    mean = (profile * gegenbauer_all(d, degree, t)[degree]) @ chances
    energy = float(_one_degree(d, degree, 1.0).harmonic_energy(degree))
    value = energy * float(gauss @ (mean * mean))
    return Value(value, 1e-12 * value)


_INDEPENDENT = Claim(
    key="theorem3.gain.independent",
    statement="independent isotropic nuisances (Y1.Y2 random of mean 0) have the gain of c = 0",
    source=_PAPER,
    ours=True,
    domain=Domain((Axis("d", (3, 128), 3, 1024, "integer", quick=(8,)), _THREE)),
    left=lambda d, degree: _negative(
        right_derivative(lambda delta: _independent_part(d, degree, delta), 0.1 / (1 + degree))
    ),
    relation=Relation.RATE,
    right=lambda d, degree: gain(_one_degree(d, degree, 1.0), 0.0),
    tight=True,
    formula=r"g_{\mathrm{independent}}=g_{c=0}",
    resolution=1e-4,
)


def _negative(value: Value) -> Value:
    return Value(-value, value.error, value.method)


# --- pure SG's optimum ----------------------------------------------------------------------------


def _optimum_per_loss(d: int, degree: int, correlation: float, square: float) -> Value:
    """Delta*/J_unif at a^2 = ``square``."""
    law = _one_degree(d, degree, square)
    return _quotient(optimal_misalignment(law, correlation), sg_loss(Aligned(law)))


_OPTIMUM_DEGREE = Claim(
    key="theorem3.optimum.degree",
    statement="pure SG's optimal misalignment is rho_l J_unif to first order, codes of one degree: "
    "Delta*/J_unif -> 6 sqrt 3 [gain_l/mu_l + ((1+c)/(1-c)) L_l/(d-1)]",
    source=f"{_PAPER}; Figure 1c",
    ours=False,
    domain=Domain((_D, _DEGREE, _C), where=_possible),
    left=lambda d, degree, correlation: extrapolated(
        lambda square: _optimum_per_loss(d, degree, correlation, square),
        _small(d, degree, correlation),
    ),
    relation=Relation.RATE,
    right=rho,
    tight=True,
    formula=r"\lim\frac{\Delta^\star}{\mathcal{J}_{\mathrm{unif}}}=\rho_\ell=6\sqrt{3}\left["
    r"\frac{\mathrm{gain}_\ell}{\mu_\ell}+\frac{1+c}{1-c}\,\frac{\ell(\ell+d-2)}{d-1}\right]",
    resolution=1e-5,
)


def _optimum_per_gain(d: int, correlation: float, square: float) -> Value:
    """Delta*/g of the vMF code with kappa^2/d = ``square``."""
    law = _vmf(d, math.sqrt(square * d))
    return _quotient(optimal_misalignment(law, correlation), gain(law, correlation))


def _small_vmf(d: int, correlation: float) -> float:
    """kappa^2/d at which 6 sqrt 3 g is at most about 1e-3 of the channel."""
    square = 1e-2
    found = FIRST_ORDER * gain(_vmf(d, math.sqrt(square * d)), correlation)
    return square * min(1.0, 5e-4 * (1 - correlation) / 2 / found)


_OPTIMUM_GAIN = Claim(
    key="theorem3.optimum.gain",
    statement="pure SG's optimal misalignment is 6 sqrt 3 g + O(g^2), vMF codes",
    source=_PAPER,
    ours=False,
    domain=Domain((_D, _C), where=_possible),
    left=lambda d, correlation: extrapolated(
        lambda square: _optimum_per_gain(d, correlation, square), _small_vmf(d, correlation)
    ),
    relation=Relation.RATE,
    right=lambda d, correlation: leading_constant() ** 2 / 8,
    tight=True,
    formula=r"\lim\frac{\Delta^\star}{g}=6\sqrt{3}",
    resolution=1e-5,
)


_LEAST = Claim(
    key="theorem3.optimum.least",
    statement="pure SG lowers its loss by adding nuisance: J at Delta* is below J at 0, and at "
    "every other of 9 points of the channel",
    source=_PAPER,
    ours=False,
    domain=Domain(
        (
            Axis("d", (3, 32), 3, 64, "integer", quick=(8,)),
            Axis("kappa", (5.0,), 2.0, 100.0, "log"),
            Axis("correlation", (-1.0, 0.0), -1.0, 0.9, quick=(0.0,)),
        )
    ),
    left=lambda d, kappa, correlation: channel_loss(
        _vmf(d, kappa), optimal_misalignment(_vmf(d, kappa), correlation), correlation
    ),
    relation=Relation.AT_MOST,
    right=lambda d, kappa, correlation: _least_elsewhere(d, kappa, correlation),
    tight=False,
    formula=r"\mathcal{J}(\Delta^\star)<\mathcal{J}(\Delta),\quad\Delta\neq\Delta^\star",
)


def _least_elsewhere(d: int, kappa: float, correlation: float) -> Value:
    law, whole = _vmf(d, kappa), (1 - correlation) / 2
    best = optimal_misalignment(law, correlation)
    points = [0.0, *(best * np.array([0.5, 0.9, 1.1, 2.0])), *(whole * np.arange(1, 5) / 4)]
    inside = [p for p in points if p <= whole and abs(p - best) > 0.05 * best]
    return min((channel_loss(law, p, correlation) for p in inside), key=float)


# --- the alignment weight -------------------------------------------------------------------------

_SLOPE = Claim(
    key="theorem3.alpha.slope",
    statement="J_alpha has the slope alpha - g at Delta = 0",
    source=_PAPER,
    ours=False,
    domain=Domain(
        (
            Axis("d", (8,), 3, 32, "integer"),
            Axis("kappa", (1.0, 10.0), 0.5, 30.0, "log", quick=(1.0,)),
            _C,
            _SHARE,
        )
    ),
    left=lambda d, kappa, correlation, share: _alpha_slope(d, kappa, correlation, share),
    relation=Relation.RATE,
    right=lambda d, kappa, correlation, share: share - 1,
    tight=True,
    formula=r"\frac{d\mathcal{J}_\alpha}{d\Delta}\left(0\right)=\alpha-g",
    resolution=1e-4,
    scale=1.0,
)


def _alpha_slope(d: int, kappa: float, correlation: float, share: float) -> Value:
    """Slope of J_alpha at 0 over g, alpha = share g, from values of J_alpha."""
    law = _vmf(d, kappa)
    g = gain(law, correlation)

    def loss(delta: float) -> Value:
        return sg_alpha_loss(NuisanceChannel(law, delta, correlation), share * g)

    slope = right_derivative(loss, _near_zero(correlation))
    return Value(slope / g, (slope.error + g.error) / g)


def _collapsed(d: int, degree: int, correlation: float, share: float, square: float) -> Value:
    """Delta*(alpha)/Delta*(0) at alpha = share g."""
    law = _one_degree(d, degree, square)
    alpha = share * gain(law, correlation)
    return _quotient(
        optimal_misalignment(law, correlation, alpha), optimal_misalignment(law, correlation)
    )


_COLLAPSE = Claim(
    key="theorem3.collapse",
    statement="with J_alpha the rescaled optimum collapses onto a line: Delta*(alpha)/Delta*(0) -> "
    "[1 - alpha/g]_+ for small non-uniformity",
    source=f"{_PAPER}; Figure 1d",
    ours=False,
    domain=Domain((_D, _THREE, _C, _SHARE), where=_possible),
    left=lambda d, degree, correlation, share: extrapolated(
        lambda square: _collapsed(d, degree, correlation, share, square),
        _small(d, degree, correlation),
    ),
    relation=Relation.RATE,
    right=lambda d, degree, correlation, share: max(1 - share, 0.0),
    tight=True,
    formula=r"\lim\frac{\Delta^\star(\alpha)}{\Delta^\star(0)}=[1-\alpha/g]_+",
    resolution=1e-5,
    scale=1.0,
)

_COLLAPSE_WIDTH = Claim(
    key="theorem3.collapse.width",
    statement="the collapse holds within 0.02 for codes 1 + a P_l, |a| <= 1/2, l <= 4 (d >= 8)",
    source="Figure 1d of the SG paper",
    ours=True,
    domain=Domain(
        (
            Axis("d", (8, 64), 8, 256, "integer", quick=(8,)),
            Axis("degree", (1, 2, 4), 1, 4, "integer", quick=(2,)),
            Axis("correlation", (-1.0, 0.0), -1.0, 0.0),
            Axis("amplitude", (0.1, 0.5), 0.01, 0.5, "log", quick=(0.5,)),
            Axis("share", (0.25, 0.5, 0.75, 0.98, 1.02), 0.0, 2.0, quick=(0.5, 0.98)),
        )
    ),
    left=lambda d, degree, correlation, amplitude, share: _off_the_line(
        d, degree, correlation, share, amplitude**2
    ),
    relation=Relation.AT_MOST,
    right=lambda d, degree, correlation, amplitude, share: 0.02,
    tight=False,
    formula=r"\left|\Delta^\star(\alpha)/\Delta^\star(0)-[1-\alpha/g]_+\right|\leq 0.02",
)


def _off_the_line(d: int, degree: int, correlation: float, share: float, square: float) -> Value:
    found = _collapsed(d, degree, correlation, share, square)
    return Value(abs(found - max(1 - share, 0.0)), found.error)


def _slope_near(d: int, degree: int, correlation: float, share: float, depth: float) -> Value:
    """dJ_alpha/dDelta over g, alpha = share g, at a Delta = depth * 6 sqrt 3 |g - alpha|."""
    law = _one_degree(d, degree, _small(d, degree, correlation))
    g = gain(law, correlation)
    alpha = share * g
    slope = channel_slope(law, depth * FIRST_ORDER * abs(g - alpha), correlation, alpha)
    return Value(slope / g, slope.error / g)


_DEPTH = Axis("depth", (0.0, 1e-3, 0.5), 0.0, 0.5, quick=(0.0, 0.5))

_MINIMUM = Claim(
    key="theorem3.alpha.minimum",
    statement="alpha > g makes Delta = 0 a strict local minimum: J_alpha rises next to it",
    source=_PAPER,
    ours=False,
    domain=Domain(
        (_D, _DEGREE, _C, Axis("share", (1.0001, 1.1, 3.0), 1.0001, 10.0, quick=(1.1,)), _DEPTH),
        where=_possible,
    ),
    left=_slope_near,
    relation=Relation.AT_LEAST,
    right=lambda d, degree, correlation, share, depth: 0.25 * (share - 1),
    tight=False,
    formula=r"\alpha>g\;\Rightarrow\;\mathcal{J}_\alpha\,^\prime(\Delta)>0",
)

_NO_MINIMUM = Claim(
    key="theorem3.alpha.no-minimum",
    statement="alpha < g does not: J_alpha falls next to Delta = 0",
    source=_PAPER,
    ours=False,
    domain=Domain(
        (_D, _DEGREE, _C, Axis("share", (0.0, 0.5, 0.9999), 0.0, 0.9999, quick=(0.5,)), _DEPTH),
        where=_possible,
    ),
    left=_slope_near,
    relation=Relation.AT_MOST,
    right=lambda d, degree, correlation, share, depth: 0.25 * (share - 1),
    tight=False,
    formula=r"\alpha<g\;\Rightarrow\;\mathcal{J}_\alpha\,^\prime(\Delta)<0",
)

_LOCAL_ONLY = Claim(
    key="theorem3.alpha.local-only",
    statement="the minimum at 0 for alpha > g is local only: at alpha = 1.05 g a concentrated code "
    "has J_alpha(1) < J_alpha(0) (antithetic nuisances, no code left in the average)",
    source="explicit law",
    ours=True,
    domain=Domain((Axis("d", (2, 8, 128, 1024), 2, 1024, "integer", quick=(8,)),)),
    left=lambda d: sg_alpha_loss(NuisanceChannel(_point(d), 1.0), 1.05 * gain(_point(d))),
    relation=Relation.AT_MOST,
    right=lambda d: sg_loss(Aligned(_point(d))),
    tight=False,
    formula=r"\mathcal{J}_\alpha(1)<\mathcal{J}_\alpha(0),\quad\alpha=1.05\,g",
    note="Theorem 3 speaks of a local minimum, the collapse of small non-uniformity: neither "
    "extends to concentrated codes.",
)


# --- InfoNCE on the same channel ------------------------------------------------------------------

_BETA = Axis("beta", (0.5, 20.0), 0.1, 50.0, "log", quick=(5.0,))
_CODE = Axis("kappa", (0.1, 3.0, 300.0), 1e-2, 1e3, "log", quick=(3.0,))
_NOT_ALIKE = Axis("correlation", (-1.0, -0.5, 0.0), -1.0, 0.0, quick=(-1.0, 0.0))


def _infonce(d: int, kappa: float, beta: float, correlation: float, delta: float) -> Value:
    return infonce_excess(NuisanceChannel(_vmf(d, kappa), delta, correlation), beta)


def _infonce_start(d: int, kappa: float, beta: float, correlation: float, delta: float) -> Value:
    """Excess at Delta = 0, raised by 2 beta Delta (-c)/(1-c)."""
    start = infonce_excess(Aligned(_vmf(d, kappa)), beta)
    rise = -2 * beta * delta * correlation / (1 - correlation)
    return Value(start + rise, start.error)


_INFONCE = Claim(
    key="theorem3.infonce",
    statement="InfoNCE's optimum on the channel is Delta = 0 (c <= 0): its excess rises, by at "
    "least 2 beta Delta (-c)/(1-c)",
    source="SG paper, Figure 1c (InfoNCE's is zero); the bound, for every code, by Jensen, is ours",
    ours=True,
    domain=Domain(
        (
            Axis("d", (2, 64), 2, 256, "integer", quick=(8,)),
            _CODE,
            _BETA,
            _NOT_ALIKE,
            Axis("delta", (0.01, 0.3), 1e-3, 0.5, "log", quick=(0.1,)),
        ),
        where=_on_channel,
    ),
    left=_infonce,
    relation=Relation.AT_LEAST,
    right=_infonce_start,
    tight=False,
    formula=r"\mathrm{excess}(\Delta)\geq\mathrm{excess}(0)+2\beta\Delta\,\frac{-c}{1-c}",
)


def _lost_infonce(d: int, degree: int, beta: float, correlation: float, amplitude: float) -> Value:
    """-dU_beta/dDelta at 0 over |q_l|^2, a code 1 + a P_l; a power series in a."""
    law = _one_degree(d, degree, amplitude**2)
    energy = float(law.harmonic_energy(degree))
    slope = right_derivative(
        lambda delta: uniformity_excess(NuisanceChannel(law, delta, correlation), beta),
        (1 - correlation) / 16 / degree,
    )
    return Value(-slope / energy, slope.error / energy)


def _lost_infonce_limit(d: int, degree: int, beta: float, correlation: float) -> float:
    r = math.exp(float(ExpKernel(beta).log_ratios(d, degree)))
    laplacian = degree * (degree + d - 2) / (d - 1)
    return 2 / (1 - correlation) * r * (1 - r / 2) * laplacian


_INFONCE_SLOPE = Claim(
    key="theorem3.infonce.slope",
    statement="the slope of InfoNCE's excess at 0 is 2 beta - (2/(1-c)) r_l (1 - r_l/2) L_l/(d-1) "
    "|q_l|^2 to second order in the code: positive for small non-uniformity at any c",
    source="expansion of U_beta",
    ours=True,
    domain=Domain(
        (
            Axis("d", (3, 8), 3, 64, "integer", quick=(8,)),
            Axis("degree", (1, 3), 1, 5, "integer", quick=(2,)),
            Axis("beta", (5.0,), 1.0, 20.0, "log"),
            _C,
        ),
        where=_possible,
    ),
    left=lambda d, degree, beta, correlation: extrapolated(
        lambda amplitude: _lost_infonce(d, degree, beta, correlation, amplitude), 0.05
    ),
    relation=Relation.RATE,
    right=_lost_infonce_limit,
    tight=True,
    formula=r"2\beta-\frac{d\,\mathrm{excess}}{d\Delta}\left(0\right)\sim\frac{2}{1-c}\,r_\ell\left(1-\frac{r_\ell}{2}\right)"
    r"\frac{\ell(\ell+d-2)}{d-1}\,|q_\ell|^2",
    resolution=3e-4,
)

_INFONCE_ALIKE = Claim(
    key="theorem3.infonce.alike",
    statement="for c > 0 InfoNCE too adds nuisance to a concentrated code: the slope of its excess "
    "at 0 is -2 beta c/(1-c) for a point mass",
    source="explicit law",
    ours=True,
    domain=Domain(
        (
            Axis("d", (3, 8, 64), 3, 64, "integer", quick=(8,)),
            Axis("beta", (0.5, 5.0), 0.1, 20.0, "log", quick=(5.0,)),
            Axis("correlation", (0.3, 0.6), 0.1, 0.9, quick=(0.5,)),
        )
    ),
    left=lambda d, beta, correlation: infonce_slope(_point(d), beta, correlation),
    relation=Relation.RATE,
    right=lambda d, beta, correlation: -2 * beta * correlation / (1 - correlation),
    tight=True,
    formula=r"\frac{d\,\mathrm{excess}}{d\Delta}\left(0\right)=-2\beta\,\frac{c}{1-c}",
    resolution=1e-4,
    note="Nuisances of the two views that agree in part: InfoNCE pays for their difference only, "
    "and is paid for uniformity by both.",
)


# --- LeJEPA's critical weight ---------------------------------------------------------------------

_BATCH = Axis("batch", (8, 128, 2048), 1, 65536, "log", quick=(128,))
_REFERENCE = Axis("reference", (0, 1), 0, 1, "integer")
# B g from 1e-9 on: nearer to 1, a double no longer holds the odds of lambda_c.
_LEJEPA_LAW = (
    Axis("d", (8,), 3, 16, "integer"),
    Axis("degree", (1, 2), 1, 3, "integer", quick=(1,)),
    Axis("correlation", (-1.0, 0.0), -1.0, 0.5, quick=(0.0,)),
)


def _critical(
    d: int, degree: int, correlation: float, batch: float, reference: int, square: float = 1.0
) -> float:
    g = gain(_one_degree(d, degree, square), correlation)
    convention = "reference" if reference else "paper"
    return critical_sigreg_weight(g, round(batch), d, convention)


def _test_weight(d: int, batch: float, reference: int, weight: float) -> float:
    """What multiplies J when the alignment term Delta has weight 1."""
    scale = d * math.sqrt(2 * math.pi) if reference else 1.0
    return weight / (1 - weight) * round(batch) * scale


def _lejepa_slope(d: int, degree: int, correlation: float, batch: float, reference: int) -> Value:
    """Slope at 0 of the objective at its critical weight, in units of its alignment term."""
    law = _one_degree(d, degree, 1.0)
    weight = _critical(d, degree, correlation, batch, reference)
    factor = _test_weight(d, batch, reference, weight)

    def objective(delta: float) -> Value:  # J_0, of second order, is left out
        loss = _harmonic_part(law, delta, correlation)
        return Value(delta + factor * loss, factor * loss.error)

    slope = right_derivative(objective, _near_zero(correlation))
    return Value(slope, slope.error + 4e-16 / (1 - weight), slope.method)


_LEJEPA = Claim(
    key="theorem3.lejepa.critical",
    statement="LeJEPA's objective (1-lambda) align + lambda B test has slope 0 at Delta = 0 where "
    "lambda = 1/(1 + B g); with the public implementation's scalings (reference = 1), where lambda "
    "= 1/(1 + d B sqrt(2 pi) g)",
    source="SG paper, abstract and Figure 3b; the reference scalings are ours",
    ours=True,
    domain=Domain((*_LEJEPA_LAW, _BATCH, _REFERENCE)),
    left=_lejepa_slope,
    relation=Relation.RATE,
    right=lambda d, degree, correlation, batch, reference: 0.0,
    tight=True,
    formula=r"(1-\lambda_c)+\lambda_c B\,\frac{d\mathcal{J}}{d\Delta}\left(0\right)=0,\quad"
    r"\lambda_c=\frac{1}{1+Bg}",
    resolution=1e-4,
    scale=1.0,
)


def _lejepa_optimum(
    d: int, degree: int, correlation: float, batch: float, reference: int, share: float
) -> Value:
    """Delta* of the objective at lambda = share lambda_c, over 6 sqrt 3 g."""
    law = _one_degree(d, degree, 0.01)
    weight = share * _critical(d, degree, correlation, batch, reference, 0.01)
    alpha = 1 / _test_weight(d, batch, reference, weight)
    best, g = optimal_misalignment(law, correlation, alpha), gain(law, correlation)
    return Value(best / (FIRST_ORDER * g), best.error / (FIRST_ORDER * g))


_LEJEPA_BELOW = Claim(
    key="theorem3.lejepa.below",
    statement="below its critical weight LeJEPA adds no nuisance (codes of small non-uniformity)",
    source="SG paper, abstract and Figure 3b",
    ours=False,
    domain=Domain(
        (*_LEJEPA_LAW, _BATCH, _REFERENCE, Axis("share", (0.5, 0.999), 0.01, 0.999, quick=(0.9,)))
    ),
    left=_lejepa_optimum,
    relation=Relation.EQUAL,
    right=lambda d, degree, correlation, batch, reference, share: 0.0,
    tight=True,
    formula=r"\lambda<\lambda_c\;\Rightarrow\;\Delta^\star=0",
    scale=1.0,
)

_LEJEPA_ABOVE = Claim(
    key="theorem3.lejepa.above",
    statement="above its critical weight LeJEPA adds nuisance, Delta* > 3 sqrt 3 (g - alpha), "
    "alpha = (1-lambda)/(lambda B)",
    source="SG paper, abstract and Figure 3b",
    ours=False,
    domain=Domain(
        (
            *_LEJEPA_LAW,
            _BATCH,
            _REFERENCE,
            # lambda = share lambda_c must stay a weight: lambda_c is near 1 where B g is small
            Axis("excess", (1e-3, 0.5), 1e-3, 0.9, quick=(0.1,)),
        )
    ),
    left=lambda d, degree, correlation, batch, reference, excess: _above(
        d, degree, correlation, batch, reference, excess
    )[0],
    relation=Relation.AT_LEAST,
    right=lambda d, degree, correlation, batch, reference, excess: _above(
        d, degree, correlation, batch, reference, excess
    )[1],
    tight=False,
    formula=r"\lambda>\lambda_c\;\Rightarrow\;\Delta^\star>0",
)


def _above(
    d: int, degree: int, correlation: float, batch: float, reference: int, excess: float
) -> tuple[Value, Value]:
    """Delta* and half its first-order value at lambda = lambda_c + excess (1 - lambda_c)."""
    law = _one_degree(d, degree, 0.01)
    critical = _critical(d, degree, correlation, batch, reference, 0.01)
    alpha = 1 / _test_weight(d, batch, reference, critical + excess * (1 - critical))
    g = gain(law, correlation)
    half = 0.5 * FIRST_ORDER * (g - alpha)
    return optimal_misalignment(law, correlation, alpha), Value(half, FIRST_ORDER * g.error)


_LEJEPA_BATCH = Claim(
    key="theorem3.lejepa.batch",
    statement="LeJEPA's critical weight falls with the batch size: lambda_c(2B) < lambda_c(B), and "
    "its odds (1-lambda_c)/lambda_c double",
    source="SG paper, abstract",
    ours=False,
    domain=Domain((*_LEJEPA_LAW, _BATCH, _REFERENCE)),
    left=lambda d, degree, correlation, batch, reference: _critical(
        d, degree, correlation, 2 * round(batch), reference
    ),
    relation=Relation.AT_MOST,
    right=lambda d, degree, correlation, batch, reference: _critical(
        d, degree, correlation, batch, reference
    ),
    tight=False,
    formula=r"\lambda_c(2B)<\lambda_c(B)",
)


CLAIMS: tuple[Claim, ...] = (
    _LOSS,
    _LOSS_SAMPLED,
    _GAIN_DEGREE,
    _GAIN_VMF,
    _GAIN_POSITIVE,
    _GAIN_UNIFORM,
    _GAIN_RATIO,
    _INDEPENDENT,
    _OPTIMUM_DEGREE,
    _OPTIMUM_GAIN,
    _LEAST,
    _SLOPE,
    _COLLAPSE,
    _COLLAPSE_WIDTH,
    _MINIMUM,
    _NO_MINIMUM,
    _LOCAL_ONLY,
    _INFONCE,
    _INFONCE_SLOPE,
    _INFONCE_ALIKE,
    _LEJEPA,
    _LEJEPA_BELOW,
    _LEJEPA_ABOVE,
    _LEJEPA_BATCH,
)
