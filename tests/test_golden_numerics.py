"""The stored reference values that the numerics alone determine, to the digits of a double.

``data/golden.json`` holds each value with its parameters and the two independent routes by which it
was found. What needs laws, pairs or population functionals is tested with those.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spherelab.bessel import iv_ratio, log_iv_quotient
from spherelab.gegenbauer import gegenbauer
from spherelab.sphere import log_multiplicity, multiplicity
from spherelab.zonal import ExpKernel, SGLift

GOLDEN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "golden.json").read_text(encoding="utf-8")
)
sg = SGLift()
EPS = 2.0**-52


def mu(p: dict[str, Any]) -> float:
    return float(sg.eigenvalues(p["d"], p["l"]))


def gain_ratio(p: dict[str, Any]) -> float:
    return float(sg.gain_ratios(p["d"], p["l"]))


def independent_rho(p: dict[str, Any]) -> float:
    """6 sqrt 3 [gain_l/mu_l + ((1+c)/(1-c)) l(l+d-2)/(d-1)] at c = 0."""
    d, ell = p["d"], p["l"]
    return 6 * math.sqrt(3) * (gain_ratio(p) + ell * (ell + d - 2) / (d - 1))


def best_ratio(p: dict[str, Any]) -> float:
    ell = np.arange(1, 200)
    logs = ExpKernel(p["beta"]).log_ratios(p["d"], ell) - sg.log_eigenvalues(p["d"], ell)
    assert ell[np.argmax(logs)] == p["argmax_l"]
    return math.exp(logs.max())


def trace(p: dict[str, Any]) -> float:
    """sum_{l >= 1} N_l mu_l(Delta)."""
    ell = np.arange(1, 400)
    logs = log_multiplicity(p["d"], ell) + sg.log_eigenvalues(p["d"], ell, p["D"])
    return math.fsum(np.exp(logs))


def trace_of_gains(p: dict[str, Any]) -> float:
    ell = np.arange(1, 400)
    logs = log_multiplicity(p["d"], ell) + sg.log_eigenvalues(p["d"], ell)
    return math.fsum(np.exp(logs) * sg.gain_ratios(p["d"], ell))


def vmf_energy(p: dict[str, Any]) -> float:
    """N_l A_l(kappa)^2; at l = 1 also d A_d(kappa)^2 through the ratio."""
    d, ell, kappa = p["d"], p["l"], float(p["kappa"])
    value = float(multiplicity(d, ell)) * math.exp(2 * float(log_iv_quotient(d, ell, kappa)))
    if ell == 1:
        assert value == pytest.approx(d * float(iv_ratio(0.5 * d - 1, kappa)) ** 2, rel=8 * EPS)
    return value


def vmf_loss(p: dict[str, Any]) -> float:
    """J of the aligned von Mises-Fisher law: sum_{l >= 1} N_l mu_l A_l(kappa)^2."""
    ell = np.arange(1, 120)
    logs = log_multiplicity(p["d"], ell) + sg.log_eigenvalues(p["d"], ell)
    return math.fsum(np.exp(logs + 2 * log_iv_quotient(p["d"], ell, float(p["kappa"]))))


def linear_constant(p: dict[str, Any], proved: bool) -> float:
    """sup r_l/mu_l + 12 sqrt 3 sum r_l N_l K_l^2: the proved K_l, or its limit at theta -> 0."""
    d = p["d"]
    ell = np.arange(1, 200)
    r = np.exp(ExpKernel(float(p["beta"])).log_ratios(d, ell))
    casimir = ell * (ell + d - 2.0)
    fourth = casimir * (3 * casimir - 2 * d + 4) / (d * d - 1)
    if proved:
        squares = (math.pi**2 / 8 * np.sqrt(fourth) + np.maximum(1, ell / 2)) ** 2
    else:
        slope = sg.gain_ratios(d, ell) / 2
        squares = fourth / 4 - slope * casimir / (d - 1) + slope**2
    first = np.exp(np.log(r) - sg.log_eigenvalues(d, ell)).max()
    return float(first + 12 * math.sqrt(3) * math.fsum(r * multiplicity(d, ell) * squares))


def polygon_loss(p: dict[str, Any]) -> float:
    """J of the aligned regular n-gon: 2 sum_{k >= 1} mu_{kn}."""
    return 2 * math.fsum(sg.eigenvalues(2, p["n"] * np.arange(1, 20)))


def polygon_excess(p: dict[str, Any]) -> float:
    """U_beta of the aligned regular n-gon: log(1 + 2 sum_{k >= 1} I_{kn}/I_0)."""
    ratios = np.exp(ExpKernel(float(p["beta"])).log_ratios(2, p["n"] * np.arange(1, 20)))
    return math.log1p(2 * math.fsum(ratios))


def channel_factor(p: dict[str, Any]) -> float:
    d, ell, delta, c = p["d"], p["l"], p["Delta"], p["c"]
    cosine = math.sqrt((1 - 2 * delta / (1 - c)) / (1 - delta))
    return float(sg.eigenvalues(d, ell, delta)) * float(gegenbauer(d, ell, cosine)) ** 2


# The value as the library gives it, and how many eps the route may lose: an ulp or two for a single
# value, its logarithm's size more for small ones (exp amplifies), a few for sums and products.
ROUTES: dict[str, tuple[Callable[[dict[str, Any]], float], int]] = {
    "psi_l(s) modulus": (lambda p: math.exp(sg.log_profile(p["d"], p["l"], p["s"])), 4),
    "mu_l": (mu, 4),
    "mu_l(Delta)": (lambda p: float(sg.eigenvalues(p["d"], p["l"], p["Delta"])), 4),
    "k_l(r1,r2)=E_s psi_l(s r1)psi_l(s r2)": (
        lambda p: float(sg.cross(p["d"], p["l"], p["r1"], p["r2"])),
        4,
    ),
    "gain_l=-dmu_l/dDelta at 0": (lambda p: float(sg.gains(p["d"], p["l"])), 4),
    "rho_l antithetic = 6 sqrt3 gain_l/mu_l": (lambda p: 6 * math.sqrt(3) * gain_ratio(p), 4),
    "rho_l independent nuisances": (independent_rho, 4),
    "lambda_l(beta)": (lambda p: float(ExpKernel(p["beta"]).eigenvalues(p["d"], p["l"])), 4),
    "C_U=sup_l lambda_l/(lambda_0 mu_l)": (best_ratio, 8),
    "B*bias of V-statistic, integrated R, extremal family = sum_{l>=1} N_l mu_l(D)": (trace, 8),
    "|q_l|^2 of vMF = N_l A_l(kappa)^2": (vmf_energy, 8),
    "J of aligned vMF code = sum N_l mu_l A_l^2": (vmf_loss, 8),
    "sum_{l>=1} N_l gain_l (plug-in argmin ~ 6 sqrt3 * this / B, integrated R)": (
        trace_of_gains,
        8,
    ),
    "plug-in argmin coefficient B*D* (integrated R, leading order) = 6 sqrt3 sum N_l gain_l": (
        lambda p: 6 * math.sqrt(3) * trace_of_gains(p),
        8,
    ),
    "Theorem 1 linear constant C_rig = C_U + 12 sqrt3 sum r_l N_l K_l^2, "
    "K_l=(pi^2/8) sqrt(g4)+max(1,l/2)": (lambda p: linear_constant(p, proved=True), 8),
    "Theorem 1 linear constant C_0 (K_l^2 at theta->0)": (
        lambda p: linear_constant(p, proved=False),
        8,
    ),
    "J of aligned regular n-gon on S^1 = 2 sum_k mu_{kn}(d=2)": (polygon_loss, 8),
    "U_beta of aligned regular n-gon": (polygon_excess, 8),
    "mu_2 for even d, finite closed form in Q+Q sqrt2+Q sqrt3": (mu, 4),
    "channel factor mu_l(Delta) P_l(cos)^2, cos^2=(1-2Delta/(1-c))/(1-Delta)": (channel_factor, 8),
}

ELSEWHERE = {  # with laws, pairs and population functionals
    "J extremal family",
    "ratio D/(k0 sqrt J0(D))",
    "Prop3 mixture ratio (independent uniform pair)",
    "V=-U mixture ratio",
    "E h^2 (null, sampled R, slices integrated): Var U = 2 E h^2/(B(B-1))",
    "U_beta of vMF",
    "unequal-marginal counterexample, within-view negatives: excess/(2 beta k0 sqrt J)",
}


def label(entry: dict[str, Any]) -> str:
    return entry["name"].split("=")[0].strip()[:30] + str(entry["params"])


@pytest.mark.parametrize("entry", [e for e in GOLDEN if e["name"] in ROUTES], ids=label)
def test_value(entry: dict[str, Any]) -> None:
    route, allowed = ROUTES[entry["name"]]
    truth = Fraction(entry["value"])
    value = route(entry["params"])
    error = float(abs(Fraction(value) / truth - 1))
    # exp turns the rounding of a logarithm into that much relative error
    allowance = allowed * EPS + np.spacing(abs(math.log(float(truth))))
    # values are stored with a limited number of digits
    digits = len(entry["value"].split("e")[0].replace(".", "").replace("-", "").lstrip("0"))
    assert error <= allowance + 10.0 ** (1 - digits), f"{value!r} against {entry['value']}"


def test_every_stored_value_has_its_place() -> None:
    names = {entry["name"] for entry in GOLDEN}
    assert names == set(ROUTES) | ELSEWHERE
    assert sum(entry["name"] in ROUTES for entry in GOLDEN) >= 36
