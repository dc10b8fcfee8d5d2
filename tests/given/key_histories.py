"""Accounts whose logs have key after key, as operators replace them."""

from typing import Any, Self

from tests.given import bundles
from tests.given.bundles import KEY, Bundle
from tests.given.collection import Record
from tests.server import Account

from weighbridge.core.key_history import (
    KEY_ACTIONS,
    KeyStatement,
    KeyStatementKind,
    SignedStatement,
    sign_statement,
)
from weighbridge.core.proof import Checkpoint
from weighbridge.core.signing import SigningKey, VerifierKey
from weighbridge.db.statements import jsonb
from weighbridge.platform.audit_tree import Signer

ENDORSEMENT, BEGINNING, REVOCATION = KeyStatementKind


class History:
    """An account whose log has key after key, and a report of it."""

    def __init__(self, account: Account, report: Record) -> None:
        self.account, self.report, self.keys = account, report, [KEY]

    def verifier(self, key: SigningKey) -> VerifierKey:
        """A key under the name of the log."""
        return Signer(key, "plant.example").verifier(self.account.id)

    @property
    def first(self) -> VerifierKey:
        """The key that the log began with."""
        return self.verifier(KEY)

    def statement(
        self, kind: KeyStatementKind, key: SigningKey, successor: SigningKey, rows: int = 1
    ) -> SignedStatement:
        """A statement that a key makes about its successor."""
        verifier = self.verifier(key)
        head = Checkpoint(verifier.name, rows, bytes(32))
        said = KeyStatement(kind, verifier, self.verifier(successor), head, "2025-04-01T00:00:00.000Z")
        return sign_statement(said, None if kind == BEGINNING else key, successor)

    def follow(self, kind: KeyStatementKind = ENDORSEMENT) -> Self:
        """Have another key follow."""
        self.keys.append(SigningKey.made())
        made = self.statement(kind, self.keys[-2], self.keys[-1])
        self.account.server.sql(
            "INSERT INTO audit_log (account_id, request_id, action, object, after)"
            " VALUES (%s, 'given', %s, %s, %s)",
            self.account.id, KEY_ACTIONS[kind], made.statement.key.text, jsonb(made.record),
        )  # fmt: skip
        return self

    def bundle(self, **fields: Any) -> Bundle:
        """The bundle that the newest key signs."""
        return bundles.bundle(self.account, self.report, self.keys[-1], **fields)
