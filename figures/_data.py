"""What a figure is drawn from: named arrays and where they come from, kept beside the picture."""

from __future__ import annotations

import functools
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import spherelab
from spherelab import output
from spherelab.claim import Claim

Array = NDArray[np.float64]
#: Called with (parts done, parts in all).
ProgressCall = Callable[[int, int], object]


@dataclass(frozen=True)
class Data:
    """The numbers of a figure.

    Attributes
    ----------
    arrays : by name; the name's first part is the panel, as in ``"a.extremal.ratio"``.
    parameters : what the panels were computed for, as plain numbers, texts and lists.
    claims : the keys of the claims whose sides are drawn, or on which a panel rests.
    seed : of the Monte Carlo marks.
    """

    arrays: Mapping[str, Array]
    parameters: Mapping[str, Any]
    claims: Sequence[str]
    seed: int

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]


@functools.cache
def _claims() -> dict[str, Claim]:
    from spherelab.theory import claims

    return {claim.key: claim for claim in claims()}


def claim(key: str) -> Claim:
    """The claim of this key; a figure draws its sides, and types no formula again."""
    return _claims()[key]


def sides(key: str, **point: float) -> tuple[float, float]:
    """The two sides of a claim at a point of its domain."""
    found = claim(key)
    for axis in found.domain.axes:
        axis.admit(point[axis.name])
    if found.left is None:
        raise ValueError(f"claim {key} has no exact left side")
    return float(found.left(**point)), float(found.right(**point))


def write(data: Data, name: str, folder: str) -> None:
    """Writes ``name.npz`` and ``name.json``: the same numbers give the same bytes."""
    archive = io.BytesIO()
    # the entries of the archive carry no time of day
    arrays: dict[str, Any] = {key: data.arrays[key] for key in sorted(data.arrays)}
    np.savez_compressed(archive, **arrays)
    output.write(archive.getvalue(), os.path.join(folder, f"{name}.npz"))
    described = {
        "figure": name,
        "spherelab": spherelab.__version__,
        "environment": output.environment(),
        "seed": data.seed,
        "parameters": data.parameters,
        "claims": sorted(data.claims),
        "arrays": {key: list(data.arrays[key].shape) for key in sorted(data.arrays)},
    }
    text = json.dumps(described, indent=2, sort_keys=True, allow_nan=False) + "\n"
    output.write(text, os.path.join(folder, f"{name}.json"))
