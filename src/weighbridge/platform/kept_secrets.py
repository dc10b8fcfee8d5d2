"""Secrets of others in the database: where they are, how they are read and written, and by which keys.

`ENCRYPTED` is the one table of columns with secrets that the service has to have back: headers that prove at
a registry who calls, and what deliveries of webhooks are signed with. `NOT_ENCRYPTED` are columns that sound
alike, each with the reason. A test of the schema refuses a column that is in neither.

Invariants: a secret is written encrypted, by `encrypt_secret`; one that a version before has left readable is
read, and encrypted at the next start. Nothing but the statement that needs a secret reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, LiteralString, NamedTuple

from psycopg.sql import SQL, Identifier

from weighbridge.core.platform.encryption import KEY_ID_BYTES, KeyRing, SecretPlace, UnopenedSecretError
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Refusal

COLUMN: Final = "encrypted"
"""What the column is called that has the envelope, in every table."""

BATCH: Final = 100
"""Secrets that are encrypted anew in one transaction."""


@dataclass(frozen=True, slots=True)
class SecretColumn:
    """A table with secrets; in its statements the table is `s`."""

    table: LiteralString
    row: LiteralString
    """Which row it is: a text of columns that never change."""
    owner: LiteralString = ""
    """A join to the row that names the account, where that is another one."""
    account: LiteralString = "s.account_id"
    readable: LiteralString | None = None
    """The column by which versions before kept the secret as it is; null of what is encrypted."""
    readable_bytes: LiteralString = "NULL::bytea"
    """The same as bytes."""

    def place(self, account: int, row: str) -> SecretPlace:
        """The place of a row."""
        return SecretPlace(account, self.table, row, COLUMN)


REGISTRY_HEADERS: Final = SecretColumn(
    table="registry_secrets",
    readable="value",
    readable_bytes="convert_to(s.value, 'UTF8')",
    owner="JOIN registries o ON o.id = s.registry_id",
    account="o.account_id",
    row="s.registry_id || '/' || s.header",
)
WEBHOOK_SECRETS: Final = SecretColumn(
    table="webhook_secrets",
    readable="secret",
    readable_bytes="s.secret",
    owner="JOIN webhooks o ON o.id = s.webhook_id",
    account="o.account_id",
    row="s.webhook_id || '/' || s.id",
)
FOOTPRINT_PARTNER_SECRETS: Final = SecretColumn(
    table="footprint_partner_secrets",
    readable="value",
    readable_bytes="convert_to(s.value, 'UTF8')",
    owner="JOIN footprint_partners o ON o.id = s.partner_id",
    account="o.account_id",
    row="s.partner_id::text",
)
IDENTITY_PROVIDER_SECRETS: Final = SecretColumn(table="identity_provider_secrets", row="s.provider_id::text")
PROVIDER_REFRESH_TOKENS: Final = SecretColumn(table="provider_refresh_tokens", row="s.user_id::text")
ENCRYPTED: Final = (
    REGISTRY_HEADERS,
    WEBHOOK_SECRETS,
    FOOTPRINT_PARTNER_SECRETS,
    IDENTITY_PROVIDER_SECRETS,
    PROVIDER_REFRESH_TOKENS,
)
"""All columns with secrets that the service has to have back."""

NOT_ENCRYPTED: Final[Mapping[str, str]] = {
    "*.public_key": "the public half of a key",
    "*.report_key": "the name of a file in the store",
    "*.storage_key": "the name of a file in the store",
    "access_links.secret_hash": "the SHA-256 of 256 random bits",
    "api_tokens.secret_hash": "the SHA-256 of 190 random bits",
    "captured_changes.key": "says which row changed",
    "engagements.verifier_key": "the public half of a key",
    "exports.link": "part of an address that the interface shows, for one file of the account itself",
    "footprint_clients.secret_hash": "the SHA-256 of 256 random bits",
    "footprint_partners.token_address": "an address, which is shown",
    "footprint_tokens.secret_hash": "the SHA-256 of 256 random bits",
    "idempotency_keys.headers": "of answers, which have no secret: what is shown once is not kept",
    "idempotency_keys.key": "a word of the caller for a request",
    "package_parts.key": "what a package calls a part",
    "provider_logouts.token_id": "the number of a token that was taken and is of no more use",
    "provider_sign_ins.secret_hash": "the SHA-256 of 256 random bits",
    "registry_secrets.header": "the name of a header, which is shown",
    "report_links.secret_hash": "the SHA-256 of 256 random bits",
    "sessions.secret_hash": "the SHA-256 of 256 random bits",
    "sign_in_attempts.key": "a digest of an address or a link",
    "users.password_hash": "Argon2id",
}
"""Columns that sound as if they had secrets, as TABLE.COLUMN or *.COLUMN, and why they need no key."""


async def encrypt_secret(tx: Write, secret: bytes, place: SecretPlace) -> bytes:
    """The envelope of a secret for a place; Refusal where this process has no keys."""
    if tx.memory.encryption is None:
        raise Refusal("The service was started without keys of secrets, so it stores none.")
    try:
        return await tx.memory.encryption.encrypt(secret, place)
    except UnopenedSecretError as error:
        raise Refusal(str(error)) from error


async def decrypt_secret(
    tx: Read, place: SecretPlace, envelope: bytes | None, readable: bytes | None
) -> bytes:
    """The secret of a row, from its envelope or as a version before has left it.

    Raises UnopenedSecretError where no key opens it.
    """
    if envelope is None:
        assert readable is not None, "a row has one of the two"  # noqa: S101
        return bytes(readable)
    if tx.memory.encryption is None:
        raise UnopenedSecretError("The process has no keys of secrets.")
    return await tx.memory.encryption.decrypt(bytes(envelope), place)


# Keys: how many secrets each has encrypted.


async def count_by_key(tx: Read) -> dict[bytes | None, int]:
    """How many secrets are encrypted by each key, by its name; those that are readable by None."""
    counted: dict[bytes | None, int] = {}
    for column in ENCRYPTED:
        statement = SQL("SELECT substring(encrypted FROM 2 FOR {}), count(*) FROM {} GROUP BY 1").format(
            KEY_ID_BYTES, Identifier(column.table)
        )
        for name, count in await tx.tuples(statement):
            key = None if name is None else bytes(name)
            counted[key] = counted.get(key, 0) + count
    return counted


# Encrypting what is readable, and anew what another key has encrypted.


async def encrypt_all(database: Database, ring: KeyRing) -> int:
    """Encrypt by the first key of a ring what is readable or encrypted by another one, in portions.

    Gives how many secrets that were. Whoever is stopped goes on when it is called again; others may read and
    write secrets meanwhile.
    """
    encrypted_count = 0
    for column in ENCRYPTED:
        last: str | None = ""
        while last is not None:
            async with database.write() as tx:
                last, count = await _encrypt_batch(tx, column, ring.ids[0], last)
            encrypted_count += count
    return encrypted_count


async def _encrypt_batch(
    tx: Write, column: SecretColumn, key_id: bytes, after: str
) -> tuple[str | None, int]:
    """Encrypt some secrets of a column by the key of this name, which is the first one.

    Those behind the row `after` that are readable or encrypted by another key; each that opens is encrypted
    anew, and others stay as they are. Gives the last row that was looked at, None when there are no more, and
    how many were encrypted.
    """
    found = await tx.tuples(_select(column, _STALE), (after, key_id, BATCH))
    encrypted: dict[str, bytes] = {}
    for account, row, envelope, readable in found:
        place = column.place(account, row)
        try:
            secret = await decrypt_secret(tx, place, envelope, readable)
        except UnopenedSecretError:
            continue  # `weighbridge verify` and the command name them
        encrypted[row] = await encrypt_secret(tx, secret, place)
    if encrypted:
        forget = (
            SQL("") if column.readable is None else SQL(", {} = NULL").format(Identifier(column.readable))
        )
        statement = SQL(_STORE).format(Identifier(column.table), forget, SQL(column.row))
        await tx.execute(statement, ([*encrypted], [*encrypted.values()]))
    return (found[-1][1] if found else None), len(encrypted)


class Unopened(NamedTuple):
    """A secret that does not open, or that is not encrypted."""

    account: int
    table: str
    row: str
    reason: str


async def list_unopened(tx: Read) -> list[Unopened]:
    """Every secret that no key opens in its place, and every one that anybody can read."""
    found = []
    for column in ENCRYPTED:
        for account, row, envelope, _ in await tx.tuples(_select(column, _EVERY)):
            if envelope is None:
                reason = f"The secret in {column.table}, row {row}, of account {account} is not encrypted."
                found.append(Unopened(account, column.table, row, reason))
                continue
            try:
                await decrypt_secret(tx, column.place(account, row), envelope, None)
            except UnopenedSecretError as error:
                found.append(Unopened(account, column.table, row, str(error)))
    return found


def _select(column: SecretColumn, behind: LiteralString) -> Any:
    text = SQL(_SELECT + behind)
    return text.format(
        account=SQL(column.account), row=SQL(column.row), readable=SQL(column.readable_bytes),
        table=Identifier(column.table), owner=SQL(column.owner), length=KEY_ID_BYTES,
    )  # fmt: skip


_SELECT: Final = "SELECT {account}, {row}, s.encrypted, {readable} FROM {table} s {owner}"
_EVERY: Final = " ORDER BY {row}"
_STALE: Final = """
     WHERE {row} > %s AND substring(s.encrypted FROM 2 FOR {length}) IS DISTINCT FROM %s
     ORDER BY {row} LIMIT %s FOR UPDATE OF s
"""
_STORE: Final = """
    UPDATE {} s SET encrypted = given.envelope{}
      FROM unnest(%s::text[], %s::bytea[]) AS given (place, envelope) WHERE given.place = {}
"""
