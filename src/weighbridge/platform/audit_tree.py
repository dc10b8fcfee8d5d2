"""The Merkle tree of each account's audit log, and its signed heads with the proofs under them.

`seal` gives committed rows their numbers and appends them as leaves; nothing else adds to the tree. A head
states the size and the root of a tree; the service signs it with its key.

Invariants: one worker seals an account at a time; a row is sealed once; numbers have no gap; the number
of rows that a root or a proof reads grows with the logarithm of the log. The private key is never in the
database, so nobody who can rewrite the database can sign a head; a file of a head or a proof is read from
one snapshot.
"""

import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from weighbridge.core import identity
from weighbridge.core.cosignature import Cosignature, WitnessKey, add_lines
from weighbridge.core.platform.audit import LEAF_FIELDS, hash_of_row
from weighbridge.core.proof import (
    KEPT_HEIGHT,
    Checkpoint,
    ConsistencyProof,
    Edge,
    InclusionProof,
    KeptNode,
    Span,
    Subtree,
    compute_perfect_root,
    join_roots,
    list_consistency_spans,
    list_inclusion_spans,
    list_perfect_subtrees,
    sign_checkpoint,
)
from weighbridge.core.signing import SigningKey, UnprovenError, VerifierKey
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Refusal, Unavailable
from weighbridge.platform.moments import list_unplaced_moments, place_moments, place_unlogged_moments
from weighbridge.platform.records import SealedRow
from weighbridge.settings import Settings

# The hash of a sealed row of the audit log, and what it is made of.


def leaf_of(row: SealedRow) -> bytes:
    """The hash of the row's leaf in its account's tree."""
    return hash_of_row(leaf_fields(row))


def leaf_fields(row: SealedRow) -> dict[str, Any]:
    """The fields of the row that are hashed, as the interface shows them."""
    fields = {field: getattr(row, field) for field in LEAF_FIELDS}
    fields["at"] = row.at.text
    fields["project_id"] = None if row.project_id is None else identity.of("project", row.project_id)
    return fields


# The roots of parts of an account's tree, from the hashes that are kept: leaves and every eighth level.
#
# Invariant: the rows that are read are 255 of each kept level at most for each end of a part.


_LEAVES: Final = """
    SELECT 0, number - 1, hash FROM audit_seals WHERE account_id = %s AND number = ANY (%s::bigint[])
"""
_NODES: Final = """
    SELECT n.level, n.position, n.hash
      FROM unnest(%s::smallint[], %s::bigint[]) AS sought (level, position)
      JOIN audit_nodes n ON (n.account_id, n.level, n.position) = (%s, sought.level, sought.position)
"""

Place = tuple[int, int]
"""A kept level and a position in it; level 0 are the leaves."""


class TornTreeError(Exception):
    """A hash that belongs to the tree is not there: somebody removed it past the service."""


async def size_of(tx: Read, account: int) -> int:
    """How many rows of the account are sealed."""
    size: int | None = await tx.value(
        "SELECT number FROM audit_seals WHERE account_id = %s ORDER BY number DESC LIMIT 1", (account,)
    )
    return size or 0


async def roots_of(tx: Read, account: int, spans: Sequence[Span]) -> list[bytes]:
    """The root of each span of the account's tree, all of whose rows are sealed."""
    parts = [list_perfect_subtrees(span) for span in spans]
    hashes = await _hashes(
        tx, account, {place for part in parts for subtree in part for place in _places(subtree)}
    )
    return [join_roots([_root(subtree, hashes) for subtree in part]) for part in parts]


async def edge_of(tx: Read, account: int, size: int) -> Edge:
    """The right edge of the account's tree when it had so many rows, to go on from."""
    subtrees = list_perfect_subtrees(Span(0, size))
    hashes = await _hashes(tx, account, {place for subtree in subtrees for place in _places(subtree)})
    return Edge(size, [_root(subtree, hashes) for subtree in subtrees])


async def _hashes(tx: Read, account: int, places: set[Place]) -> dict[Place, bytes]:
    leaves = [position + 1 for level, position in places if level == 0]
    nodes = [place for place in places if place[0] > 0]
    levels, positions = [level for level, _ in nodes], [position for _, position in nodes]
    if not places:
        return {}
    found = await tx.several((_LEAVES, (account, leaves)), (_NODES, (levels, positions, account)))
    return {(level, position): hashed for rows in found for level, position, hashed in rows}


def _places(subtree: Subtree) -> list[Place]:
    """The kept hashes that a perfect subtree is made of."""
    level, above = divmod(subtree.height, KEPT_HEIGHT)
    first = subtree.position << above
    return [(level, position) for position in range(first, first + (1 << above))]


