"""Times ten thousand degrees of the spectra, and the floor under each: its exponentials alone.

    python tests/bench/bench_spectra.py [--degrees 10000] [--repeat 5]

Not collected by pytest. Each row gives the best time of a few runs, the number of elements that
went through an exponential or a logarithm, the time of as many elements of ``np.exp`` (on a block
that stays in cache), and the quotient of the two. Every timed spectrum is first checked to be
finite and to fall.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from spherelab import bessel, extended, kummer, lift
from spherelab.zonal import ExpKernel, GaussianKernel, SGLift

DIMENSIONS = (2, 3, 16, 128, 1024, 100_000)
_COUNTED = ("exp", "expm1", "log", "log1p")


class CountingNumpy:
    """Stands in for numpy in a module, and counts the elements of its transcendental calls."""

    def __init__(self) -> None:
        self.elements = 0

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        if name not in _COUNTED:
            return function

        def counted(x: Any, *args: Any, **kwargs: Any) -> Any:
            self.elements += np.size(x)
            return function(x, *args, **kwargs)

        return counted


def elements(call: Callable[[], object]) -> int:
    """How many elements the call puts through an exponential or a logarithm."""
    modules = (bessel, extended, kummer, lift)
    counter = CountingNumpy()
    for module in modules:
        module.np = counter  # type: ignore[attr-defined]
    try:
        call()
    finally:
        for module in modules:
            module.np = np  # type: ignore[attr-defined]
    return counter.elements


def best(call: Callable[[], object], repeat: int) -> float:
    """The shortest of a few runs, in seconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def cost_of_exp() -> float:
    """Seconds of one element of np.exp, in place, on a block that stays in cache."""
    x = np.linspace(-40.0, 0.0, 1 << 17)
    out = np.empty_like(x)
    return best(lambda: np.exp(x, out=out), 50) / x.size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--degrees", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    ell = np.arange(options.degrees)
    each = cost_of_exp()
    print(f"numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}")
    print(
        f"one np.exp: {each * 1e9:.2f} ns an element; {ell.size} degrees, best of {options.repeat}"
    )
    rows: list[tuple[str, Callable[[int], np.ndarray]]] = [
        ("log mu_l", lambda d: SGLift().log_eigenvalues(d, ell)),
        ("log mu_l(0.3)", lambda d: SGLift().log_eigenvalues(d, ell, 0.3)),
        ("log k_l(0.6, 1)", lambda d: SGLift().log_cross(d, ell, 0.6, 1.0)),
        ("gain_l/mu_l", lambda d: -SGLift().gain_ratios(d, ell)),
        ("log lambda_l(5)", lambda d: ExpKernel(5.0).log_eigenvalues(d, ell)),
        ("log lambda_l(1e6)", lambda d: ExpKernel(1e6).log_eigenvalues(d, ell)),
        ("log gauss_l(1)", lambda d: GaussianKernel(1.0).log_eigenvalues(d, ell)),
    ]
    print(f"{'':<18} {'d':>7} {'seconds':>9} {'elements':>11} {'floor':>8} {'ratio':>6}")
    for name, spectrum in rows:
        for d in DIMENSIONS:
            values = spectrum(d)
            if not (np.all(np.isfinite(values)) and np.all(np.diff(values) < 0)):
                raise SystemExit(f"{name} at d = {d} is not a decreasing spectrum")

            def call(d: int = d, spectrum: Callable[[int], np.ndarray] = spectrum) -> object:
                return spectrum(d)

            seconds, count = best(call, options.repeat), elements(call)
            floor = count * each
            row = f"{name:<18} {d:>7} {seconds:>9.4f} {count:>11} {floor:>8.4f}"
            print(f"{row} {seconds / floor:>6.1f}")


if __name__ == "__main__":
    main()
