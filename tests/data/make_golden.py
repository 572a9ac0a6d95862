"""The recipe of golden.json: every value again, with mpmath alone, by the routes that it names.

    python tests/data/make_golden.py            route A of each value
    python tests/data/make_golden.py --both     and a second, independent route

Prints each value with its relative distance to the stored one, and exits with 1 if one is farther
than the stored digits allow. Nothing of the library is used. A takes half a minute, both take
seven.
"""

# ruff: noqa: E741  (l is the degree, as in the formulas)

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import mpmath as mp

DPS = 34
STORED = Path(__file__).with_name("golden.json")
Route = Callable[..., Any]


def number(value: Any) -> Any:
    """A parameter as it was meant: 0.1 is one tenth."""
    return mp.mpf(repr(value)) if isinstance(value, float) else mp.mpf(value)


# --- the lift -------------------------------------------------------------------------------------


def psi(l: int, d: int, s: Any) -> Any:
    """Kummer form, positive terms."""
    a, b, x = mp.mpf(l) / 2, l + mp.mpf(d) / 2, s * s / 2
    lead = mp.gamma(mp.mpf(l + d) / 2) / mp.gamma(b) * mp.mpf(2) ** (-a)
    return lead * s**l * mp.exp(-x) * mp.hyp1f1(a, b, x)


def psi_alternating(l: int, d: int, s: Any) -> Any:
    a, b = mp.mpf(l + d) / 2, l + mp.mpf(d) / 2
    lead = mp.gamma(a) / mp.gamma(b) * mp.mpf(2) ** (-mp.mpf(l) / 2)
    with mp.extradps(20 + l):
        return +(lead * s**l * mp.hyp1f1(a, b, -s * s / 2))


def psi_by_radius(l: int, d: int, s: Any) -> Any:
    """|E_R E_t e^{i s R t} P_l(t)| by a double integral, R ~ chi_d, t a coordinate."""
    with mp.workdps(20):
        part = mp.sin if l % 2 else mp.cos
        angle = mp.beta(mp.mpf(d - 1) / 2, mp.mpf(1) / 2)
        radius = mp.mpf(2) ** (mp.mpf(d) / 2 - 1) * mp.gamma(mp.mpf(d) / 2)

        def over_angle(r: Any) -> Any:
            return mp.quad(
                lambda a: (
                    part(s * r * mp.cos(a)) * legendre(d, l, mp.cos(a)) * mp.sin(a) ** (d - 2)
                ),
                mp.linspace(0, mp.pi, 4),
            )

        total = mp.quad(
            lambda r: r ** (d - 1) * mp.exp(-r * r / 2) * over_angle(r), [0, 1.5, 3, 5, 8, 12]
        )
        return abs(total) / (angle * radius)


def legendre(d: int, l: int, t: Any) -> Any:
    """P_l with P_l(1) = 1, by the recurrence."""
    before, value = mp.mpf(1), mp.mpf(t)
    if l == 0:
        return before
    for k in range(1, l):
        before, value = value, ((2 * k + d - 2) * t * value - k * before) / (k + d - 2)
    return value


@cache
def cross_series(l: int, d: int, first: Any, second: Any, dps: int = DPS) -> Any:
    """k_l from the squared radii: Burchnall and Chaundy's series of Appell's F2."""
    with mp.workdps(dps):
        a, b, c = mp.mpf(l) / 2, l + mp.mpf(d) / 2, l + mp.mpf(1) / 2
        p = 1 + first + second
        x, y = first / p, second / p
        total, factor, j = mp.mpf(0), mp.mpf(1), 0
        while True:
            left = mp.hyp2f1(c + j, a + j, b + j, x)
            term = factor * left * (left if x == y else mp.hyp2f1(c + j, a + j, b + j, y))
            total += term
            if term < total * mp.mpf(10) ** (-dps):
                break
            factor *= (c + j) * (a + j) ** 2 / ((j + 1) * (b + j) ** 2) * x * y
            j += 1
        lead = mp.exp(2 * (mp.loggamma(a + mp.mpf(d) / 2) - mp.loggamma(b)) + mp.loggamma(c))
        return (first * second) ** a * lead * p ** (-c) / mp.sqrt(mp.pi) * total


