"""Hypothesis strategies: points of a claim's whole domain."""

from __future__ import annotations

from hypothesis import strategies as st

from spherelab.claim import Domain, Point


def points(domain: Domain) -> st.SearchStrategy[Point]:
    """Any point of the domain, each axis drawn along its own scale, not only the grid."""
    fractions = st.tuples(*(st.floats(0.0, 1.0) for _ in domain.axes))
    return fractions.map(domain.point_at).filter(lambda point: point is not None)  # type: ignore[return-value]
