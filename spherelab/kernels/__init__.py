"""The compiled loops: ``cpu`` (Numba). Imported where they are used: a compiler is slow to load."""
