"""The table `archives`: which months of a project were written where, and what they had seen of the data."""

from datetime import datetime
from typing import Final

import msgspec

from weighbridge.archive.manifest import ManifestAsFile, month_of
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read, Write

_COLUMNS: Final = """
    a.project_id, to_char(a.month, 'YYYY-MM'), a.version, a.place, a.manifest_sha256, a.rows_sha256,
    a.row_count, a.size_bytes, a.change_number, a.seen_until, a.made_at
"""


class ArchivedMonth(msgspec.Struct, frozen=True):
    """A month that was written to a place, or found there as it would be written."""

    project: int
    month: str
    version: int
    place: str
    manifest_sha256: bytes
    rows_sha256: bytes
    rows: int
    size_bytes: int
    change_number: int
    seen_until: datetime
    """Whatever a transaction stored that began before this moment is in the file."""
    made_at: datetime


class ListedMonth(msgspec.Struct, frozen=True):
    """The same as people are told of it."""

    project: str
    month: str
    version: int
    rows: int
    bytes: int
    place: str
    sha256: str
    change_number: int
    made_at: Instant

    @classmethod
    def of(cls, one: ArchivedMonth) -> "ListedMonth":
        project = ids.of("project", one.project)
        digest = one.manifest_sha256.hex()
        return cls(
            project, one.month, one.version, one.rows, one.size_bytes, one.place, digest, one.change_number,
            Instant.of(one.made_at),
        )  # fmt: skip


async def newest_of_months(tx: Read, project: int, place: str) -> dict[str, ArchivedMonth]:
    """What was written last of each month of a project to a place."""
    rows = await tx.rows(
        ArchivedMonth,
        f"""
        SELECT DISTINCT ON (a.month) {_COLUMNS} FROM archives a
         WHERE a.project_id = %s AND a.place = %s ORDER BY a.month, a.id DESC
        """,
        (project, place),
    )
    return {one.month: one for one in rows}


async def archived_months(tx: Read, project: int | None) -> list[ArchivedMonth]:
    """Every version that was written of a project, or of all; of one that was found again, the first row."""
    return await tx.rows(
        ArchivedMonth,
        f"""
        SELECT DISTINCT ON (a.project_id, a.month, a.place, a.version) {_COLUMNS} FROM archives a
         WHERE %s::integer IS NULL OR a.project_id = %s
         ORDER BY a.project_id, a.month, a.place, a.version, a.id
        """,
        (project, project),
    )


async def keep_month(
    tx: Write, project: int, place: str, written: ManifestAsFile, seen: tuple[int, datetime]
) -> None:
    """Note that a month lies in a place, and up to which change and moment all is in it."""
    manifest, (change_number, seen_until) = written.manifest, seen
    await tx.execute(
        """
        INSERT INTO archives (project_id, month, version, place, manifest_sha256, rows_sha256, row_count,
                              size_bytes, change_number, seen_until)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            project, month_of(manifest).start.date(), manifest.version, place,
            bytes.fromhex(written.sha256), bytes.fromhex(manifest.rows_sha256), manifest.rows,
            manifest.events.size, change_number, seen_until,
        ),
    )  # fmt: skip
