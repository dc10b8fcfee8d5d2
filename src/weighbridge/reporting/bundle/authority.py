"""A time-stamping authority, asked over HTTP."""

import http.client
import secrets
from typing import Final
from urllib.parse import urlsplit

from weighbridge.core.proof.error import UnprovenError
from weighbridge.core.proof.time_stamp import (
    ANSWER_BYTES_MAX,
    REQUEST_TYPE,
    check_time_stamp,
    time_stamp_request,
)
from weighbridge.errors import Unavailable

TIMEOUT_SECONDS: Final = 20
_NONCE_BITS: Final = 64
_OK: Final = 200


def time_stamp(url: str, sha256: bytes) -> bytes:
    """The authority's answer over a digest; Unavailable when it gives none."""
    nonce = secrets.randbits(_NONCE_BITS)
    try:
        answer = _asked(url, time_stamp_request(sha256, nonce))
        check_time_stamp(answer, sha256, nonce)
    except (OSError, http.client.HTTPException, UnprovenError) as error:
        said = f"The time-stamping authority at {url} gave no time stamp: {error}"
        raise Unavailable(said, "time_stamp_missing") from error
    return answer


def _asked(url: str, request: bytes) -> bytes:
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
