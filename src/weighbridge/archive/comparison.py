"""Checking: every archived month against the database, row by row and in both directions.

Invariants: nothing is changed; a month is compared in one snapshot; of a month that differs altogether only
so many differences are listed one by one, and the others are counted.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from weighbridge.archive.months import (
    ArchivedMonth,
    ManifestAsFile,
    changes_since,
    newest_of_months,
    newest_paths,
    parse_month,
    read_manifest,
    read_vocabulary,
)
from weighbridge.archive.rows import MonthFile, RowDigest, stored_rows
from weighbridge.backup.target import BackupTarget
from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database, Read
from weighbridge.errors import Refusal

# Differences: rows of an archive and of the database, in step, and where they are not the same.
#
# Both come in the order of start and number. Whole pieces are compared at once, and row by row only where
# they differ; a row that one side lacks puts them out of step no further than its piece.


Row = dict[str, Any]

_START: Final = "start_time"
_NUMBER: Final = "number"


@dataclass(frozen=True, slots=True)
class RowDifference:
    """An event that is not the same on both sides, or that only one of them has at its time."""

    archived: Row | None
    stored: Row | None


class _RowStream:
    """What is left of one side's rows, a table at a time."""

    def __init__(self, tables: AsyncIterator[Any]) -> None:
        self._tables = tables
        self.table: Any = None
        self.is_over = False

    async def refill(self) -> int:
        """Have rows at hand, if there are any; gives how many."""
        while not self.is_over and (self.table is None or not self.table.num_rows):
            self.table = await anext(self._tables, None)
            self.is_over = self.table is None
        return 0 if self.table is None else int(self.table.num_rows)

    def take(self, rows: int) -> Any:
        table, self.table = self.table.slice(0, rows), self.table.slice(rows)
        return table

    def last(self) -> tuple[Any, int]:
        [row] = self.table.select([_START, _NUMBER]).slice(self.table.num_rows - 1).to_pylist()
        return row[_START], row[_NUMBER]

    def take_until(self, limit: tuple[Any, int]) -> dict[tuple[Any, int], Row]:
        """The rows up to a key, by their keys."""
        if not self.table.num_rows:
            return {}
        keys = self.table.select([_START, _NUMBER]).to_pylist()
        count = sum((key[_START], key[_NUMBER]) <= limit for key in keys)
        return {(row[_START], row[_NUMBER]): row for row in self.take(count).to_pylist()}


async def differences(
    archived: AsyncIterator[Any], stored: AsyncIterator[Any]
) -> AsyncIterator[RowDifference]:
    """Every row that is not the same on both sides."""
    left, right = _RowStream(archived), _RowStream(stored)
    while True:
        counts = await left.refill(), await right.refill()
        if not any(counts):
            return
        if not all(counts):
            side = left if counts[0] else right
            for row in side.take(max(counts)).to_pylist():
                yield RowDifference(row, None) if side is left else RowDifference(None, row)
            continue
        common = min(counts)
        if left.table.slice(0, common).equals(right.table.slice(0, common)):
            left.take(common)
            right.take(common)
            continue
        limit = min(left.last(), right.last())
        for difference in _unlike(left.take_until(limit), right.take_until(limit)):
            yield difference


def _unlike(left: dict[tuple[Any, int], Row], right: dict[tuple[Any, int], Row]) -> Iterator[RowDifference]:
    for key in sorted({*left, *right}):
        if (was := left.get(key)) != (now := right.get(key)):
            yield RowDifference(was, now)


async def stream_file(tables: Iterator[Any]) -> AsyncIterator[Any]:
    """Tables as they come of a file, as the same kind of stream as those of the database."""
    for table in tables:
        yield table


DIFFERENCES_TOLD_MAX: Final = 100
"""Differences of a month that are listed one by one."""


class CheckedMonth(msgspec.Struct, frozen=True):
    """The result of comparing a month."""

    project: str
    month: str
    version: int
    rows: int
    altered: list[str]
    """What nothing that the service knows of explains: of files, of rows."""
    changed: list[str]
    """What changed since, and by what; another version of the month takes it up."""
    renamed: list[str]
    """The records that have other names now."""
    more: int = 0
    """Differences that are counted and not listed."""

    @property
    def is_clean(self) -> bool:
        """Whether the month is as it was written, but for changes that the service knows."""
        return not self.altered and not self.more


