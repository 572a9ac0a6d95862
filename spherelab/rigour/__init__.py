"""The definitions of the library in ball arithmetic (Arb, through python-flint).

Balls enclose the exact value: midpoint and radius. Functions take ints, Fractions, decimal strings,
floats (read as their binary value) or balls, and return balls (``flint.arb``); none leaves another
precision behind. Tails of series are bounded, not cut; each bound is derived where it is used.

- `balls`: the driver, `prove_positive`, that cuts a box until a sign is decided;
- `spectrum`: mu_l, k_l(r1, r2), gain_l, lambda_l(beta), r_l, and bounds on neighbours' ratios;
- `losses`: J0, the mixture path, the regular polygon;
- `condition`: C_U with its argmax;
- `tangent`: the counterexample to unequal marginals;
- `remainder`, `constant`: K_l and the linear constant of Theorem 1;
- `proofs`: statements, each as a function that returns a `spherelab.claim.Proof`.

python-flint is an extra: pip install 'spherelab[rigour]'. Without it, importing this package works
and calling a function raises `RigourUnavailable`.
"""

from __future__ import annotations

from spherelab.rigour.balls import (
    BITS,
    RigourUnavailable,
    each_point,
    exact,
    flint,
    hull,
    prove_positive,
)
from spherelab.rigour.condition import DominationConstant, domination_constant
from spherelab.rigour.constant import LinearConstant, linear_constant
from spherelab.rigour.losses import (
    extremal_loss,
    extremal_quotient,
    extremal_ratio,
    extremal_second_order,
    k0,
    mixture_constant,
    mixture_ratio,
    polygon_excess,
    polygon_loss,
    polygon_ratio,
)
from spherelab.rigour.proofs import (
    prove_domination,
    prove_extremal_bound,
    prove_extremal_expansion,
    prove_gain,
    prove_gaussian,
    prove_mixture,
    prove_mixture_range,
    prove_polygon,
    prove_remainder,
    prove_tangent,
)
from spherelab.rigour.remainder import (
    remainder_bound,
    remainder_limit,
    remainder_margin,
)
from spherelab.rigour.spectrum import (
    cross,
    gain,
    gain_ratio,
    gain_ratio_lower,
    lambda_,
    lambda_log,
    mu,
    mu_ratio_lower,
    mu_ratio_upper,
    multiplicity,
    r,
    r_ratio_upper,
)
from spherelab.rigour.tangent import tangent_ratio, tangent_uniformity

__all__ = [
    "BITS",
    "DominationConstant",
    "LinearConstant",
    "RigourUnavailable",
    "cross",
    "domination_constant",
    "each_point",
    "exact",
    "extremal_loss",
    "extremal_quotient",
    "extremal_ratio",
    "extremal_second_order",
    "flint",
    "gain",
    "gain_ratio",
    "gain_ratio_lower",
    "hull",
    "k0",
    "lambda_",
    "lambda_log",
    "linear_constant",
    "mixture_constant",
    "mixture_ratio",
    "mu",
    "mu_ratio_lower",
    "mu_ratio_upper",
    "multiplicity",
    "polygon_excess",
    "polygon_loss",
    "polygon_ratio",
    "prove_domination",
    "prove_extremal_bound",
    "prove_extremal_expansion",
    "prove_gain",
    "prove_gaussian",
    "prove_mixture",
    "prove_mixture_range",
    "prove_polygon",
    "prove_positive",
    "prove_remainder",
    "prove_tangent",
    "r",
    "r_ratio_upper",
    "remainder_bound",
    "remainder_limit",
    "remainder_margin",
    "tangent_ratio",
    "tangent_uniformity",
]
