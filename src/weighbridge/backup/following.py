"""Following: a base backup when one is due, and the log in between, until somebody ends it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg
import structlog

from weighbridge.backup.manifest import BackupManifest
from weighbridge.backup.record import LastBackup, note
from weighbridge.backup.retention import prune
from weighbridge.backup.shipping import Shipping
from weighbridge.backup.taking import BackupSource, take
from weighbridge.backup.target import BackupTarget
from weighbridge.errors import Refusal

log = structlog.get_logger("weighbridge.backup")


@dataclass(frozen=True, slots=True)
class BackupPlan:
    """How often a base backup is taken, and how many of them stay."""

    hours: int
    keep: int


def back_up(source: BackupSource, target: BackupTarget, keep: int | None) -> BackupManifest:
    """Take one backup, and remove older ones where it is said how many stay. Raises Refusal."""
    manifest = take(source, target)
    last = LastBackup(target.name, manifest.id, manifest.finished_at, manifest.finished_at)
    note(source.settings.data_dir, last)
    if keep is not None:
        prune(target, keep, manifest.finished_at)
    return manifest


def follow(
    source: BackupSource,
    target: BackupTarget,
    plan: BackupPlan,
    pause: Callable[[], None],
    rounds: int | None = None,
) -> None:
    """Take what is due, ship the log, pause, again and again; a failure is logged and tried again.

    `rounds` ends it after so many.
    """
    done = 0
    while rounds is None or done < rounds:
        try:
            with psycopg.connect(source.server.superuser_url, autocommit=True) as connection:
                shipping = Shipping.begun(source, target, connection)
                while rounds is None or done < rounds:
                    _round(shipping, plan)
                    done += 1
                    pause()
        except (Refusal, psycopg.Error, OSError) as error:
            if rounds is not None:
                raise
            log.error("backup_failed", target=target.name, reason=str(error).strip())  # noqa: TRY400 - no trace is of use here
            pause()


def _round(shipping: Shipping, plan: BackupPlan) -> None:
    source, target = shipping.source, shipping.target
    is_new = shipping.hold()
    newest = shipping.newest
    if newest is None or is_new or newest.timeline != shipping.timeline or _is_due(newest, plan, shipping):
        newest = shipping.newest = back_up(source, target, plan.keep)
        log.info("backup_taken", target=target.name, backup=newest.id, bytes=newest.size)
    reach = shipping.ship()
    note(source.settings.data_dir, LastBackup(target.name, newest.id, newest.finished_at, reach.until))


def _is_due(newest: BackupManifest, plan: BackupPlan, shipping: Shipping) -> bool:
    return _now(shipping.connection) - newest.finished_at >= timedelta(hours=plan.hours)


def _now(connection: psycopg.Connection[Any]) -> datetime:
    found = connection.execute("SELECT now()").fetchone()
    assert found is not None, "there is always a time"  # noqa: S101
    moment: datetime = found[0]
    return moment
