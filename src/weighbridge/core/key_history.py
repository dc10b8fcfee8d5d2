"""Statements about the keys of an audit log: which key follows which, and which one no longer counts.

A statement is a text of lines, signed as `ssh-keygen -Y sign` does (SSHSIG), in a namespace of its own, so
that no signature over anything else passes for it:

    weighbridge audit key endorsement 1
    log plant.example/audit_log/1
    key plant.example/audit_log/1+0a1b2c3d+AX…          the key that the statement is about
    successor plant.example/audit_log/1+4e5f6071+AY…    the key that signs from then on
    rows 1042                                           the head of the log at that moment
    root CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
    time 2025-04-01T00:00:00.000Z

The successor signs every statement. An endorsement is signed by the key as well, so whoever trusts the key
alone can trust the successor. A beginning is what is left when the key is lost: nothing leads to the
successor, and verifiers must be told. A revocation says that signatures of the key count no longer under
heads with more rows; the key signs it, too, if the operator still has it.

Invariants: `KeyStatement.read(statement.text) == statement`; a trusted key leads to another one only by its
own signature, and not once it was revoked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Self

from weighbridge.core.proof import Checkpoint, encode_base64, hash_of, parse_whole_number
from weighbridge.core.signing import (
    SigningKey,
    UnprovenError,
    VerifierKey,
    verify_ssh_signature,
    write_ssh_signature,
)

NAMESPACE: Final = "weighbridge-audit-key"
"""What the signatures are for, as SSHSIG has it."""

_FIRST_LINE: Final = "weighbridge audit key {} 1"
_FIELDS: Final = ("log", "key", "successor", "rows", "root", "time")


class KeyStatementKind(StrEnum):
    """What is said of a key."""

    ENDORSEMENT = "endorsement"
    BEGINNING = "beginning"
    REVOCATION = "revocation"


KEY_ACTIONS: Final[Mapping[KeyStatementKind, str]] = {
    KeyStatementKind.ENDORSEMENT: "audit_key.rotate",
    KeyStatementKind.BEGINNING: "audit_key.begin",
    KeyStatementKind.REVOCATION: "audit_key.revoke",
}
"""What the audit log calls each statement; `after` of its row is the statement with its signatures."""


@dataclass(frozen=True, slots=True)
class KeyStatement:
    """What is said of the key of a log, at the head that the log had then."""

    kind: KeyStatementKind
    key: VerifierKey
    successor: VerifierKey
    head: Checkpoint
    time: str

    @property
    def text(self) -> str:
        """The text that is signed."""
        values = (
            self.head.origin, self.key.text, self.successor.text, str(self.head.size),
            encode_base64(self.head.root), self.time,
        )  # fmt: skip
        lines = [f"{name} {value}" for name, value in zip(_FIELDS, values, strict=True)]
        return "\n".join([_FIRST_LINE.format(self.kind), *lines, ""])

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a statement; UnprovenError when it is none, or is written in another way."""
        first, *lines = text.removesuffix("\n").split("\n")
        kind = next((one for one in KeyStatementKind if first == _FIRST_LINE.format(one)), None)
        values = [line.partition(" ")[2] for line in lines]
        if kind is None or [line.partition(" ")[0] for line in lines] != [*_FIELDS]:
            raise UnprovenError(f"{first[:100]!r} does not begin a statement about a key with its six lines.")
        log, key, successor, rows, root, time = values
        head = Checkpoint(log, parse_whole_number(rows), hash_of(root))
        statement = cls(kind, VerifierKey.read(key), VerifierKey.read(successor), head, time)
        if statement.text != text or {statement.key.name, statement.successor.name} != {log}:
            raise UnprovenError(f"The statement about a key of {log} is not written as such statements are.")
        return statement


