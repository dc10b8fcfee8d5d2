"""Recomputing: batches anew from an archive's events, with the database's models, corrections and books."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
import pyarrow as pa
from psycopg import DataError
from psycopg.sql import SQL, Composable

from weighbridge.archive.months import ArchivedVocabulary, MonthManifest, newest_manifests
from weighbridge.archive.rows import MonthFile
from weighbridge.backup.target import BackupTarget
from weighbridge.core import identity
from weighbridge.db.engine import Database, Write
from weighbridge.errors import Refusal
from weighbridge.verification.recomputation import recompute, sentences
from weighbridge.verification.slots import MissingEvents


class ArchiveRecomputation(msgspec.Struct, frozen=True):
    """The batches of a project, recomputed from the events of its archive."""

    project: str
    months: int
    events: int
    batches: int
    """Recomputed, from events of the archive alone."""
    violations: list[str]
    older: int
    """Of them, those of an older revision of the engine."""
    differing: list[str]
    """None: each is computed by the revision that it names, and is wrong where it differs."""
    outside: int
    """Batches none of whose events were archived."""
    uncovered: list[str]
    """Batches of which the archive has only a part, or an earlier state."""

    @property
    def is_clean(self) -> bool:
        """Whether all that could be computed came to what it says, and nothing was archived in part."""
        return not self.violations and not self.uncovered


async def recompute_archived(database: Database, place: BackupTarget, project: int) -> ArchiveRecomputation:
    """Recompute the batches of a project from its events in a place; raises Refusal."""
    name = identity.of("project", project)
    manifests = [manifest_file.manifest for manifest_file in newest_manifests(place, name)]
    if not manifests:
        raise Refusal(f"{place.name} has no month of the project {name}.")
    with TemporaryDirectory(prefix="weighbridge-archive-") as folder:
        months = [
            MonthFile.fetch_rows(place, manifest, Path(folder)) for manifest in manifests if manifest.rows
        ]
        async with database.trial() as tx:
            archived_events = HeldEvents(tx, project, months)
            await archived_events.prepare()
            recomputation = await recompute(tx, project, source=archived_events)
    return ArchiveRecomputation(
        project=name,
        months=len(manifests),
        events=sum(manifest.rows for manifest in manifests),
        batches=recomputation.batches,
        violations=sentences(recomputation.violations),
        older=recomputation.older,
        differing=[],
        outside=recomputation.outside,
        uncovered=sentences(recomputation.uncovered),
    )


# Held events: those of an archive in a table of the transaction's own, for recomputation to read.
#
# The table has the form of `events`, and a row of it is handed on as one of `events`: so the statements
# that make a value as a batch saw it are the very same. What is in force on a value is not held, for
# lineage never reads it.
#
# Invariant: no row of the table `events` is read, but to say why a batch that comes to something else does.


ROWS_AT_ONCE: Final = 2_000
"""Events that go into the table with one statement."""

_KINDS: Final = {"number": "numbers", "string": "texts", "boolean": "booleans"}
_AS_THEY_ARE: Final = (
    "start_time", "end_time", "tracking_id", "client_reference", "notes", "is_complete", "is_revised",
    "is_imputed", "voided_at", "created_at", "updated_at", "readings", "valid_readings", "covered_readings",
    "expected_readings",
)  # fmt: skip

_TRANSLATED: Final = (
    "number", "event_type", "feedstock_id", "asset_id", "location_ids", "captured_fields", "uncertainties",
)  # fmt: skip

_MADE: Final = "CREATE TEMPORARY TABLE held_events (LIKE events) ON COMMIT DROP"
_KEYED: Final = "CREATE UNIQUE INDEX ON held_events (project_id, id)"
_FILLED: Final = """
    INSERT INTO held_events SELECT * FROM jsonb_populate_recordset(NULL::events, %s::text::jsonb)
"""
_EVENTS: Final = SQL("""
    FROM (SELECT * FROM held_events) held
   CROSS JOIN LATERAL jsonb_populate_record(ROW(held.*)::events, '{{}}'::jsonb) AS e
   WHERE held.project_id = %(project)s AND held.id = slot.event_id
""").format()
_NAMED: Final = "SELECT batch_id, event_ids FROM batch_inputs WHERE project_id = %s AND batch_id = ANY (%s)"
_OUTDATED: Final = """
    SELECT DISTINCT i.batch_id FROM batch_inputs i CROSS JOIN unnest(i.event_ids) AS used (id)
      JOIN events e ON (e.project_id, e.id) = (i.project_id, used.id)
     WHERE i.project_id = %s AND i.batch_id = ANY (%s) AND e.updated_at >= %s
