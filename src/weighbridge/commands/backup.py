"""`weighbridge backup` and `weighbridge restore`: the data folder as it was, somewhere else."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from weighbridge.commands.context import progress_bars
from weighbridge.commands.options import ExistingDataDir, Json
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.backup.base_backup import BackupSource
    from weighbridge.backup.restore import Restoration
    from weighbridge.backup.target import BackupManifest, BackupTarget
    from weighbridge.settings import Settings

Target = Annotated[
    str | None,
    Parameter(
        help="A folder, best on another machine's disk, or a file, s3, gs or az URL; "
        "WEIGHBRIDGE_BACKUP_URL by default."
    ),
]
Flag = partial(Parameter, negative=(), show_default=False)
Follow = Annotated[bool, Flag(help="Go on: copy what comes, and take a whole backup when one is due.")]
StopFollowing = Annotated[bool, Flag(help="Have the database keep nothing any more for a target.")]
Listed = Annotated[bool, Flag(name="--list", help="List the backups of the target, and take none.")]
NoAuditKey = Annotated[bool, Flag(help="Leave out the key that signs heads of the audit log.")]
SecretKeysToo = Annotated[
    bool,
    Flag(
        name="--with-secret-keys",
        help="Put the keys of secrets into the backup too: whoever has it then reads the secrets of"
        " registries, webhooks and partners.",
    ),
]
Keep = Annotated[int | None, Parameter(help="How many whole backups stay; older ones are removed.")]


def backup(
    target: Target = None,
    /,
    *,
    data_dir: ExistingDataDir = None,
    follow: Follow = False,
    stop_following: StopFollowing = False,
    keep: Keep = None,
    without_audit_key: NoAuditKey = False,
    with_secret_keys: SecretKeysToo = False,
    listed: Listed = False,
    as_json: Json = False,
) -> None:
    """Back up the embedded database with the evidence files, while the service works.

    With --follow it goes on until interrupted, as `weighbridge serve` does by itself where
    WEIGHBRIDGE_BACKUP_URL is set: `weighbridge restore --until` then knows every moment since the oldest
    backup.

    Example: `weighbridge backup /mnt/backups --data-dir /srv/weighbridge --keep 7`
    """
    from weighbridge.backup.log_shipping import BackupPlan, back_up, stop_shipping
    from weighbridge.backup.log_shipping import follow as go_on
    from weighbridge.settings import read_with
    from weighbridge.supervisor import logs
    from weighbridge.supervisor.process import OF_BACKUP, die_with_supervisor, stand_back

    settings = read_with(data_dir=data_dir, backup_url=target, backup_keep=keep)
    place = _target(settings, is_made=listed)
    if listed:
        sys.stdout.write(_listing(place, as_json=as_json))
        return
    with _source(settings, with_key=not without_audit_key, with_secret_keys=with_secret_keys) as source:
        if stop_following:
            was_kept = stop_shipping(source, place)
            keeps = "no longer keeps anything" if was_kept else "kept nothing"
            sys.stdout.write(f"The database {keeps} for {place.name}.\n")
        elif follow:
            die_with_supervisor()
            stand_back(OF_BACKUP)
            logs.configure(settings)
            plan = BackupPlan(settings.backup_hours, settings.backup_keep)
            go_on(source, place, plan, partial(time.sleep, settings.backup_seconds))
        else:
            stand_back(OF_BACKUP)
            manifest = back_up(source, place, keep)
            sys.stdout.write(_written(manifest) if as_json else _sentences(manifest, place))


RestoreFrom = Annotated[str, Parameter(help="The folder or URL that backups were written to.")]
NewDataDir = Annotated[Path, Parameter(help="The data folder to make; it must be empty, or not be there.")]
Until = Annotated[
    str | None,
    Parameter(
        help="A time with an offset: nothing that was committed later is restored; the last by default."
    ),
]
BackupId = Annotated[str | None, Parameter(name="--backup", help="The backup to begin with, by its id.")]


def restore(
    source: RestoreFrom,
    /,
    *,
    data_dir: NewDataDir,
    until: Until = None,
    backup_id: BackupId = None,
    as_json: Json = False,
) -> None:
    """Make a data folder from a backup, as it was at the end or at a moment; exits with 1 when evidence files
    are missing.

    Example: `weighbridge restore /mnt/backups --data-dir /srv/restored --until 2026-11-20T12:00Z`
    """
    import msgspec

    from weighbridge.backup.restore import restore as make
    from weighbridge.backup.target import BackupTarget

    moment = None if until is None else _moment(until)
    with progress_bars() as bars:
        place = BackupTarget.open_target(source, is_made=True)
        restoration = make(place, data_dir, until=moment, backup=backup_id, report=bars)
    message = msgspec.json.encode(restoration).decode() + "\n" if as_json else _restore(restoration, data_dir)
    sys.stdout.write(message)
    if restoration.missing_evidence:
        sys.exit(1)


def _target(settings: "Settings", *, is_made: bool) -> "BackupTarget":
    from weighbridge.backup.target import BackupTarget

    if settings.backup_url is None:
        raise Refusal("Name a folder or a URL to back up to, or set WEIGHBRIDGE_BACKUP_URL.")
    return BackupTarget.open_target(settings.backup_url, is_made=is_made)


@contextmanager
def _source(settings: "Settings", *, with_key: bool, with_secret_keys: bool) -> "Iterator[BackupSource]":
    """The running server of the data folder, its evidence store and its settings."""
    from weighbridge.backup.base_backup import BackupSource
    from weighbridge.collection.evidence_files import open_objects
    from weighbridge.db.embedded.instance import attach_server, has_cluster
    from weighbridge.platform.audit_tree import key_file
    from weighbridge.platform.secret_keys import keys_file

    if settings.database_url is not None:
        raise Refusal(
            "The database is not the embedded one: WEIGHBRIDGE_DATABASE_URL names it. Back it up with its own"
            " tools, such as pgBackRest (docs/howto/back-up-and-restore.md)."
        )
    if not has_cluster(settings.data_dir):
        raise Refusal(f"{settings.data_dir} has no data of the service; name its folder with --data-dir.")
    evidence, _ = open_objects(settings.evidence_url, settings.data_dir)
    key = key_file(settings) if with_key else None
    secret_keys = keys_file(settings) if with_secret_keys else None
    with attach_server(settings.data_dir) as server:
        yield BackupSource(server, evidence, settings, key, secret_keys)


def _moment(text: str) -> datetime:
    try:
        return Instant.of(datetime.fromisoformat(text))
    except ValueError:
        raise Refusal(
            f"--until is {text!r}; it takes a time with an offset, such as 2026-11-20T12:00Z."
        ) from None


def _written(manifest: "BackupManifest") -> str:
    import msgspec

    return msgspec.json.encode(manifest).decode() + "\n"


def _listing(place: "BackupTarget", *, as_json: bool) -> str:
    from weighbridge.backup.log_shipping import find_reach
    from weighbridge.backup.target import manifests

    all_manifests = manifests(place)
    if as_json:
        return "".join(map(_written, all_manifests))
    lines = [f"{_line(manifest)}\n" for manifest in all_manifests] or [f"{place.name} has no backup.\n"]
    reaches = [
        (number, find_reach(place, number))
        for number in sorted({manifest.timeline for manifest in all_manifests})
    ]
    lines += [
        f"Later changes, on timeline {number}, were copied until {_text(reach.until)}.\n"
        for number, reach in reaches
        if reach is not None
    ]
    return "".join(lines)


def _line(manifest: "BackupManifest") -> str:
    return (
        f"{manifest.id}  whole at {_text(manifest.finished_at)}, {manifest.size / 1e6:,.1f} MB,"
        f" {manifest.evidence_files} files, revision {manifest.revision},"
        f" by Weighbridge {manifest.weighbridge}"
    )


def _sentences(manifest: "BackupManifest", place: "BackupTarget") -> str:
    key = ", and the key of the audit log" if manifest.audit_key else ""
    first = (
        f"The backup {manifest.id} in {place.name} has the database as it was at"
        f" {_text(manifest.finished_at)} ({manifest.size / 1e6:,.1f} MB)"
        f" and {manifest.evidence_files} evidence files{key}."
    )
    return "\n".join([first, *manifest.not_included]) + "\n"


def _restore(restoration: "Restoration", data_dir: Path) -> str:
    from weighbridge.db.roles import newest_revision

    row_counts = ", ".join(
        f"{number:,} {table.replace('_', ' ')}" for table, number in restoration.rows.items()
    )
    first = (
        f"{data_dir} is as it was at {_text(restoration.until)}: the backup {restoration.manifest.id} and"
        f" {restoration.segments} segments of the log, {restoration.files} files."
    )
    lines = [first, f"It has {row_counts}."]
    if restoration.revision != newest_revision():
        lines.append(
            f"It is at revision {restoration.revision}; run `weighbridge migrate` before it is served."
        )
    if not restoration.has_audit_key:
        lines.append("The key of the audit log is not in the backup; put audit-key.pem there before serving.")
    if restoration.needs_secret_keys:
        lines.append(
            "The keys of secrets are not in the backup; put secret-keys there before serving, from where it"
            " is kept."
        )
    if restoration.missing_files:
        lines.append(
            f"{restoration.missing_files} files of exports and drafts were removed before they were copied."
        )
    if restoration.missing_evidence:
        lines += ["Evidence files that the target does not have:", *restoration.missing_evidence]
    lines.append(f"Check it: weighbridge verify --data-dir {data_dir}")
    return "\n".join(lines) + "\n"


def _text(moment: datetime) -> str:
    return Instant.of(moment).text
