"""Recomputing: batches anew from an archive's events, with the database's models, corrections and books."""

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from weighbridge.archive.archive_files import MonthFile
from weighbridge.archive.held_events import HeldEvents
from weighbridge.archive.manifest import newest_manifests
from weighbridge.backup.target import BackupTarget
from weighbridge.core.identity import ids
from weighbridge.db.engine import Database
from weighbridge.errors import Refusal
from weighbridge.verification.recomputation import recompute
from weighbridge.verification.recomputing.recomputed import sentences


class ArchiveRecomputation(msgspec.Struct, frozen=True):
    """What the batches of a project come to, from the events of its archive."""

    project: str
    months: int
    events: int
    batches: int
    """Computed anew, from events of the archive alone."""
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
    """Compute the batches of a project anew from what a place has of its events; raises Refusal."""
    name = ids.of("project", project)
    manifests = [one.manifest for one in newest_manifests(place, name)]
    if not manifests:
        raise Refusal(f"{place.name} has no month of the project {name}.")
    with TemporaryDirectory(prefix="weighbridge-archive-") as folder:
        months = [MonthFile.fetched(place, one, Path(folder)) for one in manifests if one.rows]
        async with database.trial() as tx:
            held = HeldEvents(tx, project, months)
            await held.prepare()
            found = await recompute(tx, project, source=held)
    return ArchiveRecomputation(
        project=name,
        months=len(manifests),
        events=sum(one.rows for one in manifests),
        batches=found.batches,
        violations=sentences(found.violations),
        older=found.older,
        differing=[],
        outside=found.outside,
        uncovered=sentences(found.uncovered),
    )