"""


class HeldEvents:
    """The events of one project's archived months; in a transaction that is undone."""

    events: Composable = _EVENTS

    def __init__(self, tx: Write, project: int, months: Sequence[MonthFile]) -> None:
        self._tx = tx
        self._project = project
        self._months = months
        self._nearest = 0

    async def prepare(self) -> None:
        """Make the table."""
        await self._tx.execute(_MADE)
        await self._tx.execute(_KEYED)

    async def hold(self, project: int, batches: Sequence[int]) -> Mapping[int, MissingEvents]:
        events_by_batch: dict[int, set[int]] = {}
        for batch, events in await self._tx.tuples(_NAMED, (project, [*batches])):
            events_by_batch.setdefault(batch, set()).update(events)
        missing = set().union(*events_by_batch.values())
        await self._tx.execute("TRUNCATE held_events")
        rows: list[dict[str, Any]] = []
        for row in self._find(missing):
            rows.append(row)
            if len(rows) == ROWS_AT_ONCE:
                await self._fill(rows)
                rows = []
        await self._fill(rows)
        await self._tx.execute("ANALYZE held_events")
        lacking = {batch: len(events & missing) for batch, events in events_by_batch.items()}
        return {
            batch: MissingEvents(count, len(events_by_batch[batch]))
            for batch, count in lacking.items()
            if count
        }

    async def outdated(self, project: int, batches: Collection[int]) -> Collection[int]:
        if not batches or not self._months:
            return ()
        oldest = min(datetime.fromisoformat(month.manifest.made_at) for month in self._months)
        return {batch for (batch,) in await self._tx.tuples(_OUTDATED, (project, [*batches], oldest))}

    def _find(self, missing: set[int]) -> Iterator[dict[str, Any]]:
        """The rows of some events, which are taken out of those that are missing."""
        nearest_first = sorted(range(len(self._months)), key=lambda place: abs(place - self._nearest))
        for place in nearest_first:
            if not missing:
                return
            month = self._months[place]
            for table in month.read_rows(sorted(missing)):
                missing.difference_update(table.column("number").to_pylist())
                self._nearest = place
                yield from _read_back(self._project, table, month.manifest)

    async def _fill(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            try:
                await self._tx.execute(_FILLED, (msgspec.json.encode(rows).decode(),))
            except DataError as error:
                message = str(error).splitlines()[0]
                raise Refusal(f"The archive has an event that no service wrote: {message}.") from error


def _read_back(project: int, table: Any, manifest: MonthManifest) -> Iterator[dict[str, Any]]:
    """Rows as the columns of `events`; raises Refusal for one that no service wrote."""
    try:
        yield from _stored_rows(project, table, manifest.vocabulary)
    except (LookupError, ValueError, TypeError) as error:
        raise Refusal(f"An event of {manifest.month} is not of the form of its manifest: {error}.") from error


def _stored_rows(project: int, table: Any, vocabulary: ArchivedVocabulary) -> Iterator[dict[str, Any]]:
    """The rows of a table of the archive as columns of `events`, as JSON that the database reads.

    Column by column, for Arrow makes a row of nested values a tenth as quickly as the columns below it.
    """
    types = {event_type.slug: event_type.number for event_type in vocabulary.event_types}
    as_they_are = [_said(table.column(name)) for name in _AS_THEY_ARE]
    translated_columns = [table.column(name).to_pylist() for name in _TRANSLATED]
    for plain_values, translated_values, arrays in zip(
        zip(*as_they_are, strict=True), zip(*translated_columns, strict=True), _arrays(table), strict=True
    ):
        number, event_type, feedstock, asset, locations, captured, stated = translated_values
        yield {
            **dict(zip(_AS_THEY_ARE, plain_values, strict=True)),
            "project_id": project,
            "id": number,
            "event_type_id": types[event_type],
            "feedstock_id": _number("feedstock", feedstock),
            "asset_id": _number("asset", asset),
            "location_ids": [_number("location", location) for location in locations],
            "captured": None if captured is None else msgspec.Raw(captured.encode()),
            "uncertainties": None if stated is None else msgspec.Raw(stated.encode()),
            **arrays,
        }


def _said(column: Any) -> list[Any]:
    """The values of a column; moments as texts."""
    message: list[Any] = (
        column.cast(pa.string()) if pa.types.is_timestamp(column.type) else column
    ).to_pylist()
    return message


def _arrays(table: Any) -> Iterator[dict[str, list[str | None]]]:
    """The captured values of each event, in the arrays of the table: each value at its position."""
    points = table.column("data_points").combine_chunks()
    if points.null_count or points.values.null_count:
        raise ValueError("its data points are not a list")
    begins = points.offsets.to_pylist()
    positions, kinds, values, captured = (
        points.values.field(name).to_pylist() for name in ("position", "value_type", "value", "captured")
    )
    for place, is_revised in enumerate(table.column("is_revised").to_pylist()):
        message = captured if is_revised else values
        arrays: dict[str, list[str | None]] = {name: [] for name in _KINDS.values()}
        for point in range(begins[place], begins[place + 1]):
            array, position = arrays[_KINDS[kinds[point]]], positions[point]
            array.extend([None] * (position - len(array)))
            array[position - 1] = message[point]
        yield arrays


def _number(kind: str, text: str | None) -> int | None:
    return None if text is None else identity.number(kind, text)
