"""Adapters: who hands a report to its receiver.

The content is made once for each report and kept in the journal before it is handed on, so that whoever tries
again sends the same bytes under the same key. An adapter that cannot say whether it was received raises, and
is tried again or fails: then the report keeps what it has reserved.

Invariant: handing on the same key again is handing on once.
"""

import hashlib
from dataclasses import dataclass
from typing import Final, Protocol

from weighbridge.db.engine import Write


@dataclass(frozen=True, slots=True)
class Submission:
    """What is handed on."""

    key: str
    """The friendly id of the report: the key under which a receiver takes it once."""
    media_type: str
    content: bytes

    @property
    def sha256(self) -> str:
        """The digest of the content, as 64 hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the receiver calls it, or where it was put."""

    reference: str


class Adapter(Protocol):
    """Hands on what it is given."""

    name: str

    async def send(self, submission: Submission) -> Receipt:
        """Hand it on; raises when it is not certain that it was received."""


class FileAdapter:
    """Keeps the content in the journal, from where people fetch it and hand it on themselves."""

    name = "file"

    async def send(self, submission: Submission) -> Receipt:
        """Nothing is sent: the journal has it already."""
        return Receipt(f"sha256:{submission.sha256}")


FILE: Final = FileAdapter()
ADAPTERS: Final[dict[str, Adapter]] = {FILE.name: FILE}
"""Every adapter by its name."""


async def keep(tx: Write, project: int, report: int, adapter: str, submission: Submission) -> Submission:
    """Write what is sent into the journal, or give what stands there already: a report is made content of
    once.
    """
    await tx.execute(
        """
        INSERT INTO report_submissions (project_id, report_id, adapter, media_type, content, sha256)
        VALUES (%(project)s, %(report)s, %(adapter)s, %(media_type)s, %(content)s, sha256(%(content)s))
        ON CONFLICT DO NOTHING
        """,
        {
            "project": project,
            "report": report,
            "adapter": adapter,
            "media_type": submission.media_type,
            "content": submission.content,
        },
    )
    [(media_type, content)] = await tx.tuples(
        "SELECT media_type, content FROM report_submissions WHERE project_id = %s AND report_id = %s",
        (project, report),
    )
    return Submission(submission.key, media_type, bytes(content))
