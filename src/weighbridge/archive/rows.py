"""The form of a row: an event with its data points and evidence, as Parquet has it and as PostgreSQL says it.

One table gives the columns; schema, statement and documentation follow from it.

Invariants: every number is the text of its digits, so no file depends on how wide a number was, and 1.50 is
not 1.5; a row says all that the table `events` says of an event, so what is computed of it is the same.
"""

import hashlib
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final, LiteralString

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from psycopg.sql import SQL, Composed
from pyarrow import json

from weighbridge.archive.months import ArchivedVocabulary, CalendarMonth, MonthManifest
from weighbridge.backup.target import BackupTarget
from weighbridge.collection.measurements.values import BOOLEANS, NUMBERS, TEXTS
from weighbridge.core.collection.correction import CorrectionState
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal
from weighbridge.errors import Refusal
from weighbridge.exchange.export.selected_tables import friendly_id

MOMENT: Final = pa.timestamp("ms", tz="UTC")

_IN_FORCE: Final = f"""
    FROM corrections c
   WHERE (c.project_id, c.event_id, c.position, c.field) = (e.project_id, e.id, p.position, '')
     AND c.state = '{CorrectionState.IN_FORCE}'
"""

_POINT: Final[Mapping[str, tuple[Any, LiteralString]]] = {
    "position": (pa.int16(), "p.position"),
    "slug": (pa.string(), "k.slugs[p.position]"),
    "value_type": (
        pa.string(),
        """CASE WHEN num_nonnulls(p.number, p.was_number) > 0 THEN 'number'
                WHEN num_nonnulls(p.text, p.was_text) > 0 THEN 'string' ELSE 'boolean' END""",
    ),
    "value": (pa.string(), "coalesce(p.number::text, p.text, p.boolean::text)"),
    "unit": (pa.string(), "k.units[p.position]"),
    "captured": (
        pa.string(),
        "CASE WHEN e.is_revised THEN coalesce(p.was_number::text, p.was_text, p.was_boolean::text) END",
    ),
    "correction_source": (pa.string(), f"CASE WHEN e.is_revised THEN (SELECT c.source {_IN_FORCE}) END"),
    "correction": (pa.int64(), f"CASE WHEN e.is_revised THEN (SELECT c.id {_IN_FORCE}) END"),
}
"""The fields of a data point: each with its type in Arrow, and its expression."""

_EVIDENCE: Final[Mapping[str, tuple[Any, LiteralString]]] = {
    "number": (pa.int32(), "v.id"),
    "type": (pa.string(), "v.type"),
    "name": (pa.string(), "v.name"),
    "url": (pa.string(), "v.url"),
    "content_type": (pa.string(), "v.content_type"),
    "size": (pa.int32(), "v.size"),
    "sha256": (pa.string(), "encode(v.sha256, 'hex')"),
    "created_at": (MOMENT, "v.created_at"),
}
"""The fields of a file or link attached to an event; the file itself stays in its store."""


def _struct(fields: Mapping[str, tuple[Any, LiteralString]]) -> Any:
    return pa.list_(pa.struct([(name, kind) for name, (kind, _) in fields.items()]))


def _object(fields: Mapping[str, tuple[Any, LiteralString]]) -> LiteralString:
    message: LiteralString = ", ".join(f"'{name}', {sql}" for name, (_, sql) in fields.items())
    return f"json_build_object({message})"


@dataclass(frozen=True, slots=True)
class ArchiveColumn:
    """A column: its type in Arrow, its expression, and the column of `events` that it is read back into."""

    kind: Any
    sql: LiteralString
    stored: str | None = None


