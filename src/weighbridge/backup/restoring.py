"""Restoring: a data directory is made from a backup and the log that was shipped after it.

Invariants: only an empty folder is restored to; until all is there, a mark in it keeps everybody from
starting an empty database in its place; every row of `evidence` has its file, or the restoration says which
have none.
"""

import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Identifier

from weighbridge.backup import files
from weighbridge.backup.extraction import Progress, extract
from weighbridge.backup.manifest import BackupManifest, manifests
from weighbridge.backup.recovery import log_for, recover
from weighbridge.backup.segments import number_of
from weighbridge.backup.shipping import ShippedReach, reach_of
from weighbridge.backup.target import BackupTarget
from weighbridge.collection.evidence_files.keeping import NAMING
from weighbridge.collection.evidence_files.store import FOLDER
from weighbridge.db.embedded import attached
from weighbridge.db.embedded.files import make_folder
from weighbridge.db.embedded.location import WHEEL_MAJOR, find_location, restoring_mark
from weighbridge.errors import Refusal
from weighbridge.platform.audit_tree.keys import KEY_FILE

_COUNTED: Final = ("accounts", "projects", "events", "batches", "ledger_entries", "evidence", "audit_log")


@dataclass(frozen=True, slots=True)
class Restoration:
    """What was restored."""

    manifest: BackupManifest
    until: datetime
    """All that was committed before this moment is there."""
    segments: int
    files: int
    revision: str
    has_audit_key: bool
    missing_evidence: list[str]
    """Keys of evidence files that the target does not have."""
    missing_files: int
    """Other files, of exports and drafts, that were removed while the backup was taken."""
    rows: dict[str, int] = field(default_factory=dict)


def restore(
    target: BackupTarget, data_dir: Path, *, until: datetime | None, backup: str | None, report: Progress
) -> Restoration:
    """Make a data directory, as it was at a moment or as late as can be. Raises Refusal."""
    _refuse_full(data_dir)
    manifest = chosen(target, until=until, backup=backup)
    _refuse_other_major(manifest)
    reach = reach_of(target, manifest.timeline)
    log = log_for(target, manifest)
    reached = _reached(manifest, reach, log)
    if until is not None and until > reached:
        raise Refusal(
            f"From the backup {manifest.id} on, {target.name} reaches until {reached.isoformat()} without a"
            f" gap, and {until.isoformat()} is later."
        )
    key = (
        None
        if manifest.audit_key is None
        else target.read(manifest.audit_key.path, manifest.audit_key.sha256)
    )
    data_dir = Path(os.path.realpath(data_dir))
    make_folder(data_dir)
    mark = restoring_mark(data_dir)
    mark.touch(mode=0o600)
    location = find_location(data_dir)
    extract(target, manifest, location, report)
    recover(location, target, log, until, report)
    if key is not None:
        _write_key(data_dir / KEY_FILE, key)
    os.sync()  # what follows can be looked at again; what was extracted must be on the disk before
    mark.unlink()
    restored = _restored_files(target, data_dir, report)
    os.sync()
    return Restoration(manifest, until or reached, len(log), has_audit_key=key is not None, **restored)


def chosen(target: BackupTarget, *, until: datetime | None, backup: str | None) -> BackupManifest:
    """The backup of a name, or the newest one that was whole at a moment. Raises Refusal."""
    found = manifests(target)
    if not found:
        raise Refusal(f"{target.name} has no backup.")
    named = [one for one in found if backup in {None, one.id}]
    if not named:
        known = ", ".join(one.id for one in found)
        raise Refusal(f"{target.name} has no backup {backup}; it has {known}.")
    early = [one for one in named if until is None or one.finished_at <= until]
    if not early:
        first = named[0].finished_at.isoformat()
        raise Refusal(f"{target.name} reaches back to {first}, and --until is earlier.")
    return early[-1]


def _reached(manifest: BackupManifest, reach: ShippedReach | None, log: list[tuple[str, str]]) -> datetime:
    """The latest moment that is known to be restored from a backup and its log."""
    if reach is None or not log or number_of(log[-1][0]) + 1 < number_of(reach.next_segment):
        return manifest.finished_at
    return max(reach.until, manifest.finished_at)


def _refuse_full(data_dir: Path) -> None:
    if data_dir.exists() and (not data_dir.is_dir() or any(data_dir.iterdir())):
        raise Refusal(f"{data_dir} is not empty; a backup is restored to a new folder.")


def _refuse_other_major(manifest: BackupManifest) -> None:
    if manifest.postgresql != WHEEL_MAJOR:
        raise Refusal(
            f"The backup {manifest.id} is of PostgreSQL {manifest.postgresql}, and this version has"
            f" {WHEEL_MAJOR}; restore it with Weighbridge {manifest.weighbridge}, then upgrade that"
            " (docs/howto/upgrade.md)."
        )


def _write_key(file: Path, key: bytes) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as written:
        written.write(key)


def _restored_files(target: BackupTarget, data_dir: Path, report: Progress) -> dict[str, Any]:
    """Fetch the files that rows of the restored database name."""
    with attached(data_dir) as server, psycopg.connect(server.url) as connection:
        evidence = _keys(connection, "evidence", "storage_key")
        others = {key for table, column in NAMING[1:] for key in _keys(connection, table, column)}
        [revision] = connection.execute("SELECT version_num FROM alembic_version").fetchone() or [""]
        counts = {table: _count(connection, table) for table in _COUNTED}
    known = files.CopiedFiles(target).known
    wanted = sorted((evidence | others) & known.keys())
    folder = data_dir / FOLDER
    make_folder(folder)
    for done, key in enumerate(wanted, 1):
        sha256, _ = known[key]
        target.fetch(files.path_of(key, sha256), sha256, folder / key)
        report("files", done, len(wanted))
    return {
        "files": len(wanted),
        "revision": revision,
        "missing_evidence": sorted(evidence - known.keys()),
        "missing_files": len(others - evidence - known.keys()),
        "rows": counts,
    }


def _keys(connection: psycopg.Connection[Any], table: str, column: str) -> set[str]:
    """The keys that a table names; an earlier release may not have the table yet."""
    if connection.execute("SELECT to_regclass(%s)", (table,)).fetchone() == (None,):
        return set()
    statement = SQL("SELECT {1} FROM {0} WHERE {1} IS NOT NULL").format(Identifier(table), Identifier(column))
    return {key for (key,) in connection.execute(statement)}


def _count(connection: psycopg.Connection[Any], table: str) -> int:
    found = connection.execute(SQL("SELECT count(*) FROM {}").format(Identifier(table))).fetchone()
    return int(found[0]) if found else 0
