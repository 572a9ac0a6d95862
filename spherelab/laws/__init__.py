"""Laws of one view: probability measures on the sphere S^(d-1).

``Uniform``, ``VonMisesFisher``, ``ZonalLaw`` (a density given by Gegenbauer coefficients) and
``PointMass`` are zonal, each about its own ``mean``; ``Atoms`` and ``Mixture`` are finite mixtures
of such laws, and ``Smoothed`` moves a law along the sphere by a fixed angle. Each gives its
harmonic energy |q_l|^2 = N_l E P_l(X . X'), exact samples, and its density where there is one.
"""

from __future__ import annotations

from spherelab.laws.atoms import Atoms, PointMass
from spherelab.laws.base import AxialLaw, Law
from spherelab.laws.compound import Mixture, Smoothed
from spherelab.laws.series import ZonalLaw
from spherelab.laws.turned import TurnedUniform
from spherelab.laws.uniform import Uniform
from spherelab.laws.vmf import VonMisesFisher

__all__ = [
    "Atoms",
    "AxialLaw",
    "Law",
    "Mixture",
    "PointMass",
    "Smoothed",
    "TurnedUniform",
    "Uniform",
    "VonMisesFisher",
    "ZonalLaw",
]
