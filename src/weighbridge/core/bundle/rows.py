"""The rows of the tables of a bundle: one class for each, its fields in the order of the columns.

What is called by a number is called by it everywhere in the bundle: `batch` 12 of lineage is row 12 of
`batches.csv`. Times are UTC; amounts are in the unit of the same row or of the row's ledger.
"""

import json
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple, NewType, TypeVar

from weighbridge.core.bundle.archive import UnreadableError
from weighbridge.core.number import plain
from weighbridge.core.signing import write_canonical_json
from weighbridge.core.time.calendar import Instant

Digest = NewType("Digest", str)
"""A SHA-256 as 64 hexadecimal digits."""


class BundledLedgerRow(NamedTuple):
    """A ledger of the bundle's batches."""

    ledger: int
    ledger_id: str
    name: str
    unit: str
    scale: int
    """Decimals that it keeps."""
    rounding: str
    output: str | None
    """The output of its model that it keeps; empty for instruments."""


class ModelRow(NamedTuple):
    """A model version that made batches; its document is `models/<model_id>.yaml`."""

    model: int
    model_id: str
    name: str
    version: int
    sha256: Digest
    """That of the canonical text of the model, in which comments and layout do not count."""


class BatchRow(NamedTuple):
    """A batch."""

    batch: int
    batch_id: str
    ledger: int
    tracking_id: str
    """What people call it."""
    start_time: Instant
    end_time: Instant
    run: int | None
    """Batches of one slot and partition have the same run; empty for an instrument."""
    by_event: bool
    event: int | None
    """The event that the slot is, where it is one."""
    run_tracking_id: str | None
    feedstock: str | None
    asset: str | None
    model: int | None
    share_places: int
    """Decimals at which shared amounts were cut."""
    total: Decimal
    """The run's total with this batch, in the ledger's unit."""
    credited: Decimal
    """What the batch was credited with, in the ledger's unit."""
    engine_revision: int
    generation: int | None
    """The task that made it."""
    created_at: Instant
    deleted_at: Instant | None


class EntryRow(NamedTuple):
    """An entry of a ledger: on a batch of the bundle, or by one of its runs on another batch."""

    entry: int
    ledger: int
    batch: int
    kind: str
    """`credit`, `fall` and `rise` of runs; `draw` and `return` of nodes; what reports take and give back."""
    amount: Decimal
    """Signed, in the ledger's unit: what takes is below zero."""
    effective_at: Instant
    """From when on it counts."""
    posted_at: Instant
    posted_by: int | None
    """The batch that posted it; empty for reports."""
    run: int | None
    """Whose doing it is."""
    node: str | None
    """The node that draws."""
    reverses: int | None
    """The entry that it undoes, where its batch was deleted."""
    report: int | None
    """The number of the report that it belongs to."""


class DeficitRow(NamedTuple):
    """A change of what a run of the bundle is short of: what opens is above zero, what settles below."""

    entry: int
    ledger: int
    run: int
    amount: Decimal
    effective_at: Instant
    posted_at: Instant
    posted_by: int
    reverses: int | None
    report: int | None


class NodeValueRow(NamedTuple):
    """What a node of a batch came to, in `unit`."""

    batch: int
    node: str
    name: str
    unit: str | None
    value: Decimal | None
    whole: Decimal | None
    """Of a part that was shared over partitions, the amount that it is a part of."""
    elements: list[str] | None
    """The numbers of an array; empty where they are too many, then only their count and digest are given."""
    element_count: int | None
    elements_sha256: Digest | None
    """The digest of the numbers, one to a line."""
    is_output: bool
    is_primary: bool
    contributions: list[str] | None
    """What contributes to an output, by where values come from; see the measured share."""


class EventTypeRow(NamedTuple):
    """A data point of an event type, and the table of its events."""

    event_type: str
    data_point: str
    position: int
    value_type: str
    unit: str | None


