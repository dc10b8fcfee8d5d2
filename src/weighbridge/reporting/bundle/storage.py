"""Store bundles with their reports: for a draft on request, for good when the report is submitted.

A time-stamping authority is asked here, where one is set.

Invariants: a submitted report has one bundle, made before anything was sent; the digest of every stored
bundle is in the audit log.
"""

import asyncio
import http.client
import secrets
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

import msgspec
from cryptography.x509 import Certificate, load_pem_x509_certificates
from rfc3161_client import TimeStampResponse, VerifierBuilder, decode_timestamp_response

from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.core import identity
from weighbridge.core.signing import UnprovenError
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Conflict, NotFound, Unavailable
from weighbridge.http.messages.operation import Attachment, Files
from weighbridge.http.outgoing import CallReach, OutgoingClient
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt
from weighbridge.platform.audit_tree import signer
from weighbridge.platform.audit_witnesses import ask_for_account
from weighbridge.platform.tenancy import name_download
from weighbridge.reporting.bundle.builder import BundleRequest, MadeBundle, ReadReport, make_bundle
from weighbridge.settings import Settings

# Time stamps by RFC 3161: the request over a digest, the authority that answers, and what its answer
# proves.
#
# `rfc3161-client` verifies the answer. It makes requests only over data that it hashes by itself, for which
# a bundle is too large. So the request is written here: the shortest DER that names SHA-256, the digest and
# a nonce, and asks for the certificate of the signer.
#
# Invariant: a time stamp is stored only if its signature leads to a certificate that the operator trusts,
# and if it is over this digest and for this request.


REQUEST_TYPE: Final = "application/timestamp-query"
ANSWER_TYPE: Final = "application/timestamp-reply"
ANSWER_BYTES_MAX: Final = 100_000
"""The longest answer that is kept; those of authorities have less than ten thousand bytes."""

TIMEOUT_SECONDS: Final = 20
_NONCE_BITS: Final = 64
_OK: Final = 200
_GRANTED: Final = 0
_SHA_256: Final = "2.16.840.1.101.3.4.2.1"
_SHA_256_IN_DER: Final = bytes.fromhex("300d06096086480165030402010500")
_SEQUENCE, _INTEGER, _OCTETS, _CERTIFICATES = 0x30, 0x02, 0x04, 0xA0
_LENGTH_MAX: Final = 0x7F
"""The longest content whose length DER writes as one byte."""


def request_time_stamp(url: str, certificates: Path | None, sha256: bytes) -> bytes:
    """Return the authority's answer over a digest; Unavailable unless it proves the time.

    The file of certificates has the roots that are trusted, and those between them and the signer which the
    authority does not send along.
    """
    nonce = secrets.randbits(_NONCE_BITS)
    try:
        roots = _read_certificates(certificates)
        answer = _ask(url, build_request(sha256, nonce))
        check_time_stamp(answer, sha256, nonce, roots)
    except (OSError, http.client.HTTPException, UnprovenError) as error:
        message = f"The time-stamping authority at {url} gave no time stamp: {error}"
        raise Unavailable(message, "time_stamp_missing") from error
    return answer


