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


@dataclass(frozen=True, slots=True)
class File:
    """One Python file of the package; `path` is relative to the package."""

    path: str
    text: str
    tree: ast.Module

    def stands_in(self, *patterns: str) -> bool:
        """Whether the path matches one of the patterns."""
        return any(fnmatch(self.path, pattern) for pattern in patterns)

    def imports(self) -> Iterator[tuple[str, int]]:
        """Every imported module with the line that imports it."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((alias.name, node.lineno) for alias in node.names)
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module, node.lineno


@cache
def files() -> tuple[File, ...]:
    """Every Python file of the package."""
    return tuple(_read(path) for path in sorted(PACKAGE.rglob("*.py")))


def _read(path: Path) -> File:
    text = path.read_text()
    return File(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text))
