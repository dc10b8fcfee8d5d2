"""Tickets: a short-lived secret that stands for a token where only an address can be given.

`EventSource` of a browser sends no headers. A page asks for a ticket and puts it into the address of a
stream. A ticket names its account, its token and when it ends, and is signed with the hash of the token
(HMAC-SHA-256, RFC 2104), so nothing is stored of it, and it ends with its token.

    wbt_12_34_1767225600_6Tq0…
"""

import base64
import hmac
import re
from dataclasses import dataclass
from typing import Final

PREFIX: Final = "wbt_"

SECONDS_MAX: Final = 3_600
"""How long a ticket may live, in seconds."""

SECONDS_DEFAULT: Final = 600
"""How long it lives unless something else is asked for, in seconds."""

_DIGITS: Final = r"[1-9][0-9]{0,14}"
_TICKET: Final = re.compile(
    rf"{PREFIX}(?P<account>{_DIGITS})_(?P<token>{_DIGITS})_(?P<ends>{_DIGITS})_(?P<signature>[\w-]{{43}})",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a ticket says: for which token of which account it stands, and until when, in Unix seconds."""

    account_id: int
    token_id: int
    ends: int

    def sign(self, secret_hash: bytes) -> str:
        """The text of the ticket, signed with the hash of its token."""
        return f"{self._body}_{_compute_signature(self._body, secret_hash)}"

    def is_signed(self, text: str, secret_hash: bytes) -> bool:
        """Whether a text is this ticket, signed with the hash of its token."""
        return hmac.compare_digest(text.encode(), self.sign(secret_hash).encode())

    @property
    def _body(self) -> str:
        return f"{PREFIX}{self.account_id}_{self.token_id}_{self.ends}"


def read_ticket(text: str) -> Ticket | None:
    """What a text says that has the form of a ticket; None of any other. Its signature is not checked."""
    parts = _TICKET.fullmatch(text)
    if parts is None:
        return None
    return Ticket(int(parts["account"]), int(parts["token"]), int(parts["ends"]))


def _compute_signature(body: str, secret_hash: bytes) -> str:
    digest = hmac.digest(secret_hash, body.encode(), "sha256")
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
