"""What the public description of the interface promises, row by row, with the tests that show it.

The rows stand in `conformance.yaml`: records with their fields, operations, and the rules that hold for many
of them. The reference page is made of them, and `tests/architecture/test_conformance.py` holds them against
the OpenAPI document and against the tests themselves.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

ROWS: Final = Path(__file__).with_suffix(".yaml")

_ABOUT: Final = """\
Every record, field, operation, state, limit, error and breaking change that the public description of the
interface (version 1.1.0) names, each with the tests that show it. The build fails when a test that stands
here is missing, is skipped or does not pass, and when a field or an operation is missing in the OpenAPI
document."""


class Row(NamedTuple):
    """A promise under its heading, and the tests that show it, each as `path::name`."""

    heading: str
    promise: str
    shown_by: tuple[str, ...]


class Fields(NamedTuple):
    """The fields that a record has at least, by the name of its schema."""

    schema: str
    names: tuple[str, ...]
    shown_by: tuple[str, ...]


def records() -> list[Fields]:
    """The records with their fields."""
    return [
        Fields(schema, tuple(row["fields"].split()), tuple(row["shown_by"]))
        for schema, row in _read()["records"].items()
    ]


def operations() -> list[Row]:
    """What each operation does; the heading is its method and path."""
    return list(_rows("operations"))


def rules() -> list[Row]:
    """What holds beyond a single operation."""
    return list(_rows("rules"))


def page() -> str:
    """The reference page, without the line that says how it was made."""
    parts = [
        _ABOUT,
        "## Records",
        _table(
            ("Record", "Fields", "Shown by"),
            [
                (
                    f"`{row.schema}`",
                    ", ".join(f"`{name}`" for name in row.names) or "one for each feature",
                    row.shown_by,
                )
                for row in records()
            ],
        ),
        "## Operations",
        _table(
            ("Operation", "Promise", "Shown by"), [(f"`{row.heading}`", *row[1:]) for row in operations()]
        ),
    ]
    by_heading: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for row in rules():
        by_heading.setdefault(row.heading, []).append((row.promise, row.shown_by))
    for heading, rows in by_heading.items():
        parts += [f"## {heading}", _table(("Promise", "Shown by"), rows)]
    return "\n\n".join(parts)


def _rows(section: str) -> Iterator[Row]:
    for heading, rows in _read()[section].items():
        for row in rows:
            yield Row(heading, row["promise"], tuple(row["shown_by"]))


@cache
def _read() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(ROWS.read_text())
    return content


def _table(heads: tuple[str, ...], rows: list[Any]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(row[:-1])} | {'<br>'.join(_shown(test) for test in row[-1])} |" for row in rows]
    return "\n".join(lines)


def _shown(test: str) -> str:
    """The name of a test as the sentence that it is, with its file."""
    path, name = test.split("::")
    return f"{name.replace('_', ' ')} (`{path}`)"