class BundledEventRow(NamedTuple):
    """The columns of every event table before the values: an event as batches read it."""

    event: int
    version: int
    """Counted from 0 where batches saw it in several states, by corrections made between them."""
    start_time: Instant
    end_time: Instant
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    location: str | None
    """The first of its locations."""
    client_reference: str | None
    is_imputed: bool


class MeterRow(NamedTuple):
    """From when and until when an asset or location is in service, where it says so."""

    kind: str
    name: str
    in_service_from: Instant | None
    in_service_until: Instant | None


class CorrectionRow(NamedTuple):
    """A value that replaced another when a batch was made."""

    correction: int
    event: int
    data_point: str
    """Its slug, or the field of the event."""
    origin: str
    from_value: str | None
    to_value: str
    rule: int | None
    rule_version: int | None
    reason: str | None
    user: int
    """The number of the user who made it or who answers for its rule."""
    created_at: Instant


class NameRow(NamedTuple):
    """What a number in the line of an event stands for."""

    kind: str
    """`event_type`, `feedstock`, `asset` or `location`."""
    number: int
    name: str
    """The name by now; of an event type its slug."""


class LateEventRow(NamedTuple):
    """An event of the slot of a batch, stored after the newest batch was made, that does not count yet."""

    event: int
    event_type: str
    start_time: Instant
    end_time: Instant
    created_at: Instant


class OutageRow(NamedTuple):
    """A time in which nothing was expected of a meter, as a person declared; it touches a slot."""

    outage: int
    reason: str
    event_type: str | None
    asset: str | None
    location: str | None
    start_time: Instant
    end_time: Instant | None
    evidence_url: str | None


class DismissedFindingRow(NamedTuple):
    """What a rule found in an event of the bundle, and a person dismissed."""

    finding: int
    finding_id: str
    event: int
    data_point: str
    rule: int
    rule_version: int
    entered_value: str | None
    """The value that the rule found fault with."""
    dismissed_at: Instant
    dismissed_by: int
    """The number of the user."""
    reason: str


class StaticInputRow(NamedTuple):
    """A value that holds from a moment on."""

    static_input: int
    slug: str
    value: Decimal
    unit: str | None
    effective_from: Instant
    asset: str | None
    feedstock: str | None
    location: str | None


class StatementRow(NamedTuple):
    """What was stated of how well values are known, while some batches were made."""

    kind: str
    """`type` of a data point type, `value` of one event, `static_input`, `correction` by a rule."""
    name: str
    """The event type, or the number of the event, of the static input or of the correction."""
    data_point: str
    """The data point, or the slug of the static input."""
    version: int
    """Counted from 0 where something else was stated later."""
    statement: str
    """JSON by RFC 8785 in the fields of the interface, with numbers as texts."""
    batches: str
    """The batches of models that ask, which were made while it held; as ranges."""


class CalibrationRow(NamedTuple):
    """A certificate of a meter as it was entered while some batches were made."""

    calibration: int
    version: int
    calibration_id: str
    name: str
    event_type: str
    data_point: str
    asset: str | None
    """The meter; empty for readings of events that name no asset."""
    valid_from: Instant
    valid_until: Instant | None
    statement: str
    evidence: int | None
    """The number of the file or link that the certificate is."""
    batches: str


class SourceRow(NamedTuple):
    """A reading on which a value rests that a rule put in, as it was when some batches were made."""

    correction: int
    """The one that put the value in."""
    event: int
    """The reading."""
    version: int
    """Counted from 0 where the reading was otherwise later."""
    weight: Decimal
    """How fast the value changes with the reading."""
    value: Decimal
    """That of the reading when the rule put the value in, in the unit of the data point."""
    start_time: Instant | None
    """Empty where the event is not in the database any more."""
    asset: str | None
    statement: str | None
    """What the reading states alone of how well it is known."""
    batches: str


class EvidenceRow(NamedTuple):
    """A file or link that was attached to an event; the file is `evidence/<sha256>` unless left out."""

    evidence: int
    event: int
    type: str
    name: str
    url: str | None
    content_type: str | None
    size: int | None
    sha256: Digest | None
    created_at: Instant


