"""The cookies of the service, read by a reader of its own that takes time in step with what it reads.

The reader of Python's library takes the square of it for quoted values (CPython before 3.11.10 and 3.12.6),
and anybody may send such. The service writes no quoted value, so this one reads none.

Invariant: of what a browser sends only the first `HEADER_LENGTH_MAX` characters are read.
"""

import re
from typing import Final

from weighbridge.http.caller import WebRequest

HEADER_LENGTH_MAX: Final = 4_096
"""Characters of the cookies of one request that are read; ours take less than 3,000."""

_VALUE: Final = re.compile(r"[A-Za-z0-9_=-]*")
"""What the service writes into a cookie: words, random text and base64."""


def cookie_of(request: WebRequest, name: str) -> str:
    """The value of a cookie of the service; empty where there is none, or none that the service has written.

    Of several with one name the last counts: browsers send those of longer paths first, and ours have the
    shortest.
    """
    return read_cookie(request.headers.get("cookie", ""), name)


def read_cookie(header: str, name: str) -> str:
    """The last value of a name in a Cookie header; empty for none, and for one that no cookie of ours has."""
    for pair in reversed(header[:HEADER_LENGTH_MAX].split(";")):
        found, _, value = pair.partition("=")
        if found.strip() == name:
            value = value.strip()
            return value if _VALUE.fullmatch(value) else ""
    return ""
