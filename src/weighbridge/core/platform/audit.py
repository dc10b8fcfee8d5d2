"""Rows of the audit log: what a change of a record says, the leaf that proves it, and rows read back by
kind.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from weighbridge.core.proof import Checkpoint, Edge, InclusionProof, hash_leaf
from weighbridge.core.signing import UnprovenError, VerifierKey, write_canonical_json

# The leaf of a row of the audit log: the bytes that its hash in the tree is made of.
#
# They follow from the row as `GET /audit_log` shows it, without `user_name` and `hash`: what a user is
# called may change, and the hash is made of the rest.
#
# Invariant: the form never changes, or no head that was kept outside would vouch for a row any more.


LEAF_FIELDS: Final = (
    "id", "number", "at", "project_id", "user_id", "token_id", "request_id", "action", "object", "before",
    "after",
)  # fmt: skip
"""The fields of a row that are in its leaf."""


def hash_of_row(row: Mapping[str, Any]) -> bytes:
    """The hash of a row's leaf; times are texts, as the interface shows them, and ids are friendly ids.

    Raises KeyError when a field is missing.
    """
    return hash_leaf(write_canonical_json({field: row[field] for field in LEAF_FIELDS}))


# The audit chain: each row's hash covers the row and the hash before it.
#
# A change, removal or insertion of a row changes every later hash, so one hash that was
# noted elsewhere vouches for everything before it.
#
# Invariants: numbers begin at 1 and leave no gap; the first link starts from 32 zero bytes.


ANCHOR: Final = bytes(32)
"""The hash before the first row."""


def link(previous: bytes, row: bytes) -> bytes:
    """The SHA-256 of the hash before and the row's canonical JSON."""
    return hashlib.sha256(previous + row).digest()


# Rows of the audit log as a verifier has them: JSON, checked against a head.
#
# Invariant: nothing but the rows, the head and the key is asked.


def read_row(text: str) -> dict[str, Any]:
    """Read a row; fields that its hash is not made of may be left out or there. UnprovenError for no row."""
    try:
        row = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        raise UnprovenError(f"{text[:100]!r} is no JSON.") from None
    if not isinstance(row, dict) or (missing := [field for field in LEAF_FIELDS if field not in row]):
        missing_part = f" without {', '.join(missing)}" if isinstance(row, dict) else ""
        raise UnprovenError(f"{text[:100]!r} is no row of an audit log{missing_part}.")
    return row


def check_row(text: str, proof: InclusionProof, verifier: VerifierKey) -> tuple[int, Checkpoint]:
    """The number of a row and the head that it is proved to be under; UnprovenError when it is not."""
    row = read_row(text)
    if row["number"] != proof.index + 1:
        raise UnprovenError(f"The proof is of row {proof.index + 1}, and the row is {row['number']}.")
    return row["number"], proof.verify(hash_of_row(row), verifier)


def check_rows(lines: Iterable[str], head: Checkpoint) -> None:
    """Raise UnprovenError unless the lines begin with all rows of the head, unchanged and in their places."""
    edge = Edge()
    for line in lines:
        if edge.size == head.size:
            break
        row = read_row(line)
        if row["number"] != edge.size + 1:
            raise UnprovenError(
                f"Line {edge.size + 1} has row {row['number']}; rows begin at 1 without gaps."
            )
        edge.add(hash_of_row(row))
    if edge.size < head.size:
        raise UnprovenError(f"The head is of {head.size:,} rows, and here are {edge.size:,}.")
    if edge.root != head.root:
        raise UnprovenError(f"The first {head.size:,} rows are not those that the head was made of.")


# A change of the feed: which kinds there are, who may read them, and the position of a reader in the feed.
#
# Invariants: a cursor names the next change, never the last one, so it stays good when what was read has
# gone; `read_cursor(cursor.text) == cursor`.