def mu(l: int, d: int, delta: Any = 0) -> Any:
    square = 1 - number(delta)
    return cross_series(l, d, square, square)


def over_frequency(f: Route) -> Any:
    """E f(s), s ~ N(0, 1), f even."""
    points = [0, 0.5, 1, 2, 3, 4, 6, 8, 12, 20]
    # the quadrature stops at an absolute error: bring the integrand to size one (mpmath's 1F1 fails
    # where it is exactly 0, so not at round numbers)
    size = max(abs(f(s)) * mp.npdf(s) for s in (mp.mpf(p) * mp.mpf("1.0317") for p in points[1:7]))
    return 2 * size * mp.quad(lambda s: f(s) * mp.npdf(s) / size, points)


def cross_quadrature(l: int, d: int, r1: Any, r2: Any) -> Any:
    return over_frequency(lambda s: psi_alternating(l, d, s * r1) * psi_alternating(l, d, s * r2))


def mu_quadrature(l: int, d: int, delta: Any = 0) -> Any:
    r = mp.sqrt(1 - number(delta))
    return over_frequency(lambda s: psi_alternating(l, d, s * r) ** 2)


def gain(l: int, d: int) -> Any:
    return over_frequency(lambda s: (s * s - 1) * psi(l, d, s) ** 2) / 2


def gain_difference(l: int, d: int) -> Any:
    """A central difference of the series."""
    with mp.workdps(60):
        h = mp.mpf(10) ** -12
        up, down = (cross_series(l, d, 1 - x, 1 - x, 60) for x in (h, -h))
        return (down - up) / (2 * h)


# --- the exponential kernel -----------------------------------------------------------------------


def lambda_(l: int, d: int, beta: Any) -> Any:
    nu = mp.mpf(d) / 2 - 1
    return mp.gamma(mp.mpf(d) / 2) * (2 / beta) ** nu * mp.besseli(l + nu, beta)


def ratio(l: int, d: int, beta: Any) -> Any:
    nu = mp.mpf(d) / 2 - 1
    return mp.besseli(l + nu, beta) / mp.besseli(nu, beta)


def over_sphere(d: int, f: Route) -> Any:
    """E f(t), t one coordinate of a uniform point."""
    weight = mp.beta(mp.mpf(d - 1) / 2, mp.mpf(1) / 2)
    points = mp.linspace(0, mp.pi, 5)
    return mp.quad(lambda a: f(mp.cos(a)) * mp.sin(a) ** (d - 2), points) / weight


def multiplicity(d: int, l: int) -> int:
    if l == 0:
        return 1
    if d == 2:
        return 2
    return math.comb(l + d - 1, d - 1) - (math.comb(l + d - 3, d - 1) if l > 1 else 0)


def domination(d: int, beta: Any, spectrum: Route = mu) -> Any:
    """sup r_l/mu_l by a scan; one peak, so that it may stop after a fall."""
    best, falls, l = mp.mpf(0), 0, 0
    while falls < 4:
        l += 1
        value = ratio(l, d, beta) / spectrum(l, d)
        falls = falls + 1 if value < best else 0
        best = max(best, value)
    return best


# --- closed forms and one-dimensional integrals ---------------------------------------------------


def k0() -> Any:
    return 2 * mp.mpf(3) ** (mp.mpf(3) / 4)


def j0(delta: Any) -> Any:
    return 1 / mp.sqrt(3 - 2 * delta) - 2 / mp.sqrt(3 - delta) + 1 / mp.sqrt(3)


def j0_quadrature(delta: Any) -> Any:
    return over_frequency(lambda s: (mp.exp(-s * s * (1 - delta) / 2) - mp.exp(-s * s / 2)) ** 2)