# Records as JSON: read into the class that says what there is, and written the one way there is.
#
# Invariant: a record has every field of its class and no other, each of the kind that the class says.


Record = TypeVar("Record")


ONLY_IF_STATED: Final = "only_if_stated"
"""Marks a field of a record that is left out where it is empty."""


def record_text(record: Any) -> bytes:
    """A record as a line of JSON, with its line end."""
    values = asdict(record)
    for one in fields(record):
        if one.metadata.get(ONLY_IF_STATED) and values[one.name] is None:
            del values[one.name]
    return write_canonical_json(values) + b"\n"


def read_record(kind: type[Record], text: bytes) -> Record:
    """The record of a line; UnreadableError unless it is written as `record_text` writes it."""
    try:
        record = _require_kind(kind, json.loads(text))
        if record_text(record) == text:
            return typing.cast("Record", record)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{_shorten_bytes(text)} cannot be read: {error}.") from None
    raise UnreadableError(f"{_shorten_bytes(text)} is not written as it should be.")


def _shorten_bytes(text: bytes) -> str:
    return repr(text[:60].decode("utf-8", "replace"))


@cache
def _read_type_hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _require_kind(kind: Any, value: Any) -> Any:
    """A value of a kind; ValueError for one of another."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in {types.UnionType, typing.Union}:
        [inner_kind] = [argument for argument in inner if argument is not types.NoneType]
        return None if value is None else _require_kind(inner_kind, value)
    if origin is list and isinstance(value, list):
        return [_require_kind(inner[0], item) for item in value]
    if origin is dict and isinstance(value, dict):
        return {name: _require_kind(inner[1], item) for name, item in value.items()}
    if is_dataclass(kind) and isinstance(kind, type) and isinstance(value, dict):
        left_out = {
            field.name
            for field in fields(kind)
            if field.metadata.get(ONLY_IF_STATED) and field.name not in value
        }
        names = {field.name for field in fields(kind)} - left_out
        if value.keys() != names:
            raise ValueError(f"it has the fields {', '.join(sorted(value))}")
        return kind(
            **{
                name: _require_kind(hint, value[name])
                for name, hint in _read_type_hints(kind).items()
                if name in names
            }
        )
    if origin is None and type(value) is kind:
        return value
    raise ValueError(f"it has {str(value)[:40]!r} instead of {getattr(kind, '__name__', kind)}")


# The one way in which a value is written in a table, and a row in a line.
#
#     text       as it is; in quotation marks, these doubled, when it has a comma, a quotation mark or a line
#                end, and when it is empty
#     nothing    the empty field
#     number     all digits, no exponent, no zeros that say nothing: `1.5`, `-0.25`, `0`
#     whole      the same without a point
#     time       UTC to the millisecond: `2025-01-01T00:00:00.000Z`
#     flag       `true` or `false`
#     digest     64 hexadecimal digits
#     list       JSON by RFC 8785, numbers as texts: `["1.5","2"]`
#
# Invariants: equal rows make equal lines; `read` rejects everything that `write` does not make.


LINE_BYTES_MAX: Final = 64_000_000
"""The longest line; that of a batch of a million single events has room."""


class TextKind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole"
    TIME = "time"
    FLAG = "flag"
    DIGEST = "digest"
    LIST = "list"


PATTERNS: Final[dict[TextKind, str]] = {
    TextKind.TEXT: r'[^",\r\n]+',
    TextKind.NUMBER: r"-?(?:[1-9][0-9]*(?:\.[0-9]*[1-9])?|0\.[0-9]*[1-9])|0",
    TextKind.WHOLE: r"-?[1-9][0-9]{0,17}|0",
    TextKind.TIME: r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z",
    TextKind.FLAG: r"true|false",
    TextKind.DIGEST: r"[0-9a-f]{64}",
}
"""What a field looks like that is in no quotation marks, by kind."""

_COMPILED: Final = {kind: re.compile(pattern, re.ASCII) for kind, pattern in PATTERNS.items()}
_NEEDS_MARKS: Final = re.compile(r'[",\n\r]')
_FIELD: Final = re.compile(r'"((?:[^"]|"")*)"|([^",\r\n]*)')


def _parse_number(text: str) -> Decimal:
    if not _COMPILED[TextKind.NUMBER].fullmatch(text):
        raise ValueError("is no number as it is written here")
    return Decimal(text)


def _parse_whole_number(text: str) -> int:
    if not _COMPILED[TextKind.WHOLE].fullmatch(text):
        raise ValueError("is no whole number")
    return int(text)


def parse_time(text: str) -> Instant:
    """A time from its one form; ValueError for any other text."""
    if not _COMPILED[TextKind.TIME].fullmatch(text):
        raise ValueError("is no time as it is written here")
    return Instant.fromisoformat(text)


def _parse_flag(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError("is neither true nor false")
    return text == "true"


def _parse_digest(text: str) -> str:
    if not _COMPILED[TextKind.DIGEST].fullmatch(text):
        raise ValueError("is no digest")
    return text


def parse_json(text: str) -> Any:
    """JSON as it is written here; ValueError for anything else."""
    try:
        value = json.loads(text, parse_float=_refuse_float)
        if write_canonical_json(value).decode() == text:
            return value
    except (ValueError, RecursionError):
        pass
    raise ValueError("is no JSON as it is written here")


def _refuse_float(_text: str) -> Any:
    raise ValueError("numbers that are no whole ones are texts")


READERS: Final[dict[TextKind, Callable[[str], Any]]] = {
    TextKind.TEXT: str,
    TextKind.NUMBER: _parse_number,
    TextKind.WHOLE: _parse_whole_number,
    TextKind.TIME: parse_time,
    TextKind.FLAG: _parse_flag,
    TextKind.DIGEST: _parse_digest,
    TextKind.LIST: parse_json,
}
"""The reader of each kind's text; ValueError for a text that no writer makes."""


