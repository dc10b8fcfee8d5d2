"""The session of a request: its cookie, the CSRF word of its forms, the notice for its next page, local
addresses.

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

# Whose session a request belongs to: the cookie that holds its secret, and the person behind it.
#
# Invariants: the cookie is HttpOnly and SameSite=Lax; where people reach the service by https it is Secure
# and of this host alone (`__Host-`). A token is never taken from a cookie; a cookie opens nothing of the
# interface.


_NAME: Final = "weighbridge_session"
THEME: Final = "weighbridge_theme"
"""The cookie that says whether a person wants pages light or dark."""

THEMES: Final = ("light", "dark")


def secret_of(request: WebRequest) -> str:
    """The secret that the request's cookie holds; empty when it holds none."""
    return find_cookie(request, _name(is_https(request)))


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
    memory, known = database(request).memory, ("session", hash_secret(secret))
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


# A form is taken only from our own pages: cookies go along with requests of any site's page.
#
# The browser says where a request began (Sec-Fetch-Site, Origin), which no page can change; and the form
# carries a word made of the session's secret, so that only a page that was sent to this session knows it.


FIELD: Final = "form_word"
"""The field of a form that carries the word."""

HEADER: Final = "x-form-word"
"""The header that carries it when a script sends no form."""

_FOREIGN: Final = (
    "The form came from another site, or from a page of an earlier session; open the page again and send it "
    "from there. Nothing was changed."
)


def word_of(secret: str) -> str:
    """The word of a session's forms."""
    return hashlib.sha256(f"form {secret}".encode()).hexdigest()[:32]


def refuse_foreign(request: WebRequest) -> None:
    """Raise Forbidden unless the browser says that one of our own pages sends the request."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        is_ours = site == "same-origin"
    else:
        origin = request.headers.get("origin", "")
        is_ours = origin.partition("://")[2] == request.headers.get("host", "") != ""
    if not is_ours:
        raise Forbidden(_FOREIGN, "form_foreign")


def refuse_without_word(request: WebRequest, secret: str, typed: str) -> None:
    """Raise Forbidden unless the form or its header carries the word of the session."""
    given = typed or request.headers.get(HEADER, "")
    if not hmac.compare_digest(given.encode(), word_of(secret).encode()):
        raise Forbidden(_FOREIGN, "form_foreign")


# A notice: what was just done, said on the page that a form leads to, once.
#
# It travels in a cookie that lives as long as the way takes, because nothing else outlives the answer.


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
        return urlsafe_b64decode(find_cookie(request, _COOKIE)).decode()
    except ValueError:
        return ""


# A local address is a path of this service, and nothing that a browser would read as another site's.


LENGTH_MAX: Final = 2_000
"""Characters of an address to come back to, at most."""


def is_local(text: str) -> bool:
    """Whether a text is the path of a page here: one slash, then no slash, backslash or control character."""
    return (
        text.startswith("/")
        and len(text) <= LENGTH_MAX
        and not text.startswith(("//", "/\\"))
        and text.isprintable()
        and "\\" not in text
    )
