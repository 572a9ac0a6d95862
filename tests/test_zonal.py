"""Zonal kernels: their spectra rebuild them, and what the spectra say about each other."""

from __future__ import annotations

import dataclasses
import math
import pickle

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positive_series import gap, log_lambda, workprec

from spherelab.arguments import ArgumentError
from spherelab.gegenbauer import clenshaw, gegenbauer_all
from spherelab.sphere import coordinate_rule, log_multiplicity
from spherelab.zonal import ExpKernel, GaussianKernel, MomentMatching, SGLift, ZonalKernel

pytest.importorskip("flint")

KERNELS = [ExpKernel(2.5), GaussianKernel(0.7), MomentMatching(), SGLift()]
DIMENSIONS = [2, 3, 8, 57, 1024]
COSINES = np.concatenate([np.linspace(-1, 1, 41), [1 - 1e-9, -1 + 1e-9, 1e-300]])


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


dimensions = st.one_of(st.integers(2, 40), log_uniform(2, 1e5).map(round))
degrees = st.one_of(st.integers(0, 30), log_uniform(1, 1e4).map(round))
scales = log_uniform(1e-8, 1e6)


def ulps(value: float, least: float = 4e-14) -> float:
    return max(float(np.spacing(abs(value))), least)


def rebuilt(kernel: ZonalKernel, d: int, top: int) -> np.ndarray:
    """sum_l N_l k_l P_l(t) over the degrees up to ``top``."""
    ell = np.arange(top + 1)
    coefficients = np.exp(log_multiplicity(d, ell) + kernel.log_eigenvalues(d, ell))
    return clenshaw(d, coefficients, COSINES)


class TestRebuilding:
    @pytest.mark.parametrize("beta", [1e-8, 0.1, 5.0, 50.0, 600.0])
    @pytest.mark.parametrize("d", DIMENSIONS)
    def test_exponential(self, d: int, beta: float) -> None:
        """e^{beta t}; the error is relative to the largest value, as for any sum over degrees."""
        values = rebuilt(ExpKernel(beta), d, int(3 * beta) + 60)
        assert np.max(np.abs(values - np.exp(beta * COSINES))) < 1e-12 * math.exp(beta)

    @pytest.mark.parametrize("gamma", [1e-8, 0.1, 5.0, 500.0])
    @pytest.mark.parametrize("d", DIMENSIONS)
    def test_gaussian(self, d: int, gamma: float) -> None:
        """e^{-gamma |u-v|^2}, |u-v|^2 = 2 - 2t."""
        values = rebuilt(GaussianKernel(gamma), d, int(5 * gamma) + 60)
        assert np.max(np.abs(values - np.exp(-2 * gamma * (1 - COSINES)))) < 1e-12

    @pytest.mark.parametrize("d", DIMENSIONS)
    def test_moments(self, d: int) -> None:
        """k(t) = t + t^2 - 1/d: two degrees."""
        values = rebuilt(MomentMatching(), d, 6)
        assert np.max(np.abs(values - (COSINES + COSINES**2 - 1 / d))) < 1e-14

    @pytest.mark.parametrize("d", DIMENSIONS)
    @pytest.mark.parametrize("s", [0.3, 2.0, 6.0])
    def test_profiles_rebuild_the_lift(self, d: int, s: float) -> None:
        """sum_l i^l psi_l(s) N_l P_l(x) = E e^{i s R x}, R ~ chi_d: the lift of one point."""
        ell = np.arange(400)
        terms = np.exp(log_multiplicity(d, ell) + SGLift().log_profile(d, ell, s))
        if d > 500:
            s = min(s, 2.0)
            terms = np.exp(log_multiplicity(d, ell) + SGLift().log_profile(d, ell, s))
        signs = np.array([1, 1, -1, -1])[ell % 4]
        even, odd = np.where(ell % 2 == 0, 1.0, 0.0), np.where(ell % 2 == 1, 1.0, 0.0)
        x = np.array([-1.0, -0.4, 0.1, 0.7, 1.0]) / max(1.0, math.sqrt(d / 16))
        real = clenshaw(d, signs * even * terms, x)
        imaginary = clenshaw(d, signs * odd * terms, x)
        size = float(np.sum(np.abs(terms * gegenbauer_all(d, 399, x).T)))
        with mp.workdps(60):
            half = mp.mpf(d) / 2
            lead = mp.sqrt(2) * mp.gamma(half + 0.5) / mp.gamma(half)
            for k, point in enumerate(x):
                z = s * mp.mpf(float(point))
                cosine = mp.hyp1f1(half, 0.5, -z * z / 2)
                sine = lead * z * mp.hyp1f1(half + 0.5, 1.5, -z * z / 2)
                assert abs(real[k] - cosine) < 1e-14 * size + 1e-14
                assert abs(imaginary[k] - sine) < 1e-14 * size + 1e-14

    def test_trace(self) -> None:
        """At t = 1: sum_l N_l k_l is the kernel's diagonal."""
        for d in (2, 5, 300):
            ell = np.arange(400)
            log_n = log_multiplicity(d, ell)
            total = np.exp(log_n + ExpKernel(7.0).log_eigenvalues(d, ell)).sum()
            assert total == pytest.approx(math.exp(7), rel=1e-13)
            total = np.exp(log_n + GaussianKernel(7.0).log_eigenvalues(d, ell)).sum()
            assert total == pytest.approx(1, rel=1e-13)