WRITERS: Final[dict[TextKind, Callable[[Any], str]]] = {
    TextKind.TEXT: str,
    TextKind.NUMBER: plain,
    TextKind.WHOLE: str,
    TextKind.TIME: attrgetter("text"),
    TextKind.FLAG: lambda value: "true" if value else "false",
    TextKind.DIGEST: str,
    TextKind.LIST: lambda value: write_canonical_json(value).decode(),
}
"""The writer of each kind's values; None is an empty field of any kind."""


def write_line(fields: Iterable[str | None]) -> str:
    """A row as a line, with its line end."""
    return ",".join(map(_write_field, fields)) + "\n"


def _write_field(text: str | None) -> str:
    if text is None:
        return ""
    if not text or _NEEDS_MARKS.search(text):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def split_fields(line: str) -> Sequence[str | None]:
    """The fields of a line without its line end; ValueError when it is no line as it is written here."""
    if '"' not in line and "\r" not in line:
        return [field or None for field in line.split(",")]
    fields: list[str | None] = []
    place = 0
    while True:
        match = _FIELD.match(line, place)
        assert match is not None, "the pattern takes the empty field"  # noqa: S101
        quoted, unquoted = match.groups()
        text = unquoted or None if quoted is None else quoted.replace('""', '"')
        if quoted is not None and text and not _NEEDS_MARKS.search(text):
            raise ValueError("a field is in quotation marks that needs none")
        fields.append(text)
        place = match.end()
        if place == len(line):
            return fields
        if line[place] != ",":
            raise ValueError("a quotation mark is in a wrong place")
        place += 1


def read(kind: TextKind, text: str | None, *, is_optional: bool, column: str) -> Any:
    """Read a value from its field; UnreadableError for a text that no writer makes."""
    if text is None:
        if is_optional:
            return None
        raise UnreadableError(f"{column} is empty.")
    try:
        return READERS[kind](text)
    except ValueError as error:
        raise UnreadableError(f"{column} is {text[:60]!r}, which {error}.") from None
