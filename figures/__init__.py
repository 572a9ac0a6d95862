"""Figures of the results: one module a figure, drawn from the claims that it shows.

A figure module has ``TITLE``, ``data(quick=..., seed=..., progress=...) -> Data`` and
``build(data) -> matplotlib Figure``. ``python -m figures`` draws all of them.
"""

from __future__ import annotations

#: The figures, in the order of the paper, ours last: ``python -m figures <name>``.
FIGURES: tuple[str, ...] = ("fig1", "fig2", "linear_term")