class TestFunkHecke:
    @pytest.mark.parametrize("d", [2, 3, 8, 57])
    @pytest.mark.parametrize(
        ("kernel", "profile"),
        [
            (ExpKernel(2.5), lambda d, t: np.exp(2.5 * t)),
            (GaussianKernel(0.7), lambda d, t: np.exp(-1.4 * (1 - t))),
            (MomentMatching(), lambda d, t: t + t * t - 1 / d),
        ],
    )
    def test_eigenvalue_is_the_mean_against_the_polynomial(
        self, d: int, kernel: ZonalKernel, profile: object
    ) -> None:
        t, weights = coordinate_rule(d, 40)
        means = gegenbauer_all(d, 6, t) @ (weights * profile(d, t))  # type: ignore[operator]
        assert np.allclose(means, kernel.eigenvalues(d, np.arange(7)), rtol=0, atol=2e-14)


class TestAccuracy:
    @settings(max_examples=40)
    @given(dimensions, degrees, scales)
    def test_exponential(self, d: int, ell: int, beta: float) -> None:
        value = float(ExpKernel(beta).log_eigenvalues(d, ell))
        assert gap(value, log_lambda(ell, d, beta)) <= ulps(value)

    @settings(max_examples=40)
    @given(dimensions, degrees, scales)
    def test_gaussian(self, d: int, ell: int, gamma: float) -> None:
        from flint import arb

        value = float(GaussianKernel(gamma).log_eigenvalues(d, ell))
        with workprec():
            truth = log_lambda(ell, d, 2 * gamma) - 2 * arb(gamma)
        assert gap(value, truth) <= ulps(value)

    def test_moments(self) -> None:
        kernel = MomentMatching()
        for d in (2, 3, 100, 100_000):
            values = kernel.eigenvalues(d, np.arange(6))
            assert values[[0, 3, 4, 5]].tolist() == [0.0] * 4
            assert values[1] == pytest.approx(1 / d, rel=1e-14)
            assert values[2] == pytest.approx(2 / (d * (d + 2)), rel=1e-14)
        assert kernel.log_eigenvalues(5, [0, 3]).tolist() == [-np.inf, -np.inf]


