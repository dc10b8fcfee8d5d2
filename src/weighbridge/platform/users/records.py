"""What is told of a user, and what a link that lets somebody in is for."""

from typing import Final

import msgspec

from weighbridge.core.time.instant import Instant

EMAIL_LENGTH_MAX: Final = 255
"""Characters of an address that a user is known by, at most."""

ADMINISTERS: Final = "administration:write"
"""What one person of an account keeps at least who can sign in."""

LINK_KINDS: Final = ("first", "join", "password", "sign_in")
"""What a link is for: to be the first user, to join, to set a password, to sign in once."""

LINK_HOURS: Final = {"first": 24 * 7, "join": 24 * 7, "password": 24, "sign_in": 1}
"""How many hours a link of a kind lasts."""


class User(msgspec.Struct, frozen=True):
    """One user of the account."""

    id: int
    name: str
    email: str
    permissions: list[str]
    signs_in: bool
    """Whether the user is a person with a password."""
    created_at: Instant
    signed_in_at: Instant | None
    disabled_at: Instant | None


class AccessLink(msgspec.Struct, frozen=True):
    """One link that lets somebody in, as long as nobody has used it."""

    id: int
    kind: str
    account_id: int
    user_id: int | None
    email: str | None
    permissions: list[str]
    made_by: int
    created_at: Instant
    expires_at: Instant
