"""Signed heads of the audit log and the proofs under them, and the key that signs them.

Invariants: the private key is never in the database, so nobody who can rewrite the database can sign a
head; a file of a head or a proof is read from one snapshot.
"""

import hashlib
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from weighbridge.core.proof.checkpoint import Checkpoint, ConsistencyProof, InclusionProof, sign_checkpoint
from weighbridge.core.proof.merkle import Span, list_consistency_spans, list_inclusion_spans
from weighbridge.core.proof.signing import SigningKey, UnprovenError, VerifierKey
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Refusal, Unavailable
from weighbridge.platform.audit.tree import roots_of, shown, size_of
from weighbridge.platform.records.audit_log import SealedRow
from weighbridge.settings import Settings

# The key that heads are signed with: in a file, never in the database, which knows its public half.
#
# The file is made by the first process that needs it, readable by its owner alone. The database remembers
# each public key, so that a host without the file is told apart from the first start of all: it signs
# nothing, rather than with a key of its own.
#
# Invariants: a key is made once for a database; a key that the database does not know signs nothing.


KEY_FILE: Final = "audit-key.pem"
"""Where the key lies in the data folder, unless a setting names another file."""

_OWNER_ALONE: Final = 0o600
_KNOWN: Final = "SELECT public_key FROM audit_keys ORDER BY id"


@dataclass(frozen=True, slots=True)
class Signer:
    """Who signs heads: the key, and the name of the service."""

    key: SigningKey
    name: str

    def origin(self, account: int) -> str:
        """What the log of an account is called in its heads."""
        return f"{self.name}/audit_log/{account}"

    def verifier(self, account: int) -> VerifierKey:
        """The key by which heads of an account's log are verified."""
        return VerifierKey(self.origin(account), self.key.public)


def key_file(settings: Settings) -> Path:
    """The file of the key."""
    return settings.audit_key_file or settings.data_dir / KEY_FILE


def read_key(settings: Settings) -> SigningKey | None:
    """The key, None where there is no file; Refusal when the file holds none or cannot be read."""
    file = key_file(settings)
    try:
        return SigningKey.read(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, UnprovenError) as error:
        raise Refusal(f"The key of the audit log cannot be read from {file}: {error}") from error


async def keep_key(tx: Write, settings: Settings) -> SigningKey | None:
    """Have a key and have the database know it; None where this host lacks the one that signed before.

    A file that a setting names is taken as the operator's word: its key signs from now on. Raises Refusal
    when such a file is missing, or no key can be read or written.
    """
    await tx.execute(*locks.hold(locks.AUDIT_KEY))
    known = [public for (public,) in await tx.tuples(_KNOWN)]
    key = read_key(settings)
    if key is None and settings.audit_key_file is not None:
        raise Refusal(f"There is no file {settings.audit_key_file}, which WEIGHBRIDGE_AUDIT_KEY_FILE names.")
    if key is None and not known:
        key = _made(key_file(settings))
    if key is None or (known and key.public not in known and settings.audit_key_file is None):
        return None
    if key.public not in known:
        await tx.execute("INSERT INTO audit_keys (public_key) VALUES (%s)", (key.public,))
    return key


async def signer(tx: Read, settings: Settings) -> Signer:
    """Who signs heads on this host; Unavailable where it has no key that the database knows."""
    known = [public for (public,) in await tx.tuples(_KNOWN)]
    key = read_key(settings)
    if key is None or key.public not in known:
        raise Unavailable(
            "This host has no key with which heads of the audit log are signed; the log says which file it"
            " looked for when it started.",
            "audit_key_missing",
        )
    return Signer(key, settings.audit_log_name or _name_by(known[0]))


def _name_by(public: bytes) -> str:
    """A name that no other service has, and that stays when the key changes: the first key's fingerprint."""
    return f"weighbridge-{hashlib.sha256(public).hexdigest()[:16]}"


def _made(file: Path) -> SigningKey:
    """Make a key and its file; whoever stops half-way leaves no file."""
    key = SigningKey.made()
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ALONE), "wb") as writing:
            writing.write(key.pem)
            writing.flush()
            os.fsync(writing.fileno())
        draft.replace(file)
    except OSError as error:
        raise Refusal(f"The key of the audit log cannot be written to {file}: {error}") from error
    return key


# Heads of an account's log and proofs under them, as the files that strangers check.
#
# Invariant: all that one file says comes of one snapshot.


async def newest_head(tx: Read, account: int, signer: Signer) -> str:
    """The head over every row that is sealed, as a signed checkpoint."""
    return await head_at(tx, account, signer, await size_of(tx, account))


async def head_at(tx: Read, account: int, signer: Signer, size: int) -> str:
    """The head over the first rows of the log, as many of which are sealed."""
    _, note = await _parts(tx, account, signer, [], size)
    return note


async def inclusion_proof(tx: Read, account: int, signer: Signer, number: int, size: int) -> InclusionProof:
    """The proof that the row of a number is under the head over the first `size` rows, which it is among."""
    path, note = await _parts(tx, account, signer, list_inclusion_spans(number - 1, size), size)
    return InclusionProof(number - 1, path, note)


async def consistency_proof(tx: Read, account: int, signer: Signer, old: int, new: int) -> ConsistencyProof:
    """The proof that the head over `new` rows extends the one over the first `old` of them."""
    hashes, note = await _parts(tx, account, signer, list_consistency_spans(old, new), new)
    return ConsistencyProof(old, hashes, note)


async def _parts(
    tx: Read, account: int, signer: Signer, spans: Sequence[Span], size: int
) -> tuple[list[bytes], str]:
    """The roots of parts and the head of so many rows, read at once."""
    *roots, root = await roots_of(tx, account, [*spans, Span(0, size)])
    return roots, sign_checkpoint(Checkpoint(signer.origin(account), size, root), signer.key)


# The sealed rows of an account as lines of JSON, with the fields that their hashes are made of.


ROWS_AT_ONCE: Final = 5000
"""Rows that are held in memory at a time."""

_ROWS: Final = """
    SELECT a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id, a.request_id, a.action,
           a.object, a.before, a.after
      FROM audit_seals s JOIN audit_log a ON a.id = s.audit_id
     WHERE s.account_id = %s AND s.number > %s ORDER BY s.number LIMIT %s
"""
_encode: Final = msgspec.json.Encoder(decimal_format="number").encode_lines


async def exported(tx: Read, account: int) -> AsyncIterator[bytes]:
    """Lines of rows in the order of their numbers, some at a time."""
    last = 0
    while rows := await tx.rows(SealedRow, _ROWS, (account, last, ROWS_AT_ONCE)):
        yield _encode([shown(row) for row in rows])
        last = rows[-1].number
