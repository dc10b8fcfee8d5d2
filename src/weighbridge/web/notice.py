"""A notice: what was just done, said on the page that a form leads to, once.

It travels in a cookie that lives as long as the way takes, because nothing else outlives the answer.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from weighbridge.http.arrival.cookies import cookie_of
from weighbridge.http.caller import WebRequest

_COOKIE: Final = "weighbridge_notice"
_SECONDS: Final = 30
NOTICE_LENGTH_MAX: Final = 500
"""Characters of a notice, at most."""


def noticed(said: str) -> dict[str, str]:
    """The header that has the next page say something; of an empty text, the one that ends it."""
    value = urlsafe_b64encode(said[:NOTICE_LENGTH_MAX].encode()).decode()
    seconds = _SECONDS if said else 0
    return {"Set-Cookie": f"{_COOKIE}={value}; Max-Age={seconds}; HttpOnly; SameSite=Lax; Path=/"}


def said_of(request: WebRequest) -> str:
    """What the page before has left to be said."""
    try:
        return urlsafe_b64decode(cookie_of(request, _COOKIE)).decode()
    except ValueError:
        return ""