class TestRange:
    def test_logs_stay_where_values_leave_the_doubles(self) -> None:
        assert float(ExpKernel(1e6).eigenvalues(16, 0)) == math.inf
        assert 9.9e5 < float(ExpKernel(1e6).log_eigenvalues(16, 0)) < 1e6
        for kernel in (ExpKernel(1e-8), GaussianKernel(1e-8), SGLift()):
            assert float(kernel.eigenvalues(16, 10_000)) == 0.0
            assert -1e6 < float(kernel.log_eigenvalues(16, 10_000)) < -1e4

    @pytest.mark.parametrize("d", [2, 3, 1000, 100_000])
    @pytest.mark.parametrize(
        "kernel",
        [ExpKernel(1e-8), ExpKernel(1e6), GaussianKernel(1e-8), GaussianKernel(1e6), SGLift()],
    )
    def test_ten_thousand_degrees(self, kernel: ZonalKernel, d: int) -> None:
        values = kernel.log_eigenvalues(d, np.arange(10_001))
        assert np.all(np.isfinite(values))
        assert np.all(np.diff(values) < 0)

    def test_huge_scales(self) -> None:
        for x in (1e12, 1e50, 1e99):
            value = float(GaussianKernel(x / 2).log_eigenvalues(5, 2))
            leading = math.lgamma(2.5) + 1.5 * math.log(2 / x) - 0.5 * math.log(2 * math.pi * x)
            assert value == pytest.approx(leading, rel=1e-11)


class TestComparisons:
    def test_gaussian_of_half_the_scale_is_the_exponential_kernel(self) -> None:
        """e^{-(beta/2)|u-v|^2} = e^{-beta} e^{beta u.v}: one constant ratio for all degrees."""
        ell = np.arange(200)
        for d in (2, 9, 400):
            for beta in (0.1, 5.0, 80.0):
                ratio = GaussianKernel(beta / 2).log_eigenvalues(d, ell)
                ratio = ratio - ExpKernel(beta).log_eigenvalues(d, ell)
                assert np.allclose(ratio, -beta, rtol=0, atol=1e-12)

    def test_wider_gaussians_lose_to_the_exponential_and_narrower_win(self) -> None:
        """inf_l k_l/lambda_l > 0 exactly when gamma >= beta/2."""
        ell = np.arange(1, 300)
        exponential = ExpKernel(4.0).log_eigenvalues(8, ell)
        assert np.all(np.diff(GaussianKernel(1.9).log_eigenvalues(8, ell) - exponential) < 0)
        assert np.all(np.diff(GaussianKernel(2.1).log_eigenvalues(8, ell) - exponential) > 0)

    def test_lift_dominates_the_exponential_kernel_in_the_end(self) -> None:
        for d, beta in ((2, 0.5), (8, 5.0), (128, 50.0)):
            ell = np.arange(int(4 * beta) + 8, 2000)
            ratio = SGLift().log_eigenvalues(d, ell) - ExpKernel(beta).log_eigenvalues(d, ell)
            assert np.all(np.diff(ratio) > 0)
            assert ratio[-1] > 1000

    def test_ratios_are_those_of_the_eigenvalues(self) -> None:
        ell = np.arange(80)
        for d in (2, 16, 1000):
            kernel = ExpKernel(6.0)
            logs = kernel.log_eigenvalues(d, ell)
            assert np.allclose(kernel.log_ratios(d, ell), logs - logs[0], rtol=1e-14, atol=1e-13)
            assert kernel.log_ratios(d, 0) == 0.0

    def test_larger_scale_spreads_the_spectrum(self) -> None:
        ell = np.arange(1, 50)
        grid = [ExpKernel(beta).log_ratios(10, ell) for beta in np.geomspace(1e-8, 1e6, 30)]
        assert np.all(np.diff(np.array(grid), axis=0) > 0)


