"""The exact families of pairs on which the bounds are checked, and where each is claimed.

A family is a constructor with named axes, so that one claim a family can be made of any functional.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spherelab.claim import Axis
from spherelab.laws import Atoms, Mixture, VonMisesFisher, ZonalLaw
from spherelab.pairs import (
    Aligned,
    AntipodalPath,
    Extremal,
    MixturePath,
    NuisanceChannel,
    Pair,
    PairAtoms,
    TangentShift,
    VMFPair,
)

DIMENSION = Axis("d", (2, 3, 8, 16, 128, 1024), 2, 1024, "integer", quick=(2, 8, 128))
BETA = Axis("beta", (0.1, 1.0, 5.0, 20.0, 50.0), 0.1, 50.0, "log", quick=(0.5, 5.0))
DELTA = Axis("delta", (1e-6, 0.01, 0.1, 0.5, 1.0), 1e-8, 1.0, "log", quick=(0.01, 1.0))


@dataclass(frozen=True)
class Family:
    """A family of pairs: how to build one, and over which parameters.

    Attributes
    ----------
    name : the last part of a claim's key.
    words : what the family is, for statements.
    make : ``make(d=..., ...)`` builds the pair from the axes' values.
    axes : the dimension first, then the family's own parameters.
    where : leaves out combinations that are no pair or cannot be resolved in doubles; takes the
        axes' values by name, and beta's where the domain has it.
    equal_marginals : whether the hypothesis of Theorem 1 holds on it.
    aligned : whether Delta = 0 on all of it.
    """

    name: str
    words: str
    make: Callable[..., Pair]
    axes: tuple[Axis, ...]
    where: Callable[..., bool] | None = None
    equal_marginals: bool = True
    aligned: bool = False


def _two_caps(d: int, kappa: float, angle: float) -> Pair:
    """Aligned mixture (0.7, 0.3) of two von Mises-Fisher laws whose means are ``angle`` apart."""
    other = np.zeros(d)
    other[:2] = math.cos(angle), math.sin(angle)
    caps = [VonMisesFisher(d, kappa), VonMisesFisher(d, kappa, other)]
    return Aligned(Mixture([0.7, 0.3], caps))


def _channel(d: int, kappa: float, delta: float, correlation: float) -> Pair:
    return NuisanceChannel(VonMisesFisher(d, kappa), delta, correlation)


def _channel_exists(d: int, delta: float, correlation: float, **_: float) -> bool:
    return delta <= (1 - correlation) / 2 and (d > 2 or correlation == -1)


def _resolved_polygon(n: int, beta: float = math.inf, **_: float) -> bool:
    """Whether U_beta = 2 I_n/I_0 + ... of an n-gon is above what rounding its vertices makes."""
    return n <= max(7, 3 * beta)


def _shifted_polygon(d: int, n: int, shift: int) -> Pair:
    """u over a regular n-gon, v the vertex ``shift`` further on: misaligned atoms on a circle."""
    points = Atoms.regular_polygon(n).points
    return PairAtoms(points, np.roll(points, -shift, axis=0))


def _cross_polytope(d: int, share: float) -> Pair:
    """u over the 2d points +-e_i; v = u, or with probability ``share`` the antipode."""
    corners = np.concatenate((np.eye(d), -np.eye(d)))
    u = np.concatenate((corners, corners))
    v = np.concatenate((corners, -corners))
    weights = np.repeat([(1 - share) / (2 * d), share / (2 * d)], 2 * d)
    return PairAtoms(u, v, weights)


def _random_atoms(d: int, n: int, noise: float) -> Pair:
    """n random points and the same points moved by noise: atoms with unequal marginals."""
    rng = np.random.default_rng([d, n])
    u = rng.standard_normal((n, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = u + noise * rng.standard_normal((n, d)) / math.sqrt(d)
    return PairAtoms(u, v / np.linalg.norm(v, axis=1, keepdims=True))


_KAPPA = Axis("kappa", (1e-3, 1.0, 100.0), 1e-3, 1e4, "log", quick=(1.0, 100.0))
_CORRELATION = Axis("correlation", (-1.0, 0.0, 0.5), -1.0, 0.9)
_EPS = Axis("eps", (1e-6, 0.1, 1.0), 1e-8, 1.0, "log", quick=(0.1,))
_CIRCLE = Axis("d", (2,), 2, 2, "integer")
# J = 2 mu_n + .. is 1e-23 at n = 40; the rounding of the vertices makes about 1e-31.
_VERTICES = Axis("n", (3, 14), 2, 40, "integer", quick=(7,))

EXTREMAL = Family("extremal", "the extremal family", Extremal, (DIMENSION, DELTA))
MIXTURE = Family("mixture", "the mixture path", MixturePath, (DIMENSION, _EPS))
ANTIPODAL = Family("antipodal", "the antipodal path", AntipodalPath, (DIMENSION, _EPS))
VMF_PAIR = Family("vmf-pair", "vMF pairs (U uniform, V given U vMF)", VMFPair, (DIMENSION, _KAPPA))
ALIGNED_VMF = Family(
    "aligned-vmf",
    "aligned vMF laws",
    lambda d, kappa: Aligned(VonMisesFisher(d, kappa)),
    (DIMENSION, _KAPPA),
    aligned=True,
)
ALIGNED_CAPS = Family(
    "aligned-caps",
    "aligned mixtures of two vMF caps",
    _two_caps,
    (
        Axis("d", (2, 8, 1024), 2, 1024, "integer", quick=(8,)),
        Axis("kappa", (0.1, 10.0), 1e-3, 300.0, "log", quick=(10.0,)),
        Axis("angle", (0.5, 2.0), 0.0, math.pi, quick=(math.pi / 2,)),
    ),
    aligned=True,
)
ALIGNED_DEGREE = Family(
    "aligned-degree",
    "aligned laws 1 + a P_l(u.e)",
    lambda d, degree, amplitude: Aligned(ZonalLaw.perturbed(d, degree, amplitude)),
    (
        DIMENSION,
        Axis("degree", (1, 3, 7), 1, 12, "integer", quick=(3,)),
        Axis("amplitude", (1e-3, 1.0), 1e-4, 1.0, "log", quick=(0.5,)),
    ),
    aligned=True,
)
CHANNEL = Family(
    "channel",
    "nuisance channels of a vMF code",
    _channel,
    (
        Axis("d", (2, 16, 1024), 2, 1024, "integer", quick=(8,)),
        Axis("kappa", (3.0,), 1e-3, 300.0, "log", quick=(1.0,)),
        Axis("delta", (1e-4, 0.1), 1e-6, 1.0, "log", quick=(0.05,)),
        _CORRELATION,
    ),
    where=_channel_exists,
)
POLYGON = Family(
    "polygon",
    "aligned regular n-gons on the circle",
    lambda d, n: Aligned(Atoms.regular_polygon(n)),
    (_CIRCLE, _VERTICES),
    where=_resolved_polygon,
    aligned=True,
)
SHIFTED_POLYGON = Family(
    "shifted-polygon",
    "n-gons paired with a neighbouring vertex",
    _shifted_polygon,
    (_CIRCLE, _VERTICES, Axis("shift", (1, 3), 1, 5, "integer", quick=(1,))),
)
CROSS_POLYTOPE = Family(
    "cross-polytope",
    "cross-polytopes, partly antipodal pairs",
    _cross_polytope,
    (
        Axis("d", (2, 8), 2, 16, "integer", quick=(3,)),
        Axis("share", (0.0, 0.2), 0.0, 1.0, quick=(0.2,)),
    ),
)
TANGENT_SHIFT = Family(
    "tangent-shift",
    "the tangent shift (unequal marginals)",
    TangentShift,
    (DIMENSION, Axis("delta", (1e-4, 0.05), 1e-6, 1.0, "log", quick=(0.01,))),
    equal_marginals=False,
)
RANDOM_ATOMS = Family(
    "random-atoms",
    "random atoms with noise (unequal marginals)",
    _random_atoms,
    (
        Axis("d", (2, 8), 2, 128, "integer", quick=(8,)),
        Axis("n", (6,), 2, 30, "integer", quick=(4,)),
        Axis("noise", (0.1, 1.0), 1e-3, 10.0, "log", quick=(1.0,)),
    ),
    equal_marginals=False,
)

EQUAL_MARGINALS: tuple[Family, ...] = (
    EXTREMAL,
    MIXTURE,
    ANTIPODAL,
    VMF_PAIR,
    ALIGNED_VMF,
    ALIGNED_CAPS,
    ALIGNED_DEGREE,
    CHANNEL,
    POLYGON,
    SHIFTED_POLYGON,
    CROSS_POLYTOPE,
)
EVERY: tuple[Family, ...] = (*EQUAL_MARGINALS, TANGENT_SHIFT, RANDOM_ATOMS)
