"""What a witness answers to a submission, by C2SP tlog-witness.

In this order: 400 for what is no submission; 404 for a log that the witness does not know; 403 for a head
that no known key of the log signed; 400 for an old size beyond the new one; 409 with the size that the
witness knows for any other old size, and for another head of the same size; 422 for a proof that does not
hold; 200 with the cosignature.

Invariant: a head is cosigned only if it extends the head that was cosigned last, and is stored first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weighbridge.core.cosignature import WitnessKey, cosign
from weighbridge.core.proof import Checkpoint, ConsistencyProof, open_checkpoint, verify_consistency
from weighbridge.core.signing import SigningKey, UnprovenError, VerifierKey
from weighbridge.errors import Refusal
from weighbridge.witness.state import WitnessState

PROOF_LINES_MAX: Final = 63
SIZE_TYPE: Final = "text/x.tlog.size"
TEXT_TYPE: Final = "text/plain; charset=utf-8"

KnownLogs = Mapping[str, Sequence[VerifierKey]]
"""By the origin of a log, the keys that sign its heads."""


@dataclass(frozen=True, slots=True)
class WitnessAnswer:
    """What is answered, and what the log of the process says of it."""

    status: int
    content: str
    content_type: str = TEXT_TYPE
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Witness:
    """Who cosigns: a name and a key, and what was cosigned so far."""

    name: str
    key: SigningKey
    state: WitnessState
    read_logs: Callable[[], KnownLogs]
    now: Callable[[], int]

    @property
    def public(self) -> WitnessKey:
        """The key by which its cosignatures are verified."""
        return WitnessKey(self.name, self.key.public)

    def judge(self, body: bytes) -> WitnessAnswer:
        """Judge a submission and cosign the head if it extends the one before."""
        try:
            proof = ConsistencyProof.read(body.decode())
        except (UnprovenError, UnicodeDecodeError) as error:
            return WitnessAnswer(400, f"The body is no submission: {error}\n")
        if len(proof.hashes) > PROOF_LINES_MAX:
            return WitnessAnswer(400, f"A proof has at most {PROOF_LINES_MAX} hashes.\n")
        origin = proof.note.partition("\n")[0]
        keys = self.read_logs().get(origin)
        if keys is None:
            return WitnessAnswer(404, "This witness does not know the log.\n", origin=origin)
        head = _open(proof.note, keys)
        if head is None:
            return WitnessAnswer(403, "No key of the log signed the head.\n", origin=origin)
        if proof.old_size > head.size:
            return WitnessAnswer(400, "The old size is beyond that of the head.\n", origin=origin)
        return self._cosign(proof, head)

    def _cosign(self, proof: ConsistencyProof, head: Checkpoint) -> WitnessAnswer:
        with self.state.of_log(head.origin) as (known, store):
            conflict = WitnessAnswer(409, f"{known.size}\n", SIZE_TYPE, head.origin)
            if proof.old_size != known.size or (head.size == known.size and head.root != known.root):
                return conflict
            try:
                verify_consistency(known.size, known.root, head.size, head.root, proof.hashes)
            except UnprovenError as error:
                return WitnessAnswer(422, f"{error}\n", origin=head.origin)
            store(head)
            text = proof.note.rpartition("\n\n")[0] + "\n"
            line = cosign(text, self.name, self.key, self.now()).line
        return WitnessAnswer(200, f"{line}\n", origin=head.origin)


def _open(note: str, keys: Sequence[VerifierKey]) -> Checkpoint | None:
    """The head, if one of the keys of its log signed it."""
    for key in keys:
        try:
            return open_checkpoint(note, key)
        except UnprovenError:
            continue
    return None


def read_logs(lines: Sequence[str], file: Path | None) -> dict[str, list[VerifierKey]]:
    """The known logs: verifier keys, one a line, of the command and of a file; Refusal for any other line."""
    try:
        more = [] if file is None else file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"The file of the logs {file} cannot be read: {error}") from error
    logs: dict[str, list[VerifierKey]] = {}
    for line in (*lines, *more):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            key = VerifierKey.read(line)
        except UnprovenError as error:
            raise Refusal(f"A log is named by its verifier key: {error}") from error
        logs.setdefault(key.name, []).append(key)
    return logs
