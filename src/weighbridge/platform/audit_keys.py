"""The keys of the audit log: made at the first start, replaced, and lost or revoked with a statement.

The file of a key is made by the first process that needs it, readable by its owner alone. Each further key
leaves a row in the log of every account, whose `after` is a signed statement (`core/key_history.py`): an
endorsement by the key before, a beginning without one, or the revocation of a key. So the history of the keys
is part of the log that they sign.

A replacement is made in steps that a command goes on with after one that was killed: the next key lies in a
file of its own; each cell knows it, with the rows of its accounts; then its file takes the place of the old
one, which stays under another name.

Invariants: a key is made once for a database; no further key is without its row in each log.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weighbridge.core.key_history import (
    KEY_ACTIONS,
    KeyStatement,
    KeyStatementKind,
    SignedStatement,
    sign_statement,
)
from weighbridge.core.proof import Checkpoint, Span
from weighbridge.core.signing import SigningKey, UnprovenError, VerifierKey
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.statements import jsonb
from weighbridge.errors import Refusal
from weighbridge.platform.audit_tree import (
    KnownKeys,
    Signer,
    key_file,
    read_key,
    read_known_keys,
    roots_of,
    size_of,
)
from weighbridge.platform.changes import INSERT_AUDIT_ROW
from weighbridge.platform.key_files import store_names, write_key_file
from weighbridge.settings import Settings

_START: Final = "start"
"""What the audit log has for the request of a key that began at a start."""


async def keep_key(tx: Write, settings: Settings) -> SigningKey | None:
    """Have a key and have the database know it; None where this host lacks the one that signed before.

    A file that a setting names is taken as the operator's word: its key signs from now on, and begins without
    an endorsement. Raises Refusal when such a file is missing, or no key can be read or written.
    """
    await tx.execute(*locks.hold(locks.AUDIT_KEY))
    known = await read_known_keys(tx)
    key = read_key(settings)
    if key is None and settings.audit_key_file is not None:
        raise Refusal(f"There is no file {settings.audit_key_file}, which WEIGHBRIDGE_AUDIT_KEY_FILE names.")
    if key is None and not known.all:
        key = _create_key(key_file(settings))
    if key is None or key.public in known.revoked:
        return None
    if key.public in known.all:
        return key
    if known.all and settings.audit_key_file is None:
        return None
    await tx.execute(_INSERT_KEY, (key.public,))
    if known.all:
        change = KeyChange(KeyStatementKind.BEGINNING, None, key)
        await _log_change(tx, settings, known, change, _START)
    return key


def _create_key(file: Path) -> SigningKey:
    """Make a key and its file; whoever stops half-way leaves no file."""
    key = SigningKey.made()
    try:
        write_key_file(file, key.pem)
    except OSError as error:
        raise Refusal(f"The key of the audit log cannot be written to {file}: {error}") from error
    return key


# A key is replaced, in the cells one after the other.


@dataclass(frozen=True, slots=True)
class KeyChange:
    """A key that another one follows, and how."""

    kind: KeyStatementKind
    key: SigningKey | None
    """The key that is followed or revoked; None for the newest one, which is lost."""
    successor: SigningKey
    since: Instant | None = None
    """Of a revocation: heads of this moment are the last that count; None for those of now."""


async def change_key(tx: Write, settings: Settings, change: KeyChange, request_id: str) -> int:
    """Have the database of a cell know the change, with a row in each log; gives the number of accounts.

    A change that the cell knows already leaves nothing more, but for the revocation of a key from an earlier
    moment on. Refusal for a key that no database knows, and where it is not this key that another may follow.
    """
    await tx.execute(*locks.hold(locks.AUDIT_KEY))
    known = await read_known_keys(tx)
    if not known.all or (change.key is not None and change.key.public not in known.all):
        raise Refusal("The database does not know the key that is to be followed: it never signed a head.")
    if change.successor.public in known.revoked:
        raise Refusal("The key that is to follow was revoked itself.")
    if change.since is not None and change.since > await tx.value("SELECT now()"):
        raise Refusal(f"The moment {change.since.text} lies in the future; leave it out to name the present.")
    if change.kind == KeyStatementKind.REVOCATION and change.key is not None:
        return await _revoke(tx, settings, known, change, request_id)
    if change.successor.public in known.all:
        return 0
    if change.key is not None and change.key.public in known.revoked:
        raise Refusal(f"The key on this host was revoked, and endorses no other. {_COPY_IT}")
    if change.key is not None and change.key.public != known.all[-1]:
        raise Refusal(f"Another key has followed the one on this host already. {_COPY_IT}")
    await tx.execute(_INSERT_KEY, (change.successor.public,))
    return await _log_change(tx, settings, known, change, request_id)


_COPY_IT: Final = "Copy the file of the key that signs now from the host on which it was replaced."


async def _revoke(tx: Write, settings: Settings, known: KnownKeys, change: KeyChange, request_id: str) -> int:
    """Have the cell know a revocation; of a revoked key, only one from an earlier moment on."""
    assert change.key is not None, "a revocation is of a key at hand"  # noqa: S101
    is_again = change.key.public in known.revoked
    if change.successor.public not in known.all:
        if is_again:
            raise Refusal(f"The key on this host was revoked already. {_COPY_IT}")
        await tx.execute(_INSERT_KEY, (change.successor.public,))
    if not is_again:
        await tx.execute("INSERT INTO audit_key_revocations (public_key) VALUES (%s)", (change.key.public,))
    elif change.since is None:
        return 0
    return await _log_change(tx, settings, known, change, request_id)


_INSERT_KEY: Final = "INSERT INTO audit_keys (public_key) VALUES (%s)"
_SIZE_AT: Final = """
    SELECT number FROM audit_seals WHERE account_id = %s AND sealed_at <= %s ORDER BY number DESC LIMIT 1
