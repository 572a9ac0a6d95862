"""Imports point downwards, and heavy libraries are imported where they are used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(
    path for folder in ("spherelab", "verify", "figures") for path in (ROOT / folder).rglob("*.py")
)
HEAVY = {
    *("matplotlib", "numba", "sympy", "mpmath", "flint", "cupy", "torch"),
    *("distributed", "dask", "pyarrow", "safetensors"),
}
#: The compiled loops: they may import their compiler, but nobody may import them at the top.
COMPILED = {"spherelab.kernels.cpu": "numba", "spherelab.kernels.gpu": "cupy"}

#: What may not be imported by a module, anywhere in it: (modules, forbidden).
NUMERICS = {
    f"spherelab.{name}"
    for name in (
        "arguments",
        "value",
        "immutable",
        "extended",
        "kummer",
        "sphere",
        "bessel",
        "gegenbauer",
        "lift",
        "sliced",
        "zonal",
        "kernels",
    )
}
LAWS = {"spherelab.laws", "spherelab.pairs"}
QUANTITIES = {"spherelab.population", "spherelab.estimators", "spherelab.diagnostics"}
CLAIMS = {"spherelab.claim", "spherelab.check", "spherelab.rigour", "spherelab.theory"}
FACES = {"verify", "figures", "spherelab.report", "spherelab.__main__"}
RULES = [
    ({"spherelab"}, {"verify", "figures", "tests", "hypothesis", "pytest"}),
    ({"verify"}, {"figures", "tests", "hypothesis", "pytest"}),
    ({"figures"}, {"verify", "tests", "hypothesis", "pytest"}),
    (NUMERICS, LAWS | QUANTITIES | CLAIMS | FACES),
    (LAWS, QUANTITIES | CLAIMS | FACES),
    (QUANTITIES, CLAIMS | FACES),
    ({"spherelab.claim"}, {"spherelab.check", "spherelab.theory"} | LAWS | QUANTITIES | FACES),
    ({"spherelab.check"}, {"spherelab.theory"} | LAWS | QUANTITIES | FACES),
    # ball arithmetic is a second, independent route to the same quantities
    ({"spherelab.rigour"}, {"spherelab.check", "spherelab.theory"} | LAWS | QUANTITIES | FACES),
    ({"spherelab.theory"}, FACES),
]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def belongs(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def imported(nodes: Iterator[ast.AST], path: Path) -> Iterator[str]:
    """The full names that these import statements may bring in."""
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def on_import(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported: no function bodies, no TYPE_CHECKING."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield other
                yield from on_import(other)
            continue
        yield node
        yield from on_import(node)


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_point_downwards(path: Path) -> None:
    module = module_name(path)
    names = set(imported(ast.walk(ast.parse(path.read_text())), path))
    for modules, forbidden in RULES:
        if belongs(module, modules):
            assert not {name for name in names if belongs(name, forbidden)}


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_heavy_libraries_are_imported_where_they_are_used(path: Path) -> None:
    module = module_name(path)
    names = set(imported(on_import(ast.parse(path.read_text())), path))
    allowed = {COMPILED[module]} if module in COMPILED else set()
    assert not {name for name in names if belongs(name, HEAVY - allowed)}
    assert not {name for name in names if belongs(name, set(COMPILED))}


def test_the_rules_name_modules_that_are_there() -> None:
    """A rule about a module that was renamed would hold for nothing."""
    modules = {module_name(path) for path in SOURCES}
    assert len(modules) > 10
    assert modules >= NUMERICS | LAWS | QUANTITIES | CLAIMS


def test_the_rules_see_every_form_of_import(tmp_path: Path) -> None:
    source = """
import numba
from spherelab import laws
from . import population
from .kernels.cpu import loop
if True:
    import sympy
if TYPE_CHECKING:
    import flint
def late():
    import mpmath
class Eager:
    import cupy
"""
    path = ROOT / "spherelab" / "imaginary.py"
    top = set(imported(on_import(ast.parse(source)), path))
    assert {"numba", "sympy", "cupy", "spherelab.laws", "spherelab.population"} <= top
    assert "spherelab.kernels.cpu" in top
    assert not {"flint", "mpmath"} & top
    everything = set(imported(ast.walk(ast.parse(source)), path))
    assert {"flint", "mpmath"} <= everything


@pytest.mark.parametrize("module", ["spherelab", "verify", "verify._command", "verify.theorem1"])
def test_a_light_module_loads_nothing_heavy(module: str) -> None:
    heavy = HEAVY | {"numpy", "scipy"}
    code = f"import sys, {module}; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
