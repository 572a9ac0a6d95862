"""Files that a reader sees whole or not at all, and what numbers may depend on."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata

#: Name in a document -> name of the distribution.
LIBRARIES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "numba": "numba",
    "mpmath": "mpmath",
    "sympy": "sympy",
    "flint": "python-flint",
}


def environment() -> dict[str, str | None]:
    """What the numbers may depend on; nothing that tells one person's machine from another's."""
    versions = {name: _version(distribution) for name, distribution in LIBRARIES.items()}
    return {
        "python": platform.python_version(),
        **versions,
        "platform": f"{sys.platform} {platform.machine()}",
    }


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def check_writable(path: str) -> None:
    """Raises OSError unless `write` can be expected to work; leaves nothing behind."""
    os.unlink(_open_beside(path))


def write(content: str | bytes, path: str) -> None:
    """Writes the content; a reader sees the old file or the whole new one, never a part.

    Text is written as UTF-8. OSError says why a file cannot be written.
    """
    temporary = _open_beside(path)
    try:
        with open(temporary, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.replace(temporary, os.path.realpath(path))
    except BaseException:
        os.unlink(temporary)
        raise


def _open_beside(path: str) -> str:
    """Makes an empty temporary file in the folder of ``path`` and returns its name."""
    if not path:
        raise OSError(None, "it names no file")
    target = os.path.realpath(path)  # a link stays a link, its target is replaced
    if os.path.islink(target):
        raise OSError(None, "it is a link to itself")
    if os.path.isdir(target):
        raise IsADirectoryError(None, "it is a folder")
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(None, "it is not a regular file (- is standard output)")
    temporary = f"{target}.{os.getpid()}.tmp"
    with open(temporary, "x"):
        pass
    return temporary
