"""Records of an account: its users, their sessions, its API tokens and its feature flags.

A secret (a token, the address of a link) is part of the response that creates it and of no other
record.
"""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from weighbridge.core.platform.permission import ALL_PERMISSIONS, LIFETIME_DAYS_DEFAULT, LIFETIMES_DAYS, Actor
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Name, at_most, one_of, told

EMAIL_LENGTH_MAX: Final = 255
"""Characters of an address that a user is known by, at most."""

ADMINISTERS: Final = "administration:write"
"""What one person of an account keeps at least who can sign in."""

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


IDLE_HOURS: Final = 12
"""After how many hours without use a session ends."""

SESSION_DAYS: Final = 7
"""After how many days a session ends, however much it is used."""


class Person(msgspec.Struct, frozen=True):
    """Who has signed in, by which session, and for whom that acts."""

    actor: Actor
    session_id: int
    name: str
    email: str
    account: str


class TokenUser(msgspec.Struct, frozen=True):
    """The user whom a token acts for."""

    id: int
    """The number of the user."""
    name: str
    """What the user is called, a person or a program."""
    email: str
    """The address that the user is known by, such as `operator@example.com`."""
    disabled_at: Instant | None
    """When the user was shut out: what is theirs waits to be ended or handed over; null for anybody else."""


class ApiToken(msgspec.Struct, frozen=True):
    """One token of the account; `last_used_at` is exact to the hour."""

    id: int
    """The number of the token, by which it is revoked."""
    name: str
    """What the token is for, in the words of whoever made it."""
    permissions: list[Annotated[str, one_of(ALL_PERMISSIONS)]]
    """What the token may do; `write` of an area includes `read`."""
    user: TokenUser
    created_at: Instant
    expires_at: Instant | None
    """When it stops working; null for one that does not expire."""
    revoked_at: Instant | None
    """When it was revoked; null for one that was not."""
    last_used_at: Instant | None
    """When it was last used, written at most once an hour; null for one that never was."""


class IssuedApiToken(ApiToken, frozen=True):
    """A new token with its text, which is shown this once."""

    token: str | UnsetType = UNSET
    """The secret text that requests carry, `wb_live_` and 38 characters; it is shown this once. The answer to
    a request that is repeated with its Idempotency-Key has none."""


def without_secret(issued: IssuedApiToken) -> ApiToken:
    """What may be stored of the answer that makes a token."""
    return ApiToken(**{name: value for name, value in asdict(issued).items() if name != "token"})


class NewApiToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a token; without `user_email` it acts for the caller's own user.

    `expires_in_days` is 30, 60, 90, 180 or 365, or null for a token that does not expire.
    """

    name: Name
    permissions: list[Annotated[str, one_of(ALL_PERMISSIONS)]]
    """What the token may do: no more than the token that makes it."""
    expires_in_days: Annotated[int, told(enum=[*LIFETIMES_DAYS])] | None = LIFETIME_DAYS_DEFAULT
    """How many days it lives: 30, 60, 90, 180 or 365; null for one that does not expire."""
    user_email: Annotated[str, at_most(EMAIL_LENGTH_MAX)] | None = None
    """The user whom it acts for, who is made when new; the caller's own user when left out."""


class HandedOver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who answers for a record from now on."""

    user_email: Annotated[str, at_most(EMAIL_LENGTH_MAX)]
    """The address of a user of the account who was not shut out."""


class HandedOverTokenBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /api_tokens/{token_id}."""

    api_token: HandedOver


class NewApiTokenBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /api_tokens."""

    api_token: NewApiToken


class FeatureFlags(msgspec.Struct, frozen=True):
    """Every flag that affects the interface; false for those that are off."""

    rules_engine: bool
    """Whether the account has data rules with their runs and results; without it, records show no alerts."""
    data_capture_rate: bool
    """Whether event types of the account may say how often they are measured."""
    approval_of_own: bool = True
    """Whether people may approve what a rule that they wrote, or data that they sent, proposed."""
