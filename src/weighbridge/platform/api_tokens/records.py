"""What an API token looks like on the wire; its text is in the answer that makes it and nowhere else."""

import msgspec
from msgspec.structs import asdict

from weighbridge.core.platform.token import LIFETIME_DAYS_DEFAULT
from weighbridge.core.time.instant import Instant


class TokenUser(msgspec.Struct, frozen=True):
    """The user whom a token acts for."""

    id: int
    name: str
    email: str


class ApiToken(msgspec.Struct, frozen=True):
    """One token of the account; `last_used_at` is exact to the hour."""

    id: int
    name: str
    permissions: list[str]
    user: TokenUser
    created_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None
    last_used_at: Instant | None


class IssuedApiToken(msgspec.Struct, frozen=True):
    """A new token with its text, which is shown this once."""

    id: int
    name: str
    permissions: list[str]
    user: TokenUser
    created_at: Instant
    expires_at: Instant | None
    revoked_at: Instant | None
    last_used_at: Instant | None
    token: str


def without_secret(issued: IssuedApiToken) -> ApiToken:
    """What may be stored of the answer that makes a token."""
    return ApiToken(**{name: value for name, value in asdict(issued).items() if name != "token"})


class NewApiToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a token; without `user_email` it acts for the caller's own user.

    `expires_in_days` is 30, 60, 90, 180 or 365, or null for a token that does not expire.
    """

    name: str
    permissions: list[str]
    expires_in_days: int | None = LIFETIME_DAYS_DEFAULT
    user_email: str | None = None


class NewApiTokenBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /api_tokens."""

    api_token: NewApiToken
