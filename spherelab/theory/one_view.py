"""Laws of one view on which the uniformity excess U_beta is checked, with what is asked of them.

The aligned families of ``families`` seen as laws, and two more; on all of them U_beta and |q_l|^2
are exact. What several claims ask of one law is kept from one to the next.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spherelab.claim import Axis, Domain
from spherelab.laws import Atoms, Law, Mixture, PointMass, Uniform, VonMisesFisher, ZonalLaw
from spherelab.population import squared_mmd, uniformity_excess
from spherelab.value import Value
from spherelab.zonal import ExpKernel, SGLift, ZonalKernel

DIMENSION = Axis("d", (2, 16, 1024), 2, 1024, "integer", quick=(2, 16))
BETA = Axis("beta", (0.1, 2.0, 20.0), 0.1, 50.0, "log", quick=(5.0,))


@dataclass(frozen=True)
class LawFamily:
    """A family of laws on the sphere.

    Attributes
    ----------
    name : the last part of a claim's key.
    words : what the family is, for statements.
    make : ``make(d=..., ...)`` builds the law from the axes' values.
    axes : the dimension first, then the family's own parameters.
    where : leaves out combinations that cannot be resolved in doubles; takes the axes' values by
        name, and beta's.
    """

    name: str
    words: str
    make: Callable[..., Law]
    axes: tuple[Axis, ...]
    where: Callable[..., bool] | None = None

    def domain(self, *more: Axis) -> Domain:
        """The family's axes, beta's, and ``more``."""
        return Domain((*self.axes, BETA, *more), where=self.where)

    def law(self, **parameters: float) -> Law:
        return _law(self, **parameters)

    def excess(self, beta: float, **parameters: float) -> Value:
        """U_beta."""
        return _excess(self, beta, **parameters)

    def mmd(self, kernel: ZonalKernel, **parameters: float) -> Value:
        """sum_{l>=1} k_l |q_l|^2."""
        return _mmd(self, kernel, **parameters)

    def spectral_sum(self, beta: float, **parameters: float) -> Value:
        """sum_{l>=1} r_l |q_l|^2."""
        kernel = ExpKernel(beta)
        total, zero = self.mmd(kernel, **parameters), _zeroth(kernel, int(parameters["d"]))
        return Value(total / zero, total.error / zero + 2e-14 * total / zero)


@functools.lru_cache(maxsize=512)
def _law(family: LawFamily, **parameters: float) -> Law:
    return family.make(**parameters)


@functools.lru_cache(maxsize=4096)
def _excess(family: LawFamily, beta: float, **parameters: float) -> Value:
    return uniformity_excess(family.law(**parameters), beta)


@functools.lru_cache(maxsize=4096)
def _mmd(family: LawFamily, kernel: ZonalKernel, **parameters: float) -> Value:
    return squared_mmd(family.law(**parameters), kernel)


@functools.lru_cache(maxsize=1024)
def _zeroth(kernel: ZonalKernel, d: int) -> float:
    return float(kernel.eigenvalues(d, 0))


# --- the families ---------------------------------------------------------------------------------


def _two_caps(d: int, kappa: float, angle: float) -> Law:
    """Mixture (0.7, 0.3) of two von Mises-Fisher laws whose means are ``angle`` apart."""
    return Mixture([0.7, 0.3], [VonMisesFisher(d, kappa), VonMisesFisher(d, kappa, _at(d, angle))])


def _at(d: int, angle: float) -> np.ndarray:
    point = np.zeros(d)
    point[:2] = math.cos(angle), math.sin(angle)
    return point


def _resolved_polygon(n: int, beta: float, **_: float) -> bool:
    """Whether U_beta = 2 I_n/I_0 + ... of an n-gon is above what rounding its vertices makes."""
    return n <= max(7, 3 * beta)


def _atoms(d: int, n: int) -> Law:
    """n random points with equal weights."""
    points = np.random.default_rng([d, n]).standard_normal((n, d))
    return Atoms(points / np.linalg.norm(points, axis=1, keepdims=True))


def _speck(d: int, share: float) -> Law:
    """The uniform law with a point mass of weight ``share``."""
    return Mixture([1 - share, share], [Uniform(d), PointMass(np.eye(d)[0])])


AMPLITUDE = Axis("amplitude", (1e-3, 1.0), 1e-4, 1.0, "log", quick=(0.5,))

VMF = LawFamily(
    "vmf",
    "von Mises-Fisher laws",
    lambda d, kappa: VonMisesFisher(d, kappa),
    (DIMENSION, Axis("kappa", (1e-3, 1.0, 30.0), 1e-3, 1e3, "log", quick=(1.0,))),
)
CAPS = LawFamily(
    "caps",
    "mixtures of two vMF caps",
    _two_caps,
    (
        Axis("d", (2, 16), 2, 1024, "integer", quick=(8,)),
        Axis("kappa", (0.1, 10.0), 1e-3, 300.0, "log", quick=(3.0,)),
        Axis("angle", (0.5, 2.0), 0.1, math.pi, quick=(math.pi / 2,)),
    ),
)
DEGREE = LawFamily(
    "degree",
    "laws 1 + a P_l(u.e)",
    lambda d, degree, amplitude: ZonalLaw.perturbed(d, degree, amplitude),
    (DIMENSION, Axis("degree", (1, 3, 7), 1, 12, "integer", quick=(1, 3)), AMPLITUDE),
)
POLYGON = LawFamily(
    "polygon",
    "regular n-gons on the circle",
    lambda d, n: Atoms.regular_polygon(n),
    (Axis("d", (2,), 2, 2, "integer"), Axis("n", (1, 3, 14), 1, 40, "integer", quick=(7,))),
    where=_resolved_polygon,
)
ATOMS = LawFamily(
    "atoms",
    "n random atoms",
    _atoms,
    (
        Axis("d", (3, 16), 3, 128, "integer", quick=(16,)),
        Axis("n", (8, 50), 1, 60, "integer", quick=(8,)),
    ),
)
SPECK = LawFamily(
    "speck",
    "the uniform law with a point mass",
    _speck,
    (
        Axis("d", (2, 16), 2, 1024, "integer", quick=(16,)),
        Axis("share", (1e-3, 0.1, 0.9), 1e-3, 0.999, quick=(0.1,)),
    ),
)

LAWS: tuple[LawFamily, ...] = (VMF, CAPS, DEGREE, POLYGON, ATOMS, SPECK)
LIFT = SGLift()
