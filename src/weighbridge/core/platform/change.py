"""A change of the feed: which kinds there are, who may read them, and where a reader of the feed stands.

Invariants: a cursor names the next change, never the last one, so it stays good when what was read has gone;
`read_cursor(cursor.text) == cursor`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class ChangeKind(StrEnum):
    """What was changed."""

    EVENT = "event"
    CORRECTION = "correction"
    BATCH = "batch"
    ASYNC_TASK = "async_task"
    RULE_RESULT = "rule_result"
    REPORT = "report"
    LEDGER = "ledger"


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
    }
)  # fmt: skip
"""What is done to records of each kind; a task is updated when it waits again after an attempt, a ledger when
another number of events waits for a generation."""

CHANGE_TYPES: Final[Mapping[str, tuple[tuple[ChangeKind, ChangeAction], ...]]] = MappingProxyType(
    {kind.value: tuple((kind, action) for action in actions) for kind, actions in ACTIONS.items()}
    | {f"{kind}.{action}": ((kind, action),) for kind, actions in ACTIONS.items() for action in actions}
)
"""What a webhook may be told of, and which changes that are: all of `batch`, or `batch.create` alone."""

LATEST: Final = "latest"
"""What a reader says in place of a cursor who wants only what comes from now on."""

_NUMBER_DIGITS_MAX: Final = 18
_CURSOR: Final = re.compile(
    rf"([1-9][0-9]{{0,{_NUMBER_DIGITS_MAX - 1}}})\.(0|[1-9][0-9]{{0,{_NUMBER_DIGITS_MAX - 1}}})"
)


@dataclass(frozen=True, slots=True, order=True)
class ChangeCursor:
    """Where a reader stands: so many records of the entry with this number were read, and all before it."""

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
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return ChangeCursor(int(found[1]), int(found[2]))
