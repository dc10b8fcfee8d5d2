"""Whose session a request belongs to: the cookie that holds its secret, and the person behind it.

Invariants: the cookie is HttpOnly and SameSite=Lax; where people reach the service by https it is Secure and
of this host alone (`__Host-`). A token is never taken from a cookie; a cookie opens nothing of the interface.
"""

from typing import Final

from weighbridge.http.access.strangers import await_time
from weighbridge.http.arrival.cookies import cookie_of
from weighbridge.http.caller import WebRequest, database
from weighbridge.platform.sessions.actions import recognise_session
from weighbridge.platform.sessions.records import SESSION_DAYS, Person
from weighbridge.platform.users.queries import hash_of

_NAME: Final = "weighbridge_session"
THEME: Final = "weighbridge_theme"
"""The cookie that says whether a person wants pages light or dark."""

THEMES: Final = ("light", "dark")


def secret_of(request: WebRequest) -> str:
    """The secret that the request's cookie holds; empty when it holds none."""
    return cookie_of(request, _name(is_https(request)))


def kept(request: WebRequest, secret: str) -> dict[str, str]:
    """The header that has the browser keep the secret."""
    return {"Set-Cookie": _cookie(request, secret, SESSION_DAYS * 86_400)}


def forgotten(request: WebRequest) -> dict[str, str]:
    """The header that has the browser forget it."""
    return {"Set-Cookie": _cookie(request, "", 0)}


async def person_of(request: WebRequest) -> Person | None:
    """Who has signed in; None when nobody has."""
    secret = secret_of(request)
    if not secret:
        return None
    memory, known = database(request).memory, ("session", hash_of(secret))
    if memory.recall(known) is None:
        await await_time(request)  # whoever makes up secrets is a stranger, who asks the database at a pace
    person = await recognise_session(database(request), secret, request.scope["state"]["request_id"])
    if person is not None:
        memory.keep(known, True, 1)  # noqa: FBT003 - that it is known is all there is to it
    return person


def is_https(request: WebRequest) -> bool:
    """Whether people reach the service by https."""
    address: str = request.app.state.settings.address
    return address.startswith("https:")


def _name(secure: bool) -> str:  # noqa: FBT001 - says what the name says
    return f"__Host-{_NAME}" if secure else _NAME


def _cookie(request: WebRequest, value: str, seconds: int) -> str:
    secure = is_https(request)
    flags = "HttpOnly; SameSite=Lax; Path=/" + ("; Secure" if secure else "")
    return f"{_name(secure)}={value}; Max-Age={seconds}; {flags}"
