"""The floor plan: areas, and in each area nouns above machinery. ARCHITECTURE.md draws it."""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter

from tests.architecture.source import AREAS, NOUN_FILES, PACKAGE, ROOT, File, files, nouns

FILES_OF_A_FOLDER_MAX = 15
"""Beside subfolders and `__init__.py`."""

UPWARD_IMPORTS_MAX = 0
"""How many imports may run upward between areas. It only ever shrinks."""

ONE_NOUN = {"Model", "Rule", "StaticInput"}
"""Class names that stand twice because they are one noun: the record on the wire, and what the core computes
with."""


def test_no_import_runs_upward_between_areas():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]

    ignored = [one for contract in contracts for one in contract.get("ignore_imports", ())]

    assert len(ignored) <= UPWARD_IMPORTS_MAX, "\n".join(ignored)


def test_machinery_imports_of_nouns_only_their_records():
    folders = {noun.folder for noun in nouns()}

    upward = [
        f"{importer} imports {imported}"
        for importer, every in _imports().items()
        for imported in every
        if _area(importer) == _area(imported) != ""
        and _folder(importer) not in folders
        and _folder(imported) in folders
        and not imported.endswith("/records.py")
    ]

    assert not upward, "\n".join(upward)


def test_records_import_no_more_of_other_files_of_nouns():
    folders = {noun.folder for noun in nouns()}

    knots = [
        f"{importer} imports {imported}"
        for importer, every in _imports().items()
        for imported in every
        if _folder(importer) in folders
        and importer.endswith("/records.py")
        and _folder(imported) in folders
        and not imported.endswith("/records.py")
    ]

    assert not knots, "\n".join(knots)


def test_no_import_runs_in_a_circle():
    try:
        TopologicalSorter(_imports()).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_a_noun_holds_its_five_files_and_nothing_else():
    astray = [
        path.relative_to(PACKAGE).as_posix()
        for noun in nouns()
        for path in sorted((PACKAGE / noun.folder).iterdir())
        if path.name not in {"__init__.py", "__pycache__", *NOUN_FILES}
    ]

    assert not astray, "\n".join(astray)


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


@cache
def _imports() -> Mapping[str, frozenset[str]]:
    """What each file imports of the package, typing included; both by their paths."""
    known = {file.path for file in files()}
    return {file.path: frozenset(_imported_by(file, known)) - {file.path} for file in files()}


def _imported_by(file: File, known: set[str]) -> Iterator[str]:
    for node in ast.walk(file.tree):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.partition(".")[0] == "weighbridge"
        ):
            folder = "/".join(node.module.split(".")[1:])
            for alias in node.names:
                candidates = (f"{folder}/{alias.name}.py", f"{folder}.py", f"{folder}/__init__.py")
                yield from [path.lstrip("/") for path in candidates if path.lstrip("/") in known][:1]


def _area(path: str) -> str:
    area = path.partition("/")[0]
    return area if area in AREAS else ""


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
