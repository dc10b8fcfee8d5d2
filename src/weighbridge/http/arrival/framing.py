"""Framing: where a request begins and ends, whom it is for, and which path it names, all in one way only.

A proxy in front of the service decides by the same bytes. What the two could read differently (two hosts,
a body in chunks and packed, a path written in another way) is refused rather than guessed at.

Invariant: a request that passes names its host once, has a body that is packed in nothing, and
writes its path in the one form that has no other.
"""

import re
from collections.abc import MutableMapping
from typing import Any, Final

from weighbridge.core.quantity.number import shorten
from weighbridge.errors import Malformed, NotFound, Refusal

_NO_OTHER_FORM: Final = re.compile(
    rb"/|\*|(?:/(?!\.{1,2}(?:/|\Z))(?:[^/%\x00-\x20\x7f]|%(?!2[DdEeFf]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]"
    rb"|6[1-9A-Fa-f]|7[0-9AaEe])[0-9A-Fa-f]{2})+)+"
)
"""Parts without `.` and `..`, none of them empty, with nothing escaped that needs no escape, and no slash."""

_CHUNKED: Final = b"chunked"
_HOST_IS_OPTIONAL: Final = ("1", "1.0")
"""The version before a host had to be named, as servers write it."""


def refusal_of(scope: MutableMapping[str, Any]) -> Refusal | None:
    """Why a request is not even looked at; None when it is framed in one way only."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    codings = [value.strip().lower() for name, value in scope["headers"] if name == b"transfer-encoding"]
    if len(hosts) > 1:
        return Malformed(f"The request names {len(hosts)} hosts; it takes one header Host.")
    if not any(hosts) and scope["http_version"] not in _HOST_IS_OPTIONAL:
        return Malformed("The request names no host; it takes one header Host.")
    if codings and codings != [_CHUNKED]:
        said = shorten(b", ".join(codings).decode("latin-1"))
        return Malformed(f"The transfer encoding is {said}; this service takes chunked alone, or none.")
    if not _NO_OTHER_FORM.fullmatch(scope.get("raw_path") or scope["path"].encode()):
        return NotFound(message="There is nothing at this path.", code="no_such_path")
    return None