def mixture_ratio(d: int) -> Any:
    def integrand(s: Any) -> Any:
        joint = mp.exp(-s * s / 4) * mp.hyp0f1(mp.mpf(d) / 2, s**4 / 64)
        return (joint - mp.exp(-s * s / 2)) ** 2

    return 1 / (2 * k0() * mp.sqrt(over_frequency(integrand)))


def mixture_ratio_by_kernel(d: int) -> Any:
    """E (1+r^2+r'^2)^(-1/2) over two independent pairs, r^2 = (1+t)/2, less the cross term."""
    with mp.workdps(20):
        square = over_sphere(d, lambda t: over_sphere(d, lambda u: 1 / mp.sqrt(2 + (t + u) / 2)))
        single = over_sphere(d, lambda t: 1 / mp.sqrt(2 + (1 + t) / 2))
        return 1 / (2 * k0() * mp.sqrt(square - 2 * single + 1 / mp.sqrt(3)))


def zonal_sum(term: Route, accuracy: int = 22) -> Any:
    """sum_{l>=1} term(l), positive terms that end up falling geometrically."""
    total, l = mp.mpf(0), 0
    while True:
        l += 1
        value = term(l)
        total += value
        if l > 4 and value < total * mp.mpf(10) ** (-accuracy):
            return total


def bias(d: int, delta: Any) -> Any:
    return zonal_sum(lambda l: multiplicity(d, l) * mu(l, d, delta))


def characteristic_energy(d: int, s: Any) -> Any:
    """E_t |E e^{i s R a.u}|^2 - e^{-s^2}: sum_{l>=1} N_l psi_l(s)^2, by the coordinate t = a.u."""
    c = mp.sqrt(2) * mp.gamma(mp.mpf(d + 1) / 2) / mp.gamma(mp.mpf(d) / 2)

    def energy(t: Any) -> Any:  # E cos(x R), E sin(x R), R ~ chi_d
        x = s * t
        real = mp.hyp1f1(mp.mpf(d) / 2, mp.mpf(1) / 2, -x * x / 2)
        imaginary = c * x * mp.hyp1f1(mp.mpf(d + 1) / 2, mp.mpf(3) / 2, -x * x / 2)
        return real**2 + imaginary**2

    return over_sphere(d, energy) - mp.exp(-s * s)


def bias_quadrature(d: int, delta: Any) -> Any:
    assert delta == 0
    with mp.workdps(18):
        return over_frequency(lambda s: characteristic_energy(d, s))


def null_square(d: int) -> Any:
    return (
        over_sphere(
            d,
            lambda t: (1 - 4 * t * t / 9) ** mp.mpf(-0.5) - 2 * (1 - t * t / 9) ** mp.mpf(-0.5) + 1,
        )
        / 3
    )


def null_square_2f1(d: int) -> Any:
    half = mp.mpf(1) / 2
    big, small = (mp.hyp2f1(half, half, mp.mpf(d) / 2, mp.mpf(x) / 9) for x in (4, 1))
    return (big - 2 * small + 1) / 3


# --- laws -----------------------------------------------------------------------------------------


def vmf_uniformity(d: int, kappa: Any, beta: Any) -> Any:
    """E_t log lambda_0(|kappa m + beta u|) - log lambda_0(kappa) - log lambda_0(beta)."""
    base = lambda_(0, d, kappa)

    def integrand(t: Any) -> Any:
        length = mp.sqrt(kappa**2 + beta**2 + 2 * kappa * beta * t)
        return mp.exp(kappa * t) / base * mp.log(lambda_(0, d, length))

    return over_sphere(d, integrand) - mp.log(base) - mp.log(lambda_(0, d, beta))


