"""A row of the audit log, as the interface shows it and as it is hashed, and the key of the log."""

from typing import Any

import msgspec

from weighbridge.core.time.instant import Instant


class AuditRow(msgspec.Struct, frozen=True):
    """One write: who did what to which object, and what the object was before and after.

    `number` and `hash` are null until the row is sealed, which takes seconds. The hash is that of the row's
    leaf in the account's tree: the SHA-256 of a zero byte and the canonical JSON of all other fields but
    `user_name`.
    """

    id: int
    """The number of the row, over all accounts."""
    number: int | None
    """The place of the row in the account's log, from 1 and without gaps; null until it is sealed."""
    at: Instant
    """When the write was made."""
    project_id: str | None
    """The friendly id of the project that the object belongs to; null outside of projects."""
    user_id: int | None
    """The number of the user in whose name it was done; null where none is known."""
    user_name: str | None
    """What that user is called now; null where none is known."""
    token_id: int | None
    """The number of the token that the request carried; null for a command on the server."""
    request_id: str
    action: str
    """What was done, the noun before the verb, such as `event.create`."""
    object: str
    """The id of what it was done to, such as `evt_…` or the number of a token."""
    before: Any
    """The object before, as a record; null when there was none."""
    after: Any
    """The object after, as a record; null when there is none any more."""
    hash: str | None
    """The hash of the row's leaf in the account's tree (RFC 6962), as 64 hexadecimal digits; null until it is
    sealed.
    """


class AuditKey(msgspec.Struct, frozen=True):
    """The public key of the service, in the forms in which programs take it."""

    origin: str
    """What the account's log is called in its heads."""
    verifier_key: str
    """The key as a line of C2SP signed-note; `weighbridge audit check --key` takes it."""
    ssh_public_key: str
    """The same key as OpenSSH writes it."""


class SealedRow(msgspec.Struct, frozen=True):
    """What the hash of a row is made of; `number` is its place in the account's log, from 1."""

    account_id: int
    number: int
    id: int
    project_id: int | None
    at: Instant
    user_id: int | None
    token_id: int | None
    request_id: str
    action: str
    object: str
    before: Any
    after: Any
