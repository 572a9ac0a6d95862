"""The README's table names every claim, and no claim that is not there."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import verify

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
KEYS = [claim.key for claim in verify.claims()]
ROWS = [line for line in README.splitlines() if line.startswith("| ") and "`verify." in line]
PATTERNS = {
    pattern: row
    for row in ROWS
    for pattern in re.findall(r"`([a-z_0-9]+\.[^`]+)`", row)
    if not pattern.startswith("verify.")
}


def test_every_pattern_names_a_claim() -> None:
    assert PATTERNS
    for pattern, row in PATTERNS.items():
        assert fnmatch.filter(KEYS, pattern), (pattern, row)


def test_every_claim_has_a_row() -> None:
    missing = [key for key in KEYS if not any(fnmatch.fnmatchcase(key, p) for p in PATTERNS)]
    assert not missing


def test_every_command_is_there() -> None:
    commands = {name for row in ROWS for name in re.findall(r"`verify\.([a-z_0-9]+)`", row)}
    assert commands == set(verify.RESULTS)


def test_what_is_marked_ours_is() -> None:
    """A pattern with a star after it names claims of ours alone."""
    ours = {claim.key: claim.ours for claim in verify.claims()}
    for row in ROWS:
        for pattern in re.findall(r"`([a-z_0-9]+\.[^`]+)`\\\*", row):
            assert all(ours[key] for key in fnmatch.filter(KEYS, pattern)), pattern
