"""Kinds and states of background tasks, and the forms in which a list is exported by one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from weighbridge.core.platform.permission import ANY, Actor

# A kind of task has an area of permission: a user who may start a task may read and cancel it.
#
# Invariant: every kind that can be queued has an area, or says that it is of all.


AREA_OF_KIND: Final[Mapping[str, str]] = MappingProxyType(
    {
        "batch_generation": "production_accounting",
        "batch_deletion": "production_accounting",
        "uncertainty_run": "production_accounting",
        "rule_run": "data_rules",
        "export": ANY,
        "data_feed_upload": "data_collection",
        "report_submission": "production_accounting",
        "report_bundle": "production_accounting",
        "report_notice": "production_accounting",
        "registry_catalogue": "production_accounting",
    }
)
"""The area in which the permission to write starts a task of each kind.

A user who may read a list may export it, so any token may start an export; its task shows nothing of the
list except how many rows it has.
"""


def find_read_permission(kind: str) -> str:
    """The permission that shows a task of a kind."""
    return _find_area_permission(kind, "read")


def find_cancel_permission(kind: str) -> str:
    """The permission that ends a task of a kind before its time: the one that starts it."""
    return _find_area_permission(kind, "write")


def list_readable_kinds(actor: Actor) -> list[str]:
    """The kinds of task that an actor may read."""
    return [kind for kind in AREA_OF_KIND if actor.may(find_read_permission(kind))]


def find_readable_projects(actor: Actor, kind: str) -> frozenset[int] | None:
    """The projects whose tasks of a kind an actor may read; None where that is a right of the account.

    An export is of no project, and somebody limited to projects sees their own alone.
    """
    permission = find_read_permission(kind)
    projects = actor.find_projects(permission)
    return frozenset() if permission == ANY and projects is not None else projects


def _find_area_permission(kind: str, level: str) -> str:
    area = AREA_OF_KIND[kind]
    return ANY if area == ANY else f"{area}:{level}"


# The states of an async task and the moves between them, as one table.
#
# Invariants: a task that is complete or failed stays so; there is no other move than those listed.


class TaskState(StrEnum):
    """The state of a task."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"


class Trigger(StrEnum):
    """What moves a task."""

    ATTEMPT = "attempt"
    SUCCEED = "succeed"
    FAIL = "fail"
    CANCEL = "cancel"


MOVES: Final = {
    (TaskState.PENDING, Trigger.ATTEMPT): TaskState.RUNNING,
    (TaskState.PENDING, Trigger.FAIL): TaskState.FAILED,
    (TaskState.PENDING, Trigger.CANCEL): TaskState.FAILED,
    (TaskState.RUNNING, Trigger.ATTEMPT): TaskState.RUNNING,
    (TaskState.RUNNING, Trigger.SUCCEED): TaskState.COMPLETE,
    (TaskState.RUNNING, Trigger.FAIL): TaskState.FAILED,
    (TaskState.RUNNING, Trigger.CANCEL): TaskState.FAILED,
}
"""From a state, by a trigger, to a state.

A running task that is attempted again lost its worker. One that is cancelled fails as any other does, so that
a client that polls it needs to know no further state.
"""

ATTEMPTS_MAX: Final = 5
"""Attempts of one task; a task that outlives none of them fails for good."""


def advance(state: TaskState, trigger: Trigger) -> TaskState:
    """The state after the trigger; raises ValueError for a move that the table does not list."""
    try:
        return MOVES[state, trigger]
    except KeyError:
        raise ValueError(f"a task that is {state} does not {trigger}") from None


def states_before(trigger: Trigger) -> list[str]:
    """The states that a trigger can move a task from."""
    return [state.value for state, by in MOVES if by is trigger]


# An export is a list as a file: in which formats, and for how long it can be had.
#
# Invariants: a number is written with every digit that it has; a text never becomes a formula in the
# program that opens the file.


LASTS: Final = timedelta(hours=24)
"""How long a file can be downloaded once it is made."""


class ExportFormat(StrEnum):
    """What a file of exported rows is written as."""

    CSV = "csv"
    JSON = "json"
    JSON_LINES = "jsonl"
    PARQUET = "parquet"
    XLSX = "xlsx"


class ExportStatus(StrEnum):
    """The state of an export."""

    PENDING = "pending"
    """Its file is being made."""
    COMPLETED = "completed"
    """Its file can be downloaded."""
    FAILED = "failed"
    """Its file could not be made; its task says why."""
    EXPIRED = "expired"
    """Its file was there, and is no more."""


class ResponseMode(StrEnum):
    """How a list answers."""

    DEFAULT = "default"
    SUMMARY = "summary"
    SUMMARY_WITH_EXPORT = "summary_with_export"


MEDIA_TYPES: Final[Mapping[ExportFormat, str]] = MappingProxyType(
    {
        ExportFormat.CSV: "text/csv",
        ExportFormat.JSON: "application/json",
        ExportFormat.JSON_LINES: "application/jsonl",
        ExportFormat.PARQUET: "application/vnd.apache.parquet",
        ExportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    }
)


XLSX_ROWS_MAX: Final = 1_048_575
"""How many rows a file of XLSX holds, below its header."""

ROWS_OF_FORMAT: Final[Mapping[ExportFormat, int]] = MappingProxyType({ExportFormat.XLSX: XLSX_ROWS_MAX})
"""How many rows a file of a format holds; those that are not here hold any number."""


class ColumnKind(StrEnum):
    """What the values of a column of an export are."""

    TEXT = "text"
    """What people and meters write."""
    WORD = "word"
    """A text of the service's own, such as an id or a state; it never begins as a formula does."""
    NUMBER = "number"
    TRUTH = "truth"
    MOMENT = "moment"


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """One column of an export."""

    name: str
    kind: ColumnKind = ColumnKind.TEXT


FORMULA_LEADS: Final = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""What a cell begins with that a spreadsheet takes for a formula (CWE-1236; OWASP ASVS 1.2.10)."""


def guard_cell(text: str) -> str:
    """Return a text as a cell that no spreadsheet computes: a formula gets an apostrophe."""
    return f"'{text}" if text[:1] and text[0] in FORMULA_LEADS else text
