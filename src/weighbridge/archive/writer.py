"""Writing: the events of a month as a file of Parquet, with its manifest, and a row that tells of it.

    look          nothing changed since the month was written there, and its files are there: done
    read          one snapshot into a file of this machine
    compare       the place's newest version has these very rows: only the row of `archives` is missing
    put           the file, then the manifest, then in one transaction the row and its audit row

Invariants: whoever dies in between leaves a file without a manifest, or a manifest without a row; both are
harmless, and the next run goes on from there. A version that is there is never changed.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
import pyarrow.parquet as pq

from weighbridge import __version__
from weighbridge.accounting.posting.waiting_events import read_moment_before
from weighbridge.archive.months import (
    SCHEMA_VERSION,
    ArchivedHead,
    ArchivedMonth,
    ArchiveFile,
    CalendarMonth,
    ManifestAsFile,
    MonthManifest,
    is_as_it_was,
    keep_month,
    months_with_events,
    name_of_events,
    newest_manifests,
    newest_of_months,
    read_vocabulary,
)
from weighbridge.archive.rows import SCHEMA, RowDigest, stored_rows
from weighbridge.backup.target import BackupTarget
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.proof import Span
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Refusal
from weighbridge.exchange.change_feed import read_newest_numbers
from weighbridge.platform import changes
from weighbridge.platform.audit_tree import roots_of, size_of

COMPRESSION: Final = "zstd"
COMPRESSION_LEVEL: Final = 9
_TABLE_OF_NAMES: Final = ["event_type", "feedstock_id", "asset_id", "location_ids.list.element",
                          "data_points.list.element.slug", "data_points.list.element.unit",
                          "data_points.list.element.value_type",
                          "data_points.list.element.correction_source"]  # fmt: skip
"""Columns of few values, which each row group stores once."""


_NEVER_ENDED: Final = "SET LOCAL idle_in_transaction_session_timeout = 0"
"""A month may take longer to write than the server lets a transaction idle. It has no snapshot meanwhile, so
it keeps nothing from being tidied; and it ends with its process, for the server sees the connection close."""


class WrittenMonth(msgspec.Struct, frozen=True):
    """The outcome for a month."""

    project: str
    month: str
    state: str
    """`written`, `unchanged`, or `found`: a run that was killed had written it."""
    version: int
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ArchiveRequest:
    """Whose months are to be written: of a project of an account, up to a month, to a place."""

    actor: Actor
    project: int
    through: CalendarMonth


@dataclass(frozen=True, slots=True)
class _MonthDue:
    """A month, its newest whole version in the place, and what the database says was written there last."""

    month: CalendarMonth
    newest: ManifestAsFile | None
    kept: ArchivedMonth | None

    @property
    def is_noted(self) -> bool:
        """Whether the database knows the newest version of the place as the newest."""
        newest, noted_month = self.newest, self.kept
        return (
            newest is not None
            and noted_month is not None
            and noted_month.manifest_sha256.hex() == newest.sha256
        )

    def matches_rows(self, manifest: MonthManifest) -> bool:
        """Whether the newest version says of the month what would be written.

        One that the database did not note may be of anybody: it has to name the very file.
        """
        assert self.newest is not None, "there is a version to compare with"  # noqa: S101
        newest = self.newest.manifest
        is_file_same = self.is_noted or (newest.files, newest.rows) == (manifest.files, manifest.rows)
        return is_file_same and (newest.rows_sha256, newest.vocabulary) == (
            manifest.rows_sha256,
            manifest.vocabulary,
        )

    @property
    def version(self) -> int:
        """The number of another version."""
        return (
            max(self.newest.manifest.version if self.newest else 0, self.kept.version if self.kept else 0) + 1
        )


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """A month as it was read into a file of this machine."""

    manifest: ManifestAsFile
    file: Path
    seen: tuple[int, datetime]


async def write_months(
    database: Database, place: BackupTarget, request: ArchiveRequest
) -> AsyncIterator[WrittenMonth]:
    """Write every month of a project that is not in the place as it is in the database; raises Refusal.

    One run at a time writes a project: two would find the same newest version of a month, and each make the
    one after it. What keeps a second one out is held by a transaction that does nothing else.
    """
    async with database.write() as lock:
        await lock.execute(_NEVER_ENDED)
        if not await lock.value(*locks.try_hold(locks.archive_write(request.project))):
            name = identity.of("project", request.project)
            raise Refusal(f"Another run is writing months of {name}; run this again when it has ended.")
        async for month in _written_months(database, place, request, lock):
            yield month


async def _written_months(
    database: Database, place: BackupTarget, request: ArchiveRequest, lock: Write
) -> AsyncIterator[WrittenMonth]:
    project = request.project
    async with database.read() as tx:
        request.through.refuse_unsettled(await tx.value("SELECT now()"))
    manifests = {
        manifest_file.manifest.month: manifest_file
        for manifest_file in newest_manifests(place, identity.of("project", project))
    }
    file_sizes = {path: size for path, size, _ in place.names(f"{identity.of('project', project)}/")}
    async with database.read() as tx:
        months = [month async for month in months_with_events(tx, project, request.through)]
        archived = await newest_of_months(tx, project, place.name)
    texts_with_events = {month.text for month in months}
    emptied_months = [
        CalendarMonth.read(text, "A month of archives") for text in archived if text not in texts_with_events
    ]
    for month in sorted(
        [*months, *(emptied_month for emptied_month in emptied_months if emptied_month <= request.through)]
    ):
        newest, noted_month = manifests.get(month.text), archived.get(month.text)
        if newest is not None and not _has_file(file_sizes, newest.manifest):
            newest = None
        await lock.value("SELECT 1")  # raises where the server was lost meanwhile, and the lock with it
        yield await _write_month(database, place, request, _MonthDue(month, newest, noted_month))


async def _write_month(
    database: Database, place: BackupTarget, request: ArchiveRequest, due: _MonthDue
) -> WrittenMonth:
    newest, noted_month = due.newest, due.kept
    if newest is not None and noted_month is not None and due.is_noted:
        async with database.read() as tx:
            if await is_as_it_was(tx, request.project, due.month, noted_month):
                return _told(newest.manifest, "unchanged")
    with TemporaryDirectory(prefix="weighbridge-archive-") as folder:
        snapshot = await _read(database, request, due, Path(folder) / "events.parquet")
        manifest = snapshot.manifest
        if newest is not None and due.matches_rows(manifest.manifest):
            manifest, state = newest, "unchanged" if due.is_noted else "found"
        else:
            with snapshot.file.open("rb") as content:
                place.put(manifest.manifest.build_path(manifest.manifest.events), content)
            place.put(manifest.path, manifest.content)
            state = "written"
    async with database.write() as tx:
        await keep_month(tx, request.project, place.name, manifest, snapshot.seen)
        if state != "unchanged":
            _record(tx, request, place, manifest)
    return _told(manifest.manifest, state)


def _record(tx: Write, request: ArchiveRequest, place: BackupTarget, manifest_file: ManifestAsFile) -> None:
    manifest = manifest_file.manifest
    message = {
        "place": place.name,
        "month": manifest.month,
        "version": manifest.version,
        "rows": manifest.rows,
        "rows_sha256": manifest.rows_sha256,
        "manifest_sha256": manifest_file.sha256,
    }
    changes.record(
        tx,
        request.actor,
        action="archive.write",
        target=manifest_file.path,
        project_id=request.project,
        after=message,
    )


def _has_file(sizes: Mapping[str, int], manifest: MonthManifest) -> bool:
    """Whether a place has the file of a month, as long as it was written."""
    return sizes.get(manifest.build_path(manifest.events)) == manifest.events.size


def _told(manifest: MonthManifest, state: str) -> WrittenMonth:
    return WrittenMonth(
        manifest.project, manifest.month, state, manifest.version, manifest.rows, manifest.events.size
    )


async def _read(database: Database, request: ArchiveRequest, due: _MonthDue, file: Path) -> _Snapshot:
    """Write the rows of one snapshot to a file, and say what they are."""
    account, project = request.actor.account_id, request.project
    async with database.read() as tx:
        seen_until = await read_moment_before(tx)
    change_number = (await read_newest_numbers(database, [account])).get(account, 0)
    digest = RowDigest()
    async with database.read() as tx:
        vocabulary = await read_vocabulary(tx, project)
        head = await _audit_head(tx, account)
        made_at = await tx.value("SELECT now()")
        with pq.ParquetWriter(
            file, SCHEMA, compression=COMPRESSION, compression_level=COMPRESSION_LEVEL,
            use_dictionary=_TABLE_OF_NAMES,
        ) as writer:  # fmt: skip
            async for table in stored_rows(tx, project, due.month, vocabulary, digest):
                writer.write_table(table, row_group_size=max(table.num_rows, 1))
    sha256, size = _digest(file)
    manifest = MonthManifest(
        schema_version=SCHEMA_VERSION,
        weighbridge=__version__,
        project=identity.of("project", project),
        month=due.month.text,
        version=due.version,
        made_at=Instant.of(made_at).text,
        rows=digest.rows,
        rows_sha256=digest.text,
        files=[ArchiveFile(name_of_events(sha256), sha256, size)],
        change_number=change_number,
        audit_head=head,
        vocabulary=vocabulary,
    )
    assert isinstance(seen_until, datetime), "the statement gives a moment"  # noqa: S101
    return _Snapshot(ManifestAsFile.of(manifest), file, (change_number, seen_until))


async def _audit_head(tx: Read, account: int) -> ArchivedHead | None:
    rows = await size_of(tx, account)
    if not rows:
        return None
    [root] = await roots_of(tx, account, [Span(0, rows)])
    return ArchivedHead(rows, root.hex())


def _digest(file: Path) -> tuple[str, int]:
    with file.open("rb") as content:
        digest: Any = hashlib.file_digest(content, "sha256")
    return digest.hexdigest(), file.stat().st_size
