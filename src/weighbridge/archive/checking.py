"""Checking: every archived month against the database, row by row and in both directions.

Invariants: nothing is changed; a month is compared in one snapshot; of a month that differs altogether only
so many differences are told one by one, and the rest is counted.
"""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from weighbridge.archive.archive_files import MonthFile
from weighbridge.archive.differences import RowDifference, differences, streamed
from weighbridge.archive.explaining import explained
from weighbridge.archive.manifest import ManifestAsFile, month_of, newest_paths, read_manifest
from weighbridge.archive.reading_rows import RowDigest, stored_rows
from weighbridge.archive.records import ArchivedMonth, newest_of_months
from weighbridge.archive.vocabulary import changes_since, vocabulary_of
from weighbridge.backup.target import BackupTarget
from weighbridge.core.identity import ids
from weighbridge.db.engine import Database, Read
from weighbridge.errors import Refusal

DIFFERENCES_TOLD_MAX: Final = 100
"""Differences of a month that are told one by one."""


class CheckedMonth(msgspec.Struct, frozen=True):
    """What came of comparing a month."""

    project: str
    month: str
    version: int
    rows: int
    altered: list[str]
    """What nothing that the service knows of explains: of files, of rows."""
    changed: list[str]
    """What changed since, and by what; another version of the month takes it up."""
    renamed: list[str]
    """What is called otherwise now."""
    more: int = 0
    """Differences that are not told one by one."""

    @property
    def is_clean(self) -> bool:
        """Whether the month is as it was written, but for changes that the service knows."""
        return not self.altered and not self.more


async def check_months(database: Database, place: BackupTarget, project: int) -> AsyncIterator[CheckedMonth]:
    """Compare the newest version of each month of a project; raises Refusal when the place has none."""
    name = ids.of("project", project)
    async with database.read() as tx:
        noted = await newest_of_months(tx, project, place.name)
    manifests = newest_paths(place, name)
    if not manifests and not noted:
        raise Refusal(f"{place.name} has no month of the project {name}.")
    for month in sorted({*manifests, *noted}):
        path, kept = manifests.get(month), noted.get(month)
        if path is None:
            assert kept is not None, "one side has the month"  # noqa: S101
            missing = f"version {kept.version} was written to {place.name}, and is not there"
            yield CheckedMonth(name, month, kept.version, kept.rows, [missing], [], [])
            continue
        try:
            manifest = read_manifest(place, path)
        except Refusal as refusal:  # a month that cannot be read keeps nobody from hearing of the others
            version, rows = (kept.version, kept.rows) if kept else (0, 0)
            yield CheckedMonth(name, month, version, rows, _sentences(refusal), [], [])
            continue
        yield await _check_month(database, place, project, manifest, kept)


async def _check_month(
    database: Database, place: BackupTarget, project: int, found: ManifestAsFile, kept: ArchivedMonth | None
) -> CheckedMonth:
    manifest, altered = found.manifest, [*_unnoted(found, kept)]
    since = kept.seen_until if kept and not altered else datetime.fromisoformat(manifest.made_at)
    unlike: list[RowDifference] = []
    more = 0
    with TemporaryDirectory(prefix="weighbridge-archive-") as folder:
        try:
            file = MonthFile.fetched(place, manifest, Path(folder))
        except Refusal as refusal:
            altered += _sentences(refusal)
            return CheckedMonth(
                manifest.project, manifest.month, manifest.version, manifest.rows, altered, [], []
            )
        async with database.read() as tx:
            stored = stored_rows(tx, project, month_of(manifest), manifest.vocabulary, RowDigest())
            async for difference in differences(streamed(file.tables()), stored):
                if len(unlike) < DIFFERENCES_TOLD_MAX:
                    unlike.append(difference)
                else:
                    more += 1
            told = await _told(tx, project, since, unlike)
            renamed = [*changes_since(manifest.vocabulary, await vocabulary_of(tx, project))]
    altered += told[False]
    return CheckedMonth(
        manifest.project, manifest.month, manifest.version, manifest.rows, altered, told[True], renamed, more
    )


async def _told(tx: Read, project: int, since: datetime, found: list[RowDifference]) -> dict[bool, list[str]]:
    """What is explained, and what is not."""
    told: dict[bool, list[str]] = {True: [], False: []}
    for one in await explained(tx, project, since, found) if found else ():
        told[one.is_explained].append(one.sentence)
    return told


def _sentences(refusal: Refusal) -> list[str]:
    return [problem.message for problem in refusal.problems]


def _unnoted(manifest: ManifestAsFile, kept: ArchivedMonth | None) -> list[str]:
    """What is wrong with a manifest by what the database noted when it was written."""
    if kept is None:
        return ["the database knows nothing of the month's being archived there"]
    if kept.manifest_sha256.hex() != manifest.sha256:
        noted = kept.manifest_sha256.hex()[:32]
        return [f"its newest manifest is not the one that was noted, version {kept.version} with {noted}"]
    return []
