"""The session of a request: its cookie, the CSRF token of its forms, the notice for its next page, local
URLs.

Invariants: the cookie is HttpOnly and SameSite=Lax, and Secure where people reach the service by https;
a form is taken only from our own pages; a token is never taken from a cookie.
"""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from weighbridge.errors import Forbidden
from weighbridge.http.caller import WebRequest, await_time, database, find_cookie
from weighbridge.platform.authentication.sessions import hash_secret, recognise_session
from weighbridge.platform.records.accounts import SESSION_DAYS, Person

_NAME: Final = "weighbridge_session"
THEME: Final = "weighbridge_theme"
"""The cookie with the theme of a person."""

THEMES: Final = ("light", "dark")


def read_session_secret(request: WebRequest) -> str:
    """Read the session's secret from the cookie; empty without one."""
    return find_cookie(request, _name(is_https(request)))


def keep_session(request: WebRequest, secret: str) -> dict[str, str]:
    """Return the header that stores the secret in the browser."""
    return {"Set-Cookie": _cookie(request, secret, SESSION_DAYS * 86_400)}


def forget_session(request: WebRequest) -> dict[str, str]:
    """Return the header that removes the secret from the browser."""
    return {"Set-Cookie": _cookie(request, "", 0)}


async def read_person(request: WebRequest) -> Person | None:
    """Read the person of the session; None without a session."""
    secret = read_session_secret(request)
    if not secret:
        return None
    memory, known = database(request).memory, ("session", hash_secret(secret))
    if memory.recall(known) is None:
        await await_time(request)  # guessed secrets reach the database at a limited rate
    person = await recognise_session(database(request), secret, request.scope["state"]["request_id"])
    if person is not None:
        memory.keep(known, True, 1)  # noqa: FBT003 - a flag that the session is known
    return person


def is_https(request: WebRequest) -> bool:
    """Whether the service is reached by https."""
    address: str = request.app.state.settings.address
    return address.startswith("https:")


def _name(secure: bool) -> str:  # noqa: FBT001 - the name has its meaning
    return f"__Host-{_NAME}" if secure else _NAME


def _cookie(request: WebRequest, value: str, seconds: int) -> str:
    secure = is_https(request)
    flags = "HttpOnly; SameSite=Lax; Path=/" + ("; Secure" if secure else "")
    return f"{_name(secure)}={value}; Max-Age={seconds}; {flags}"


# Protection against cross-site request forgery. The browser states the origin of a request (Sec-Fetch-Site,
# Origin), and a form carries a token derived from the session's secret, which only pages of this session
# have.


FIELD: Final = "csrf_token"
"""The field of a form with the CSRF token."""

HEADER: Final = "x-csrf-token"
"""The header with the CSRF token of a request that is not a form."""

_FOREIGN: Final = (
    "The form was sent from another site or from an earlier session. Nothing was changed. "
    "Reload the page and send the form again."
)


def csrf_token_of(secret: str) -> str:
    """Return the CSRF token of a session."""
    return hashlib.sha256(f"form {secret}".encode()).hexdigest()[:32]


def check_same_origin(request: WebRequest) -> None:
    """Raise Forbidden unless the browser states that a page of this service sends the request."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        is_ours = site == "same-origin"
    else:
        origin = request.headers.get("origin", "")
        is_ours = origin.partition("://")[2] == request.headers.get("host", "") != ""
    if not is_ours:
        raise Forbidden(_FOREIGN, "form_foreign")


def check_csrf_token(request: WebRequest, secret: str, typed: str) -> None:
    """Raise Forbidden unless the form or the header has the CSRF token of the session."""
    given = typed or request.headers.get(HEADER, "")
    if not hmac.compare_digest(given.encode(), csrf_token_of(secret).encode()):
        raise Forbidden(_FOREIGN, "form_foreign")


# A notice: the result of a form, shown once on the page after the redirect. It is stored in a cookie for
# the time of the redirect.


_COOKIE: Final = "weighbridge_notice"
_SECONDS: Final = 30
NOTICE_LENGTH_MAX: Final = 500
"""Characters of a notice, at most."""


def build_notice_cookie(notice: str) -> dict[str, str]:
    """Return the header that stores a notice for the next page; an empty notice removes it."""
    value = urlsafe_b64encode(notice[:NOTICE_LENGTH_MAX].encode()).decode()
    seconds = _SECONDS if notice else 0
    return {"Set-Cookie": f"{_COOKIE}={value}; Max-Age={seconds}; HttpOnly; SameSite=Lax; Path=/"}


def read_notice(request: WebRequest) -> str:
    """Read the notice of the previous page; empty without one."""
    try:
        return urlsafe_b64decode(find_cookie(request, _COOKIE)).decode()
    except ValueError:
        return ""


# Local URLs.


LENGTH_MAX: Final = 2_000
"""Characters of a URL to return to, at most."""


def is_local(text: str) -> bool:
    """Whether a text is a path of this service, and no browser reads it as a URL of another site."""
    return (
        text.startswith("/")
        and len(text) <= LENGTH_MAX
        and not text.startswith(("//", "/\\"))
        and text.isprintable()
        and "\\" not in text
    )
