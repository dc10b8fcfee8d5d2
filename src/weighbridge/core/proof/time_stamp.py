"""Time stamps by RFC 3161: the request for one over a digest, and what of its answer is looked at.

Whether the authority is to be trusted says `openssl ts -verify`, with the authority's certificate. Here it is
only asked whether the answer grants a stamp, over this digest and for this request.

Invariant: the request is the shortest DER that says SHA-256, the digest, a nonce, and that the certificate is
wanted.
"""

from typing import Final

from weighbridge.core.proof.error import UnprovenError

REQUEST_TYPE: Final = "application/timestamp-query"
ANSWER_TYPE: Final = "application/timestamp-reply"
ANSWER_BYTES_MAX: Final = 100_000
"""The longest answer that is kept; those of authorities have less than ten thousand bytes."""

_SHA_256: Final = bytes.fromhex("300d06096086480165030402010500")
_SEQUENCE, _INTEGER, _OCTETS = 0x30, 0x02, 0x04
_GRANTED: Final = (0, 1)
_LONG: Final = 0x80


def time_stamp_request(sha256: bytes, nonce: int) -> bytes:
    """The request for a stamp over a digest; the nonce tells the answer from older ones."""
    imprint = _element(_SEQUENCE, _SHA_256 + _element(_OCTETS, sha256))
    return _element(_SEQUENCE, _element(_INTEGER, b"\x01") + imprint + _nonce(nonce) + b"\x01\x01\xff")


def check_time_stamp(answer: bytes, sha256: bytes, nonce: int) -> None:
    """UnprovenError unless the answer grants a stamp over this digest, for this request."""
    if len(answer) > ANSWER_BYTES_MAX:
        raise UnprovenError(f"The authority's answer has more than {ANSWER_BYTES_MAX:,} bytes.")
    try:
        _, status_info, _ = _read(_read(answer)[1])
        _, status, _ = _read(status_info)
    except IndexError:
        raise UnprovenError("The answer of the time-stamping authority is no time stamp.") from None
    if int.from_bytes(status) not in _GRANTED:
        raise UnprovenError(f"The time-stamping authority refused, with status {int.from_bytes(status)}.")
    if _element(_OCTETS, sha256) not in answer or _nonce(nonce) not in answer:
        raise UnprovenError("The time stamp is over something else than what was sent.")


def _nonce(nonce: int) -> bytes:
    return _element(_INTEGER, nonce.to_bytes(nonce.bit_length() // 8 + 1))


def _element(tag: int, content: bytes) -> bytes:
    assert len(content) < _LONG, "all that is written here is short"  # noqa: S101
    return bytes((tag, len(content))) + content


def _read(content: bytes) -> tuple[int, bytes, bytes]:
    """The tag of the first element, what is in it, and what stands behind; IndexError where there is none."""
    tag, length, start = content[0], content[1], 2
    if length >= _LONG:
        start += length - _LONG
        length = int.from_bytes(content[2:start])
    if len(content) < start + length:
        raise IndexError
    return tag, content[start : start + length], content[start + length :]
