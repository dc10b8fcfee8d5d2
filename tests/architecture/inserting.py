"""Statements that fill one table of a cell from another, in a form that a node of a cluster refuses.

On a node, `INSERT … SELECT … FROM` a table gets a condition on a distribution column, which the tables of a
cell do not have: it is a syntax error, or ends the node. Where a materialized part before it gives the rows,
the part is read first, and the statement means the same on every PostgreSQL. Tables of one transaction are
none of a cell.
"""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.architecture.source import PACKAGE, File

STEPS: Final = PACKAGE / "db" / "migrations" / "versions"

_ASIDE: Final = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_TEXT: Final = re.compile(r"'(?:[^']|'')*'")
_FUNCTION: Final = re.compile(
    r"CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) (\w+)\s*\([^;]*?\bAS \$(\w*)\$(.*?)\$\2\$",
    re.DOTALL | re.IGNORECASE,
)
_TABLE: Final = re.compile(r"CREATE TABLE (\w+)", re.IGNORECASE)
_INSERT: Final = re.compile(r"\bINSERT INTO\s+(\w+)", re.IGNORECASE)
_VALUES: Final = re.compile(r"\b(VALUES|DEFAULT VALUES)\b", re.IGNORECASE)
_SOURCE: Final = re.compile(
    r"\b(?:FROM|JOIN)\s+(?:ONLY\s+)?(\w+)|,\s*(\w+)\s+(?:AS\s+)?[a-z]\w*", re.IGNORECASE
)

_RETURNING: Final = re.compile(r"\bVALUES\b[^;]*?\bRETURNING\b([^;]*)", re.IGNORECASE)
_CLOCK: Final = re.compile(r"\b(?:now|\w+_timestamp)\(\)|\bcurrent_(?:date|time|timestamp)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refused:
    """A statement in that form: where it is, which table it fills, and which it reads."""

    place: str
    target: str
    source: str


@cache
def tables() -> frozenset[str]:
    """The tables of a cell."""
    return frozenset(
        name.lower() for path in STEPS.rglob("*.sql") for name in _TABLE.findall(path.read_text())
    )


def refused_in(place: str, text: str) -> Iterator[Refused]:
    """Every statement of a text in that form; also those that a text within it is composed to."""
    plain = _ASIDE.sub(" ", text)
    for inner in _TEXT.findall(plain):
        if _INSERT.search(inner):
            yield from refused_in(place, inner[1:-1].replace("''", "'"))
    for statement in _TEXT.sub("''", plain).split(";"):
        yield from _refused_statement(place, statement)


def returns_clock(text: str) -> bool:
    """Whether a statement that inserts values gives back what a clock says, which a cluster refuses."""
    plain = _TEXT.sub("''", _ASIDE.sub(" ", text))
    return any(_CLOCK.search(_to_bracket(returned)) for returned in _RETURNING.findall(plain))


def refused_in_functions(texts: Mapping[str, str]) -> Iterator[Refused]:
    """The same of the functions of steps, given in their order: the last body of each counts."""
    bodies: dict[str, tuple[str, str]] = {}
    for step, text in texts.items():
        for name, _, body in _FUNCTION.findall(text):
            bodies[name] = (step, body)
    for name, (step, body) in bodies.items():
        yield from refused_in(f"{step}: {name}", body)


def steps() -> dict[str, str]:
    """The texts of all steps, in their order."""
    paths = sorted(STEPS.rglob("*.sql"), key=lambda path: path.relative_to(STEPS).parts)
    return {path.relative_to(STEPS).as_posix(): path.read_text() for path in paths}


def statements_of(file: File) -> Iterator[tuple[str, str]]:
    """Every text of a file of Python that inserts, with its place; what it is composed of is put in."""
    if "INSERT INTO" not in file.text:
        return
    known = vars(importlib.import_module(file.module))
    inner: set[ast.AST] = set()
    for node in file.nodes():
        if isinstance(node, ast.JoinedStr):
            inner.update(node.values)
        if node in inner or not isinstance(node, ast.JoinedStr | ast.Constant):
            continue
        text = _composed(node, known)
        if "INSERT INTO" in text:
            yield f"{file.path}:{node.lineno}", text


def _composed(node: ast.AST, known: Mapping[str, object]) -> str:
    """The text of a literal; what is not known before the program runs stands as `{}`."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_composed(value, known) for value in node.values)
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name):
        value = known.get(node.value.id)
        return value if isinstance(value, str) else "{}"
    return "{}"


def _refused_statement(place: str, statement: str) -> Iterator[Refused]:
    """What a statement takes out of tables itself: what a part in brackets inserts is another matter."""
    for found in _INSERT.finditer(statement):
        target, rest = found[1].lower(), statement[found.end() :]
        if target not in tables() or _depth(statement[: found.start()]):
            continue
        taken = re.sub(r"^\s*(AS\s+\w+\s*|\w+\s*)?\([^()]*\)", "", rest, count=1)
        if _VALUES.search(_outermost(taken)):
            continue
        for source in _sources(re.split(r"\bON CONFLICT\b|\bRETURNING\b", taken)[0]):
            if source in tables():
                yield Refused(place, target, source)
                break


def _sources(text: str) -> Iterator[str]:
    for found in _SOURCE.finditer(text):
        yield (found[1] or found[2]).lower()


def _depth(text: str) -> int:
    return text.count("(") - text.count(")")


def _to_bracket(text: str) -> str:
    """A text up to the bracket that closes what is around it."""
    for place, letter in enumerate(text):
        if letter == ")" and _depth(text[:place]) == 0:
            return text[:place]
    return text


def _outermost(text: str) -> str:
    """What no bracket holds."""
    kept, depth = [], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if not depth:
            kept.append(letter)
    return "".join(kept)