def _root(subtree: Subtree, hashes: dict[Place, bytes]) -> bytes:
    try:
        return compute_perfect_root([hashes[place] for place in _places(subtree)])
    except KeyError as error:
        level, position = error.args[0]
        raise TornTreeError(f"hash {position} of level {level} of the audit log is missing") from None


# Sealing: committed rows of the audit log get their number and become leaves of their account's tree.
#
# Their order is that of their ids among those that were committed by then. Whoever writes a row leaves its
# id in a table of those that wait, and no more; so no writer waits for another one, and a row that commits
# late gets a later number.
#
# Invariants: one sealer works on an account at a time; a row is sealed once; numbers have no gap; the nodes
# of the tree that became complete are kept in the same transaction.


SEALED_AT_ONCE: Final = 1000
"""Rows that one transaction seals at most."""

_UNSEALED: Final = """
    SELECT a.account_id, %(last)s + row_number() OVER (ORDER BY a.id), a.id, a.project_id, a.at, a.user_id,
           a.token_id, a.request_id, a.action, a.object, a.before, a.after
      FROM audit_log a
     WHERE a.id IN (SELECT audit_id FROM audit_unsealed
                     WHERE account_id = %(account)s ORDER BY audit_id LIMIT %(limit)s)
     ORDER BY a.id
"""
_SEAL: Final = """
    WITH waited AS (
        DELETE FROM audit_unsealed WHERE account_id = %s AND audit_id = ANY (%s))
    INSERT INTO audit_seals (account_id, number, audit_id, hash)
    SELECT %s, number, audit_id, hash
      FROM unnest(%s::bigint[], %s::bigint[], %s::bytea[]) AS sealed (number, audit_id, hash)
"""
_KEEP_NODES: Final = """
    INSERT INTO audit_nodes (account_id, level, position, hash)
    SELECT %s, level, position, hash
      FROM unnest(%s::smallint[], %s::bigint[], %s::bytea[]) AS complete (level, position, hash)
"""


async def seal(database: Database) -> int:
    """Seal whatever was committed and waits; gives the number of rows."""
    sealed = 0
    async with database.read() as tx:
        accounts = [
            account
            for (account,) in await tx.tuples(
                "SELECT account_id FROM audit_unsealed UNION SELECT account_id FROM unplaced_moments"
            )
        ]
    for account in accounts:
        count = SEALED_AT_ONCE
        while count == SEALED_AT_ONCE:
            async with database.write() as tx:
                count = await seal_account(tx, account)
            sealed += count
    return sealed


async def seal_account(tx: Write, account: int, *, waits: bool = False) -> int:
    """Seal the next rows of one account and return their number.

    While another sealer works, wait for it if `waits`; otherwise return 0.
    """
    if waits:
        await tx.execute(*locks.hold(locks.audit_seal(account)))
    elif not await tx.value(*locks.try_hold(locks.audit_seal(account))):
        return 0
    number = await size_of(tx, account)
    unplaced = await list_unplaced_moments(tx, account)
    rows = await tx.rows(SealedRow, _UNSEALED, {"last": number, "account": account, "limit": SEALED_AT_ONCE})
    if not rows:
        await place_unlogged_moments(tx, account, unplaced, number)
        return 0
    edge = await edge_of(tx, account, number)
    nodes: list[KeptNode] = []
    hashes = []
    for row in rows:
        hashes.append(leaf_of(row))
        nodes += edge.add(hashes[-1])
    if nodes:
        levels, positions, roots = zip(*nodes, strict=True)
        tx.later(_KEEP_NODES, (account, [*levels], [*positions], [*roots]))
    ids = [row.id for row in rows]
    await place_moments(tx, account, rows)
    if len(rows) < SEALED_AT_ONCE:
        await place_unlogged_moments(tx, account, unplaced, rows[-1].number)
    await tx.execute(_SEAL, (account, ids, account, [row.number for row in rows], ids, hashes))
    return len(rows)


# The key that heads are signed with: in a file, never in the database, which knows its public half.
#
# The database remembers each public key, so that a host without the file is told apart from the first start
# of all: it signs nothing, rather than with a key of its own. `audit_keys.py` makes keys and replaces them.
#
# Invariant: a key that the database does not know, or that was revoked, signs nothing.


KEY_FILE: Final = "audit-key.pem"
"""Where the key lies in the data folder, unless a setting names another file."""

_KNOWN: Final = """
    SELECT k.public_key, r.public_key IS NOT NULL
      FROM audit_keys k LEFT JOIN audit_key_revocations r USING (public_key) ORDER BY k.id
"""


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


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """The public keys that the database knows, in the order in which they began."""

    all: tuple[bytes, ...]
    revoked: frozenset[bytes]

    def name(self, settings: Settings) -> str:
        """What the service is called in its heads."""
        return settings.audit_log_name or _name_by(self.all[0])

    def may_sign(self, public: bytes) -> bool:
        """Whether heads are signed with a key."""
        return public in self.all and public not in self.revoked


