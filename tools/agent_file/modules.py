"""The modules of the product that the agent's file needs: those that its program imports, wherever they do.

Invariant: an import within a function counts as one at the top; one for the checker of types alone does not.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools.distributions.staging import ROOT

SOURCE: Final = ROOT / "src"
PROGRAM: Final = "weighbridge.commands.agent_file"
MACHINE: Final = "weighbridge.agent.single_file.machine"
OPENING: Final = "weighbridge.agent.single_file.opening"
"""What the start of the file imports before anything else of it, with `MACHINE`."""


def find_modules(*first: str) -> dict[str, Path]:
    """The files of some modules and of all that they import of the product, by their names."""
    found: dict[str, Path] = {}
    waiting = [*first]
    while waiting:
        name = waiting.pop()
        path = find_file(name)
        if path is None or name in found:
            continue
        found[name] = path
        waiting += _list_imports(name, path)
    return dict(sorted(found.items()))


def find_file(module: str) -> Path | None:
    """The file of a module or a package; None where it is neither."""
    base = SOURCE.joinpath(*module.split("."))
    return next((path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()), None)


def find_data(modules: dict[str, Path]) -> Iterator[Path]:
    """The files beside modules that one of them names, such as a schema."""
    texts = [path.read_text() for path in modules.values()]
    for folder in sorted({path.parent for path in modules.values()}):
        for path in sorted(folder.iterdir()):
            is_data = path.is_file() and path.suffix not in {".py", ".pyc", ".md"}
            if is_data and any(f'"{path.name}"' in text for text in texts):
                yield path


def _list_imports(name: str, path: Path) -> Iterator[str]:
    """All that a module may import of the product, with the packages above it."""
    parts = name.split(".")
    yield from (".".join(parts[:length]) for length in range(1, len(parts)))
    for node in _walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("weighbridge"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("weighbridge"):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield from _walk(child)
