"""What is stored of a submission: its content, its file, and its journal step by step.

Invariants: there is one file for each report, under one key, for one receiver, and neither the file nor
its row ever changes; a step of a task is recorded only while that task's attempt is the newest one.
"""

import json
from decimal import Decimal
from io import BytesIO
from secrets import token_hex
from typing import Any, Final, Self

import msgspec

from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.core.identity import ids
from weighbridge.core.quantity.number import plain, shorten
from weighbridge.core.report.state import DeliveryStep, may_have_been_received
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Database, Read, Write
from weighbridge.http.messages.operation import Files, Spool
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform.async_tasks import Attempt
from weighbridge.reporting.records.reports import Report
from weighbridge.reporting.submission.registry import Submission

# What of a report is handed on: what it states, as canonical JSON with decimals as strings.


STATED: Final = (
    "id",
    "project_id",
    "name",
    "report_type",
    "methodology_id",
    "ledger_id",
    "start_time",
    "end_time",
    "amount",
    "inclusions",
    "effective_at",
    "supersedes",
)
"""The fields that are handed on: those that no longer change once a report is submitted."""


def content_of(report: Report) -> bytes:
    """The bytes that are handed on: equal reports give equal bytes."""
    stated = {name: getattr(report, name) for name in STATED}
    return json.dumps(_plain(stated), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    match value:
        case Decimal():
            return plain(value)
        case Instant():
            return value.text
        case msgspec.Struct():
            return {name: _plain(field) for name, field in msgspec.structs.asdict(value).items()}
        case dict():
            return {name: _plain(field) for name, field in value.items()}
        case list():
            return [_plain(one) for one in value]
        case _:
            return value


# What is kept of a submission: one file for each report, under one key, for one receiver.
#
# Invariant: the file is in the store before its row is there, and neither ever changes.


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


# The journal of a submission: how far it came, step by step.
#
# Invariant: a step of a task is written down only while that task's attempt is the newest one.


DETAIL_MAX: Final = 1_000
"""Characters that a step keeps of what its receiver said."""


async def steps_of(tx: Read, project: int, report: int) -> list[DeliveryStep]:
    """The steps of a report's submission, in order."""
    rows = await tx.tuples(
        "SELECT step FROM report_deliveries WHERE project_id = %s AND report_id = %s ORDER BY id",
        (project, report),
    )
    return [DeliveryStep(step) for (step,) in rows]


class TaskJournal:
    """The journal of one report, in which an attempt at its task writes."""

    def __init__(self, database: Database, attempt: Attempt, report: int, steps: list[DeliveryStep]) -> None:
        self._database = database
        self._attempt = attempt
        self._report = report
        self._steps = steps

    @classmethod
    async def read(cls, database: Database, attempt: Attempt, report: int) -> Self:
        """The journal as it stands."""
        async with database.read() as tx:
            return cls(database, attempt, report, await steps_of(tx, attempt.project_id, report))

    @property
    def may_have_been_received(self) -> bool:
        """Whether an earlier step may have brought it to its receiver."""
        return may_have_been_received(self._steps)

    async def note(
        self, step: DeliveryStep, *, http_status: int | None = None, detail: str | None = None
    ) -> None:
        """Write a step down; raises AttemptSupersededError when a newer attempt has begun."""
        async with self._database.write() as tx:
            await tasks.lock_current_attempt(tx, self._attempt)
            await tx.execute(
                """
                INSERT INTO report_deliveries
                       (project_id, report_id, async_task_id, step, http_status, detail)
                VALUES (%s, %s, %s, %s, %s, %s)
                """,
                (
                    self._attempt.project_id, self._report, self._attempt.task_id, step, http_status,
                    shorten(detail, DETAIL_MAX) if detail else None,
                ),
            )  # fmt: skip
        self._steps.append(step)
