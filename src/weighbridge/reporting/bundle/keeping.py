"""Bundles that are kept with their reports: for a draft when somebody asks, for good when it is sent off.

Invariants: a report that is sent off has one bundle, made before anything was handed on, and it stays; the
digest of every bundle that is kept stands in the audit log.
"""

import asyncio
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from weighbridge.collection.evidence_files.keeping import KEY_BYTES
from weighbridge.collection.evidence_files.store import EvidenceStore
from weighbridge.core.identity import ids
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Conflict, NotFound
from weighbridge.http.attachment import Attachment, Files
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import actions as tasks
from weighbridge.platform.async_tasks.actions import Attempt
from weighbridge.platform.audit_tree.keys import signer
from weighbridge.reporting.bundle.authority import request_time_stamp
from weighbridge.reporting.bundle.making import BundleRequest, MadeBundle, ReadReport, make_bundle
from weighbridge.settings import Settings

MEDIA_TYPE: Final = "application/zip"
BUNDLE_FILE: Final = "bundle.zip"


class KeptBundle(msgspec.Struct, frozen=True):
    """A bundle that is kept."""

    is_final: bool
    is_redacted: bool
    storage_key: str
    size: int
    sha256: bytes
    time_stamp: bytes | None


class BundleResult(msgspec.Struct, frozen=True):
    """The result of a finished bundle, and what the audit log says of it."""

    report: str
    """The friendly id of the report."""
    sha256: str
    """The SHA-256 of the file, as 64 hexadecimal digits."""
    file_size_bytes: int
    """How long the file is."""
    batch_count: int
    """The batches in it: those that the report takes of, and all that these rest on."""
    redacted: bool
    """Whether evidence is in it by its digests alone."""
    time_stamped: bool
    """Whether an authority vouched for the time."""


class Bundler:
    """Makes bundles and keeps them; the worker has one, with the store and the settings of the service."""

    def __init__(self, store: EvidenceStore, settings: Settings, read_report: ReadReport) -> None:
        self._store = store
        self._read_report = read_report
        self._settings = settings

    async def make(self, database: Database, attempt: Attempt) -> None:
        """Make the bundle of a draft, in place of the one before; Conflict once the report was sent off."""
        number, is_redacted = attempt.args["report_id"], attempt.args["redact"]
        made, row = await self._made(database, attempt, number, is_redacted=is_redacted)
        async with database.write() as tx:
            await tasks.hold_fence(tx, attempt)
            before = await kept_bundle(tx, attempt.project_id, number)
            if before is not None and before.is_final:
                raise Conflict("The report was sent off meanwhile; the bundle of that stays.", "not_draft")
            result = await _keep(tx, attempt, number, made, row)
            await tasks.succeed(tx, attempt, result)

    async def make_once(self, database: Database, attempt: Attempt, number: int) -> None:
        """Make the bundle of a report that is being sent off, unless an earlier attempt did."""
        async with database.read() as tx:
            before = await kept_bundle(tx, attempt.project_id, number)
        if before is not None and before.is_final:
            return
        made, row = await self._made(database, attempt, number, is_redacted=False, is_final=True)
        async with database.write() as tx:
            await tasks.hold_fence(tx, attempt)
            await _keep(tx, attempt, number, made, row)

    async def _made(
        self,
        database: Database,
        attempt: Attempt,
        number: int,
        *,
        is_redacted: bool,
        is_final: bool = False,
    ) -> tuple[MadeBundle, KeptBundle]:
        async with database.read() as tx:
            by = await signer(tx, self._settings)
        project, account = attempt.project_id, attempt.actor.account_id
        request = BundleRequest(project, number, account, by, self._read_report, is_redacted)
        key = token_hex(KEY_BYTES)
        with TemporaryDirectory(prefix="weighbridge-bundle-") as folder:
            file = Path(folder, BUNDLE_FILE)
            made = await make_bundle(database, self._store, request, Path(folder), file)
            stamp = await self._request_time_stamp(made.sha256)
            await self._store.put_file(key, file)
        return made, KeptBundle(is_final, is_redacted, key, made.size, made.sha256, stamp)

    async def _request_time_stamp(self, sha256: bytes) -> bytes | None:
        """Return a verified time stamp over a digest; None where the operator names no authority."""
        url, certificates = self._settings.time_stamp_url, self._settings.time_stamp_certificates
        if url is None:
            return None
        return await asyncio.to_thread(request_time_stamp, url, certificates, sha256)


async def kept_bundle(tx: Read, project: int, report: int) -> KeptBundle | None:
    """The bundle of a report; None while there is none."""
    return await tx.row(
        KeptBundle,
        """
        SELECT is_final, is_redacted, storage_key, size_bytes, sha256, time_stamp FROM report_bundles
         WHERE project_id = %s AND report_id = %s
        """,
        (project, report),
    )


def need_bundle(report: str, kept: KeptBundle | None) -> KeptBundle:
    """The bundle of a report; NotFound while it has none."""
    if kept is None:
        raise NotFound("report", report, message="The report has no bundle yet.", code="bundle_missing")
    return kept


def attached(report: str, kept: KeptBundle, files: Files) -> Attachment:
    """The file of a bundle, named for its report."""
    return Attachment(
        f"{report}.zip", MEDIA_TYPE, kept.size, partial(files.get, kept.storage_key, kept.size, kept.sha256)
    )


async def _keep(tx: Write, attempt: Attempt, number: int, made: MadeBundle, row: KeptBundle) -> BundleResult:
    """Write down that a bundle is there; the file of the one before goes with the next sweep."""
    project = attempt.project_id
    await tx.execute(
        """
        INSERT INTO report_bundles (project_id, report_id, is_final, is_redacted, storage_key, size_bytes,
                                    sha256, time_stamp, batch_count)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (project_id, report_id) DO UPDATE
           SET (is_final, is_redacted, storage_key, size_bytes, sha256, time_stamp, batch_count, made_at)
             = (excluded.is_final, excluded.is_redacted, excluded.storage_key, excluded.size_bytes,
                excluded.sha256, excluded.time_stamp, excluded.batch_count, clock_timestamp())
        """,
        (project, number, *msgspec.structs.astuple(row), made.batch_count),
    )
    friendly = ids.of("report", project, number)
    result = BundleResult(
        friendly, made.sha256.hex(), made.size, made.batch_count, row.is_redacted, row.time_stamp is not None
    )
    changes.record(
        tx, attempt.actor, action="report.keep_bundle", target=f"bundle of {friendly}", project_id=project,
        after=result,
    )  # fmt: skip
    return result