def build_request(sha256: bytes, nonce: int) -> bytes:
    """Return the request for a stamp over a digest; the nonce distinguishes its answer from earlier ones."""
    imprint = _element(_SEQUENCE, _SHA_256_IN_DER + _element(_OCTETS, sha256))
    number = _element(_INTEGER, nonce.to_bytes(nonce.bit_length() // 8 + 1))
    return _element(_SEQUENCE, _element(_INTEGER, b"\x01") + imprint + number + b"\x01\x01\xff")


def check_time_stamp(answer: bytes, sha256: bytes, nonce: int, roots: list[Certificate]) -> None:
    """Raise UnprovenError unless a trusted signer stamped this digest, for this request.

    The chain of certificates has to be valid at the time of the stamp.
    """
    if len(answer) > ANSWER_BYTES_MAX:
        raise UnprovenError(f"The authority's answer has more than {ANSWER_BYTES_MAX:,} bytes.")
    response = _decode(answer)
    verifier = VerifierBuilder(roots=roots, nonce=nonce).build()
    try:
        verifier.verify(response, sha256)
    except Exception as error:  # it reads certificates, and raises whatever cryptography raises about these
        raise UnprovenError(f"The time stamp does not hold: {error}") from error
    # The verifier compares the bytes of the digest only.
    algorithm = response.tst_info.message_imprint.hash_algorithm.dotted_string
    if algorithm != _SHA_256:
        raise UnprovenError(f"The time stamp is over a digest of the algorithm {algorithm}, not of SHA-256.")


def _decode(answer: bytes) -> TimeStampResponse:
    try:
        response = decode_timestamp_response(_sort_certificates(answer))
    except (ValueError, IndexError) as error:
        raise UnprovenError("The answer of the time-stamping authority is no time stamp.") from error
    if response.status != _GRANTED:
        reasons = ", ".join(response.status_string) or "no reason given"
        raise UnprovenError(f"The time-stamping authority refused, with status {response.status}: {reasons}.")
    return response


def _sort_certificates(answer: bytes) -> bytes:
    """Return the answer with its certificates in the order of DER, as `rfc3161-client` requires.

    OpenSSL and well-known authorities send them in another order. No signature covers that.
    """
    _, info_start, _ = _element_at(answer, 0)
    _, _, token = _element_at(answer, info_start)
    if token == len(answer):  # a refusal
        return answer
    place = _element_at(answer, token)[1]
    place = _element_at(answer, _element_at(answer, place)[2])[1]
    place = _element_at(answer, place)[1]
    for _ in ("version", "algorithms of digests", "stamp"):
        place = _element_at(answer, place)[2]
    tag, start, end = _element_at(answer, place)
    if tag != _CERTIFICATES:
        return answer
    certificates = []
    place = start
    while place < end:
        _, _, following = _element_at(answer, place)
        certificates.append(answer[place:following])
        place = following
    return answer[:start] + b"".join(sorted(certificates)) + answer[place:]


def _element_at(content: bytes, place: int) -> tuple[int, int, int]:
    """Return the tag of an element of DER, where its content begins, and where the next element begins."""
    length, start = content[place + 1], place + 2
    if length > _LENGTH_MAX:
        bytes_of_length = length - _LENGTH_MAX - 1
        length = int.from_bytes(content[start : start + bytes_of_length])
        start += bytes_of_length
    return content[place], start, start + length


def _read_certificates(file: Path | None) -> list[Certificate]:
    variable = "WEIGHBRIDGE_TIME_STAMP_CERTIFICATES"
    if file is None:
        raise UnprovenError(f"{variable} must name a PEM file with the certificates to verify it by.")
    try:
        return load_pem_x509_certificates(file.read_bytes())
    except ValueError as error:
        raise UnprovenError(f"{variable} names {file}, which has no certificate in PEM.") from error


def _ask(url: str, request: bytes) -> bytes:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=TIMEOUT_SECONDS)
    try:
        path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        connection.request("POST", path, request, {"Content-Type": REQUEST_TYPE})
        answer = connection.getresponse()
        content = answer.read(ANSWER_BYTES_MAX + 1)
        if answer.status != _OK:
            raise UnprovenError(f"it answered {answer.status}.")
        return content
    finally:
        connection.close()


def _element(tag: int, content: bytes) -> bytes:
    assert len(content) <= _LENGTH_MAX, "all that is written here is short"  # noqa: S101
    return bytes((tag, len(content))) + content


# Bundles that are kept with their reports: for a draft when somebody asks, for good when it is sent off.
#
# Invariants: a report that is sent off has one bundle, made before anything was handed on, and it stays;
# the digest of every bundle that is kept stands in the audit log.


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
        made, row = await self._make(database, attempt, number, is_redacted=is_redacted)
        async with database.write() as tx:
            await tasks.lock_current_attempt(tx, attempt)
            before = await kept_bundle(tx, attempt.project_id, number)
            if before is not None and before.is_final:
                raise Conflict("The report was sent off meanwhile; the bundle of that stays.", "not_draft")
            result = await _insert_bundle(tx, attempt, number, made, row)
            await tasks.complete_task(tx, attempt, result)

    async def make_once(self, database: Database, attempt: Attempt, number: int) -> None:
        """Make the bundle of a report that is being sent off, unless an earlier attempt did."""
        async with database.read() as tx:
            before = await kept_bundle(tx, attempt.project_id, number)
        if before is not None and before.is_final:
            return
        made, row = await self._make(database, attempt, number, is_redacted=False, is_final=True)
        async with database.write() as tx:
            await tasks.lock_current_attempt(tx, attempt)
            await _insert_bundle(tx, attempt, number, made, row)

    async def _make(
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
        ask = partial(self._ask_witnesses, database, account) if self._settings.audit_witnesses else None
        request = BundleRequest(project, number, attempt.actor, by, self._read_report, is_redacted, ask)
        key = token_hex(KEY_BYTES)
        with TemporaryDirectory(prefix="weighbridge-bundle-") as folder:
            file = Path(folder, BUNDLE_FILE)
            made = await make_bundle(database, self._store, request, Path(folder), file)
            stamp = await self._request_time_stamp(made.sha256)
            await self._store.put_file(key, file)
        return made, KeptBundle(is_final, is_redacted, key, made.size, made.sha256, stamp)

    async def _ask_witnesses(self, database: Database, account: int) -> None:
        """Have witnesses cosign the newest head; a bundle is made without those that do not."""
        async with OutgoingClient(CallReach.of(self._settings.outgoing_networks)) as client:
            await ask_for_account(database, client, self._settings, account)

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


async def build_attachment(tx: Read, project: int, report: int, kept: KeptBundle, files: Files) -> Attachment:
    """The file of a bundle, named for its report."""
    name = await name_bundle(tx, project, report)
    return Attachment(
        name, MEDIA_TYPE, kept.size, partial(files.get, kept.storage_key, kept.size, kept.sha256)
    )


async def name_bundle(tx: Read, project: int, report: int) -> str:
    """What the file of the bundle of a report is called: project, report, and when it was made."""
    [(name, made_at)] = await tx.tuples(
        """
        SELECT r.name, b.made_at FROM reports r
          JOIN report_bundles b ON (b.project_id, b.report_id) = (r.project_id, r.id)
         WHERE (r.project_id, r.id) = (%s, %s)
        """,
        (project, report),
    )
    friendly = identity.of("report", project, report)
    return await name_download(tx, project, "zip", name, "bundle", moment=made_at, friendly=friendly)


async def _insert_bundle(
    tx: Write, attempt: Attempt, number: int, made: MadeBundle, row: KeptBundle
) -> BundleResult:
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
                excluded.sha256, excluded.time_stamp, excluded.batch_count, excluded.made_at)
        """,
        (project, number, *msgspec.structs.astuple(row), made.batch_count),
    )
    friendly = identity.of("report", project, number)
    result = BundleResult(
        friendly, made.sha256.hex(), made.size, made.batch_count, row.is_redacted, row.time_stamp is not None
    )
    changes.record(
        tx, attempt.actor, action="report.keep_bundle", target=f"bundle of {friendly}", project_id=project,
        after=result,
    )  # fmt: skip
    return result
