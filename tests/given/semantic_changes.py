"""What somebody with the true key could write otherwise: every column of every part, made anew and signed.

Each change keeps the form, so that nothing but what a value means tells it from the true one.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from tests.given import tampering
from tests.given.bundles import Bundle
from tests.given.tampering import Parts

from weighbridge.core.bundle.contents import DATA_PACKAGE, RO_CRATE, SIGNATURE, SUMS
from weighbridge.core.bundle.rows import TextKind, read
from weighbridge.core.bundle.tables import TABLES, BundleTable, define_events_table, read_rows
from weighbridge.core.model import Input
from weighbridge.core.signing import write_canonical_json
from weighbridge.modelling.documents import read_model

Place = tuple[str, str]
"""A part, with a star where its name is a record's, and a column or field of it."""

MADE: Final = {"report.html", DATA_PACKAGE, RO_CRATE, SUMS, SIGNATURE}
ROWS_TRIED: Final = 1


def semantic_changes(bundle: Bundle) -> Iterator[tuple[Place, bytes]]:
    """Files in each of which one value means something else."""
    parts = tampering.taken_apart(bundle)
    contents = bundle.check().contents
    assert contents is not None
    events = [define_events_table(name, points) for name, points in contents.points.items()]
    bodies = [node.body for model in contents.documents.values() for node in model.nodes]
    read_of_events = {
        f".{slug}"
        for body in bodies
        if isinstance(body, Input)
        for slug in (body.data_point_type, body.weight)
    }
    for table in (*TABLES[contents.manifest.format], *events):
        for (part, column), content in _table_changes(bundle, parts, table):
            is_unread = column.startswith(".") and column not in read_of_events
            yield (part, ".unread" if is_unread else column), content
    for part in sorted(parts):
        if part in {"bundle.json", "report.json"} or part.startswith("rules/"):
            yield from _record_changes(bundle, parts, part)
        if part.endswith(".jsonl"):
            yield from _line_changes(bundle, parts, part)
        if part.startswith("models/"):
            yield (named(part), "text"), _remade(bundle, part, _other_model(parts[part]))
        if part.startswith("evidence/"):
            yield (named(part), "content"), _exchanged(bundle, part)


def named(part: str) -> str:
    """A part, with a star where its name is a record's."""
    folder, _, name = part.partition("/")
    return (
        f"{folder}/*{name[name.rindex('.') :] if '.' in name else ''}"
        if name and "rows" not in name
        else part
    )


