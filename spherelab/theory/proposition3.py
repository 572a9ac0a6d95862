"""Proposition 3 of the Shared Gaussianization paper: the square root of Theorem 1 is unavoidable.

On pi_eps = (1-eps) aligned uniform + eps pi1, pi1 with uniform marginals, the InfoNCE excess is
2 beta eps Delta1, linear in eps, while every squared distance of mean embeddings of the pair,

    |E_{pi_eps} Phi - E_{aligned} Phi|^2 = eps^2 |E_{pi1} Phi - E_{aligned} Phi|^2,

is quadratic: none can bound the excess at a faster rate than its square root. SG's J is one of
them, and on the paper's mixture path (pi1 = independent uniform pair) its leading term is exceeded
by no more than the factor 1/ratio, with a ratio that depends neither on eps nor on beta.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spherelab.bessel import log_lambda0
from spherelab.claim import Axis, Claim, Domain, Relation
from spherelab.pairs import AntipodalPath, MixturePath, Pair
from spherelab.population import infonce_excess, leading_constant, sg_loss
from spherelab.sphere import coordinate_rule
from spherelab.theory import constants, proofs
from spherelab.value import Value, quotient, scaled

Array = NDArray[np.float64]

_PAPER = "SG paper, Proposition 3"
_EPS = float(np.finfo(float).eps)
_D = Axis("d", (2, 16, 32, 128, 1024), 2, 1024, "integer", quick=(2, 16))
_BETA = Axis("beta", (0.1, 5.0, 50.0), 0.1, 50.0, "log", quick=(5.0,))
_SHARE = Axis("eps", (1e-6, 0.1, 1.0), 1e-8, 1.0, "log", quick=(0.1,))
# the three terms of a squared distance cancel down to eps^2
_LARGE_SHARE = Axis("eps", (0.05, 0.3, 1.0), 0.05, 1.0, "log", quick=(0.3,))


# --- mixtures, by the law of delta = 1 - |M|^2 ----------------------------------------------------


@dataclass(frozen=True)
class Contamination:
    """A pi1 with uniform marginals, rotation invariant: values of delta = |U-V|^2/4 = 1 - |M|^2,
    and their weights, in dimension d."""

    name: str
    words: str
    deficits: Callable[[int], tuple[Array, Array]]

    def misalignment(self, d: int) -> Value:
        """Delta1 = E delta."""
        deficits, weights = self.deficits(d)
        value = float(weights @ deficits)
        return Value(value, 1e-13 * value)


@functools.lru_cache(maxsize=64)
def _of_cosine(d: int, kappa: float) -> tuple[Array, Array]:
    """U uniform and V | U ~ vMF(U, kappa), delta = (1 - U.V)/2; 64 Gauss nodes, kappa <= 10."""
    t, weights = coordinate_rule(d, 64)
    weights = weights * np.exp(kappa * (t - 1))
    return 0.5 * (1 - t), weights / weights.sum()


def _certain(delta: float) -> tuple[Array, Array]:
    return np.array([delta]), np.ones(1)


INDEPENDENT = Contamination(
    "independent", "an independent uniform pair", lambda d: _of_cosine(d, 0.0)
)
ANTIPODAL = Contamination("antipodal", "antipodal views", lambda d: _certain(1.0))
CONTAMINATIONS: tuple[Contamination, ...] = (
    INDEPENDENT,
    ANTIPODAL,
    Contamination(
        "vmf-pair", "V given U von Mises-Fisher, kappa = 3", lambda d: _of_cosine(d, 3.0)
    ),
    Contamination("extremal", "the extremal pair of Delta = 0.3", lambda d: _certain(0.3)),
)


#: A kernel on pairs of views, averaged over a rotation of one of them: a function of d and of the
#: two squared deficits.
_Kernel = Callable[[int, Array, Array], Array]


def _sg(d: int, x: Array, y: Array) -> Array:
    """Degree 0 of SG's test, all that a rotation-invariant pair shows: E_s e^{-s^2 (m^2+m'^2)/2}.

    m^2 = |M|^2 = 1 - delta."""
    result: Array = (3 - x - y) ** -0.5
    return result


def _gaussian(d: int, x: Array, y: Array) -> Array:
    """e^{-|M-M'|^2}, M and M' at independent uniform directions."""
    product = np.sqrt((1 - x) * (1 - y))
    return np.exp(-(2 - x - y) + log_lambda0(d, 2 * product))


def _second(d: int, x: Array, y: Array) -> Array:
    """(M.M')^2: the second moments of the average."""
    return (1 - x) * (1 - y) / d


def _cosine(d: int, x: Array, y: Array) -> Array:
    """(U.V)(U'.V'): the squared distance is that of the mean cosines, 4 (Delta - Delta')^2."""
    return (1 - 2 * x) * (1 - 2 * y)


KERNELS: tuple[tuple[str, str, _Kernel], ...] = (
    ("sg", "SG's own test", _sg),
    ("gaussian", "a Gaussian kernel of the average", _gaussian),
    ("second", "second moments of the average", _second),
    ("cosine", "the mean cosine", _cosine),
)


def squared_distance(kernel: _Kernel, pi1: Contamination, d: int, eps: float) -> Value:
    """|E_{pi_eps} Phi - E_{aligned} Phi|^2 by its definition, three terms in the kernel."""
    deficits, weights = pi1.deficits(d)
    x = np.append(deficits, 0.0)
    mass = np.append(eps * weights, 1 - eps)
    zero = np.zeros(1)
    both = float(mass @ kernel(d, x[:, None], x) @ mass)
    cross = float(mass @ kernel(d, x, zero))
    alone = float(kernel(d, zero, zero)[0])
    return Value(both - 2 * cross + alone, 16 * _EPS * (abs(both) + abs(alone)))


# --- linear against quadratic ---------------------------------------------------------------------


def _excess(pi1: Contamination, path: type[MixturePath] | type[AntipodalPath]) -> Claim:
    def right(d: int, beta: float, eps: float) -> Value:
        return scaled(pi1.misalignment(d), 2 * beta * eps)

    return Claim(
        key=f"proposition3.excess.{pi1.name}",
        statement="the InfoNCE excess is linear in eps on (1-eps) aligned + eps pi1: it is "
        f"2 beta eps Delta1, pi1 {pi1.words}",
        source=_PAPER,
        ours=False,
        domain=Domain((_D, _BETA, _SHARE)),
        left=lambda d, beta, eps: infonce_excess(path(d, eps), beta),
        relation=Relation.EQUAL,
        right=right,
        tight=True,
        formula=r"\mathcal{L}_\beta-\mathcal{L}^\star_\beta=2\beta\,\epsilon\,\Delta_1",
    )


_WHICH = Axis("pi1", tuple(range(len(CONTAMINATIONS))), 0, len(CONTAMINATIONS) - 1, "integer")
_LISTED = "pi1 = " + "; ".join(f"{i}: {pi1.words}" for i, pi1 in enumerate(CONTAMINATIONS))


def _quadratic(name: str, words: str, kernel: _Kernel) -> Claim:
    def left(d: int, pi1: int, eps: float) -> Value:
        return squared_distance(kernel, CONTAMINATIONS[pi1], d, eps)

    def right(d: int, pi1: int, eps: float) -> Value:
        return scaled(squared_distance(kernel, CONTAMINATIONS[pi1], d, 1.0), eps**2)

    return Claim(
        key=f"proposition3.quadratic.{name}",
        statement="the squared distance of mean embeddings is quadratic in eps on (1-eps) aligned "
        f"+ eps pi1, here under {words}",
        source=_PAPER,
        ours=False,
        domain=Domain((_D, _WHICH, _LARGE_SHARE)),
        left=left,
        relation=Relation.EQUAL,
        right=right,
        tight=True,
        formula=r"\|E_{\pi_\epsilon}\Phi-E_{\pi_0}\Phi\|^2="
        r"\epsilon^2\,\|E_{\pi_1}\Phi-E_{\pi_0}\Phi\|^2",
        resolution=1e-7,
        note=_LISTED,
    )


_FASTER = 0.75  # an exponent above one half


def _no_faster(name: str, words: str, kernel: _Kernel) -> Claim:
    def power(d: int, pi1: int, eps: float) -> Value:
        """excess/(2 beta) over the squared distance to the power 3/4."""
        distance = squared_distance(kernel, CONTAMINATIONS[pi1], d, eps)
        value = eps * CONTAMINATIONS[pi1].misalignment(d) * distance**-_FASTER
        return Value(value, value * (_FASTER * distance.error / distance + 1e-13))

    return Claim(
        key=f"proposition3.faster.{name}",
        statement="no rate faster than the square root: excess over (squared distance)^(3/4) "
        f"grows like eps^(-1/2) as eps falls, under {words}",
        source=_PAPER,
        ours=False,
        domain=Domain((_D, _WHICH, _LARGE_SHARE)),
        left=lambda d, pi1, eps: power(d, pi1, eps),
        relation=Relation.EQUAL,
        right=lambda d, pi1, eps: scaled(power(d, pi1, 1.0), eps ** (1 - 2 * _FASTER)),
        tight=True,
        formula=r"\frac{\mathcal{L}_\beta-\mathcal{L}^\star_\beta}"
        r"{\|E_{\pi_\epsilon}\Phi-E_{\pi_0}\Phi\|^{3/2}}\propto\epsilon^{-1/2}",
        resolution=1e-7,
        note=_LISTED,
    )


# --- SG's own test --------------------------------------------------------------------------------


def _of_paths(path: Callable[[int, float], Pair], pi1: Contamination) -> Claim:
    return Claim(
        key=f"proposition3.loss.{pi1.name}",
        statement=f"J is that squared distance under SG's own kernel, pi1 {pi1.words}",
        source=_PAPER,
        ours=False,
        domain=Domain((_D, _LARGE_SHARE)),
        left=lambda d, eps: sg_loss(path(d, eps)),
        relation=Relation.EQUAL,
        right=lambda d, eps: squared_distance(_sg, pi1, d, eps),
        tight=True,
        formula=r"\mathcal{J}(\pi_\epsilon)=\epsilon^2\,E_{\delta,\delta'}\left["
        r"(3-\delta-\delta')^{-1/2}-2(3-\delta)^{-1/2}+3^{-1/2}\right]",
        resolution=1e-7,
    )


def mixture_ratio(d: int, eps: float = 1.0, beta: float = 1.0) -> Value:
    """Excess over the leading term 4*3^(3/4) beta sqrt(J) on the paper's mixture path."""
    pair = MixturePath(d, eps)
    loss = sg_loss(pair)
    root = Value(math.sqrt(loss), 0.5 * loss.error / math.sqrt(loss))
    return quotient(infonce_excess(pair, beta), scaled(root, leading_constant() * beta))


def _defined_ratio(d: int) -> Value:
    """1/(2 k0 sqrt(I_d)), I_d the squared distance at eps = 1 by its three terms."""
    constant = squared_distance(_sg, INDEPENDENT, d, 1.0)
    value = 1 / (leading_constant() * math.sqrt(constant))
    return Value(value, value * (0.5 * constant.error / constant + 1e-13))


_RATIO_DOMAIN = Domain((_D, _BETA, _SHARE))
_RATIO_FORMULA = r"\frac{\mathcal{L}_\beta-\mathcal{L}^\star_\beta}{2k_0\beta\sqrt{\mathcal{J}}}"

_RATIO = Claim(
    key="proposition3.ratio",
    statement="on the mixture path the excess is a fraction 1/(2 k0 sqrt(I_d)) of the leading "
    "term, the same for every eps and beta",
    source=_PAPER,
    ours=False,
    domain=_RATIO_DOMAIN,
    left=lambda d, beta, eps: mixture_ratio(d, eps, beta),
    relation=Relation.EQUAL,
    right=lambda d, beta, eps: _defined_ratio(d),
    tight=True,
    formula=_RATIO_FORMULA + r"=\frac{1}{2k_0\sqrt{I_d}}",
    note="0.766730 at d = 16.",
)

_CAPTION = Claim(
    key="proposition3.caption",
    statement="that fraction is 0.77 to two digits at d = 16",
    source="SG paper, caption of Figure 1a",
    ours=False,
    domain=Domain((Axis("d", (16,), 16, 16, "integer"), _BETA, _SHARE)),
    left=lambda d, beta, eps: mixture_ratio(d, eps, beta),
    relation=Relation.EQUAL,
    right=lambda d, beta, eps: Value(0.77, 0.005, "two printed digits"),
    tight=False,
    formula=_RATIO_FORMULA + r"=0.77",
    resolution=0.01,
)

_RANGE = tuple(
    Claim(
        key=f"proposition3.range.{name}",
        statement=words,
        source=_PAPER,
        ours=True,
        domain=_RATIO_DOMAIN,
        left=lambda d, beta, eps: mixture_ratio(d, eps, beta),
        relation=relation,
        right=right,
        tight=tight,
        formula=formula,
        prove=prove,
    )
    for name, words, relation, right, tight, formula, prove in (
        (
            "least",
            "the fraction is at least that of d = 2, 0.650662: the leading term is never wasted",
            Relation.AT_LEAST,
            lambda d, beta, eps: _defined_ratio(2),
            True,
            _RATIO_FORMULA + r"\geq\frac{1}{2k_0\sqrt{I_2}}",
            proofs.mixture_least,
        ),
        (
            "most",
            "the fraction is below its limit for d -> inf, 0.784459: no path of this kind is sharp",
            Relation.AT_MOST,
            lambda d, beta, eps: constants.mixture_ratio(math.sqrt),
            False,
            _RATIO_FORMULA + r"<\frac{1}{2k_0\sqrt{I_\infty}}",
            proofs.mixture_most,
        ),
    )
)


CLAIMS: tuple[Claim, ...] = (
    _excess(INDEPENDENT, MixturePath),
    _excess(ANTIPODAL, AntipodalPath),
    *(_quadratic(*entry) for entry in KERNELS),
    *(_no_faster(*entry) for entry in KERNELS),
    _of_paths(MixturePath, INDEPENDENT),
    _of_paths(AntipodalPath, ANTIPODAL),
    _RATIO,
    _CAPTION,
    *_RANGE,
)