def vmf_uniformity_zonal(d: int, kappa: Any, beta: Any) -> Any:
    """E_t log of the zonal series 1 + sum N_l r_l A_l P_l(t)."""
    with mp.workdps(20):
        weights = [
            multiplicity(d, l) * ratio(l, d, beta) * ratio(l, d, kappa) for l in range(1, 31)
        ]

        def integrand(t: Any) -> Any:
            total, before, value = mp.mpf(1), mp.mpf(1), mp.mpf(t)
            for k, weight in enumerate(weights, 1):
                total += weight * value
                before, value = value, ((2 * k + d - 2) * t * value - k * before) / (k + d - 2)
            return mp.exp(kappa * t) * mp.log(total)

        return over_sphere(d, integrand) / lambda_(0, d, kappa)


def vmf_loss(d: int, kappa: Any) -> Any:
    return zonal_sum(lambda l: multiplicity(d, l) * mu(l, d) * ratio(l, d, kappa) ** 2)


def vmf_loss_quadrature(d: int, kappa: Any) -> Any:
    def term(l: int) -> Any:
        mean = over_sphere(d, lambda t: mp.exp(kappa * t) * legendre(d, l, t))
        return multiplicity(d, l) * mu_quadrature(l, d) * (mean / lambda_(0, d, kappa)) ** 2

    return zonal_sum(term, 20)


def tangent_ratio(d: int, beta: Any, delta: Any) -> Any:
    """Two angles, of u and v to the pole; the azimuth between them is averaged in closed form."""
    with mp.workdps(20):
        alpha = mp.asin(mp.sqrt(delta))
        weight = mp.beta(mp.mpf(d - 1) / 2, mp.mpf(1) / 2)
        points = mp.linspace(0, mp.pi, 3)

        def over_phi(f: Route) -> Any:
            return mp.quad(lambda a: f(a) * mp.sin(a) ** (d - 2), points, maxdegree=5) / weight

        def potential(u: Any) -> Any:
            def kernel(a: Any) -> Any:
                v = a - alpha
                side = beta * mp.sin(u) * mp.sin(v)
                azimuth = mp.hyp0f1(mp.mpf(d - 1) / 2, side**2 / 4)
                return mp.exp(beta * mp.cos(u) * mp.cos(v)) * azimuth

            return over_phi(kernel)

        uniformity = over_phi(lambda a: mp.log(potential(a - alpha))) - mp.log(lambda_(0, d, beta))
        return (2 * beta * delta + uniformity) / (2 * beta * k0() * mp.sqrt(j0(delta)))


def tangent_ratio_zonal(d: int, beta: Any, delta: Any) -> Any:
    """log(1 + sum r_l N_l a_l P_l), a_l = E P_l(cos(phi - alpha))."""
    with mp.workdps(22):
        alpha = mp.asin(mp.sqrt(delta))
        weight = mp.beta(mp.mpf(d - 1) / 2, mp.mpf(1) / 2)
        points = mp.linspace(0, mp.pi, 3)

        def over_phi(f: Route) -> Any:
            return mp.quad(lambda a: f(a) * mp.sin(a) ** (d - 2), points) / weight

        count = 31
        means = [
            over_phi(lambda a, l=l: legendre(d, l, mp.cos(a - alpha))) for l in range(1, count)
        ]
        terms = [ratio(l, d, beta) * multiplicity(d, l) * mean for l, mean in enumerate(means, 1)]

        def log_sum(a: Any) -> Any:
            t = mp.cos(a - alpha)
            total, before, value = mp.mpf(1), mp.mpf(1), t
            for k, term in enumerate(terms, 1):
                total += term * value
                before, value = value, ((2 * k + d - 2) * t * value - k * before) / (k + d - 2)
            return mp.log(total)

        uniformity = over_phi(log_sum)
        return (2 * beta * delta + uniformity) / (2 * beta * k0() * mp.sqrt(j0(delta)))


