"""The degree-0 part of the loss: what the norm of the averaged views alone reveals.

With delta = |U - V|^2/4 = 1 - |M|^2 the squared deficit of M = (U+V)/2,

    J_(0) = E_s (E e^{-s^2 |M|^2/2} - e^{-s^2/2})^2 = E_s e^{-s^2} (E (e^{s^2 delta/2} - 1))^2,

written with delta so that nothing cancels as the views align.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from spherelab.arguments import ArgumentError, dimension, nonnegative, unit_interval
from spherelab.bessel import log_lambda0
from spherelab.kummer import tilted_beta_rule
from spherelab.pairs import Pair
from spherelab.value import Value

Array = NDArray[np.float64]

_EPS = np.finfo(float).eps
# Trapezoid rule for N(0, 1): the integrands grow at most like e^{1.5 eta^2} at imaginary part eta,
# so the step h leaves e^{-(2 pi/h)^2/6} = e^-105; beyond |s| = 13 the weight is below e^-84.
_STEP = 0.25
_LAST = 13.0


def gaussian_rule(last: float = _LAST, step: float = _STEP) -> tuple[Array, Array]:
    """Nodes s >= 0 and weights for E f(s), f even, s ~ N(0, 1): the trapezoid rule on the line."""
    s = np.arange(0.0, last + step, step)
    weights = 2 * step * np.exp(-0.5 * s * s) / math.sqrt(2 * math.pi)
    weights[0] /= 2
    return s, weights


def misalignment(pair: Pair) -> float:
    """Delta = E |U-V|^2/4 = (1 - E U.V)/2 in [0, 1], exact for the pair law."""
    return float(checked_pair(pair).misalignment())


def checked_pair(pair: Pair) -> Pair:
    """``pair``, or an error that says that it is none."""
    if not isinstance(pair, Pair):
        raise ArgumentError(f"pair must be a law of spherelab.pairs, got {type(pair).__name__}")
    return pair


def extremal_loss(delta: float) -> float:
    """J_0(Delta) = 1/sqrt(3-2 Delta) - 2/sqrt(3-Delta) + 1/sqrt 3, the least J at a Delta.

    It is the SG loss of the extremal family, whose |M|^2 is constant (SG paper, Theorem 1), and
    J >= J_0(Delta) for every pair of views. The displayed form cancels to nothing for small Delta;
    with a, b, c = sqrt 3, sqrt(3-Delta), sqrt(3-2 Delta) it equals

        2 Delta^2 (a+b+c) / (a b c (a+b) (b+c) (c+a)),

    accurate to a few eps on all of [0, 1].

    Raises
    ------
    ArgumentError
        If delta is outside [0, 1].
    """
    delta = unit_interval(delta, "delta")
    return delta**2 * _extremal_quotient(delta)


def _extremal_quotient(delta: float) -> float:
    """J_0(Delta) / Delta^2, between 1/k_0^2 and J_0(1)."""
    a, b, c = math.sqrt(3), math.sqrt(3 - delta), math.sqrt(3 - 2 * delta)
    return 2 * (a + b + c) / (a * b * c * (a + b) * (b + c) * (c + a))


def misalignment_certificate(loss: float) -> float:
    """J_0^{-1}(J): the largest misalignment that an SG loss J >= 0 leaves possible [ours].

    Delta <= J_0^{-1}(J) <= k_0 sqrt J, without any hypothesis on the marginals. 1 for every
    J >= J_0(1) = 0.1631. Newton's method from the right end of a convex increasing function in
    sqrt J; relative error a few eps.
    """
    loss = nonnegative(loss, "loss")
    if loss >= extremal_loss(1.0):
        return 1.0
    if loss == 0:
        return 0.0
    target = math.sqrt(loss)
    # sqrt J_0 is convex and increasing: Newton from above decreases monotonically to the root.
    delta = min(1.0, 2 * 3**0.75 * target)
    for _ in range(60):
        b, c = math.sqrt(3 - delta), math.sqrt(3 - 2 * delta)
        quotient = math.sqrt(_extremal_quotient(delta))  # without Delta^2, which underflows
        # J_0' = c^-3 - b^-3 = (b - c)(b^2 + bc + c^2)/(bc)^3, b - c = Delta/(b + c)
        slope = (b * b + b * c + c * c) / ((b + c) * (b * c) ** 3 * 2 * quotient)
        following = delta - (delta * quotient - target) / slope
        if not 0 < following < delta * (1 - _EPS):
            break
        delta = following
    return delta


def mixture_constant(d: int) -> Value:
    """I_d = E_s (e^{-s^2/4} 0F1(; d/2; s^4/64) - e^{-s^2/2})^2: J = eps^2 I_d on the mixture path.

    The mixture path is (1-eps) aligned uniform + eps independent uniform (SG paper, Proposition 3);
    1/(2 k_0 sqrt(I_d)) is its excess over the leading term, for every eps and beta.
    """
    d = dimension(d)
    s, weights = gaussian_rule()
    # e^{-s^2/4} 0F1 - e^{-s^2/2} = e^{-s^2/2} (e^{s^2/4} lambda_0(s^2/4) - 1)
    rise = np.expm1(0.25 * s * s + log_lambda0(d, 0.25 * s * s))
    value = float(weights @ (np.exp(-s * s) * rise * rise))
    return Value(value, 1e-13 * value, "trapezoid rule in s")


def independent_radial_loss(d: int, kappa: float) -> Value:
    """J_(0) of V | U ~ vMF(U, kappa): delta = (1-t)/2, density e^{kappa t} (1-t^2)^{(d-3)/2}."""
    s, weights = gaussian_rule()
    values = []
    for level in (0, 1, 2):
        _, delta, law = tilted_beta_rule(0.5 * (d - 1), 0.5 * (d - 1), -2 * kappa, level)
        rise = law @ np.expm1(0.5 * s * s * delta[:, None])
        values.append(float(weights @ (np.exp(-s * s) * rise * rise)))
        if len(values) > 1 and abs(values[-1] - values[-2]) <= 1e-14 * values[-1]:
            break
    error = abs(values[-1] - values[-2]) + 1e-14 * values[-1]
    return Value(values[-1], error, "trapezoid rules in s and the cosine")


def atoms_radial_loss(deficits: Array, probabilities: Array) -> Value:
    """J_(0) of finitely many pairs with squared deficits delta_i = |u_i - v_i|^2/4."""
    s, weights = gaussian_rule()
    unique, place = np.unique(deficits, return_inverse=True)
    mass = np.bincount(place, weights=probabilities)
    rise = mass @ np.expm1(0.5 * s * s * unique[:, None])
    value = float(weights @ (np.exp(-s * s) * rise * rise))
    return Value(value, 1e-14 * value, "trapezoid rule in s")