def _table_changes(bundle: Bundle, parts: Parts, table: BundleTable) -> Iterator[tuple[Place, bytes]]:
    content = parts[table.part]
    header, rows = content.decode().split("\n", 1)[0], list(read_rows(table, memoryview(content)))
    step = max(1, len(rows) // ROWS_TRIED)
    for at, column in enumerate(table.columns):
        for index in range(0, len(rows), step):
            others = [row[at] for row in rows if row[at] not in [rows[index][at], None]]
            for value in _others(column.kind, rows[index][at], others, is_optional=column.is_optional):
                changed = [
                    *rows[:index],
                    [*rows[index][:at], value, *rows[index][at + 1 :]],
                    *rows[index + 1 :],
                ]
                changed.sort(
                    key=lambda row: [str(one) if isinstance(one, str) else one for one in row[: table.keys]]
                )
                text = header + "\n" + "".join(table.line(row) for row in changed)
                yield (named(table.part), column.name), _remade(bundle, table.part, text.encode())


def _others(kind: TextKind, value: Any, others: list[Any], *, is_optional: bool) -> Iterator[Any]:
    """Other values that could stand there."""
    if value is None:
        yield from others[:1] or [_first(kind)]
        return
    yield from others[:1]
    if is_optional:
        yield None
    match kind:
        case TextKind.NUMBER:
            yield value + Decimal("1.5")
        case TextKind.WHOLE:
            yield value + 1
        case TextKind.TIME:
            yield value + timedelta(hours=1)
        case TextKind.FLAG:
            yield not value
        case TextKind.TEXT:
            yield f"{value} too"
        case TextKind.DIGEST:
            yield value[::-1]
        case TextKind.LIST:
            yield [*(str(Decimal(one) + 1) for one in value[:1]), *value[1:]]


def _first(kind: TextKind) -> Any:
    texts = {TextKind.NUMBER: "1.5", TextKind.WHOLE: "1", TextKind.TIME: "2025-01-07T00:00:00.000Z"}
    texts |= {
        TextKind.FLAG: "true",
        TextKind.TEXT: "another",
        TextKind.DIGEST: "0" * 64,
        TextKind.LIST: '["1"]',
    }
    return read(kind, texts[kind], is_optional=False, column="it")


def _record_changes(bundle: Bundle, parts: Parts, part: str) -> Iterator[tuple[Place, bytes]]:
    record = json.loads(parts[part])
    for field, value in record.items():
        for other in _other_json(value):
            text = write_canonical_json(record | {field: other}) + b"\n"
            yield (named(part), field), _remade(bundle, part, text)


def _line_changes(bundle: Bundle, parts: Parts, part: str) -> Iterator[tuple[Place, bytes]]:
    lines = [json.loads(line) for line in parts[part].splitlines()]
    step = max(1, len(lines) // ROWS_TRIED)
    for index in range(0, len(lines), step):
        for field, value in lines[index].items():
            for other in _other_json(value):
                changed = [*lines[:index], lines[index] | {field: other}, *lines[index + 1 :]]
                text = b"".join(write_canonical_json(line) + b"\n" for line in changed)
                yield (named(part), field), _remade(bundle, part, text)


def _other_json(value: Any) -> Iterator[Any]:
    """Other values of the same kind; of what is nested, each of its own one after the other."""
    match value:
        case None:
            yield "2025-05-01T00:00:00.000Z"
        case bool():
            yield not value
        case int():
            yield value + 1
        case str():
            with suppress(ArithmeticError):
                yield str(Decimal(value) + 1)
            yield re.sub("2025-01", "2025-02", value) if "2025-01" in value else f"{value} too"
        case list():
            yield from ([*value[:at], *value[at + 1 :]] for at in range(min(2, len(value))))
            for at in range(min(2, len(value))):
                yield from ([*value[:at], other, *value[at + 1 :]] for other in _other_json(value[at]))
        case dict():
            for field, one in value.items():
                yield from (value | {field: other} for other in _other_json(one))


def _other_model(content: bytes) -> bytes:
    """A model that says another number."""
    return re.sub(rb"(\d)(?=\s*\n)", lambda found: str((int(found[1]) + 1) % 10).encode(), content, count=1)


def _exchanged(bundle: Bundle, part: str) -> bytes:
    """Another file in the place of one that was attached, under its own digest."""
    import hashlib  # noqa: PLC0415

    text = b"12 t, weighed by somebody else\n"
    old, new = part.removeprefix("evidence/"), hashlib.sha256(text).hexdigest()

    def change(parts: Parts) -> None:
        del parts[part]
        parts[f"evidence/{new}"] = text
        rows = parts["evidence.csv"].decode().splitlines(keepends=True)
        parts["evidence.csv"] = "".join(
            re.sub(r",\d+," + old, f",{len(text)},{new}", row) for row in rows
        ).encode()

    return tampering.remade(bundle, change, read_model)


def _remade(bundle: Bundle, part: str, content: bytes) -> bytes:
    """The file with one part otherwise, all that follows made anew where it can be."""

    def change(parts: Parts) -> None:
        parts[part] = content

    try:
        return tampering.remade(bundle, change, read_model)
    except Exception:  # noqa: BLE001 - what cannot be read any more is signed as it is
        return tampering.signed({**tampering.taken_apart(bundle), part: content})