def linear_constant(d: int, beta: Any, at_zero: bool) -> Any:
    def square(l: int) -> Any:
        laplace = mp.mpf(l * (l + d - 2))
        fourth = laplace * (3 * laplace - 2 * d + 4) / (d * d - 1)
        if not at_zero:
            return (mp.pi**2 / 8 * mp.sqrt(fourth) + max(mp.mpf(1), mp.mpf(l) / 2)) ** 2
        half = gain(l, d) / (2 * mu(l, d))
        return fourth / 4 - half * laplace / (d - 1) + half**2

    total = zonal_sum(lambda l: ratio(l, d, beta) * multiplicity(d, l) * square(l), 20)
    return domination(d, beta) + 12 * mp.sqrt(3) * total


def polygon_loss(d: int, n: int) -> Any:
    return 2 * zonal_sum(lambda k: mu(k * n, d))


def polygon_loss_quadrature(d: int, n: int) -> Any:
    return 2 * sum(mu_quadrature(k * n, d) for k in (1, 2, 3))


def polygon_uniformity(d: int, n: int, beta: Any) -> Any:
    return mp.log(1 + 2 * zonal_sum(lambda k: ratio(k * n, d, beta)))


def polygon_uniformity_direct(d: int, n: int, beta: Any) -> Any:
    total = sum(mp.exp(beta * mp.cos(2 * mp.pi * k / n)) for k in range(n)) / n
    return mp.log(total / mp.besseli(0, beta))


def channel(d: int, l: int, delta: Any, c: Any, spectrum: Route) -> Any:
    cosine = mp.sqrt((1 - 2 * delta / (1 - c)) / (1 - delta))
    return spectrum(l, d, delta) * legendre(d, l, cosine) ** 2


def antithetic(l: int, d: int, gain_: Route = gain, mu_: Route = mu) -> Any:
    return 6 * mp.sqrt(3) * gain_(l, d) / mu_(l, d)


def independent(l: int, d: int, gain_: Route = gain, mu_: Route = mu) -> Any:
    extra = mp.mpf(l * (l + d - 2)) / (d - 1)
    return 6 * mp.sqrt(3) * (gain_(l, d) / mu_(l, d) + extra)


def total_gain(d: int) -> Any:
    return zonal_sum(lambda l: multiplicity(d, l) * gain_difference(l, d), 20)


def total_gain_quadrature(d: int) -> Any:
    with mp.workdps(18):
        return over_frequency(lambda s: (s * s - 1) * characteristic_energy(d, s)) / 2


