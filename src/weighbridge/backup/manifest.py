"""The manifest: what one backup consists of, of what it is, and what it does not have."""

from datetime import datetime
from typing import Final

import msgspec

from weighbridge.backup.target import BackupTarget
from weighbridge.errors import Refusal

FORMAT: Final = 1
BACKUPS: Final = "backups"
MANIFEST: Final = "manifest.json"


class BackupPart(msgspec.Struct, frozen=True):
    """A file of a backup."""

    path: str
    size: int
    sha256: str


class BackupManifest(msgspec.Struct, frozen=True, kw_only=True):
    """One backup; its database can be restored as it was at `finished_at`, or later with the shipped log."""

    format: int = FORMAT
    id: str
    weighbridge: str
    """The version that took it."""
    postgresql: int
    """The major version of the server."""
    revision: str
    """The last step of the history of migrations."""
    system_identifier: str
    timeline: int
    first_segment: str
    """The segment of the log from which it is replayed."""
    started_at: datetime
    finished_at: datetime
    parts: list[BackupPart]
    """In their order: a gzipped tar file of the cluster, cut to pieces."""
    evidence: BackupPart
    """A line for each evidence file: SHA-256, bytes, key."""
    evidence_files: int
    audit_key: BackupPart | None
    settings: dict[str, str]
    """Those that were not at their defaults, without what may hold a password."""
    not_included: list[str]
    """What a working service needs beside this, in sentences."""

    @property
    def folder(self) -> str:
        return f"{BACKUPS}/{self.id}"

    @property
    def size(self) -> int:
        """Bytes of the database's parts."""
        return sum(part.size for part in self.parts)


def written(manifest: BackupManifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1)


def manifests(target: BackupTarget) -> list[BackupManifest]:
    """The finished backups of a target, oldest first; raises Refusal for one that cannot be read."""
    paths = [path for path, _, _ in target.names(BACKUPS) if path.endswith(f"/{MANIFEST}")]
    return sorted((_read(target, path) for path in paths), key=lambda one: (one.finished_at, one.id))


def _read(target: BackupTarget, path: str) -> BackupManifest:
    content = target.read(path)
    try:
        manifest = msgspec.json.decode(content, type=BackupManifest)
    except msgspec.MsgspecError as error:
        raise Refusal(f"{target.name}/{path} is no manifest of a backup: {error}") from error
    if manifest.format != FORMAT:
        raise Refusal(
            f"{target.name}/{path} has format {manifest.format}, made by Weighbridge {manifest.weighbridge};"
            f" this version reads format {FORMAT}."
        )
    return manifest
