"""What the specification of the interface says, sentence by sentence, with the tests that show it.

`specification.yaml` restates the specification, each field and each sentence under an id of its own;
`conformance.yaml` names the tests of each id. The reference page is made of both, and
`tests/architecture/test_conformance.py` holds them against each other, against the OpenAPI document and
against the tests themselves.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

SPECIFICATION: Final = Path(__file__).with_name("specification.yaml")
ROWS: Final = Path(__file__).with_suffix(".yaml")

_ABOUT: Final = """\
Every record, field, operation, state, limit, error and breaking change that the specification of the
interface (version 1.1.0) names, each with the tests that show it. The build fails when the specification says
something that no test shows, when a test that stands here is missing, is skipped or does not pass, and when a
field, an operation or a status is missing in the OpenAPI document."""


class Statement(NamedTuple):
    """A sentence of the specification under its heading."""

    id: str
    heading: str
    sentence: str


class Field(NamedTuple):
    """A field of a record, by the name of its schema, with its type; `?` ends one that may be null."""

    record: str
    name: str
    type: str

    @property
    def id(self) -> str:
        """How rows name it."""
        return f"{self.record}.{self.name}"


class Row(NamedTuple):
    """What some tests show, by its ids, and the tests, each as `path::name`."""

    covers: tuple[str, ...]
    shown_by: tuple[str, ...]


def fields() -> list[Field]:
    """Every field of every record that the specification names."""
    return [
        Field(record, name, kind)
        for record, named in _specification()["records"].items()
        for name, kind in named.items()
    ]


def operations() -> list[Statement]:
    """What each operation does; the heading is its method and path."""
    return [
        Statement(name, heading, sentence)
        for heading, operation in _specification()["operations"].items()
        for name, sentence in operation["says"].items()
    ]


def statuses() -> list[tuple[str, int]]:
    """Every status that the specification names of an operation."""
    return [
        (heading, status)
        for heading, operation in _specification()["operations"].items()
        for status in operation.get("statuses", ())
    ]


def rules() -> list[Statement]:
    """What holds beyond a single operation."""
    return [
        Statement(name, heading, sentence)
        for heading, statements in _specification()["rules"].items()
        for name, sentence in statements.items()
    ]


def rows() -> list[Row]:
    """Which tests show what."""
    return [Row(tuple(row["covers"].split()), tuple(row["shown_by"])) for row in _read(ROWS)]


def shortcomings(said: list[str], shown: list[Row]) -> list[str]:
    """In a sentence each: what is said under two ids, what no row shows, and what nobody said."""
    covered = {one for row in shown for one in row.covers}
    return [
        *(f"{one} is the id of {times} statements." for one, times in Counter(said).items() if times > 1),
        *(f"No row covers {one}." for one in dict.fromkeys(said) if one not in covered),
        *(f"The specification has no {one}." for one in sorted(covered - set(said))),
        *(f"The row of {' '.join(row.covers)} names no test." for row in shown if not row.shown_by),
    ]


def page() -> str:
    """The reference page, without the line that says how it was made."""
    tests = _tests_by_id()
    parts = [
        _ABOUT,
        "## Records",
        _table(("Record", "Fields", "Shown by"), list(_records(tests))),
        "## Operations",
        _table(
            ("Operation", "Statement", "Shown by"),
            [(f"`{one.heading}`", one.sentence, tests[one.id]) for one in operations()],
        ),
    ]
    by_heading: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for one in rules():
        by_heading.setdefault(one.heading, []).append((one.sentence, tests[one.id]))
    for heading, statements in by_heading.items():
        parts += [f"## {heading}", _table(("Statement", "Shown by"), statements)]
    return "\n\n".join(parts)


def _tests_by_id() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in rows():
        for one in row.covers:
            found[one] = tuple(dict.fromkeys((*found.get(one, ()), *row.shown_by)))
    return found


def _records(tests: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    by_record: dict[str, list[Field]] = {}
    for field in fields():
        by_record.setdefault(field.record, []).append(field)
    for record, named in by_record.items():
        shown = dict.fromkeys(test for field in named for test in tests[field.id])
        yield f"`{record}`", ", ".join(f"`{field.name}`" for field in named), tuple(shown)


def _specification() -> Any:
    return _read(SPECIFICATION)


@cache
def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def _table(heads: tuple[str, ...], rows: list[Any]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(row[:-1])} | {'<br>'.join(_shown(test) for test in row[-1])} |" for row in rows]
    return "\n".join(lines)


def _shown(test: str) -> str:
    """The name of a test as the sentence that it is, with its file."""
    path, name = test.split("::")
    return f"{name.replace('_', ' ')} (`{path}`)"