COLUMNS: Final[Mapping[str, ArchiveColumn]] = {
    "id": ArchiveColumn(pa.string(), friendly_id("event", "e.project_id", "e.id")),
    "number": ArchiveColumn(pa.int64(), "e.id", "id"),
    "event_type": ArchiveColumn(pa.string(), "k.slug", "event_type_id"),
    "start_time": ArchiveColumn(MOMENT, "e.start_time", "start_time"),
    "end_time": ArchiveColumn(MOMENT, "e.end_time", "end_time"),
    "tracking_id": ArchiveColumn(pa.string(), "e.tracking_id", "tracking_id"),
    "client_reference": ArchiveColumn(pa.string(), "e.client_reference", "client_reference"),
    "feedstock_id": ArchiveColumn(
        pa.string(), friendly_id("feedstock", "e.project_id", "e.feedstock_id"), "feedstock_id"
    ),
    "asset_id": ArchiveColumn(pa.string(), friendly_id("asset", "e.project_id", "e.asset_id"), "asset_id"),
    "location_ids": ArchiveColumn(
        pa.list_(pa.string()),
        f"""ARRAY(SELECT {friendly_id("location", "e.project_id", "l.id")}
                    FROM unnest(e.location_ids) WITH ORDINALITY AS l (id, place) ORDER BY l.place)""",
        "location_ids",
    ),
    "notes": ArchiveColumn(pa.string(), "e.notes", "notes"),
    "is_complete": ArchiveColumn(pa.bool_(), "e.is_complete", "is_complete"),
    "is_revised": ArchiveColumn(pa.bool_(), "e.is_revised", "is_revised"),
    "is_imputed": ArchiveColumn(pa.bool_(), "e.is_imputed", "is_imputed"),
    "voided_at": ArchiveColumn(MOMENT, "e.voided_at", "voided_at"),
    "created_at": ArchiveColumn(MOMENT, "e.created_at", "created_at"),
    "updated_at": ArchiveColumn(MOMENT, "e.updated_at", "updated_at"),
    "captured_fields": ArchiveColumn(pa.string(), "e.captured::text", "captured"),
    "readings": ArchiveColumn(pa.int32(), "e.readings", "readings"),
    "valid_readings": ArchiveColumn(pa.int32(), "e.valid_readings", "valid_readings"),
    "covered_readings": ArchiveColumn(pa.int32(), "e.covered_readings", "covered_readings"),
    "expected_readings": ArchiveColumn(pa.int32(), "e.expected_readings", "expected_readings"),
    "data_points": ArchiveColumn(
        _struct(_POINT),
        f"""(SELECT coalesce(json_agg({_object(_POINT)} ORDER BY p.position), '[]')
               FROM unnest({NUMBERS}, {TEXTS}, {BOOLEANS}, e.numbers, e.texts, e.booleans) WITH ORDINALITY
                    AS p (number, text, boolean, was_number, was_text, was_boolean, position)
              WHERE 0 < num_nonnulls(p.number, p.text, p.boolean,
                                     p.was_number, p.was_text, p.was_boolean))""",
    ),
    "evidence": ArchiveColumn(
        _struct(_EVIDENCE),
        f"""(SELECT coalesce(json_agg({_object(_EVIDENCE)} ORDER BY v.id), '[]')
               FROM evidence v WHERE (v.project_id, v.event_id) = (e.project_id, e.id))""",
    ),
    "uncertainties": ArchiveColumn(pa.string(), "e.uncertainties::text", "uncertainties"),
}
"""Every column of a file of events, in its order."""

OF_DATA_POINTS: Final = frozenset(
    {"numbers", "texts", "booleans", "corrected_numbers", "corrected_texts", "corrected_booleans"}
)
"""The columns of `events` that the data points contain."""

SCHEMA: Final = pa.schema([(name, column.kind) for name, column in COLUMNS.items()])

LATER: Final = ("uncertainties",)
"""The columns that files of format 1 lack: there was nothing in them then."""

FIRST_SCHEMA: Final = pa.schema([field_ for field_ in SCHEMA if field_.name not in LATER])

SCHEMAS: Final[Mapping[int, Any]] = {1: FIRST_SCHEMA, 2: SCHEMA}
"""The columns of a file by its format, as its manifest names it."""