"""


async def _log_change(
    tx: Write, settings: Settings, known: KnownKeys, change: KeyChange, request_id: str
) -> int:
    """Write the statement about a key to the log of each account of the cell; gives to how many.

    A log that has a revocation of the key from a head with as many rows or fewer gets no other.
    """
    time = Instant.of(await tx.value("SELECT now()")).text
    name = known.name(settings)
    before = known.all[-1] if change.key is None else change.key.public
    accounts = [account for (account,) in await tx.tuples("SELECT id FROM accounts ORDER BY id")]
    written = 0
    for account in accounts:
        origin = Signer(change.successor, name).origin(account)
        key = VerifierKey(origin, before)
        statement = KeyStatement(
            change.kind, key, VerifierKey(origin, change.successor.public),
            await _head(tx, account, origin, change.since), time,
        )  # fmt: skip
        if before in known.revoked and await _counts_no_less(tx, account, statement):
            continue
        written += 1
        signed = sign_statement(statement, change.key, change.successor)
        await tx.execute(
            f"{INSERT_AUDIT_ROW} VALUES (%s, NULL, NULL, NULL, %s, %s, %s, NULL, %s)",
            (account, request_id, KEY_ACTIONS[change.kind], key.text, jsonb(signed.record)),
        )
    return written


async def _counts_no_less(tx: Read, account: int, statement: KeyStatement) -> bool:
    """Whether a revocation in the log leaves the key as few heads as this one would."""
    said = [one.statement for one in await read_statements(tx, account)]
    return any(
        (one.kind, one.key) == (statement.kind, statement.key) and one.head.size <= statement.head.size
        for one in said
    )


async def _head(tx: Read, account: int, origin: str, at: Instant | None) -> Checkpoint:
    """The head of a log now, or as it was at a moment."""
    size = await size_of(tx, account) if at is None else await tx.value(_SIZE_AT, (account, at)) or 0
    [root] = await roots_of(tx, account, [Span(0, size)])
    return Checkpoint(origin, size, root)


# The files of a key that is replaced.


def read_next_key(settings: Settings) -> SigningKey:
    """The key that is to follow: that which an earlier try made, or a new one in a file of its own."""
    file = _next_file(settings)
    if not file.exists():
        return _create_key(file)
    try:
        return SigningKey.read(file.read_bytes())
    except (OSError, UnprovenError) as error:
        raise Refusal(f"The next key of the audit log cannot be read from {file}: {error}") from error


def install_next_key(settings: Settings) -> Path | None:
    """Have the next key sign from now on; gives where the old one is kept, None where there was none."""
    file, kept = key_file(settings), None
    try:
        if file.exists():
            public = SigningKey.read(file.read_bytes()).public
            kept = file.with_name(f"{file.stem}-{public.hex()[:8]}{file.suffix}")
            if not kept.exists():
                os.link(file, kept)
        _next_file(settings).replace(file)
        store_names(file.parent)
    except (OSError, UnprovenError) as error:
        raise Refusal(f"The next key of the audit log cannot be written to {file}: {error}") from error
    return kept


def _next_file(settings: Settings) -> Path:
    file = key_file(settings)
    return file.with_name(f"{file.name}.next")


# The history of the keys, as the log of an account has it.


_STATEMENTS: Final = """
    SELECT a.after FROM audit_log a LEFT JOIN audit_seals s ON s.audit_id = a.id
     WHERE a.account_id = %s AND a.action = ANY (%s) ORDER BY s.number NULLS LAST, a.id
"""


async def read_statements(tx: Read, account: int) -> list[SignedStatement]:
    """The statements about the keys of an account's log, in the order of its rows."""
    rows = await tx.tuples(_STATEMENTS, (account, [*KEY_ACTIONS.values()]))
    return [SignedStatement.read(record) for (record,) in rows]
