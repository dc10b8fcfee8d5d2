"""The floor plan: areas, and in each area nouns above machinery above records. ARCHITECTURE.md draws it."""

import ast
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import Any

from tests.architecture.source import AREAS, ROOT, File, files, has_routes

FILES_OF_A_FOLDER_MIN = 3
"""A folder for fewer is no room of its own."""

FILES_OF_A_FOLDER_MAX = 25
"""Beside subfolders and `__init__.py`."""

UPWARD_IMPORTS_MAX = 0
"""How many imports may run upward between areas. It only ever shrinks."""

GROUND = {"http/text.py", "db/lists/field.py", "db/lists/listing.py"}
"""Beside records and core: the types of texts of requests, what a field declares, and pages of lists."""

ONE_NOUN = {"Model", "Rule", "StaticInput"}
"""Class names that stand twice because they are one noun: the record on the wire, and what the core computes
with."""


def test_no_import_runs_upward_between_areas():
    ignored = [one for contract in _contracts() for one in contract.get("ignore_imports", ())]

    assert len(ignored) <= UPWARD_IMPORTS_MAX, "\n".join(ignored)


def test_machinery_imports_no_file_of_a_noun():
    """What is at the root of an area is its top floor, but for records and machinery; folders know it not.

    Machinery at the root has no routes and a floor of its own in the contract of the area.
    """
    floors = _floors()
    roots = {
        file.path
        for file in files()
        if _area(file.path)
        and file.path.count("/") == 1
        and not _is_of_records(file.path)
        and (has_routes(file) or file.path not in floors)
    }

    upward = [
        f"{importer} imports {imported}"
        for importer, every in _imports().items()
        for imported in every
        if importer.count("/") > 1
        and _area(importer) == _area(imported) not in {"", "web"}
        and imported in roots
        and not imported.endswith("/__init__.py")
    ]

    assert not upward, "\n".join(upward)


def test_records_are_the_ground_floor():
    """Records import the core, the types of texts of requests, and other records."""
    astray = [
        f"{importer} imports {imported}"
        for importer, every in _imports().items()
        if _is_of_records(importer)
        for imported in every
        if not imported.startswith("core/") and imported not in GROUND and not _is_of_records(imported)
    ]

    assert not astray, "\n".join(astray)


def test_no_folders_of_an_area_import_one_another_in_a_circle():
    """A file with a floor of its own counts as a folder of one file."""
    folders = defaultdict(set)
    for importer, every in _imports().items():
        for imported in every:
            here, there = (path if path in _floors() else _folder(path) for path in (importer, imported))
            if "client/made" not in {here, there} and here != there and _top(here) == _top(there):
                folders[here].add(there)
    try:
        TopologicalSorter(folders).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_no_folder_holds_fewer_files_than_a_folder_is_worth():
    counts = Counter(
        _folder(file.path) for file in files() if not file.path.endswith("__init__.py") and not file.made
    )

    sparse = [
        f"{folder} holds {count} files"
        for folder, count in sorted(counts.items())
        if count < FILES_OF_A_FOLDER_MIN and not any(other.startswith(f"{folder}/") for other in counts)
    ]

    assert not sparse, "\n".join(sparse)


def test_no_import_runs_in_a_circle():
    try:
        TopologicalSorter(_imports()).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_no_folder_holds_more_files_than_a_glance_takes_in():
    counts = defaultdict(list)
    for file in files():
        folder, _, name = file.path.rpartition("/")
        if name != "__init__.py" and not file.stands_in("db/migrations/versions/*"):
            counts[folder].append(name)

    crowded = [
        f"{folder} holds {len(names)} files"
        for folder, names in counts.items()
        if len(names) > FILES_OF_A_FOLDER_MAX
    ]

    assert not crowded, "\n".join(crowded)


def test_no_class_name_means_two_things():
    """The client, which imports nothing of the service, has the words that its callers use."""
    named = defaultdict(list)
    for file in files():
        for node in file.tree.body:
            if isinstance(node, ast.ClassDef) and not file.made:
                apart = "client" if file.stands_in("client/*") else ""
                named[apart, node.name].append(file.path)

    twice = [
        f"{name}: {', '.join(paths)}"
        for (_, name), paths in sorted(named.items())
        if len(paths) > 1 and name not in ONE_NOUN
    ]

    assert not twice, "\n".join(twice)


def _contracts() -> list[dict[str, Any]]:
    """The contracts of import-linter."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


@cache
def _floors() -> set[str]:
    """The files that have a floor in the contract of their area or of the core, beside its folders."""
    return {
        f"{container.removeprefix('weighbridge.')}/{name.strip()}.py"
        for contract in _contracts()
        if contract["id"].endswith(("_floors", "_ladder"))
        for container in contract["containers"]
        for layer in contract["layers"]
        for name in re.split("[|:]", layer)
    }


@cache
def _imports() -> Mapping[str, frozenset[str]]:
    """What each file imports of the package, typing included; both by their paths."""
    known = {file.path for file in files()}
    return {file.path: frozenset(_imported_by(file, known)) - {file.path} for file in files()}


def _imported_by(file: File, known: set[str]) -> Iterator[str]:
    for node in file.nodes():
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.partition(".")[0] == "weighbridge"
        ):
            folder = "/".join(node.module.split(".")[1:])
            for alias in node.names:
                module = f"{folder}/{alias.name}"
                places = (f"{module}.py", f"{module}/__init__.py", f"{folder}.py", f"{folder}/__init__.py")
                yield from [path.lstrip("/") for path in places if path.lstrip("/") in known][:1]


def _top(folder: str) -> str:
    return folder.partition("/")[0]


def _area(path: str) -> str:
    area = path.partition("/")[0]
    return area if area in AREAS else ""


def _is_of_records(path: str) -> bool:
    """Whether a file has records of an area: its `records.py`, or a file of its folder `records/`."""
    return path == f"{_area(path)}/records.py" or _folder(path).endswith("/records")


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
