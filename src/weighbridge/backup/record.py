"""When the last backup of a data directory was taken: a small file in it, for metrics and warnings."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from weighbridge.db.embedded.files import write_whole

FILE: Final = "last-backup.json"


class LastBackup(msgspec.Struct, frozen=True):
    """The last backup, and until when the log was shipped."""

    target: str
    id: str
    finished_at: datetime
    reaches: datetime
    """The latest moment that can be restored."""


def note(data_dir: Path, last: LastBackup) -> None:
    """Write it down."""
    write_whole(data_dir / FILE, msgspec.json.encode(last).decode())


def overdue(data_dir: Path, made_at: datetime, now: datetime, hours: int) -> str | None:
    """Say that the last backup is older than so many hours, or that a folder made then never had one.

    0 hours says nothing.
    """
    last = last_backup(data_dir)
    since = made_at if last is None else last.reaches
    if not hours or now - since <= timedelta(hours=hours):
        return None
    if last is None:
        return "no backup was ever taken"
    return f"backups reach until {last.reaches.isoformat(timespec='seconds')}"


def last_backup(data_dir: Path) -> LastBackup | None:
    """What was written down, None when no backup was ever taken or the file says nothing."""
    try:
        return msgspec.json.decode((data_dir / FILE).read_bytes(), type=LastBackup)
    except (OSError, msgspec.MsgspecError):
        return None