async def check_months(database: Database, place: BackupTarget, project: int) -> AsyncIterator[CheckedMonth]:
    """Compare the newest version of each month of a project; raises Refusal when the place has none."""
    name = identity.of("project", project)
    async with database.read() as tx:
        noted = await newest_of_months(tx, project, place.name)
    manifests = newest_paths(place, name)
    if not manifests and not noted:
        raise Refusal(f"{place.name} has no month of the project {name}.")
    for month in sorted({*manifests, *noted}):
        path, noted_month = manifests.get(month), noted.get(month)
        if path is None:
            assert noted_month is not None, "one side has the month"  # noqa: S101
            missing = f"version {noted_month.version} was written to {place.name}, and is not there"
            yield CheckedMonth(name, month, noted_month.version, noted_month.rows, [missing], [], [])
            continue
        try:
            manifest = read_manifest(place, path)
        except Refusal as refusal:  # a month that cannot be read keeps nobody from hearing of the others
            version, rows = (noted_month.version, noted_month.rows) if noted_month else (0, 0)
            yield CheckedMonth(name, month, version, rows, _sentences(refusal), [], [])
            continue
        yield await _check_month(database, place, project, manifest, noted_month)


async def _check_month(
    database: Database,
    place: BackupTarget,
    project: int,
    manifest_file: ManifestAsFile,
    noted_month: ArchivedMonth | None,
) -> CheckedMonth:
    manifest, altered = manifest_file.manifest, [*_list_unnoted(manifest_file, noted_month)]
    since = (
        noted_month.seen_until if noted_month and not altered else datetime.fromisoformat(manifest.made_at)
    )
    unlike: list[RowDifference] = []
    more = 0
    with TemporaryDirectory(prefix="weighbridge-archive-") as folder:
        try:
            file = MonthFile.fetch_rows(place, manifest, Path(folder))
        except Refusal as refusal:
            altered += _sentences(refusal)
            return CheckedMonth(
                manifest.project, manifest.month, manifest.version, manifest.rows, altered, [], []
            )
        async with database.read() as tx:
            stored_tables = stored_rows(tx, project, parse_month(manifest), manifest.vocabulary, RowDigest())
            async for difference in differences(stream_file(file.tables()), stored_tables):
                if len(unlike) < DIFFERENCES_TOLD_MAX:
                    unlike.append(difference)
                else:
                    more += 1
            sentences = await _told(tx, project, since, unlike)
            renamed = [*changes_since(manifest.vocabulary, await read_vocabulary(tx, project))]
    altered += sentences[False]
    return CheckedMonth(
        manifest.project,
        manifest.month,
        manifest.version,
        manifest.rows,
        altered,
        sentences[True],
        renamed,
        more,
    )


async def _told(
    tx: Read, project: int, since: datetime, row_differences: list[RowDifference]
) -> dict[bool, list[str]]:
    """The sentences on differences, by whether they are explained."""
    sentences: dict[bool, list[str]] = {True: [], False: []}
    for explained in (
        await explain_differences(tx, project, since, row_differences) if row_differences else ()
    ):
        sentences[explained.is_explained].append(explained.sentence)
    return sentences


def _sentences(refusal: Refusal) -> list[str]:
    return [problem.message for problem in refusal.problems]


def _list_unnoted(manifest: ManifestAsFile, noted_month: ArchivedMonth | None) -> list[str]:
    """The differences of a manifest from what the database noted when it was written."""
    if noted_month is None:
        return ["the database knows nothing of the month's being archived there"]
    if noted_month.manifest_sha256.hex() != manifest.sha256:
        noted_digest = noted_month.manifest_sha256.hex()[:32]
        noted = f"version {noted_month.version} with {noted_digest}"
        return [f"its newest manifest is not the one that was noted, {noted}"]
    return []


# Explaining: which change that the service knows of made an event differ from its archived row, if any did.
#
# A field may only differ by what moves it: the value of a data point by a correction of that very value, a
# time or tag by one of that field, other fields by a write that the audit log has. What was captured never
# changes. What nothing explains was altered behind the service's back.


_BY_CORRECTION: Final = frozenset({"start_time", "end_time", "tracking_id", "feedstock_id", "asset_id"})
"""Fields that corrections of an event move."""

