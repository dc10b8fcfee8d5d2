"""Evidence is what stands behind an event: a file that is kept with it, or a link to one kept elsewhere.

Invariants: a name is one line of 1 to 255 visible characters; the name of a file has no path in it; a link
leads to a host by http or https, says nothing of a user, and is never followed by the service.
"""

import re
from typing import Final

from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.identity.unseen import said_of_unseen
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten

EVIDENCE_BYTES_MAX: Final = 26_214_400
"""The largest file that is kept as evidence, in bytes: 25 MB."""

EVIDENCE_OF_EVENT_MAX: Final = 100
"""Files and links of one event, together: all of them stand in the event's record."""

LINK_LENGTH_MAX: Final = 2_000
"""The longest link, in characters."""

_PORT_MAX: Final = 65_535
_LINK: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*):(?://(?P<authority>[^/?#]*))?.*", re.IGNORECASE)
_HOST: Final = re.compile(
    r"(?:\[[0-9a-f:.]+\]|[^\W_](?:[\w.-]*[\w.])?)(?::(?P<port>[0-9]{1,5}))?", re.IGNORECASE
)


def without_path(name: str) -> str:
    """The last part of a name that may be a path of some machine."""
    return name.replace("\\", "/").rpartition("/")[2].strip(" ")


def problems_of_name(name: str, field: str) -> list[Problem]:
    """What is wrong with the name of a file or a link."""
    if not name.strip(". \t"):
        return [Problem("A piece of evidence needs a name.", field, "required")]
    wrong = problem_of_name(name, "A piece of evidence", field)
    return [wrong] if wrong else []


def problems_of_link(link: str, field: str) -> list[Problem]:
    """What is wrong with a link."""
    if len(link) > LINK_LENGTH_MAX:
        said = f"{field} has {len(link):,} characters; a link has at most {LINK_LENGTH_MAX:,}."
    elif unseen := said_of_unseen(link):
        said = f"{field} {unseen}."
    elif any(character.isspace() or character == "\\" for character in link):
        said = f"{field} holds a space or a backslash, which no link may."
    else:
        return _problems_of_parts(link, field)
    return [Problem(said, field, "invalid")]


def _problems_of_parts(link: str, field: str) -> list[Problem]:
    parts = _LINK.fullmatch(link)
    authority = parts["authority"] if parts else None
    host = _HOST.fullmatch(authority) if authority else None
    if parts is None or parts["scheme"].lower() not in {"http", "https"}:
        said = f"{field} is {shorten(repr(link))}; it takes a link that begins with http:// or https://."
    elif authority and "@" in authority:
        said = f"{field} names a user or a password before the host; leave them out."
    elif host is None or int(host["port"] or 0) > _PORT_MAX:
        said = f"{field} is {shorten(repr(link))}; it takes a link with a host, such as https://example.org/report."
    else:
        return []
    return [Problem(said, field, "invalid")]
