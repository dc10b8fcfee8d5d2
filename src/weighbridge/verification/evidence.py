"""The evidence files, and what reports sent and keep: each read from the store, whole, and held against the
SHA-256 of its row.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from weighbridge.collection.evidence_files import EvidenceStore
from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Damaged

FILES_AT_ONCE: Final = 8
"""Files that are read at the same time; each is on disk meanwhile when it is large."""

_FILES: Final = """
    SELECT project_id, id, event_id, name, storage_key, size, sha256 FROM evidence
     WHERE type = 'file' AND (project_id, id) > (%s, %s)
       AND (%s::timestamptz IS NULL OR created_at >= %s) ORDER BY project_id, id LIMIT %s
"""


class _File(msgspec.Struct, frozen=True):
    """What the row of a file says of it."""

    project: int
    number: int
    event: int
    name: str
    key: str
    size: int
    sha256: bytes


async def check_evidence(
    tx: Read,
    store: EvidenceStore,
    since: Instant | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> tuple[int, list[str]]:
    """Check every file, or those attached since a moment; gives how many there are and the violations."""
    count = 0
    violations: list[str] = []
    last_checked = (0, 0)
    while files := await tx.rows(_File, _FILES, (*last_checked, since, since, FILES_AT_ONCE)):
        complaints = await asyncio.gather(*(_check_file(store, file) for file in files))
        violations += [complaint for complaint in complaints if complaint is not None]
        count += len(files)
        advance(len(files))
        last_checked = (files[-1].project, files[-1].number)
    return count, violations


async def check_report_files(tx: Read, store: EvidenceStore) -> list[str]:
    """Check every file that a report sent off, and every bundle that is kept of one; gives the violations."""
    violations: list[str] = []
    for project, report, file_kind, key, size, sha256 in await tx.tuples(_REPORT_FILES):
        try:
            (await store.get(key, size, sha256)).close()
        except Damaged as damage:
            name = identity.of("report", project, report)
            violations.append(f"{file_kind} of {name}, kept as {key}: {damage}")
    for project, report in await tx.tuples(_SENT_OTHERWISE):
        name = identity.of("report", project, report)
        violations.append(f"submission of {name}: its content or its size is not that of its SHA-256")
    return violations


async def _check_file(store: EvidenceStore, file: _File) -> str | None:
    try:
        (await store.get(file.key, file.size, file.sha256)).close()
    except Damaged as damage:
        where = f"evidence {file.number} of {identity.of('event', file.project, file.event)}, {file.name!r}"
        return f"{where}, kept as {file.key}: {damage}"
    return None


_REPORT_FILES: Final = """
    SELECT project_id, report_id, 'submission', storage_key, size_bytes, sha256 FROM report_submissions
     WHERE storage_key IS NOT NULL
    UNION ALL
    SELECT project_id, report_id, 'bundle', storage_key, size_bytes, sha256 FROM report_bundles
     ORDER BY 1, 2, 3
"""
_SENT_OTHERWISE: Final = """
    SELECT project_id, report_id FROM report_submissions
     WHERE content IS NOT NULL AND (sha256(content) <> sha256 OR octet_length(content) <> size_bytes)
     ORDER BY project_id, report_id
"""