class ChangeKind(StrEnum):
    """What was changed."""

    EVENT = "event"
    CORRECTION = "correction"
    BATCH = "batch"
    ASYNC_TASK = "async_task"
    RULE_RESULT = "rule_result"
    REPORT = "report"
    LEDGER = "ledger"
    FOOTPRINT = "footprint"


class ChangeAction(StrEnum):
    """What was done to it."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    VOID = "void"
    RESTORE = "restore"
    REVERT = "revert"
    START = "start"
    COMPLETE = "complete"
    FAIL = "fail"


PERMISSIONS: Final[Mapping[ChangeKind, str]] = MappingProxyType(
    {
        ChangeKind.EVENT: "data_collection:read",
        ChangeKind.CORRECTION: "data_collection:read",
        ChangeKind.BATCH: "production_accounting:read",
        ChangeKind.RULE_RESULT: "data_rules:read",
        ChangeKind.REPORT: "production_accounting:read",
        ChangeKind.LEDGER: "production_accounting:read",
        ChangeKind.FOOTPRINT: "production_accounting:read",
    }
)
"""What it takes to read changes of a kind. Of tasks each type has its own."""

ACTIONS: Final[Mapping[ChangeKind, tuple[ChangeAction, ...]]] = MappingProxyType(
    {
        ChangeKind.EVENT: (
            ChangeAction.CREATE, ChangeAction.UPDATE, ChangeAction.VOID, ChangeAction.RESTORE,
        ),
        ChangeKind.CORRECTION: (ChangeAction.CREATE, ChangeAction.UPDATE, ChangeAction.REVERT),
        ChangeKind.BATCH: (ChangeAction.CREATE, ChangeAction.UPDATE, ChangeAction.DELETE),
        ChangeKind.ASYNC_TASK: (
            ChangeAction.CREATE, ChangeAction.UPDATE, ChangeAction.START, ChangeAction.COMPLETE,
            ChangeAction.FAIL,
        ),
        ChangeKind.RULE_RESULT: (ChangeAction.CREATE, ChangeAction.UPDATE),
        ChangeKind.REPORT: (ChangeAction.CREATE, ChangeAction.UPDATE, ChangeAction.DELETE),
        ChangeKind.LEDGER: (ChangeAction.UPDATE,),
        ChangeKind.FOOTPRINT: (ChangeAction.CREATE, ChangeAction.UPDATE),
    }
)  # fmt: skip
"""What is done to records of each kind; a task is updated when it waits again after an attempt, a ledger when
another number of events waits for a generation, a footprint when it is deprecated."""

CHANGE_TYPES: Final[Mapping[str, tuple[tuple[ChangeKind, ChangeAction], ...]]] = MappingProxyType(
    {kind.value: tuple((kind, action) for action in actions) for kind, actions in ACTIONS.items()}
    | {f"{kind}.{action}": ((kind, action),) for kind, actions in ACTIONS.items() for action in actions}
)
"""The subscriptions of a webhook and their changes: all of `batch`, or `batch.create` alone."""

LATEST: Final = "latest"
"""What a reader says in place of a cursor who wants only what comes from now on."""

_NUMBER_DIGITS_MAX: Final = 18
_CURSOR: Final = re.compile(
    rf"([1-9][0-9]{{0,{_NUMBER_DIGITS_MAX - 1}}})\.(0|[1-9][0-9]{{0,{_NUMBER_DIGITS_MAX - 1}}})"
)


@dataclass(frozen=True, slots=True, order=True)
class ChangeCursor:
    """The position of a reader: the entry with this number, and how many of its records were read."""

    number: int
    position: int

    @property
    def text(self) -> str:
        """As it goes out."""
        return f"{self.number}.{self.position}"


BEGINNING: Final = ChangeCursor(1, 0)
"""Where the first entry begins."""


def read_cursor(text: str) -> ChangeCursor:
    """Read a cursor; ValueError for any other text."""
    matched = _CURSOR.fullmatch(text)
    if matched is None:
        raise ValueError(text)
    return ChangeCursor(int(matched[1]), int(matched[2]))
