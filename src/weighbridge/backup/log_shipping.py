"""Shipping: the log of the database is copied to the target, segment by segment, again and again.

A replication slot has the server keep what was not shipped yet, also while nobody ships; it keeps 4 GB at
most, and a slot that lost more is made anew, with a base backup. Each round closes the segment at work, so
what can be lost with the machine is what came since the last round.

Invariants: files are copied between the end of a segment and its shipping, so what the log names is there;
the slot moves on only when the target has a segment.
"""

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Self

import msgspec
import psycopg
import structlog

from weighbridge.backup.base_backup import BackupSource, CopiedFiles, prune, refuse_another, take
from weighbridge.backup.target import (
    LOG,
    SEGMENT_BYTES,
    BackupManifest,
    BackupTarget,
    LastBackup,
    list_shipped,
    manifests,
    note,
    refuse_fork,
    segment_name,
    segment_path,
    segment_timeline,
)
from weighbridge.errors import Refusal

COMPRESSION: Final = 1

_SLOT: Final = "SELECT restart_lsn - '0/0', wal_status FROM pg_replication_slots WHERE slot_name = %s"
_HERE: Final = "SELECT pg_current_wal_flush_lsn() - '0/0', pg_walfile_name(pg_current_wal_insert_lsn() + 1)"


class ShippedReach(msgspec.Struct, frozen=True):
    """Until when, and up to which segment, the log was shipped."""

    system_identifier: str
    until: datetime
    next_segment: str


@dataclass(slots=True)
class Shipping:
    """A database whose log goes to a target, on a connection of its own."""

    source: BackupSource
    target: BackupTarget
    connection: psycopg.Connection[Any]
    system_identifier: str
    files: CopiedFiles
    known: dict[str, str] = field(default_factory=dict)
    newest: BackupManifest | None = None
    """The newest backup of the target."""

    @classmethod
    def begun(cls, source: BackupSource, target: BackupTarget, connection: psycopg.Connection[Any]) -> Self:
        """Look at what the target has. Raises Refusal."""
        [identifier] = _row(connection, "SELECT system_identifier::text FROM pg_control_system()")
        refuse_another(target, identifier)
        shipping = cls(source, target, connection, identifier, CopiedFiles(target), list_shipped(target))
        shipping.newest = next(reversed(manifests(target)), None)
        return shipping

    @property
    def slot(self) -> str:
        return name_slot(self.target)

    @property
    def timeline(self) -> int:
        [_, name] = _row(self.connection, _HERE)
        return segment_timeline(name)

    def hold(self) -> bool:
        """Have the server keep its log for this target; returns whether it did not do so before."""
        slot_row = self.connection.execute(_SLOT, (self.slot,)).fetchone()
        if slot_row is not None and slot_row[0] is not None and slot_row[1] != "lost":
            return False
        if slot_row is not None:
            self.connection.execute("SELECT pg_drop_replication_slot(%s)", (self.slot,))
        self.connection.execute("SELECT pg_create_physical_replication_slot(%s, true)", (self.slot,))
        return True

    def ship(self) -> ShippedReach:
        """Ship all that was written before this moment. Raises Refusal, and psycopg.Error."""
        [until] = _row(self.connection, "SELECT clock_timestamp()")
        # A commit after that moment: whoever asks for the moment finds where it was over.
        self.connection.execute("SELECT pg_logical_emit_message(true, 'weighbridge', 'shipped')")
        self.connection.execute("SELECT pg_switch_wal()")
        [written_position, name] = _row(self.connection, _HERE)
        [kept_position, _] = _row(self.connection, _SLOT, self.slot)
        timeline, end = segment_timeline(name), int(written_position) // SEGMENT_BYTES
        self.files.copy_new(self.source.evidence)
        for number in range(int(kept_position) // SEGMENT_BYTES, end):
            self._ship_segment(segment_name(timeline, number))
        self.connection.execute(
            "SELECT pg_replication_slot_advance(%s, '0/0'::pg_lsn + %s::numeric)",
            (self.slot, end * SEGMENT_BYTES),
        )
        reach = ShippedReach(self.system_identifier, until, segment_name(timeline, end))
        self.target.put(_reach_path(timeline), msgspec.json.encode(reach))
        return reach

    def _ship_segment(self, name: str) -> None:
        packing = zlib.compressobj(COMPRESSION, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
        file = self.source.server.location.cluster / "pg_wal" / name
        content = packing.compress(file.read_bytes()) + packing.flush()
        sha256 = hashlib.sha256(content).hexdigest()
        refuse_fork(self.target, self.known, name, sha256)
        if name not in self.known:
            self.target.put(segment_path(name, sha256), content)
            self.known[name] = sha256


def stop_shipping(source: BackupSource, target: BackupTarget) -> bool:
    """Stop the server keeping its log for this target; returns whether it did keep it."""
    with psycopg.connect(source.server.superuser_url, autocommit=True) as connection:
        removal = connection.execute(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s",
            (name_slot(target),),
        )
        return removal.rowcount > 0


def find_reach(target: BackupTarget, timeline: int) -> ShippedReach | None:
    """Until when the log of a timeline was shipped to a target, None when it never was."""
    reach_path = _reach_path(timeline)
    if not any(path == reach_path for path, _, _ in target.names(LOG)):
        return None
    return msgspec.json.decode(target.read(reach_path), type=ShippedReach)


def _reach_path(timeline: int) -> str:
    return f"{LOG}/reach-{timeline:08X}.json"


def name_slot(target: BackupTarget) -> str:
    """The name of the slot for a target."""
    return "weighbridge_backup_" + hashlib.sha256(target.name.encode()).hexdigest()[:8]


def _row(connection: psycopg.Connection[Any], statement: Any, *values: object) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(statement, values).fetchone()
    assert row is not None, "the statement gives one row"  # noqa: S101
    return row


# Following: a base backup when one is due, and the log in between, until somebody ends it.


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
    rounds_done = 0
    while rounds is None or rounds_done < rounds:
        try:
            with psycopg.connect(source.server.superuser_url, autocommit=True) as connection:
                shipping = Shipping.begun(source, target, connection)
                while rounds is None or rounds_done < rounds:
                    _round(shipping, plan)
                    rounds_done += 1
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
    time_row = connection.execute("SELECT now()").fetchone()
    assert time_row is not None, "there is always a time"  # noqa: S101
    moment: datetime = time_row[0]
    return moment
