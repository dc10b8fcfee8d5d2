"""Retention: the newest backups stay, with the log and the files that they need; the rest goes.

Invariants: a backup loses its manifest before its parts, so none that is half gone looks whole; what the
oldest backup that stays, or any moment after it, needs is never removed.
"""

from datetime import datetime
from typing import Final

from weighbridge.backup.files import EVIDENCE, keys_of
from weighbridge.backup.manifest import BACKUPS, MANIFEST, BackupManifest, manifests
from weighbridge.backup.segments import number_of, path_of, shipped, timeline_of
from weighbridge.backup.target import BackupTarget

UNFINISHED_SECONDS: Final = 86_400
"""How old parts without a manifest must be before they count as no one's."""


def prune(target: BackupTarget, keep: int, now: datetime) -> list[str]:
    """Remove all but so many backups; gives the ids of those that went. Raises Refusal."""
    found = manifests(target)
    going, staying = found[:-keep], found[-keep:]
    target.delete(f"{one.folder}/{MANIFEST}" for one in going)
    known = {one.id for one in staying}
    gone = {one.id for one in going}
    parts = []
    for path, _, written in target.names(BACKUPS):
        backup = path.split("/")[1]
        is_left_over = backup not in known and now.timestamp() - written > UNFINISHED_SECONDS
        if backup in gone or is_left_over:
            parts.append(path)
    target.delete(parts)
    if going:
        _prune_log(target, staying)
        _prune_files(target, staying[0])
    return sorted(gone)


def _prune_log(target: BackupTarget, staying: list[BackupManifest]) -> None:
    """Remove what no backup replays: each begins at a segment, and keeps to its own timeline."""
    first: dict[int, int] = {}
    for one in reversed(staying):
        first[one.timeline] = number_of(one.first_segment)
    target.delete(
        [
            path_of(name, sha256)
            for name, sha256 in shipped(target).items()
            if timeline_of(name) not in first or number_of(name) < first[timeline_of(name)]
        ]
    )


def _prune_files(target: BackupTarget, oldest: BackupManifest) -> None:
    listed = keys_of(target.read(oldest.evidence.path, oldest.evidence.sha256))
    # A file that was copied before the oldest backup and is not in it was gone by then.
    before = oldest.started_at.timestamp()
    target.delete(
        [
            path
            for path, _, written in target.names(EVIDENCE)
            if written < before and path.split("/")[1].partition(".")[0] not in listed
        ]
    )