_FOLLOWING: Final = frozenset({"updated_at", "is_revised", "captured_fields", "is_complete"})
"""Fields that move with others, or with a write that names many events at once."""

_ROLLED_UP: Final = frozenset(
    {"readings", "valid_readings", "covered_readings", "expected_readings", "data_points", "voided_at"}
)
"""The fields that rolling up again changes."""

_BEHIND: Final = "altered behind the service's back"

_CORRECTIONS: Final = """
    SELECT c.event_id, c.position, c.field, c.id, c.source, c.state, coalesce(c.reverted_at, c.created_at)
      FROM corrections c WHERE c.project_id = %s AND c.event_id = ANY (%s)
       AND greatest(c.created_at, c.reverted_at) >= date_trunc('milliseconds', %s::timestamptz) ORDER BY c.id
"""
_AUDIT_ROWS: Final = """
    SELECT object, id, action, at FROM audit_log
     WHERE account_id = (SELECT account_id FROM projects WHERE id = %s) AND object = ANY (%s)
       AND at >= date_trunc('milliseconds', %s::timestamptz) ORDER BY id
"""
_STILL_THERE: Final = "SELECT id FROM events WHERE project_id = %s AND id = ANY (%s)"


@dataclass
class _Known:
    """The changes of an event since then that the service recorded."""

    by_field: dict[str, str] = field(default_factory=dict)
    by_position: dict[int, str] = field(default_factory=dict)
    written: str | None = None
    is_there: bool = False

    @property
    def anything(self) -> str | None:
        return next(iter([*self.by_position.values(), *self.by_field.values()]), self.written)


@dataclass(frozen=True, slots=True)
class Explained:
    """The sentence on a difference, and whether a recorded change explains all of it."""

    sentence: str
    is_explained: bool


async def explain_differences(
    tx: Read, project: int, since: datetime, row_differences: Sequence[RowDifference]
) -> list[Explained]:
    """A sentence for each difference, with what changed since a moment."""
    changes = {_number(difference): _Known() for difference in row_differences}
    for number, position, name, correction, source, state, at in await tx.tuples(
        _CORRECTIONS, (project, [*changes], since)
    ):
        message = f"correction {correction} ({source}, {state.replace('_', ' ')}) of {_at(at)}"
        if position:
            changes[number].by_position[position] = message
        else:
            changes[number].by_field[name] = message
    names = {identity.of("event", project, number): number for number in changes}
    for name, row, action, at in await tx.tuples(_AUDIT_ROWS, (project, [*names], since)):
        changes[names[name]].written = f"{action} of {_at(at)}, audit row {row}"
    for (number,) in await tx.tuples(_STILL_THERE, (project, [*changes])):
        changes[number].is_there = True
    return [
        _explain(project, since, difference, changes[_number(difference)]) for difference in row_differences
    ]


def _explain(project: int, since: datetime, difference: RowDifference, changes: _Known) -> Explained:
    name = f"event {identity.of('event', project, _number(difference))}"
    if difference.archived is None:
        assert difference.stored is not None, "one side has the row"  # noqa: S101
        return _came(name, since, difference.stored, changes)
    if difference.stored is None:
        return _went(name, changes)
    causes: list[str] = []
    strange: list[str] = []
    for field_name in sorted({*difference.archived} - _FOLLOWING):
        if difference.archived[field_name] != difference.stored[field_name]:
            for message, cause in _explain_field(
                field_name, difference.archived, difference.stored, changes, since
            ):
                (strange if cause is None else causes).append(message if cause is None else cause)
    if strange:
        return Explained(f"{name}: {', '.join(strange)}: {_BEHIND}", is_explained=False)
    if cause := ", ".join(dict.fromkeys(causes)) or changes.anything:
        return Explained(f"{name} changed since: {cause}", is_explained=True)
    return _explain_followed(name, difference.archived, difference.stored)


def _explain_followed(name: str, archived_row: Row, stored_row: Row) -> Explained:
    """What is said where only such fields differ as otherwise move with others."""
    moved_fields = [
        field_name for field_name in sorted(_FOLLOWING) if archived_row[field_name] != stored_row[field_name]
    ]
    if stored_row["is_complete"] and not archived_row["is_complete"]:
        return Explained(f"{name} is complete since {_at(stored_row['updated_at'])}", is_explained=True)
    return Explained(f"{name}: {', '.join(moved_fields)} differ: {_BEHIND}", is_explained=False)


