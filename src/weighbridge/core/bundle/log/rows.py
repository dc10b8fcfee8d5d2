"""The proved rows of the audit log by what they tell of, and how a record is held against one.

Invariant: rows stand in the order of the log, so the last of a record is its newest state.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

Row = Mapping[str, Any]
Wrong = tuple[str, str]
"""A part, and a sentence that says what is wrong in it."""


class LogRows:
    """Rows by the record that they tell of, and by what was done."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._of: dict[str, list[Row]] = {}
        self._doing: dict[str, list[Row]] = {}
        for row in rows:
            self._of.setdefault(row["object"], []).append(row)
            self._doing.setdefault(row["action"], []).append(row)

    def of(self, name: str, noun: str) -> list[Row]:
        """What was done to a record of a kind, in order."""
        return [row for row in self._of.get(name, ()) if row["action"].partition(".")[0] == noun]

    def doing(self, action: str) -> list[Row]:
        """The rows of one action, in order."""
        return self._doing.get(action, [])

    def rows_of(self, noun: str) -> list[Row]:
        """What was done to records of a kind, in order."""
        return [row for row in self._rows if row["action"].partition(".")[0] == noun]

    def at(self, moment: str) -> list[Row]:
        """What was done in one transaction, or at the same millisecond."""
        return [row for row in self._rows if row["at"] == moment]

    def compare(self, part: str, name: str, noun: str, said: Mapping[str, object]) -> Iterator[Wrong]:
        """Where a record is another than its newest row says; it has to have one."""
        rows = [row for row in self.of(name, noun) if isinstance(row["after"], Mapping)]
        if not rows:
            yield part, f"No row of the audit log tells of the {noun} {name}."
            return
        for field in unlike(said, rows[-1]["after"]):
            yield part, f"The {field} of the {noun} {name} is another than the log says."


def unlike(said: Mapping[str, object], logged: Mapping[str, Any]) -> Iterator[str]:
    """The fields that a row says otherwise; what it leaves out is nothing."""
    for name, value in said.items():
        if not _are_equal(value, logged.get(name)):
            yield name


def _are_equal(value: object, logged: Any) -> bool:
    if isinstance(value, Decimal):
        try:
            return value == Decimal(str(logged))
        except InvalidOperation:
            return False
    return type(value) is type(logged) and value == logged
