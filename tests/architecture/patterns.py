"""Every regular expression of the package, how it is used, and texts that it likes least."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from re import _constants as sre
from re import _parser as parser

from tests.architecture.source import files

import weighbridge

ANYWHERE = {"search", "findall", "finditer", "sub", "subn", "split"}
AT_ONE_PLACE = {"match", "fullmatch"}
METHODS = ANYWHERE | AT_ONE_PLACE
SPECIMENS_MAX = 14
APART = {"__main__", "demo", "migrations", "made"}


@dataclass(frozen=True)
class Used:
    """A pattern, where it stands, and the methods by which it is asked."""

    place: str
    pattern: re.Pattern
    methods: frozenset[str]


def used_patterns() -> Iterator[Used]:
    """The patterns of modules by their names, and those that are written where they are used."""
    asked = _methods_by_name()
    seen = set()
    for name in _modules():
        module = importlib.import_module(name)
        for attribute, value in vars(module).items():
            for pattern in _patterns_in(value):
                key = (pattern.pattern, pattern.flags)
                if key not in seen:
                    seen.add(key)
                    file = name.removeprefix("weighbridge.").replace(".", "/")
                    places = (f"{file}.py", f"{file}/__init__.py", "")
                    methods = next(filter(None, (asked.get((one, attribute)) for one in places)), METHODS)
                    yield Used(f"{name}.{attribute}", pattern, frozenset(methods))
    for place, text, methods in _written_inline():
        if (text, re.compile(text).flags) not in seen:
            yield Used(place, re.compile(text), frozenset(methods))


def _modules() -> Iterator[str]:
    for found in pkgutil.walk_packages(weighbridge.__path__, "weighbridge."):
        if not APART & {*found.name.split(".")}:
            yield found.name


def _patterns_in(value: object) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from (one for one in value.values() if isinstance(one, re.Pattern))
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from (one for one in value if isinstance(one, re.Pattern))


def _methods_by_name() -> dict[tuple[str, str], set[str]]:
    """By the file of a private name, and the last part of a name, the methods that are asked of it."""
    asked: dict[tuple[str, str], set[str]] = {}
    for file in files():
        for node in file.nodes():
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                holder = node.value
                name = holder.id if isinstance(holder, ast.Name) else getattr(holder, "attr", None)
                if name:
                    place = file.path if name.startswith("_") else ""
                    asked.setdefault((place, name), set()).add(node.attr)
    return asked


def _written_inline() -> Iterator[tuple[str, str | bytes, set[str]]]:
    for file in files():
        for node in file.nodes():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.func.attr in METHODS
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                yield f"{file.path}:{node.lineno}", node.args[0].value, {node.func.attr}


def disliked(pattern: re.Pattern, size: int) -> Iterator[str | bytes]:
    """Long texts that make a pattern go back and forth: runs, pairs and near misses of what it takes."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    letters = [*dict.fromkeys([*_specimens(tree), " ", "0", "a", "(", "\\"])][:SPECIMENS_MAX]
    example = _example(tree) or "a"
    units = [*letters, *("".join(pair) for pair in product(letters, repeat=2) if pair[0] != pair[1])]
    texts = [unit * (size // len(unit)) for unit in units]
    near = [example * (size // len(example)), example[:-1] * (size // max(1, len(example) - 1))]
    openings = {example[:1], example[: len(example) // 2], example[:-1]} - {""}
    runs = [start + letter * (size - len(start)) for start in openings for letter in letters]
    for text in [*texts, *near, *runs]:
        for end in ("", "\x01"):
            yield (text + end).encode() if isinstance(pattern.pattern, bytes) else text + end


def _specimens(tree: object) -> Iterator[str]:
    for operation, value in tree:
        if operation in {sre.LITERAL, sre.NOT_LITERAL}:
            yield chr(value) if operation is sre.LITERAL else "x"
        elif operation is sre.IN:
            yield from _of_set(value)
        elif operation is sre.SUBPATTERN:
            yield from _specimens(value[3])
        elif operation in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            yield from _specimens(value[2])
        elif operation is sre.BRANCH:
            for branch in value[1]:
                yield from _specimens(branch)
        elif operation in {sre.ASSERT, sre.ASSERT_NOT}:
            yield from _specimens(value[1])
        elif operation is sre.ATOMIC_GROUP:
            yield from _specimens(value)


def _of_set(items: list) -> Iterator[str]:
    if items and items[0][0] is sre.NEGATE:
        yield "x"
        return
    for kind, value in items:
        if kind is sre.LITERAL:
            yield chr(value)
        elif kind is sre.RANGE:
            yield chr(value[0])
        elif kind is sre.CATEGORY:
            word = str(value)
            yield " " if "SPACE" in word else "0" if "DIGIT" in word else "a"


def _example(tree: object) -> str:
    """A text that the pattern takes, or nearly."""
    made = ""
    for operation, value in tree:
        if operation is sre.LITERAL:
            made += chr(value)
        elif operation is sre.IN:
            made += next(_of_set(value), "a")
        elif operation in {sre.ANY, sre.NOT_LITERAL}:
            made += "x"
        elif operation is sre.SUBPATTERN:
            made += _example(value[3])
        elif operation in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            made += _example(value[2]) * max(1, min(int(value[0]), 8))
        elif operation is sre.BRANCH:
            made += _example(value[1][0])
        elif operation is sre.ATOMIC_GROUP:
            made += _example(value)
    return made[:200]