_FIELDS: Final = {name: (column.kind, column.sql) for name, column in COLUMNS.items()}
_FIRST_FIELDS: Final = {name: of_field for name, of_field in _FIELDS.items() if name not in LATER}

# A row that has nothing in later columns is the line that it was before, so its month has the same digest.
_ROW: Final[LiteralString] = (
    f"CASE WHEN e.uncertainties IS NULL THEN {_object(_FIRST_FIELDS)} ELSE {_object(_FIELDS)} END"
)

_STATEMENT: Final = f"""
    COPY (
        WITH k AS MATERIALIZED (
            SELECT * FROM jsonb_to_recordset({{kinds}}::jsonb)
                AS kind (number integer, slug text, slugs text[], units text[]))
        SELECT {_ROW}
          FROM events e LEFT JOIN k ON k.number = e.event_type_id
         WHERE e.project_id = {{project}} AND e.start_time >= {{start}} AND e.start_time < {{end}}
         ORDER BY e.start_time, e.id
    ) TO STDOUT
"""


def rows_statement(project: int, month: CalendarMonth, vocabulary: ArchivedVocabulary) -> Composed:
    """The COPY that gives the events of a month, each as a line of JSON, in the order of the file."""
    kinds = [
        {"number": event_type.number, "slug": event_type.slug, "slugs": slugs, "units": units}
        for event_type in vocabulary.event_types
        for slugs, units in [_by_position(event_type.data_points)]
    ]
    return SQL(_STATEMENT).format(
        kinds=Literal(msgspec.json.encode(kinds).decode()),
        project=Literal(project),
        start=Literal(month.start),
        end=Literal(month.end),
    )


def _by_position(points: Any) -> tuple[list[str | None], list[str | None]]:
    """The slugs and the units, each at its position."""
    width = max((point.position for point in points), default=0)
    slugs: list[str | None] = [None] * width
    units: list[str | None] = [None] * width
    for point in points:
        slugs[point.position - 1], units[point.position - 1] = point.slug, point.unit
    return slugs, units


# Rows of a month as the database has them: streamed as lines of JSON, and made into Arrow some at a time.
#
# Invariants: memory does not grow with the month; the digest is that of the lines themselves, so it is the
# same for the same rows, independent of the library that writes the file.


GROUP_ROWS: Final = 50_000
GROUP_BYTES: Final = 33_554_432
"""How much is in memory, and stands in one row group of a file: whichever is reached first."""

_ESCAPED: Final = (rb"\\", b"\\")
"""What COPY writes for a backslash; JSON has no other character that COPY would escape."""


@dataclass
class RowDigest:
    """The SHA-256 over all lines of JSON that were read, and how many they were."""

    rows: int = 0
    lines: Any = field(default_factory=hashlib.sha256)

    @property
    def text(self) -> str:
        return str(self.lines.hexdigest())


async def stored_rows(
    tx: Read, project: int, month: CalendarMonth, vocabulary: ArchivedVocabulary, digest: RowDigest
) -> AsyncIterator[Any]:
    """The rows of a month as tables of Arrow in the order of the file, each of a row group."""
    tables: list[Any] = []
    rows = size = 0
    async for block in tx.copied(rows_statement(project, month, vocabulary)):
        if not block:
            continue
        lines = block.replace(*_ESCAPED)
        digest.lines.update(lines)
        table = _table(lines)
        digest.rows += table.num_rows
        tables.append(table)
        rows, size = rows + table.num_rows, size + table.nbytes
        if rows >= GROUP_ROWS or size >= GROUP_BYTES:
            yield pa.concat_tables(tables)
            tables, rows, size = [], 0, 0
    if tables:
        yield pa.concat_tables(tables)


def _table(lines: bytes) -> Any:
    return json.read_json(
        BytesIO(lines),
        read_options=json.ReadOptions(use_threads=False, block_size=len(lines)),
        parse_options=json.ParseOptions(explicit_schema=SCHEMA, unexpected_field_behavior="error"),
    )


