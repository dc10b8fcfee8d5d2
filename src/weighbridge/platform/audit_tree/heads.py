"""Heads of an account's log and proofs under them, as the files that strangers check.

Invariant: all that one file says comes of one snapshot.
"""

from collections.abc import Sequence

from weighbridge.core.proof.checkpoint import Checkpoint, signed
from weighbridge.core.proof.consistency import ConsistencyProof
from weighbridge.core.proof.inclusion import InclusionProof
from weighbridge.core.proof.merkle import Span, consistency_spans, inclusion_spans
from weighbridge.db.engine import Read
from weighbridge.platform.audit_tree.keys import Signer
from weighbridge.platform.audit_tree.stored import roots_of, size_of


async def newest_head(tx: Read, account: int, signer: Signer) -> str:
    """The head over every row that is sealed, as a signed checkpoint."""
    return await head_at(tx, account, signer, await size_of(tx, account))


async def head_at(tx: Read, account: int, signer: Signer, size: int) -> str:
    """The head over the first rows of the log, as many of which are sealed."""
    _, note = await _parts(tx, account, signer, [], size)
    return note


async def inclusion_proof(tx: Read, account: int, signer: Signer, number: int, size: int) -> InclusionProof:
    """The proof that the row of a number is under the head over the first `size` rows, which it is among."""
    path, note = await _parts(tx, account, signer, inclusion_spans(number - 1, size), size)
    return InclusionProof(number - 1, path, note)


async def consistency_proof(tx: Read, account: int, signer: Signer, old: int, new: int) -> ConsistencyProof:
    """The proof that the head over `new` rows extends the one over the first `old` of them."""
    hashes, note = await _parts(tx, account, signer, consistency_spans(old, new), new)
    return ConsistencyProof(old, hashes, note)


async def _parts(
    tx: Read, account: int, signer: Signer, spans: Sequence[Span], size: int
) -> tuple[list[bytes], str]:
    """The roots of parts and the head of so many rows, read at once."""
    *roots, root = await roots_of(tx, account, [*spans, Span(0, size)])
    return roots, signed(Checkpoint(signer.origin(account), size, root), signer.key)
