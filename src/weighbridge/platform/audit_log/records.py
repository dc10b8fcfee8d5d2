"""What a row of the audit log looks like, on the wire and under its hash."""

from typing import Any

import msgspec

from weighbridge.core.time.instant import Instant


class AuditRow(msgspec.Struct, frozen=True):
    """One write: who did what to which object, and what the object was before and after.

    `number` and `hash` are null until the row is sealed, which takes seconds. The hash is the SHA-256 of
    the hash before it and the canonical JSON of the other fields, `number` included.
    """

    id: int
    number: int | None
    at: Instant
    project_id: str | None
    user_id: int | None
    user_name: str | None
    token_id: int | None
    request_id: str
    action: str
    object: str
    before: Any
    after: Any
    hash: str | None


class SealedRow(msgspec.Struct, frozen=True):
    """What the hash of a row covers; `number` is its place in the account's chain."""

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