# The files of a project's months on this machine: fetched with their digests checked, and read in pieces.
#
# Invariants: a file is read only when its SHA-256 is that of its manifest; of a file one row group is in
# memory at a time, and those that were read last.


GROUPS_KEPT: Final = 2
"""Row groups that stay in memory: slots that follow each other read the same ones."""

_NUMBER: Final = "number"


@dataclass(frozen=True, slots=True)
class _Group:
    """A row group, and between which numbers its events lie."""

    index: int
    least: int
    greatest: int


class MonthFile:
    """The file of a month, open."""

    def __init__(self, manifest: MonthManifest, file: Any) -> None:
        self.manifest = manifest
        self._file = file
        self._groups = [*_groups(file, f"The file of {manifest.month}")]
        self._kept: OrderedDict[int, Any] = OrderedDict()

    @classmethod
    def fetch_rows(cls, place: BackupTarget, manifest: MonthManifest, folder: Path) -> "MonthFile":
        """Fetch a month's file into a folder of this machine, and open it; raises Refusal."""
        local_file = folder / f"{manifest.month}.parquet"
        place.fetch(manifest.build_path(manifest.events), manifest.events.sha256, local_file)
        try:
            file = pq.ParquetFile(local_file)
        except pa.ArrowException as error:
            raise Refusal(
                f"{place.name}/{manifest.build_path(manifest.events)} is not a Parquet file:  {error}"
            ) from error
        is_known = file.schema_arrow.equals(SCHEMAS[manifest.schema_version])
        if not is_known or file.metadata.num_rows != manifest.rows:
            raise Refusal(
                f"{place.name}/{manifest.build_path(manifest.events)} is not of the form of its manifest."
            )
        return cls(manifest, file)

    def tables(self) -> Iterator[Any]:
        """All rows, row group by row group."""
        for index in range(self._file.num_row_groups):
            yield self._read_group(index)

    def _read_group(self, index: int) -> Any:
        """A row group, with the columns that its format lacks."""
        table = self._file.read_row_group(index, use_threads=False)
        for name in LATER:
            if name not in table.schema.names:
                table = table.append_column(SCHEMA.field(name), pa.nulls(table.num_rows, pa.string()))
        return table

    def read_rows(self, numbers: Sequence[int]) -> Iterator[Any]:
        """The events of some numbers, given in order, as tables, as far as the file has them."""
        values = pa.array(numbers, pa.int64())
        for group in self._groups:
            if _none_between(numbers, group.least, group.greatest):
                continue
            if group.index not in self._kept:
                column = self._file.read_row_group(group.index, columns=[_NUMBER], use_threads=False)
                if not pc.any(pc.is_in(column.column(_NUMBER), value_set=values)).as_py():
                    continue
            table = self._group(group.index)
            yield table.filter(pc.is_in(table.column(_NUMBER), value_set=values))

    def _group(self, index: int) -> Any:
        if index not in self._kept:
            self._kept[index] = self._read_group(index)
            if len(self._kept) > GROUPS_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(index)
        return self._kept[index]


def _groups(file: Any, name: str) -> Iterator[_Group]:
    paths = [file.schema.column(place).path for place in range(len(file.schema))]
    place = paths.index(_NUMBER)
    for index in range(file.num_row_groups):
        statistics = file.metadata.row_group(index).column(place).statistics
        if statistics is None or not statistics.has_min_max:
            raise Refusal(f"{name} lacks the statistics of row groups that name their events.")
        yield _Group(index, statistics.min, statistics.max)


def _none_between(numbers: Sequence[int], least: int, greatest: int) -> bool:
    """Whether none of these numbers, which are in order, is from `least` to `greatest`."""
    at = bisect_left(numbers, least)
    return at == len(numbers) or numbers[at] > greatest
