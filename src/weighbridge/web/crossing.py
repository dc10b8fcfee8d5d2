"""A form is taken only from our own pages: cookies go along with requests of any site's page.

The browser says where a request began (Sec-Fetch-Site, Origin), which no page can change; and the form
carries a word made of the session's secret, so that only a page that was sent to this session knows it.
"""

import hashlib
import hmac
from typing import Final

from weighbridge.errors import Forbidden
from weighbridge.http.caller import WebRequest

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
