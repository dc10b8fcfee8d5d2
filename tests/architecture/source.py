"""The source files, read and parsed once for every test about them."""

import ast
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

NOUN_FILES: Final = ("routes.py", "records.py", "queries.py", "actions.py", "tasks.py")
"""All that the folder of a noun may hold beside its `__init__.py`."""


@dataclass(frozen=True, slots=True)
class File:
    """One Python file of the package; `path` is relative to the package."""

    path: str
    text: str
    tree: ast.Module

    @property
    def made(self) -> bool:
        """Whether it is made by a program and read by nobody: its first lines say so."""
        return "\nMade by `make docs`" in self.text[:300]

    def stands_in(self, *patterns: str) -> bool:
        """Whether the path matches one of the patterns."""
        return any(fnmatch(self.path, pattern) for pattern in patterns)

    def imports(self) -> tuple[tuple[str, int], ...]:
        """Every imported module with the line that imports it."""
        return _imports(self.path)


@dataclass(frozen=True, slots=True, order=True)
class Noun:
    """A folder of an area that stands for a noun of the interface."""

    area: str
    name: str

    @property
    def folder(self) -> str:
        """Its folder, relative to the package and to the tests."""
        return f"{self.area}/{self.name}"


@cache
def files() -> tuple[File, ...]:
    """Every Python file of the package."""
    return tuple(_read(path) for path in sorted(PACKAGE.rglob("*.py")))


@cache
def nouns() -> tuple[Noun, ...]:
    """The folders of areas that have routes, or actions that commands call; all others are machinery."""
    named = {
        Noun(area, path.parent.name)
        for area in AREAS
        for file in ("routes.py", "actions.py")
        for path in (PACKAGE / area).glob(f"*/{file}")
    }
    return tuple(sorted(named))


@cache
def _imports(path: str) -> tuple[tuple[str, int], ...]:
    (file,) = (one for one in files() if one.path == path)
    found: list[tuple[str, int]] = []
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Import):
            found += ((alias.name, node.lineno) for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append((node.module, node.lineno))
    return tuple(found)


def _read(path: Path) -> File:
    text = path.read_text()
    return File(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text))