@dataclass(frozen=True, slots=True)
class SignedStatement:
    """A statement with its signatures; that of the key is absent where the operator had lost it."""

    statement: KeyStatement
    key_signature: str | None
    successor_signature: str

    @property
    def record(self) -> dict[str, str | None]:
        """The statement as JSON has it: in the audit log, in answers, in bundles."""
        return {
            "text": self.statement.text,
            "key_signature": self.key_signature,
            "successor_signature": self.successor_signature,
        }

    @classmethod
    def read(cls, record: Any) -> Self:
        """Read and verify a statement; UnprovenError unless its signatures are what its kind asks for."""
        if not isinstance(record, Mapping) or record.keys() != {*_RECORD_FIELDS}:
            raise UnprovenError(f"A statement about a key has the fields {', '.join(_RECORD_FIELDS)}.")
        text, by_key, by_successor = (record[name] for name in _RECORD_FIELDS)
        if not isinstance(text, str) or not isinstance(by_successor, str):
            raise UnprovenError("A statement about a key has a text and the signature of the successor.")
        if by_key is not None and not isinstance(by_key, str):
            raise UnprovenError("The signature of the key that a statement is about is a text, or null.")
        signed = cls(KeyStatement.read(text), by_key, by_successor)
        signed.verify()
        return signed

    def verify(self) -> None:
        """Raise UnprovenError unless each signature holds that a statement of the kind has."""
        statement = self.statement
        content = statement.text.encode()
        verify_ssh_signature(content, self.successor_signature, statement.successor, NAMESPACE)
        if self.key_signature is not None:
            verify_ssh_signature(content, self.key_signature, statement.key, NAMESPACE)
        is_signed = self.key_signature is not None
        if statement.kind == KeyStatementKind.ENDORSEMENT and not is_signed:
            raise UnprovenError(f"{statement.key.text} did not sign the endorsement of its successor.")
        if statement.kind == KeyStatementKind.BEGINNING and is_signed:
            raise UnprovenError("A beginning without an endorsement is signed by the successor alone.")


_RECORD_FIELDS: Final = ("text", "key_signature", "successor_signature")


def sign_statement(statement: KeyStatement, key: SigningKey | None, successor: SigningKey) -> SignedStatement:
    """Sign a statement with the successor, and with the key that it is about if that is at hand."""
    content = statement.text.encode()
    by_key = None if key is None else write_ssh_signature(content, key, NAMESPACE)
    return SignedStatement(statement, by_key, write_ssh_signature(content, successor, NAMESPACE))


@dataclass(frozen=True, slots=True)
class TrustedKeys:
    """The keys that one trusted key leads to, the given one first, and what was revoked of them."""

    keys: Sequence[VerifierKey]
    revocations: Mapping[str, KeyStatement] = field(default_factory=dict)
    """By the line of a key, the statement that revoked it with the fewest rows."""

    @classmethod
    def of(cls, given: VerifierKey, statements: Iterable[SignedStatement]) -> Self:
        """Follow verified statements from a key; those about another log lead nowhere.

        Any revocation counts whose signatures hold: one that nobody trusted made can only have more refused.
        """
        of_log = [signed.statement for signed in statements if signed.statement.head.origin == given.name]
        revocations: dict[str, KeyStatement] = {}
        for statement in of_log:
            known = revocations.get(statement.key.text)
            if statement.kind == KeyStatementKind.REVOCATION and (
                known is None or statement.head.size < known.head.size
            ):
                revocations[statement.key.text] = statement
        keys = [given]
        for statement in of_log:
            is_endorsed = statement.kind == KeyStatementKind.ENDORSEMENT and statement.key in keys
            if is_endorsed and statement.key.text not in revocations and statement.successor not in keys:
                keys.append(statement.successor)
        return cls(keys, revocations)

    def require_valid(self, signer: VerifierKey, head: Checkpoint) -> None:
        """UnprovenError when the key that signed a head was revoked before the log had so many rows."""
        revocation = self.revocations.get(signer.text)
        if revocation is None or head.size < revocation.head.size:
            return
        if head == revocation.head:
            return
        raise UnprovenError(
            f"The key {signer.text} was revoked: it counts for heads of at most {revocation.head.size:,}"
            f" rows, and this one has {head.size:,}; ask the operator for the key that follows it."
        )


def find_signer(keys: Sequence[VerifierKey], content: bytes, signature: str, namespace: str) -> VerifierKey:
    """The key among trusted ones that made an SSHSIG signature; UnprovenError, of the first, if none did."""
    for key in keys[1:]:
        try:
            verify_ssh_signature(content, signature, key, namespace)
        except UnprovenError:
            continue
        return key
    verify_ssh_signature(content, signature, keys[0], namespace)
    return keys[0]