class TestInterface:
    @pytest.mark.parametrize("kernel", KERNELS, ids=repr)
    def test_shapes_orders_and_repetitions(self, kernel: ZonalKernel) -> None:
        ell = np.array([[2, 0, 7], [2, 150, 1]])
        for d in (2, 300):
            logs = kernel.log_eigenvalues(d, ell)
            assert logs.shape == (2, 3)
            assert logs[0, 0] == logs[1, 0]
            assert np.array_equal(kernel.eigenvalues(d, ell), np.exp(logs))
            for index in np.ndindex(2, 3):
                alone = kernel.log_eigenvalues(d, int(ell[index]))
                assert alone.shape == ()
                close = abs(float(alone) - float(logs[index])) <= ulps(float(alone), 4e-15)
                assert alone == logs[index] or close
            assert kernel.eigenvalues(d, np.array([], dtype=int)).shape == (0,)
            assert kernel.eigenvalues(d, range(3)).shape == (3,)

    @pytest.mark.parametrize("kernel", KERNELS, ids=repr)
    def test_immutable_values(self, kernel: ZonalKernel) -> None:
        assert eval(repr(kernel)) == kernel
        assert pickle.loads(pickle.dumps(kernel)) == kernel
        assert hash(kernel) == hash(dataclasses.replace(kernel))
        for field in dataclasses.fields(kernel):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(kernel, field.name, 3.0)

    def test_integer_scale_is_a_float(self) -> None:
        assert ExpKernel(2) == ExpKernel(2.0)
        assert isinstance(GaussianKernel(np.float32(2)).gamma, float)

    @pytest.mark.parametrize("kernel", KERNELS, ids=repr)
    @pytest.mark.parametrize(
        ("d", "ell", "message"),
        [
            (1, 3, "d must be an integer >= 2, got 1"),
            (-4, 3, "d must be an integer >= 2, got -4"),
            (2.0, 3, "d must be an integer >= 2, got 2.0"),
            (True, 3, "d must be an integer >= 2, got True"),
            (None, 3, "d must be an integer >= 2, got None"),
            (math.nan, 3, "d must be an integer >= 2, got nan"),
            ([2, 3], 3, r"d must be an integer >= 2, got \[2, 3\]"),
            (10**12, 3, "d must be at most 1000000000, got 1000000000000"),
            (8, -1, "degrees must be integers >= 0, got -1"),
            (8, [0, -3], "degrees must be integers >= 0, got -3"),
            (8, 2.0, "degrees must be integers >= 0, got 2.0"),
            (8, math.nan, "degrees must be integers >= 0, got nan"),
            (8, "2", "degrees must be integers >= 0, got '2'"),
            (8, None, "degrees must be integers >= 0, got None"),
            (8, 1j, "degrees must be integers >= 0, got 1j"),
            (8, [], r"degrees must be integers >= 0, got \[\]"),
            (8, 10**19, "degrees must be at most 1000000000, got 10000000000000000000"),
        ],
    )
    def test_bad_dimension_or_degrees(
        self, kernel: ZonalKernel, d: object, ell: object, message: str
    ) -> None:
        for function in (kernel.eigenvalues, kernel.log_eigenvalues):
            with pytest.raises(ArgumentError, match=message):
                function(d, ell)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            (0.0, "must be finite and > 0, got 0.0"),
            (-1.0, "must be finite and > 0, got -1.0"),
            (math.nan, "must be finite and > 0, got nan"),
            (math.inf, "must be finite and > 0, got inf"),
            (1e200, r"must be in \[0, 1e\+99\], got 1e\+200"),
            ("2", "must be a number finite and > 0, got '2'"),
            (None, "must be a number finite and > 0, got None"),
            (1j, "must be a number finite and > 0, got 1j"),
            (True, "must be a number finite and > 0, got True"),
            ([1.0, 2.0], r"must be a number finite and > 0, got \[1.0, 2.0\]"),
        ],
    )
    def test_bad_scale(self, value: object, message: str) -> None:
        with pytest.raises(ArgumentError, match="^beta " + message):
            ExpKernel(value)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="^gamma " + message):
            GaussianKernel(value)  # type: ignore[arg-type]

    def test_errors_are_value_errors(self) -> None:
        with pytest.raises(ValueError, match="beta"):
            ExpKernel(math.nan)
