"""The source files, read and parsed once for every test about them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "weighbridge"

AREAS: Final = (
    "platform",
    "collection",
    "modelling",
    "accounting",
    "quality",
    "reporting",
    "exchange",
    "web",
)
"""The areas of the product, each importing only from those before it. Some are still to come."""


@dataclass(frozen=True, slots=True)
class File:
    """One Python file of the package; `path` is relative to the package."""

    path: str
    text: str
    tree: ast.Module

    @property
    def module(self) -> str:
        """The module that it is."""
        return "weighbridge." + self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def made(self) -> bool:
        """Whether it is made by a program and read by nobody: its first lines say so."""
        return "\nMade by `make docs`" in self.text[:300]

    def stands_in(self, *patterns: str) -> bool:
        """Whether the path matches one of the patterns."""
        return any(fnmatch(self.path, pattern) for pattern in patterns)

    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of its tree, from the outside in."""
        return _nodes(self)

    def imports(self) -> tuple[tuple[str, int], ...]:
        """Every imported module with the line that imports it."""
        return _imports(self.path)


@dataclass(frozen=True, slots=True, order=True)
class Noun:
    """A noun of the interface: a file at the root of an area that says what can be done with it."""

    area: str
    name: str

    @property
    def path(self) -> str:
        """Its file, relative to the package."""
        return f"{self.area}/{self.name}.py"

    @property
    def module(self) -> str:
        """Its module."""
        return f"weighbridge.{self.area}.{self.name}"

    @property
    def tests(self) -> str:
        """The folder of its tests, relative to the root."""
        return f"tests/{self.area}/{self.name}"


@cache
def files() -> tuple[File, ...]:
    """Every Python file of the package."""
    return tuple(_read(path) for path in sorted(PACKAGE.rglob("*.py")))


@cache
def nouns() -> tuple[Noun, ...]:
    """The files at the root of an area that have routes, or functions that write."""
    return tuple(
        Noun(area, file.path.split("/")[1].removesuffix(".py"))
        for file in files()
        if (area := file.path.partition("/")[0]) in AREAS
        and area != "web"
        and file.path.count("/") == 1
        and (has_routes(file) or any(verbs(file)))
    )


def has_routes(file: File) -> bool:
    """Whether a file lists paths of the interface."""
    return any(
        isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ROUTES" for node in file.tree.body
    )


def verbs(file: File) -> Iterator[str]:
    """What can be done by a file: its handlers that write, or, where it has no routes, what it records."""
    for node in file.tree.body:
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_"):
            if has_routes(file):
                writes = any(ast.unparse(one.annotation or node) == "WriteCall" for one in node.args.args)
            else:
                writes = "changes.record(" in ast.unparse(node)
            if writes:
                yield node.name


@cache
def _nodes(file: File) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(file.tree))


@cache
def _imports(path: str) -> tuple[tuple[str, int], ...]:
    (file,) = (one for one in files() if one.path == path)
    found: list[tuple[str, int]] = []
    for node in file.nodes():
        if isinstance(node, ast.Import):
            found += ((alias.name, node.lineno) for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append((node.module, node.lineno))
    return tuple(found)


def _read(path: Path) -> File:
    text = path.read_text()
    return File(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text))
