"""Figures of the results: one module a figure, drawn from the claims that it shows."""