async def read_known_keys(tx: Read) -> KnownKeys:
    """The keys that the database knows."""
    known = await tx.tuples(_KNOWN)
    return KnownKeys(
        tuple(public for public, _ in known), frozenset(public for public, is_revoked in known if is_revoked)
    )


async def signer(tx: Read, settings: Settings) -> Signer:
    """Who signs heads on this host; Unavailable where it has no key that the database knows."""
    known = await read_known_keys(tx)
    key = read_key(settings)
    if key is None or not known.may_sign(key.public):
        raise Unavailable(
            "This host has no key with which heads of the audit log are signed; the log says which file it"
            " looked for when it started.",
            "audit_key_missing",
        )
    return Signer(key, known.name(settings))


def _name_by(public: bytes) -> str:
    """A name that no other service has, and that stays when the key changes: the first key's fingerprint."""
    return f"weighbridge-{hashlib.sha256(public).hexdigest()[:16]}"


# Heads of an account's log and proofs under them, as the files that strangers check. A head has the
# lines of the witnesses that cosigned it.
#
# Invariant: all that one file says comes of one snapshot.


async def newest_head(tx: Read, account: int, signer: Signer) -> str:
    """The head over every row that is sealed, as a signed checkpoint."""
    return await head_at(tx, account, signer, await size_of(tx, account))


async def head_at(tx: Read, account: int, signer: Signer, size: int) -> str:
    """The head over the first rows of the log, as many of which are sealed."""
    _, note = await _read_parts(tx, account, signer, [], size)
    return note


_COSIGNED_SIZES: Final = """
    SELECT size FROM audit_cosignatures WHERE account_id = %s AND size <= %s
     GROUP BY size HAVING count(*) >= %s ORDER BY size DESC LIMIT 20
"""


async def newest_cosigned_head(tx: Read, account: int, signer: Signer, least: int) -> str | None:
    """The newest head with so many cosignatures; None where there is none."""
    sizes = await tx.tuples(_COSIGNED_SIZES, (account, await size_of(tx, account), least))
    for (size,) in sizes:
        [root] = await roots_of(tx, account, [Span(0, size)])
        head = Checkpoint(signer.origin(account), size, root)
        if len(await read_cosignatures(tx, account, head)) >= least:
            return await head_at(tx, account, signer, size)
    return None


async def inclusion_proof(tx: Read, account: int, signer: Signer, number: int, size: int) -> InclusionProof:
    """The proof that the row of a number is under the head over the first `size` rows, which it is among."""
    path, note = await _read_parts(tx, account, signer, list_inclusion_spans(number - 1, size), size)
    return InclusionProof(number - 1, path, note)


async def consistency_proof(tx: Read, account: int, signer: Signer, old: int, new: int) -> ConsistencyProof:
    """The proof that the head over `new` rows extends the one over the first `old` of them."""
    hashes, note = await _read_parts(tx, account, signer, list_consistency_spans(old, new), new)
    return ConsistencyProof(old, hashes, note)


async def _read_parts(
    tx: Read, account: int, signer: Signer, spans: Sequence[Span], size: int
) -> tuple[list[bytes], str]:
    """The roots of parts and the head of so many rows, read at once."""
    *roots, root = await roots_of(tx, account, [*spans, Span(0, size)])
    head = Checkpoint(signer.origin(account), size, root)
    return roots, add_lines(sign_checkpoint(head, signer.key), await read_cosignatures(tx, account, head))


_COSIGNATURES: Final = """
    SELECT witness, signed_time, signature FROM audit_cosignatures
     WHERE (account_id, size) = (%s, %s) ORDER BY witness
"""


async def read_cosignatures(tx: Read, account: int, head: Checkpoint) -> list[Cosignature]:
    """The stored cosignatures of a head; none that was made for another name of the log, or other rows."""
    stored = await tx.tuples(_COSIGNATURES, (account, head.size))
    cosignatures = (Cosignature(WitnessKey.read(key), time, signature) for key, time, signature in stored)
    return [one for one in cosignatures if one.holds(head.text)]


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


async def export_rows(tx: Read, account: int) -> AsyncIterator[bytes]:
    """Lines of rows in the order of their numbers, some at a time."""
    last = 0
    while rows := await tx.rows(SealedRow, _ROWS, (account, last, ROWS_AT_ONCE)):
        yield _encode([leaf_fields(row) for row in rows])
        last = rows[-1].number