def _came(name: str, since: datetime, stored_row: Row, changes: _Known) -> Explained:
    """The explanation of an event that the archive does not have at its time."""
    if time_change := changes.by_field.get("start_time"):
        return Explained(
            f"{name} started at another time when it was archived, until {time_change}", is_explained=True
        )
    if stored_row["created_at"] >= since.replace(microsecond=since.microsecond // 1000 * 1000):
        return Explained(f"{name} came later, at {_at(stored_row['created_at'])}", is_explained=True)
    return Explained(f"{name} is not in the archive: {_BEHIND}", is_explained=False)


def _went(name: str, changes: _Known) -> Explained:
    """The explanation of an event that the database does not have at its archived time."""
    if (time_change := changes.by_field.get("start_time")) and changes.is_there:
        return Explained(f"{name} starts at another time, by {time_change}", is_explained=True)
    message = "starts at another time, by no correction" if changes.is_there else "is not in the database"
    return Explained(f"{name} {message}: {_BEHIND}", is_explained=False)


def _explain_field(
    name: str, was: Row, now: Row, changes: _Known, since: datetime
) -> Iterator[tuple[str, str | None]]:
    """What is said of a field that differs, and what explains it; of data points, of each that does."""
    if now["readings"] is not None and name in _ROLLED_UP and now["updated_at"] >= since:
        yield name, f"rolled up anew at {_at(now['updated_at'])}"
    elif name == "data_points":
        yield from _explain_points(was, now, changes)
    elif name == "evidence":
        archived_evidence = {evidence["number"]: evidence for evidence in was["evidence"]}
        is_kept = all(
            archived_evidence.get(evidence["number"], evidence) == evidence for evidence in now["evidence"]
        )
        has_all = {evidence["number"] for evidence in now["evidence"]} >= set(archived_evidence)
        yield "its evidence differs", "evidence attached since" if is_kept and has_all else None
    elif name in _BY_CORRECTION:
        yield _said(name, was[name], now[name]), changes.by_field.get(name)
    elif name == "voided_at" and now["is_imputed"] and now["updated_at"] >= since:
        yield name, f"withdrawn at {_at(now['updated_at'])}"
    else:
        yield _said(name, was[name], now[name]), changes.written


def _explain_points(was: Row, now: Row, changes: _Known) -> Iterator[tuple[str, str | None]]:
    archived_points, stored_points = _by_position(was), _by_position(now)
    for position in sorted({*archived_points, *stored_points}):
        archived_point, stored_point = archived_points.get(position), stored_points.get(position)
        if archived_point == stored_point:
            continue
        slug = (archived_point or stored_point or {})["slug"]
        captured_values = (_captured(was, archived_point), _captured(now, stored_point))
        if captured_values[0] is not None and captured_values[0] != captured_values[1]:
            yield (
                f"what was captured of {slug} was {captured_values[0]!r} and is {captured_values[1]!r}",
                None,
            )
        elif (archived_point and _shown(archived_point)) != (stored_point and _shown(stored_point)):
            values = archived_point and archived_point["value"], stored_point and stored_point["value"]
            yield _said(str(slug), *values), changes.by_position.get(position)


def _captured(row: Row, point: Mapping[str, Any] | None) -> str | None:
    """The captured value of a data point."""
    return None if point is None else point["captured" if row["is_revised"] else "value"]


def _shown(point: Mapping[str, Any]) -> tuple[Any, ...]:
    """What is in force on a data point, and by what."""
    return point["value"], point["value_type"], point["correction_source"], point["correction"]


def _by_position(row: Row) -> dict[int, Mapping[str, Any]]:
    return {point["position"]: point for point in row["data_points"]}


def _number(difference: RowDifference) -> int:
    row = difference.archived or difference.stored
    assert row is not None, "one side has the row"  # noqa: S101
    return int(row["number"])


def _said(name: str, was: object, now: object) -> str:
    return f"{name} was {_written(was)} and is {_written(now)}"


def _written(value: object) -> str:
    return _at(value) if isinstance(value, datetime) else "nothing" if value is None else repr(value)


def _at(moment: datetime) -> str:
    return Instant.of(moment).text
