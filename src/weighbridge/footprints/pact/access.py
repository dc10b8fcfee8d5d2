"""Who may read footprints: clients with a secret, and the tokens that they are given for it (RFC 6749, 4.4).

A client id names its account, as tokens do, so that a request leads to the account's cell. Its token reads
footprints and sends events, and opens nothing else of the service.

Invariants: of secrets and tokens only the SHA-256 is stored; a token ends after an hour, and at once when its
client is revoked or the account has the exchange of footprints switched off.
"""

import re
import secrets
from base64 import b64decode
from typing import Final, NamedTuple
from urllib.parse import unquote_plus

import msgspec

from weighbridge.core.platform import permission as tokens
from weighbridge.core.platform.settings import SWITCHED_ON, Feature
from weighbridge.db.engine import Database, Write
from weighbridge.platform.feature_flags import is_on

TOKEN_SECONDS: Final = 3_600
"""How long a token of a client lives."""

SECRET_BYTES: Final = 32
"""Random bytes of a client's secret."""

_ID_BYTES: Final = 8
_CLIENT_ID: Final = re.compile(rf"pact-([1-9][0-9]{{0,9}})-[0-9a-f]{{{2 * _ID_BYTES}}}", re.ASCII)
_BASIC_MAX: Final = 1_000


class Credentials(NamedTuple):
    """What a client calls itself, and its secret."""

    client_id: str
    secret: str


class PactClient(msgspec.Struct, frozen=True):
    """A client that is let in, and whose it is."""

    account: int
    client: int
    partner: int | None


def make_client_id(account: int) -> str:
    """A new client id of an account."""
    return f"pact-{account}-{secrets.token_hex(_ID_BYTES)}"


def make_secret() -> str:
    """A new secret of a client."""
    return secrets.token_urlsafe(SECRET_BYTES)


def account_of_client(client_id: str) -> int | None:
    """The account that a client id names; None for any other text."""
    found = _CLIENT_ID.fullmatch(client_id)
    return None if found is None else int(found[1])


def read_basic(header: str) -> Credentials | None:
    """The credentials of a header `Authorization: Basic …`; None for any other text."""
    scheme, _, encoded = header.strip().partition(" ")
    if scheme.lower() != "basic" or len(encoded) > _BASIC_MAX:
        return None
    try:
        client_id, separator, secret = b64decode(encoded.strip(), validate=True).decode().partition(":")
    except ValueError:
        return None
    return Credentials(unquote_plus(client_id), unquote_plus(secret)) if separator else None


async def issue_access_token(tx: Write, credentials: Credentials) -> str | None:
    """A new token for a client; None where the secret is wrong, or it may not read any more."""
    row = await tx.row(
        _ClientRow,
        """
        SELECT id, account_id, secret_hash FROM footprint_clients
         WHERE client_id = %s AND revoked_at IS NULL
        """,
        (credentials.client_id,),
    )
    stored = _NO_HASH if row is None else row.secret_hash
    is_right = secrets.compare_digest(stored, tokens.hash_token(credentials.secret))
    if row is None or not is_right or not await is_on(tx, row.account, Feature.FOOTPRINT_EXCHANGE):
        return None
    random_part = "".join(secrets.choice(tokens.ALPHABET) for _ in range(tokens.RANDOM_LENGTH))
    token = tokens.assemble_token(row.account, random_part)
    await tx.execute(
        "DELETE FROM footprint_tokens WHERE client_id = %s AND expires_at < now()", (row.number,)
    )
    await tx.execute(
        """
        INSERT INTO footprint_tokens (account_id, client_id, secret_hash, expires_at)
        VALUES (%s, %s, %s, now() + make_interval(secs => %s))
        """,
        (row.account, row.number, tokens.hash_token(token), TOKEN_SECONDS),
    )
    return token


async def find_client(place: Database, token: str) -> PactClient | None:
    """Whose token it is; None for one that is unknown, has ended, or opens nothing any more."""
    feature = Feature.FOOTPRINT_EXCHANGE
    row = await place.single(_WHOSE, (tokens.hash_token(token), feature, feature not in SWITCHED_ON))
    return None if row is None else PactClient(*row)


class _ClientRow(msgspec.Struct, frozen=True):
    number: int
    account: int
    secret_hash: bytes


_NO_HASH: Final = bytes(32)
"""What a secret is compared with of a client that there is not."""

_WHOSE: Final = """
    SELECT t.account_id, t.client_id, c.partner_id
      FROM footprint_tokens t JOIN footprint_clients c ON c.id = t.client_id
     WHERE t.secret_hash = %s AND t.expires_at > now() AND c.revoked_at IS NULL
       AND coalesce((SELECT f.is_on FROM feature_flags f
                      WHERE f.account_id = t.account_id AND f.name = %s), %s)
"""
