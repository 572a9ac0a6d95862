"""The constants of the theory in closed form, each against the number that the library computes.

Every closed form is also derived from its definition by sympy, as an integral over the Gaussian
weight s ~ N(0, 1) of the test: ``--rigorous`` runs the derivations.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spherelab.claim import Axis, Claim, Domain, Point, Proof, Relation
from spherelab.limits import extrapolated, right_derivative
from spherelab.pairs import AntipodalPath, Extremal, MixturePath, Pair
from spherelab.population import (
    extremal_loss,
    infonce_excess,
    leading_constant,
    mixture_constant,
    null_second_moment,
    rho,
    sg_loss,
)
from spherelab.population.radial import gaussian_rule
from spherelab.theory.proofs import box_of
from spherelab.value import Value, quotient
from spherelab.zonal import SGLift

_PAPER = "SG paper"
_EPS = sys.float_info.epsilon

#: A square root: that of floats, or that of sympy.
Root = Callable[[Any], Any]
#: A closed form, written once: takes the root, and the Delta where it is a function of one.
Closed = Callable[..., Any]

_D = Axis("d", (2, 8, 128, 1024), 2, 1024, "integer", quick=(2, 16))
_BETA = Axis("beta", (0.1, 5.0, 50.0), 0.1, 50.0, "log", quick=(5.0,))
_SHARE = Axis("eps", (1e-6, 0.1, 1.0), 1e-8, 1.0, "log", quick=(0.1,))
_NONE = Domain(())


# --- closed forms ---------------------------------------------------------------------------------


def k0(root: Root) -> Any:
    """2 * 3^(3/4)."""
    return 2 * root(3 * root(3))


def leading(root: Root) -> Any:
    """4 * 3^(3/4) = 2 k0."""
    return 4 * root(3 * root(3))


def k0_squared(root: Root) -> Any:
    """12 sqrt 3."""
    return 12 * root(3)


def first_order(root: Root) -> Any:
    """6 sqrt 3 = k0^2/2."""
    return 6 * root(3)


def mu_zero(root: Root) -> Any:
    """1/sqrt 3."""
    return 1 / root(3)


def mu_two_d2(root: Root) -> Any:
    """(4 - 4 sqrt 2 + sqrt 3)/3."""
    return (4 - 4 * root(2) + root(3)) / 3


def mu_two_d4(root: Root) -> Any:
    """(64 - 352 sqrt 2 + 251 sqrt 3)/105."""
    return (64 - 352 * root(2) + 251 * root(3)) / 105


def mu_four_d2(root: Root) -> Any:
    """(496 - 712 sqrt 2 + 295 sqrt 3)/21."""
    return (496 - 712 * root(2) + 295 * root(3)) / 21


def one_slice(root: Root) -> Any:
    """1/sqrt 5 - 1/sqrt 2 + 1/3."""
    return 1 / root(5) - 1 / root(2) + root(1) / 3


def radial(root: Root, delta: Any) -> Any:
    """J0(Delta) = 1/sqrt(3 - 2 Delta) - 2/sqrt(3 - Delta) + 1/sqrt 3."""
    return 1 / root(3 - 2 * delta) - 2 / root(3 - delta) + 1 / root(3)


def radial_one(root: Root) -> Any:
    """J0(1) = 1 - sqrt 2 + 1/sqrt 3."""
    return 1 - root(2) + 1 / root(3)


def antipodal(root: Root) -> Any:
    """1/(k0 sqrt(J0(1)))."""
    return 1 / (k0(root) * root(radial_one(root)))


def mixture(root: Root) -> Any:
    """I_inf = 1/sqrt 2 - 2 sqrt(2/5) + 1/sqrt 3."""
    return 1 / root(2) - 2 * root(2) / root(5) + 1 / root(3)


def mixture_ratio(root: Root) -> Any:
    """1/(2 k0 sqrt(I_inf))."""
    return 1 / (2 * k0(root) * root(mixture(root)))


def one(root: Root) -> Any:
    """The limit of a quotient by its leading term."""
    return root(1)


def five_sixths(root: Root) -> Any:
    """The second coefficient of J0, relative to the first."""
    return 5 * root(1) / 6


def five_twelfths(root: Root) -> Any:
    """The loss of sharpness, to first order in Delta."""
    return -5 * root(1) / 12


def _number(closed: Closed, size: float = 0.0) -> Callable[..., Value]:
    """The closed form in doubles. ``size``: its largest term, where its terms cancel."""

    def right(**point: float) -> Value:
        value = closed(math.sqrt)
        return Value(value, 8 * _EPS * max(abs(value), size), "closed form")

    return right


# --- derivations by sympy -------------------------------------------------------------------------


def _frequency() -> Any:
    import sympy

    return sympy.Symbol("s", positive=True)


def _gaussian_mean(function: Any) -> Any:
    """E f(s), s ~ N(0, 1), of an even f: twice the half line."""
    import sympy

    s = _frequency()
    density = sympy.exp(-(s**2) / 2) / sympy.sqrt(2 * sympy.pi)
    return 2 * sympy.integrate(sympy.expand(function * density), (s, 0, sympy.oo))


@functools.cache
def derived_k0() -> Any:
    """2/sqrt(E_s s^4 e^{-s^2}): J_(0) >= E_s (s^2 Delta/2)^2 e^{-s^2} to first order."""
    import sympy

    s = _frequency()
    return 2 / sympy.sqrt(_gaussian_mean(s**4 * sympy.exp(-(s**2))))


@functools.cache
def derived_radial(delta: Any = None) -> Any:
    """J0(Delta) = E_s (e^{-s^2 (1-Delta)/2} - e^{-s^2/2})^2, at a Delta or as a function of one."""
    import sympy

    s = _frequency()
    square = sympy.Symbol("r", positive=True)  # 1 - Delta, so that sympy knows its sign
    gap = sympy.exp(-(s**2) * square / 2) - sympy.exp(-(s**2) / 2)
    loss = _gaussian_mean(sympy.expand(gap**2))
    return loss.subs(square, 1 - (delta_symbol() if delta is None else delta))


def delta_symbol() -> Any:
    import sympy

    return sympy.Symbol("Delta", positive=True)


@functools.cache
def _radial_series() -> tuple[Any, Any]:
    """J0(Delta) = a Delta^2 (1 + b Delta + ...): a and b by Taylor's formula, orders 0 and 1 being
    0."""
    import sympy

    delta = delta_symbol()
    loss = derived_radial()
    orders = [sympy.diff(loss, delta, k).subs(delta, 0) / sympy.factorial(k) for k in range(4)]
    constant, linear, square, cube = (sympy.simplify(order) for order in orders)
    if constant != 0 or linear != 0:
        raise ArithmeticError(f"J0 starts with {constant} + {linear} Delta")
    return square, sympy.simplify(cube / square)


def derived_mu_zero() -> Any:
    """E_s psi_0^2, psi_0 = E_R E_t e^{i s R t} = E e^{i s Z}, one coordinate Z of N(0, I_d): every
    d."""
    import sympy

    z, s = sympy.Symbol("z", real=True), _frequency()
    density = sympy.exp(-(z**2) / 2) / sympy.sqrt(2 * sympy.pi)
    wave = sympy.integrate(sympy.cos(s * z) * density, (z, -sympy.oo, sympy.oo))
    return _gaussian_mean(wave**2)


@functools.cache
def derived_mu(d: int, degree: int) -> Any:
    """mu_l = E_s psi_l(s)^2 for even d and l, from the characteristic function of R a.u.

    E_t e^{i x t} P_l(t) = i^l Gamma(d/2) (2/x)^nu J_{l+nu}(x) (DLMF 10.23.9 and orthogonality), so
    psi_l(s) = E_R Gamma(d/2) (2/(s R))^nu J_{l+nu}(s R), R ~ chi_d: sympy integrates it to a
    combination of powers of s and exponentials. The terms of its square diverge at s = 0 one by
    one. Times s^z they do not, for large z; there each is a Gamma function, and so is the analytic
    continuation of their sum to z = 0, which has no pole on the way since the powers are even.
    """
    import sympy

    s, radius = _frequency(), sympy.Symbol("R", positive=True)
    half = sympy.Rational(d, 2)
    bessel = sympy.besselj(degree + half - 1, s * radius)
    # Gamma(d/2) cancels against that of the density of chi_d
    wave = (2 / (s * radius)) ** (half - 1) * bessel
    density = radius ** (d - 1) * sympy.exp(-(radius**2) / 2) / 2 ** (half - 1)
    profile = sympy.integrate(sympy.simplify(wave * density), (radius, 0, sympy.oo))
    square = sympy.expand(profile**2) * sympy.exp(-(s**2) / 2) * sympy.sqrt(2 / sympy.pi)
    terms = sympy.Add.make_args(sympy.expand(square))
    return sympy.simplify(sum(_continued(sympy.powsimp(term)) for term in terms))


def _continued(term: Any) -> Any:
    """int_0^inf c s^n e^{-k s^2} ds = c k^{-(n+1)/2} Gamma((n+1)/2)/2, continued to n < 0 even."""
    import sympy

    s = _frequency()
    n, k = sympy.Wild("n", exclude=[s]), sympy.Wild("k", exclude=[s])
    constant, rest = term.as_independent(s)
    power, rate = sympy.Integer(0), sympy.Integer(0)
    for factor in sympy.Mul.make_args(rest):
        exponential = factor.match(sympy.exp(-k * s**2))
        if exponential is not None:
            rate += exponential[k]
        else:
            power += factor.match(s**n)[n]
    if power % 2 or not rate > 0:
        raise ArithmeticError(f"not an even power times a decaying exponential: {term}")
    half = (power + 1) / 2
    return constant * sympy.gamma(half) * rate ** (-half) / 2


@functools.cache
def derived_one_slice() -> Any:
    """E_{s,t} K(s,t)^2, K(s,t) = E (e^{isz} - e^{-s^2/2}) (e^{itz} - e^{-t^2/2}), z ~ N(0, 1).

    On one slice the degenerate kernel is h(z,z') = E_s (e^{isz} - e^{-s^2/2}) (e^{-isz'} -
    e^{-s^2/2}). In E h^2 each of z and z' stands in two factors, with frequencies s and t, and
    their means are K(s,t) = e^{-(s+t)^2/2} - e^{-(s^2+t^2)/2} each, up to the signs of s and t.
    """
    import sympy

    s, t = sympy.symbols("s t", real=True)
    both = sympy.exp(-((s + t) ** 2) / 2) - sympy.exp(-(s**2 + t**2) / 2)
    weight = sympy.exp(-(s**2 + t**2) / 2) / (2 * sympy.pi)
    terms = sympy.Add.make_args(sympy.expand(both**2))
    total = sympy.Integer(0)
    for term in terms:
        joint = sympy.powsimp(sympy.expand(term * weight))
        inner = sympy.integrate(joint, (s, -sympy.oo, sympy.oo))
        total += sympy.integrate(sympy.simplify(inner), (t, -sympy.oo, sympy.oo))
    return total


@functools.cache
def derived_one_slice_kernel() -> Any:
    """E h(z,z')^2 with h(z,z') = e^{-(z-z')^2/2} - (e^{-z^2/4} + e^{-z'^2/4})/sqrt 2 + 1/sqrt 3,
    which is E_s of the product above: its three Gaussian integrals are taken first."""
    import sympy

    s, x, y = sympy.symbols("s x y", real=True)
    line = (s, -sympy.oo, sympy.oo)
    weight = sympy.exp(-(s**2) / 2) / sympy.sqrt(2 * sympy.pi)
    wave = sympy.integrate(sympy.cos(s * x) * weight, line)  # at x = z - z'
    damped = sympy.integrate(sympy.cos(s * x) * sympy.exp(-(s**2) / 2) * weight, line)
    rest = sympy.integrate(sympy.exp(-(s**2)) * weight, line)
    h = wave.subs(x, x - y) - damped - damped.subs(x, y) + rest
    joint = sympy.exp(-(x**2 + y**2) / 2) / (2 * sympy.pi)
    total = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand(h**2)):
        inner = sympy.integrate(sympy.powsimp(sympy.expand(term * joint)), (x, -sympy.oo, sympy.oo))
        total += sympy.integrate(sympy.simplify(inner), (y, -sympy.oo, sympy.oo))
    return total


@functools.cache
def derived_mixture() -> Any:
    """E_s (e^{-s^2/4} - e^{-s^2/2})^2: U and V independent have |M|^2 -> 1/2 as d grows."""
    import sympy

    s = _frequency()
    gap = sympy.exp(-(s**2) / 4) - sympy.exp(-(s**2) / 2)
    return _gaussian_mean(sympy.expand(gap**2))


def _derived_ratio(loss: Any, delta: Any) -> Any:
    """Excess 2 beta Delta over the leading term 2 beta k0 sqrt(J)."""
    import sympy

    return delta / (derived_k0() * sympy.sqrt(loss))


def _derived_slope() -> Any:
    """d/dDelta at 0 of Delta/(k0 sqrt(J0)) = (1 + b Delta + ...)^(-1/2), 1/k0^2 = a."""
    import sympy

    a, b = _radial_series()
    if sympy.simplify(a * derived_k0() ** 2 - 1) != 0:
        raise ArithmeticError(f"J0 starts with {a} Delta^2, which is not Delta^2/k0^2")
    delta = delta_symbol()
    return sympy.diff((1 + b * delta) ** sympy.Rational(-1, 2), delta).subs(delta, 0)


def _prove(closed: Closed, derive: Callable[[], Any]) -> Callable[[Sequence[Point]], Proof]:
    """The derivation gives the closed form: an identity, whatever the other coordinates are."""

    def prove(points: Sequence[Point]) -> Proof:
        import sympy

        box = box_of(points)
        found = derive()
        wanted = closed(sympy.sqrt, *found.free_symbols)
        equal = sympy.simplify(found - wanted).equals(0)  # None: sympy cannot tell
        return Proof(
            decided=equal is not None,
            box=box,
            holds=bool(equal),
            left=str(sympy.simplify(found)),
            right=str(wanted),
            reason="" if equal is not None else "sympy does not decide the identity",
        )

    return prove


# --- the library's numbers ------------------------------------------------------------------------


def _k0_by_quadrature() -> Value:
    s, gauss = gaussian_rule()
    value = 2 / math.sqrt(float(gauss @ (s**4 * np.exp(-s * s))))
    return Value(value, 16 * _EPS * value, "trapezoid rule in s")


def _curvature() -> Value:
    """2/J0''(0), J0''(0)/2 being the slope of J0(Delta)/Delta at Delta = 0."""

    def mean_slope(delta: float) -> Value:
        value = extremal_loss(delta) / delta if delta > 0 else 0.0
        return Value(value, 8 * _EPS * value)

    return quotient(Value(1.0), right_derivative(mean_slope, 0.1, 9))


def _mu(d: int, degree: int) -> Value:
    value = float(SGLift().eigenvalues(d, degree))
    return Value(value, 2e-13 * value, "spectrum of the lift")


def _rho_quotient(d: int, degree: int, correlation: float) -> Value:
    """rho_l over gain_l/mu_l + ((1+c)/(1-c)) L_l/(d-1), gain_l and mu_l by their definitions."""
    s, gauss = gaussian_rule()
    squares = np.exp(2 * SGLift().log_profile(d, degree, s))
    mu, moment = float(gauss @ squares), float(gauss @ (s * s * squares))
    factor = (1 + correlation) / (1 - correlation) * degree * (degree + d - 2) / (d - 1)
    bracket = (moment - mu) / (2 * mu) + factor
    value = Value(bracket, 2e-14 * (moment + mu) / (2 * mu) + 1e-14 * factor)
    return quotient(rho(d, degree, correlation), value)


def _slice_kernel() -> Value:
    """E h(z,z')^2 by the trapezoid rule over z and z'."""
    half, weights = gaussian_rule()
    z = np.concatenate((-half[:0:-1], half))
    mass = 0.5 * np.concatenate((weights[:0:-1], weights))
    mass[half.size - 1] *= 2  # z = 0 is there once
    own = np.exp(-0.25 * z * z) / math.sqrt(2)
    kernel = np.exp(-0.5 * (z[:, None] - z) ** 2) - own[:, None] - own + 1 / math.sqrt(3)
    return Value(float(mass @ kernel**2 @ mass), 1e-14, "trapezoid rule")


def _radial_integral(delta: float) -> Value:
    s, gauss = gaussian_rule()
    value = float(gauss @ (np.exp(-s * s) * np.expm1(0.5 * s * s * delta) ** 2))
    return Value(value, 1e-14 * value, "trapezoid rule in s")


def _relative_radial(delta: float) -> Value:
    """J0(Delta) k0^2/Delta^2; at 0 its limit."""
    if delta == 0:
        return Value(1.0)
    value = extremal_loss(delta) * leading_constant() ** 2 / 4 / delta**2
    return Value(value, 8 * _EPS * value)


def _ratio(pair: Pair, beta: float) -> Value:
    """Excess over 4 * 3^(3/4) beta sqrt(J)."""
    excess, loss = infonce_excess(pair, beta), sg_loss(pair)
    root = math.sqrt(loss)
    term = Value(leading_constant() * beta * root, leading_constant() * beta * loss.error / root)
    return quotient(excess, term)


def _extremal_ratio(d: int, beta: float, delta: float) -> Value:
    return _ratio(Extremal(d, delta), beta) if delta > 0 else Value(1.0)


# --- the claims -----------------------------------------------------------------------------------


def _claim(
    name: str,
    statement: str,
    formula: str,
    left: Callable[..., float],
    right: Callable[..., float],
    proof: tuple[Closed, Callable[[], Any]] | None,
    *,
    domain: Domain = _NONE,
    relation: Relation = Relation.EQUAL,
    source: str = _PAPER,
    ours: bool = False,
    note: str = "",
    resolution: float | None = None,
) -> Claim:
    return Claim(
        key=f"constants.{name}",
        statement=statement,
        source=source,
        ours=ours,
        domain=domain,
        left=left,
        relation=relation,
        right=right,
        tight=True,
        formula=formula,
        note=note,
        resolution=resolution,
        prove=None if proof is None else _prove(*proof),
    )


_LEADING = (
    _claim(
        "k0",
        "k0 = 2/sqrt(E_s s^4 e^{-s^2}) = 2*3^(3/4)",
        r"k_0=2\left(\mathbb{E}_s s^4e^{-s^2}\right)^{-1/2}=2\cdot 3^{3/4}",
        _k0_by_quadrature,
        _number(k0),
        (k0, derived_k0),
        source="SG paper, Theorem 1",
    ),
    _claim(
        "leading",
        "the leading constant of Theorem 1 is 2 k0 = 4*3^(3/4)",
        r"2k_0=4\cdot 3^{3/4}",
        lambda: Value(leading_constant(), 2e-15),
        _number(leading),
        (leading, lambda: 2 * derived_k0()),
        source="SG paper, Theorem 1",
    ),
    _claim(
        "k0-squared",
        "k0^2 = 12 sqrt 3 is twice the reciprocal of J0''(0)",
        r"k_0^2=2/\mathcal{J}_0^{\prime\prime}(0)=12\sqrt{3}",
        _curvature,
        _number(k0_squared),
        (k0_squared, lambda: 1 / _radial_series()[0]),
        source="SG paper, Theorem 1",
    ),
    _claim(
        "rho",
        "the first-order optimum of pure SG on a nuisance channel is 6 sqrt 3 = k0^2/2 = "
        "1/J0''(0) times the gain: rho_l over its bracket, by the definitions of gain_l and mu_l",
        r"\Delta^\star=6\sqrt{3}\,g+O(g^2)",
        _rho_quotient,
        _number(first_order),
        (first_order, lambda: 1 / (2 * _radial_series()[0])),
        domain=Domain(
            (
                Axis("d", (2, 8, 128), 2, 128, "integer", quick=(2, 8)),
                Axis("degree", (1, 2, 3, 4), 1, 6, "integer", quick=(1, 2)),
                Axis("correlation", (-1.0, 0.0, 0.5), -1.0, 0.9, quick=(-1.0, 0.0)),
            ),
            where=lambda d, degree, correlation: d > 2 or correlation == -1,
        ),
        source="SG paper, Theorem 3",
        ours=True,
    ),
)


def _even(d: int, degree: int, closed: Closed, size: float, words: str, formula: str) -> Claim:
    return _claim(
        f"mu{degree}.d{d}",
        f"mu_{degree}(d={d}) = {words}",
        rf"\mu_{degree}(d={d})={formula}",
        lambda: _mu(d, degree),
        _number(closed, size),
        (closed, lambda: derived_mu(d, degree)),
        source="E_s psi_l(s)^2, finite for even l and even d",
        ours=True,
    )


_SPECTRUM = (
    _claim(
        "mu0",
        "mu_0 = E_s e^{-s^2} = 1/sqrt 3 for every d",
        r"\mu_0=\mathbb{E}_s\,e^{-s^2}=\frac{1}{\sqrt{3}}",
        lambda d: _mu(d, 0),
        _number(mu_zero),
        (mu_zero, derived_mu_zero),
        domain=Domain((_D,)),
    ),
    _even(
        2,
        2,
        mu_two_d2,
        2.0,
        "(4 - 4 sqrt 2 + sqrt 3)/3",
        r"\frac{4-4\sqrt{2}+\sqrt{3}}{3}",
    ),
    _even(
        4,
        2,
        mu_two_d4,
        5.0,
        "(64 - 352 sqrt 2 + 251 sqrt 3)/105",
        r"\frac{64-352\sqrt{2}+251\sqrt{3}}{105}",
    ),
    _even(
        2,
        4,
        mu_four_d2,
        48.0,
        "(496 - 712 sqrt 2 + 295 sqrt 3)/21",
        r"\frac{496-712\sqrt{2}+295\sqrt{3}}{21}",
    ),
)

_SLICE = (
    _claim(
        "one-slice",
        "the null second moment on one slice, radius sampled, is E_{s,t} (e^{-(s+t)^2/2} - "
        "e^{-(s^2+t^2)/2})^2 = 1/sqrt 5 - 1/sqrt 2 + 1/3, for every d",
        r"\mathbb{E}h^2=\frac{1}{\sqrt{5}}-\frac{1}{\sqrt{2}}+\frac{1}{3}",
        lambda d: null_second_moment(d, "sampled", 1),
        _number(one_slice, 0.75),
        (one_slice, derived_one_slice),
        domain=Domain((_D,)),
        ours=True,
    ),
    _claim(
        "one-slice.kernel",
        "the same from the degenerate kernel e^{-(z-z')^2/2} - (e^{-z^2/4} + e^{-z'^2/4})/sqrt 2 + "
        "1/sqrt 3 of the U-statistic, its square integrated over z and z'",
        r"h(z,z^\prime)=e^{-(z-z^\prime)^2/2}-\frac{e^{-z^2/4}+e^{-z^{\prime 2}/4}}{\sqrt{2}}"
        r"+\frac{1}{\sqrt{3}}",
        _slice_kernel,
        _number(one_slice, 0.75),
        (one_slice, derived_one_slice_kernel),
        ours=True,
    ),
)


def _radial_number(delta: float, **_: float) -> Value:
    # the three terms are below 1.2 and cancel to Delta^2/20.8
    return Value(radial(math.sqrt, delta), 8 * _EPS, "closed form")


_RADIAL = (
    _claim(
        "radial",
        "J of the extremal family is J0(Delta) = 1/sqrt(3-2 Delta) - 2/sqrt(3-Delta) + 1/sqrt 3",
        r"\mathcal{J}_0(\Delta)=\frac{1}{\sqrt{3-2\Delta}}-\frac{2}{\sqrt{3-\Delta}}"
        r"+\frac{1}{\sqrt{3}}",
        lambda d, delta: sg_loss(Extremal(d, delta)),
        _radial_number,
        (radial, derived_radial),
        domain=Domain((_D, Axis("delta", (0.01, 0.1, 0.5, 1.0), 0.01, 1.0, quick=(0.1, 1.0)))),
        source="SG paper, Theorem 1",
    ),
    _claim(
        "radial.integral",
        "J0(Delta) = E_s (e^{-s^2 (1-Delta)/2} - e^{-s^2/2})^2, down to the smallest Delta",
        r"\mathcal{J}_0(\Delta)=\mathbb{E}_s\left(e^{-s^2(1-\Delta)/2}-e^{-s^2/2}\right)^2",
        _radial_integral,
        lambda delta: Value(extremal_loss(delta), 8 * _EPS * extremal_loss(delta)),
        None,
        domain=Domain((Axis("delta", (1e-8, 1e-3, 0.5, 1.0), 1e-8, 1.0, "log", quick=(0.1,)),)),
        source="SG paper, Theorem 1",
    ),
    _claim(
        "radial.one",
        "J0(1) = 1 - sqrt 2 + 1/sqrt 3 = 0.163137, the loss of antipodal views, for every d",
        r"\mathcal{J}_0(1)=1-\sqrt{2}+\frac{1}{\sqrt{3}}",
        lambda d: sg_loss(AntipodalPath(d, 1.0)),
        _number(radial_one, 1.5),
        (radial_one, lambda: derived_radial(1)),
        domain=Domain((_D,)),
        source="SG paper, Theorem 1",
    ),
    _claim(
        "radial.limit",
        "J0(Delta) k0^2/Delta^2 -> 1 as Delta -> 0",
        r"\lim_{\Delta\to 0}\frac{k_0^2\,\mathcal{J}_0(\Delta)}{\Delta^2}=1",
        lambda: extrapolated(_relative_radial, 1e-4),
        _number(one),
        (one, lambda: derived_k0() ** 2 * _radial_series()[0]),
        relation=Relation.RATE,
        source="SG paper, Theorem 1",
    ),
    _claim(
        "radial.slope",
        "J0(Delta) = (Delta^2/k0^2) (1 + (5/6) Delta + O(Delta^2))",
        r"\mathcal{J}_0(\Delta)=\frac{\Delta^2}{k_0^2}\left(1+\frac{5}{6}\Delta+O(\Delta^2)"
        r"\right)",
        lambda: right_derivative(_relative_radial, 0.2, 9),
        _number(five_sixths),
        (five_sixths, lambda: _radial_series()[1]),
        relation=Relation.RATE,
        source="expansion of J0",
        ours=True,
    ),
)

_RATIOS = (
    _claim(
        "sharp.slope",
        "on the extremal family excess/(4*3^(3/4) beta sqrt(J)) = 1 - (5/12) Delta + O(Delta^2)",
        r"\frac{\Delta}{k_0\sqrt{\mathcal{J}_0(\Delta)}}=1-\frac{5}{12}\Delta+O(\Delta^2)",
        lambda d, beta: right_derivative(lambda x: _extremal_ratio(d, beta, x), 0.2, 9),
        _number(five_twelfths),
        (five_twelfths, _derived_slope),
        domain=Domain((_D, _BETA)),
        relation=Relation.RATE,
        source="expansion of J0",
        ours=True,
    ),
    _claim(
        "antipodal",
        "on the antipodal path excess/(4*3^(3/4) beta sqrt(J)) = 1/(k0 sqrt(J0(1))) = 0.543067, "
        "for every d, eps and beta",
        r"\mathrm{ratio}=\frac{1}{k_0\sqrt{\mathcal{J}_0(1)}}",
        lambda d, beta, eps: _ratio(AntipodalPath(d, eps), beta),
        _number(antipodal, 2.0),
        (antipodal, lambda: _derived_ratio(derived_radial(1), 1)),
        domain=Domain((_D, _BETA, _SHARE)),
        source="SG paper, Proposition 3, with V = -U",
        ours=True,
    ),
    _claim(
        "mixture.loss",
        "J/eps^2 of the mixture path tends to I_inf = E_s (e^{-s^2/4} - e^{-s^2/2})^2 = "
        "1/sqrt 2 - 2 sqrt(2/5) + 1/sqrt 3 as d -> inf",
        r"I_\infty=\frac{1}{\sqrt{2}}-2\sqrt{\frac{2}{5}}+\frac{1}{\sqrt{3}}",
        lambda: extrapolated(lambda h: mixture_constant(round(1 / h)), 2.0**-12),
        _number(mixture, 1.3),
        (mixture, derived_mixture),
        relation=Relation.RATE,
        source="SG paper, Proposition 3",
        ours=True,
    ),
    _claim(
        "mixture.ratio",
        "on the mixture path excess/(4*3^(3/4) beta sqrt(J)) -> 1/(2 k0 sqrt(I_inf)) = 0.784459 as "
        "d -> inf, for every eps and beta",
        r"\lim_{d\to\infty}\mathrm{ratio}=\frac{1}{2k_0\sqrt{I_\infty}}",
        lambda beta, eps: extrapolated(
            lambda h: _ratio(MixturePath(round(1 / h), eps), beta), 2.0**-12
        ),
        # the root halves the relative error of I_inf = 0.0196, whose terms are up to 1.3
        _number(mixture_ratio, 30.0),
        (mixture_ratio, lambda: _derived_ratio(derived_mixture(), _half())),
        domain=Domain((_BETA, _SHARE)),
        relation=Relation.RATE,
        source="SG paper, Proposition 3",
        ours=True,
    ),
)


def _half() -> Any:
    import sympy

    return sympy.Rational(1, 2)


CLAIMS: tuple[Claim, ...] = (*_LEADING, *_SPECTRUM, *_SLICE, *_RADIAL, *_RATIOS)
