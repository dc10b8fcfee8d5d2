"""Time stamps by RFC 3161: the request over a digest, the authority that answers, and what its answer proves.

`rfc3161-client` verifies the answer. It makes requests only over data that it hashes by itself, for which a
bundle is too large. So the request is written here: the shortest DER that names SHA-256, the digest and a
nonce, and asks for the certificate of the signer.

Invariant: a time stamp is stored only if its signature leads to a certificate that the operator trusts, and
if it is over this digest and for this request.
"""

import http.client
import secrets
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from cryptography.x509 import Certificate, load_pem_x509_certificates
from rfc3161_client import TimeStampResponse, VerifierBuilder, decode_timestamp_response

from weighbridge.core.proof.error import UnprovenError
from weighbridge.errors import Unavailable

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