#: The start of a stored name, its two routes (None: there is only one); called with the parameters.
ROUTES: list[tuple[str, Route, Route | None]] = [
    ("psi_l(s)", psi, psi_by_radius),
    (
        "mu_l(Delta)",
        lambda l, d, Delta: mu(l, d, Delta),
        lambda l, d, Delta: mu_quadrature(l, d, Delta),
    ),
    ("mu_l", mu, mu_quadrature),
    ("mu_2 for even d", mu, mu_quadrature),
    (
        "k_l(r1,r2)",
        lambda l, d, r1, r2: cross_series(l, d, r1**2, r2**2),
        cross_quadrature,
    ),
    ("gain_l", gain, gain_difference),
    ("rho_l antithetic", antithetic, lambda l, d: antithetic(l, d, gain_difference, mu_quadrature)),
    (
        "rho_l independent",
        independent,
        lambda l, d: independent(l, d, gain_difference, mu_quadrature),
    ),
    (
        "lambda_l",
        lambda_,
        lambda l, d, beta: over_sphere(d, lambda t: mp.exp(beta * t) * legendre(d, l, t)),
    ),
    (
        "C_U",
        lambda d, beta, argmax_l: domination(d, beta),
        lambda d, beta, argmax_l: ratio(argmax_l, d, beta) / mu_quadrature(argmax_l, d),
    ),
    ("J extremal", lambda D: j0(D), lambda D: j0_quadrature(D)),
    (
        "ratio D/(k0",
        lambda D: D / (k0() * mp.sqrt(j0(D))),
        lambda D: (
            D
            / (2 / mp.sqrt(over_frequency(lambda s: s**4 * mp.exp(-s * s))))
            / mp.sqrt(j0_quadrature(D))
        ),
    ),
    ("Prop3", mixture_ratio, mixture_ratio_by_kernel),
    ("V=-U", lambda: 1 / (k0() * mp.sqrt(j0(1))), lambda: 1 / (k0() * mp.sqrt(j0_quadrature(1)))),
    ("B*bias", lambda d, D: bias(d, D), lambda d, D: bias_quadrature(d, D)),
    ("E h^2", null_square, null_square_2f1),
    (
        "|q_l|^2",
        lambda d, kappa, l: multiplicity(d, l) * ratio(l, d, kappa) ** 2,
        lambda d, kappa, l: (
            multiplicity(d, l)
            * (
                over_sphere(d, lambda t: mp.exp(kappa * t) * legendre(d, l, t))
                / lambda_(0, d, kappa)
            )
            ** 2
        ),
    ),
    ("J of aligned vMF", vmf_loss, vmf_loss_quadrature),
    ("U_beta of vMF", vmf_uniformity, vmf_uniformity_zonal),
    (
        "unequal-marginal",
        lambda d, beta, D: tangent_ratio(d, beta, D),
        lambda d, beta, D: tangent_ratio_zonal(d, beta, D),
    ),
    ("sum_{l>=1} N_l gain_l", total_gain, total_gain_quadrature),
    (
        "plug-in argmin",
        lambda d: 6 * mp.sqrt(3) * total_gain(d),
        lambda d: 6 * mp.sqrt(3) * total_gain_quadrature(d),
    ),
    ("Theorem 1 linear constant C_rig", lambda d, beta: linear_constant(d, beta, False), None),
    ("Theorem 1 linear constant C_0", lambda d, beta: linear_constant(d, beta, True), None),
    ("J of aligned regular n-gon", polygon_loss, polygon_loss_quadrature),
    ("U_beta of aligned regular n-gon", polygon_uniformity, polygon_uniformity_direct),
    (
        "channel factor",
        lambda d, l, Delta, c: channel(d, l, Delta, c, mu),
        lambda d, l, Delta, c: channel(d, l, Delta, c, mu_quadrature),
    ),
]


def routes(name: str) -> tuple[Route, Route | None]:
    """The routes of the longest start that fits."""
    fitting = [(start, a, b) for start, a, b in ROUTES if name.startswith(start)]
    _, first, second = max(fitting, key=lambda entry: len(entry[0]))
    return first, second


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--both", action="store_true", help="also by the second route")
    parser.add_argument("--only", default="", help="only names that contain this")
    options = parser.parse_args()
    mp.mp.dps = DPS
    wrong = 0
    for entry in json.loads(STORED.read_text(encoding="utf-8")):
        if options.only not in entry["name"]:
            continue
        params = {
            key: value
            if isinstance(value, int) and key in ("l", "d", "n", "argmax_l")
            else number(value)
            for key, value in entry["params"].items()
        }
        stored = mp.mpf(entry["value"])
        # leading zeros are no digits
        digits = len(entry["value"].split("e")[0].replace(".", "").lstrip("0"))
        for label, route in zip("AB", routes(entry["name"]), strict=True):
            if route is None or (label == "B" and not options.both):
                continue
            start = time.perf_counter()
            value = route(**params)
            gap = abs(value / stored - 1)
            # second routes, and the one double integral among the first, are asked for 14 digits
            rough = label == "B" or entry["name"].startswith("unequal-marginal")
            allowed = mp.mpf(10) ** -(14 if rough else digits - 1)
            good = gap <= allowed
            wrong += not good
            seconds = time.perf_counter() - start
            print(
                f"{'ok   ' if good else 'WRONG'} {label} {mp.nstr(value, 20):>28} "
                f"off {mp.nstr(gap, 2):>8} {seconds:6.2f}s  {entry['name'][:44]} {entry['params']}",
                flush=True,
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
