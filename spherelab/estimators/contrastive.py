"""InfoNCE and its parts from samples: the loss, the uniformity excess, Wang and Isola's uniformity.

The population loss has an expectation inside a logarithm, G_i = E_v e^{beta (u_i.v - 1)}. Its mean
m_i over the other rows is unbiased, log m_i is not: E log m_i = log G_i - var/(2 (n-1) G_i^2) + ..
which is estimated from the same rows and taken off; ``bias`` says how much that was. The standard
error is that of the influence values

    phi_i = (log m_i - mean) + (mean_k e_ki/m_k - 1),

row i as u, and as one of the v of all others. Where ``bias`` is not small against 1 (large beta,
few rows) the first correction is not enough, and neither is n.
"""

from __future__ import annotations

import math
from typing import Any

from spherelab.arguments import ArgumentError, positive
from spherelab.bessel import log_lambda0
from spherelab.estimators.alignment import squared_distances
from spherelab.estimators.arrays import namespace, rows, views
from spherelab.estimators.blocks import blocks, from_influence, row_sums
from spherelab.estimators.estimate import Estimate


def _log_mean(u: Any, v: Any | None, beta: float) -> tuple[Any, Any, float]:
    """(log m_i, influence phi_i, bias of mean_i log m_i); m_i excludes the row's own partner."""
    xp, n = namespace(u), u.shape[0]
    sums, squares = xp.zeros(n), xp.zeros(n)
    for block in blocks(u, v):
        values = xp.exp(beta * (block.products - 1))
        row_sums(block, values, sums)
        row_sums(block, values * values, squares)
    if not bool((sums > 0).all()):
        raise ArgumentError(
            f"beta must leave every row a neighbour: at beta = {beta:g}, row "
            f"{int(xp.argmin(sums))} has only underflowing e^(beta (u.v - 1))"
        )
    means = sums / (n - 1)
    spread = xp.maximum(squares / (n - 1) - means * means, 0.0) * (n - 1) / max(n - 2, 1)
    bias = -float((spread / (means * means)).mean()) / (2 * (n - 1))

    received = xp.zeros(n)  # sum_k e_ki/m_k
    inverse = 1 / means
    for block in blocks(u, v):
        values = xp.exp(beta * (block.products - 1))
        if block.diagonal:
            xp.fill_diagonal(values, 0.0)
        received[block.columns] += inverse[block.rows] @ values
        if block.mirrored:
            received[block.rows] += values @ inverse[block.columns]
    logs = xp.log(means)
    return logs, logs - logs.mean() + received / (n - 1) - 1, bias


def uniformity_excess(u: Any, beta: float) -> Estimate:
    """U_beta = E_u log E_v e^{beta u.v} - log lambda_0(beta), the diagonal left out.

    Parameters
    ----------
    u : array, shape (n, d)
        Unit rows, n >= 3. NumPy or CuPy, float32 or float64.
    beta : float
        Inverse temperature, finite and > 0.

    Returns
    -------
    Estimate
        Bias O(1/n^2) after the correction in the module's docstring; ``bias`` is what was taken
        off. Two passes over all pairs, memory of one block.

    Raises
    ------
    ArgumentError
        For an array that is not such, or a beta so large that a row has no neighbour in doubles.
    """
    u, beta = rows(u, "u", 3), positive(beta, "beta")
    logs, influence, bias = _log_mean(u, None, beta)
    value = float(logs.mean()) + beta - float(log_lambda0(u.shape[1], beta)) - bias
    return from_influence(value, influence, u.shape[0], "pairs without the diagonal", bias)


def infonce(u: Any, v: Any, beta: float, symmetrised: bool = False) -> Estimate:
    """Population InfoNCE, L_beta = -beta E U.V + E_u log E_v' e^{beta u.v'}, v' of other examples.

    The negatives are the other rows of v; the own partner is not among them, as in the limit of
    many negatives (the paper's L_beta). Divide beta U.V by nothing: beta is 1/temperature.

    Parameters
    ----------
    u, v : array, shape (n, d)
        Unit rows, n >= 3: two views of each example.
    beta : float
        Inverse temperature, finite and > 0.
    symmetrised : bool
        Whether to take the mean of u against v and v against u.

    Returns
    -------
    Estimate
        As ``uniformity_excess``.
    """
    u, v = views(u, v, 3)
    beta = positive(beta, "beta")
    cosines = 1 - squared_distances(u, v) / 2
    influence, value, bias = -beta * (cosines - cosines.mean()), -beta * float(cosines.mean()), 0.0
    sides = ((u, v), (v, u)) if symmetrised else ((u, v),)
    for first, second in sides:
        logs, part, part_bias = _log_mean(first, second, beta)
        value += (float(logs.mean()) + beta - part_bias) / len(sides)
        influence = influence + part / len(sides)
        bias += part_bias / len(sides)
    return from_influence(value, influence, u.shape[0], "pairs of different examples", bias)


def infonce_excess(u: Any, v: Any, beta: float, symmetrised: bool = False) -> Estimate:
    """L_beta - L*, L* = -beta + log lambda_0(beta) the least population value; as ``infonce``."""
    loss = infonce(u, v, beta, symmetrised)
    least = float(log_lambda0(u.shape[1], beta)) - beta
    return Estimate(loss - least, loss.standard_error, loss.n, loss.method, loss.bias)


def uniformity(u: Any, t: float = 2.0) -> Estimate:
    """log E e^{-t |U-U'|^2}, the uniformity of Wang and Isola, the diagonal left out.

    Parameters
    ----------
    u : array, shape (n, d)
        Unit rows, n >= 2.
    t : float
        Finite and > 0.

    Returns
    -------
    Estimate
        The log of a U-statistic, its bias of order 1/n (half its squared relative error) taken off.
    """
    u, t = rows(u, "u"), positive(t, "t")
    xp, n = namespace(u), u.shape[0]
    sums = xp.zeros(n)
    for block in blocks(u):
        row_sums(block, xp.exp(2 * t * (block.products - 1)), sums)
    means = sums / (n - 1)
    mean = float(means.mean())
    if mean <= 0:
        raise ArgumentError(f"t must leave two rows near each other, at t = {t:g} none is")
    linear = from_influence(mean, 2 * means, n, "U-statistic")
    relative = linear.standard_error / mean
    bias = -0.5 * relative**2
    return Estimate(math.log(mean) - bias, relative, n, "log of a U-statistic", bias)
