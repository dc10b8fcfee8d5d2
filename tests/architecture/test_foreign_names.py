"""No private name of a library is used: those change without notice, and nothing tells us."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from tests.architecture.source import PACKAGE, ROOT, File, files

DOCUMENTED = {
    "_asdict", "_fields", "_make", "_replace",  # of named tuples, with a line below so as not to be a field's
    "os._exit",
    "sys._current_frames",
}  # fmt: skip
"""Names with a line below that the documentation of Python gives to everybody."""

EXCEPTIONS: set[str] = {
    f"src/weighbridge/db/transaction.py: {name}"
    for name in (
        *("connection._pipeline", "cursor._execute_gen"),
        *("_Message._communicate_gen", "_Message._enqueue_sync", "_Message._exit_gen", "_Message._fetch_gen"),
    )
}
"""Uses that stay, as `path: name`. A message leaves in one piece, so that a process that freezes has sent all
of it or nothing: with psycopg's own pipeline `durability/test_fence.py` leaves locks that nothing ends."""


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    """The package, its tools and its benchmarks; tests may look at whatever they like."""
    paths = [path for folder in ("tools", "benchmarks") for path in sorted(Path(ROOT, folder).rglob("*.py"))]
    return (
        *((f"src/weighbridge/{file.path}", file.tree) for file in files()),
        *((path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())) for path in paths),
    )


@cache
def benchmark_names() -> frozenset[str]:
    """The modules of the benchmarks, which import one another by their names."""
    return frozenset(path.stem for path in Path(ROOT, "benchmarks").glob("*.py"))


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def imported(tree: ast.Module) -> Iterator[str]:
    """Private modules, and private names of modules, that a file imports from others than ours."""
    own = ("weighbridge", "tools", *benchmark_names())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, *rest = name.split(".")
            if (first not in own and first != "__future__") and any(map(is_private, (first, *rest))):
                yield name


def reached(tree: ast.Module) -> Iterator[str]:
    """Private names of anything but the object that a method is of, also where a text gives the name."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=name) if is_private(name):
                holder = ast.unparse(value)
                if holder not in {"self", "cls"} and not {name, f"{holder}.{name}"} & DOCUMENTED:
                    yield f"{holder}.{name}"
            case ast.Call(func=ast.Name(id="getattr" | "setattr" | "delattr"), args=[of, name, *_]):
                if isinstance(name, ast.Constant) and is_private(str(name.value)):
                    yield f"{ast.unparse(of)}.{name.value}"
            case ast.Constant(value=str() as text) if "._" in text and text.replace(".", "").isidentifier():
                if text.partition(".")[0] in sys.modules and any(map(is_private, text.split("."))):
                    yield text


@cache
def classes() -> dict[tuple[str, str], tuple[File, ast.ClassDef]]:
    """The classes of the package by module and name."""
    found = {}
    for file in files():
        module = ".".join(("weighbridge", *file.path.removesuffix(".py").split("/"))).removesuffix(
            ".__init__"
        )
        for node in file.nodes():
            if isinstance(node, ast.ClassDef):
                found[module, node.name] = file, node
    return found


def defined(node: ast.ClassDef) -> set[str]:
    """Private names that a class defines: methods, fields, and what its methods set on `self`."""
    names = {one.name for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store):
            names.add(one.attr)
    for one in node.body:
        targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
        if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", "") == "__slots__":
            names |= {*ast.literal_eval(one.value)}
    return {*filter(is_private, names)}


@cache
def all_imported() -> frozenset[str]:
    """Uses of private names by importing them, in all sources."""
    return frozenset(f"{path}: {name}" for path, tree in sources() for name in imported(tree))


@cache
def all_reached() -> frozenset[str]:
    """Uses of private names of other objects, in all sources."""
    return frozenset(f"{path}: {name}" for path, tree in sources() for name in reached(tree))


@cache
def all_inherited() -> frozenset[str]:
    """Private names that classes of ours take from, or redefine of, those of somebody else."""
    return frozenset(inherited())


def inherited() -> Iterator[str]:
    """Private names that a class of ours takes from, or redefines of, a class of somebody else."""
    for (module, name), (file, node) in classes().items():
        made = vars(import_module(module)).get(name)
        if not node.bases or not isinstance(made, type):
            continue
        ours = [
            classes()[key][1] for one in made.__mro__ if (key := (one.__module__, one.__name__)) in classes()
        ]
        theirs = [one for one in made.__mro__ if not one.__module__.startswith("weighbridge")]
        own = set().union(*map(defined, ours))
        used = {
            one.attr
            for one in ast.walk(node)
            if isinstance(one, ast.Attribute)
            and is_private(one.attr)
            and ast.unparse(one.value) in {"self", "cls"}
        }
        redefined = {one for one in defined(node) if any(one in vars(of) for of in theirs)}
        for one in sorted((used - own - DOCUMENTED) | redefined):
            yield f"src/weighbridge/{file.path}: {name}.{one}"


def test_no_private_name_of_a_library_is_imported():
    found = all_imported()

    assert not found - EXCEPTIONS, "\n".join(sorted(found - EXCEPTIONS))


def test_no_private_name_of_another_object_is_reached_for():
    found = all_reached()

    assert not found - EXCEPTIONS, "\n".join(sorted(found - EXCEPTIONS))


def test_no_class_takes_or_redefines_a_private_name_of_a_library():
    found = all_inherited()

    assert not found - EXCEPTIONS, "\n".join(sorted(found - EXCEPTIONS))


def test_every_exception_is_still_needed():
    assert all_imported() | all_reached() | all_inherited() >= EXCEPTIONS


def test_private_names_are_found():
    tree = ast.parse(
        "import granian._granian\n"
        "from psycopg._enums import Format\n"
        "cursor._execute_gen()\n"
        "super()._on_connect()\n"
        "getattr(registry, '_units')\n"
        "known = 'msgspec._core'\n"
        "row._replace(a=1); os._exit(0); self._own\n"
    )

    assert [*imported(tree)] == ["granian._granian", "psycopg._enums.Format"]
    assert sorted(reached(tree)) == [
        "cursor._execute_gen", "msgspec._core", "registry._units", "super()._on_connect",
    ]  # fmt: skip
    assert PACKAGE.is_dir()
