"""What vouches for a bundle: the signature over its digests, and the head of the audit log over its rows.

Both are verified by the key that the caller brings; a key inside the file would vouch for nothing.

Invariants: every part but the digests and their signature is under the signature; a row of the log is
believed only under the head that the key signed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from weighbridge.core.bundle.contents import (
    NAMESPACE,
    SIGNATURE,
    SUMS,
    BundledReport,
    IndexedPart,
    digest_of_part,
    sums,
)
from weighbridge.core.bundle.form.archive import Faults, UnreadableError
from weighbridge.core.bundle.form.rows import json_read
from weighbridge.core.bundle.form.tables import lines_of
from weighbridge.core.platform.audit import hash_of_row
from weighbridge.core.proof.checkpoint import Checkpoint, InclusionProof, opened
from weighbridge.core.proof.signing import UnprovenError, VerifierKey, verify_ssh_signature

AUDIT_FOLDER: Final = "audit/"
HEAD: Final = "audit/head.checkpoint"
ROWS: Final = "audit/rows.jsonl"


def proof_part(number: int) -> str:
    """The part with the proof of a row of the audit log."""
    return f"{AUDIT_FOLDER}{number}.tlog-proof"


@dataclass(slots=True)
class Vouched:
    """What was vouched for."""

    is_signed: bool = False
    head: Checkpoint | None = None
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    """Rows of the audit log that are under the head, in their order."""


def verify_sums(parts: Mapping[str, memoryview], key: VerifierKey, faults: Faults) -> None:
    """Hold every part against `SHA256SUMS`, and that against its signature."""
    indexed = [
        IndexedPart(name, len(content), digest_of_part(content))
        for name, content in parts.items()
        if name not in {SUMS, SIGNATURE}
    ]
    stated = bytes(parts.get(SUMS, b""))
    if stated != sums(indexed):
        named = {line[66:]: line[:64] for line in stated.decode("utf-8", "replace").splitlines()}
        for part in indexed:
            if named.pop(part.name, None) != part.sha256:
                faults.add(part.name, f"Its content is not the one whose digest stands in {SUMS}.")
        for name in sorted(named)[:10]:
            faults.add(name[:100], f"{SUMS} names it, and it is missing.")
        if not faults:
            faults.add(SUMS, "It is not written as the digests of the parts are.")
    try:
        signature = bytes(parts.get(SIGNATURE, b"")).decode("ascii", "replace")
        verify_ssh_signature(stated, signature, key, NAMESPACE)
    except UnprovenError as error:
        faults.add(SIGNATURE, str(error))


def verify_audit(parts: Mapping[str, memoryview], key: VerifierKey, faults: Faults) -> Vouched:
    """Hold the rows of the audit log against their proofs, and these against the signed head."""
    vouched = Vouched(is_signed=not faults)
    try:
        vouched.head = opened(_text(parts, HEAD), key)
    except UnprovenError as error:
        faults.add(HEAD, str(error))
    last = 0
    try:
        for line in lines_of(parts.get(ROWS, memoryview(b"")), ROWS):
            row = json_read(line)
            number = row["number"]
            if number <= last:
                faults.add(ROWS, f"Rows are sorted, each once; row {number} is not.")
            last = number
            if _is_proved(parts, row, number, key, vouched.head, faults):
                vouched.rows.append(row)
    except (UnreadableError, ValueError, KeyError, TypeError) as error:
        faults.add(ROWS, f"A row cannot be read: {error}.")
    return vouched


def _is_proved(
    parts: Mapping[str, memoryview],
    row: Mapping[str, Any],
    number: int,
    key: VerifierKey,
    head: Checkpoint | None,
    faults: Faults,
) -> bool:
    part = proof_part(number)
    text = _text(parts, part)
    try:
        proof = InclusionProof.read(text)
        proved_under = proof.verify(hash_of_row(row), key)
    except (UnprovenError, KeyError) as error:
        faults.add(part, str(error))
        return False
    is_proof = proof.text == text and proof.index == number - 1
    if not is_proof:
        faults.add(part, f"It is no proof of row {number} as it is written here.")
    elif proved_under != head:
        faults.add(part, "It proves the row under another head than that of the bundle.")
    return is_proof and proved_under == head


def _text(parts: Mapping[str, memoryview], part: str) -> str:
    return bytes(parts.get(part, b"")).decode("utf-8", "replace")


def chain_of(report: BundledReport, vouched: Vouched) -> set[str]:
    """The ids of a report and of those that it restates, one after the other, as the log tells it."""
    restated = {
        row["object"]: after["supersedes"]
        for row in vouched.rows
        if isinstance(after := row["after"], dict) and "inclusions" in after
    }
    chain, name = set[str](), report.supersedes
    while name is not None and name not in chain:
        chain.add(name)
        name = restated.get(name)
    return chain | {report.id}
