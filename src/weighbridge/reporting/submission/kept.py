"""What is kept of a submission: one file for each report, under one key, for one receiver.

Invariant: the file is in the store before its row is there, and neither ever changes.
"""

from io import BytesIO
from secrets import token_hex
from typing import Final

import msgspec

from weighbridge.collection.evidence_files.keeping import KEY_BYTES
from weighbridge.collection.evidence_files.store import EvidenceStore
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read, Write
from weighbridge.http.attachment import Files, Spool
from weighbridge.reporting.submission.adapter import Submission


class KeptSubmission(msgspec.Struct, frozen=True):
    """A row of what is kept; what was kept before files were, has its content in the row."""

    project: int
    report: int
    adapter: str
    registry: int | None
    key: str
    media_type: str
    extension: str
    sha256: bytes
    size: int
    storage_key: str | None
    content: bytes | None

    @property
    def name(self) -> str:
        """What the file is called."""
        return f"{ids.of('report', self.project, self.report)}.{self.extension}"


class RenderedSubmission(msgspec.Struct, frozen=True):
    """A file that is to be kept."""

    media_type: str
    extension: str
    content: bytes


async def kept_submission(tx: Read, project: int, report: int) -> KeptSubmission | None:
    """What is kept of a report; None while nothing is."""
    return await tx.row(KeptSubmission, _KEPT, (project, report))


async def put(store: EvidenceStore, rendered: RenderedSubmission) -> str:
    """Put a file into the store; gives the key that it has there. A file that no row names is swept away."""
    key = token_hex(KEY_BYTES)
    await store.put(key, BytesIO(rendered.content))
    return key


async def keep(
    tx: Write,
    project: int,
    report: int,
    receiver: tuple[str, int | None],
    file: tuple[str, RenderedSubmission],
) -> KeptSubmission:
    """Write down what is sent to whom, or give what stands there already: a report is rendered once."""
    (adapter, registry), (storage_key, rendered) = receiver, file
    await tx.execute(
        """
        INSERT INTO report_submissions (project_id, report_id, adapter, registry_id, media_type, extension,
                                        storage_key, size_bytes, sha256)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, sha256(%s)) ON CONFLICT (project_id, report_id) DO NOTHING
        """,
        (
            project, report, adapter, registry, rendered.media_type, rendered.extension, storage_key,
            len(rendered.content), rendered.content,
        ),
    )  # fmt: skip
    kept = await kept_submission(tx, project, report)
    assert kept is not None, "it was just written, unless it stood there"  # noqa: S101
    return kept


async def spool_of(files: Files, kept: KeptSubmission) -> Spool:
    """The file, from where it is kept; refuses what is not what was put there. The caller closes it."""
    if kept.storage_key is not None:
        return await files.get(kept.storage_key, kept.size, kept.sha256)
    assert kept.content is not None, "what is not in the store is in the row"  # noqa: S101
    return await spool_with(kept.content)


async def spool_with(content: bytes) -> Spool:
    """A spool that stands at the start of a content; the caller closes it."""
    spool = Spool()
    spool.write(content)
    spool.seek(0)
    return spool


async def submission_of(files: Files, kept: KeptSubmission) -> Submission:
    """What is handed on."""
    with await spool_of(files, kept) as spool:
        content = spool.read()
    return Submission(kept.key, kept.name, kept.media_type, content, kept.sha256.hex())


_KEPT: Final = """
    SELECT project_id, report_id, adapter, registry_id, key::text, media_type, extension, sha256,
           coalesce(size_bytes, length(content)), storage_key, content
      FROM report_submissions WHERE project_id = %s AND report_id = %s
"""
