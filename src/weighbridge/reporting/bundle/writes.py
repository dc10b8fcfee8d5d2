"""The events of a bundle as they were captured, and the writes of the log that stored them.

Of each write the hashes are given of those parts of its tree that have no event of the bundle; so a bundle
with all events of a request needs none.

Invariants: memory is in proportion to the events of the bundle by some bytes each, and to the rows of the log
that stored them; nothing is read of a write but the events that its tree needs.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from weighbridge.collection.measurements.event_records import LINE_COLUMNS, leaf_of_columns, line_of_columns
from weighbridge.core import identity
from weighbridge.core.bundle.captured import (
    COMPLETED_MANY,
    COMPLETED_ONE,
    STORED_MANY,
    STORED_ONE,
    list_completions,
    list_spans,
)
from weighbridge.core.bundle.contents import WriteProof
from weighbridge.core.bundle.rows import NameRow
from weighbridge.core.proof import Span, compute_root, list_outside_spans
from weighbridge.db.engine import Read
from weighbridge.platform.audit_tree import leaf_fields, roots_of
from weighbridge.platform.records import SealedRow

EVENTS_AT_ONCE: Final = 5000
"""Events, or moments of writes, that are asked for at a time."""

_LINES: Final = f"""
    SELECT {LINE_COLUMNS}, e.created_at, e.updated_at > e.created_at
      FROM events e WHERE e.project_id = %s AND e.id = ANY (%s) ORDER BY e.id
"""
_EVENTS: Final = """
    SELECT DISTINCT unnest(event_ids) FROM batch_inputs WHERE project_id = %s AND batch_id = ANY (%s)
"""
_SEALED: Final = """
    SELECT a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id, a.request_id, a.action,
           a.object, a.before, a.after
      FROM audit_log a JOIN audit_seals s ON (s.account_id, s.audit_id) = (a.account_id, a.id)
     WHERE a.account_id = %(account)s AND a.project_id = %(project)s AND s.number <= %(size)s
"""
_STORING: Final = f"""{_SEALED}
       AND a.at = ANY (%(moments)s::timestamptz[]) AND a.action = ANY (%(actions)s)
"""
_COMPLETING: Final = f"""{_SEALED}
       AND (a.action = %(one)s AND a.object = ANY (%(events)s)
            OR a.action = ANY (%(many)s) AND EXISTS (
               SELECT FROM jsonb_array_elements(a.after -> 'leaves') AS leaf
                WHERE leaf ->> 0 = ANY (%(events)s)))
"""
_FIRST_LEAVES: Final = """
    SELECT DISTINCT ON (event) event, leaf
      FROM (SELECT a.id, a.object AS event, a.before ->> 'leaf' AS leaf FROM audit_log a
             WHERE a.account_id = %(account)s AND a.project_id = %(project)s AND a.action = %(one)s
               AND a.object = ANY (%(events)s)
            UNION ALL
            SELECT a.id, leaves ->> 0, leaves ->> 1
              FROM audit_log a CROSS JOIN jsonb_array_elements(a.after -> 'leaves') AS leaves
             WHERE a.account_id = %(account)s AND a.project_id = %(project)s AND a.action = ANY (%(many)s)
               AND leaves ->> 0 = ANY (%(events)s)) AS completed
     ORDER BY event, id
"""


@dataclass(slots=True)
class CapturedEvents:
    """The events of a bundle by their numbers, and what their lines name."""

    project: int
    events: "array[int]"
    moments: set[datetime] = field(default_factory=set)
    """When they were stored."""
    changed: list[int] = field(default_factory=list)
    """Those that were changed after they were stored."""
    named: dict[str, set[int]] = field(
        default_factory=lambda: {kind: set() for kind in ("event_type", "feedstock", "asset", "location")}
    )

    @classmethod
    async def find(
        cls, tx: Read, project: int, batches: Sequence[int], late: Collection[int]
    ) -> "CapturedEvents":
        """Those that batches read, and others."""
        numbers = {number for (number,) in await tx.tuples(_EVENTS, (project, list(batches)))}
        return cls(project, array("q", sorted(numbers | set(late))))

    async def read_lines(self, tx: Read) -> AsyncIterator[list[str]]:
        """Their lines, some at a time; notes what these name."""
        for first in range(0, len(self.events), EVENTS_AT_ONCE):
            some = [*self.events[first : first + EVENTS_AT_ONCE]]
            lines = []
            for *columns, created_at, is_changed in await tx.tuples(_LINES, (self.project, some)):
                lines.append(f"{line_of_columns(columns)}\n")
                self.moments.add(created_at)
                if is_changed:
                    self.changed.append(columns[1])
                self._note(columns)
            yield lines

    def _note(self, columns: Sequence[Any]) -> None:
        _, _, event_type, _, _, _, feedstock, asset, _, _, locations, *_ = columns
        self.named["event_type"].add(event_type)
        for kind, number in (("feedstock", feedstock), ("asset", asset)):
            if number is not None:
                self.named[kind].add(number)
        if locations != "{}":
            self.named["location"].update(map(int, locations[1:-1].split(",")))


async def read_writes(tx: Read, account: int, events: CapturedEvents, size: int) -> list[SealedRow]:
    """The rows of the log that stored or completed events, of the first so many."""
    values: dict[str, Any] = {"account": account, "project": events.project, "size": size}
    moments = sorted(events.moments)
    found: dict[int, SealedRow] = {}
    for first in range(0, len(moments), EVENTS_AT_ONCE):
        some = {"moments": moments[first : first + EVENTS_AT_ONCE], "actions": [STORED_ONE, *STORED_MANY]}
        for row in await tx.rows(SealedRow, _STORING, values | some):
            if has_any(events, row):
                found[row.number] = row
    names = [identity.of("event", events.project, number) for number in events.changed]
    completing = {"one": COMPLETED_ONE, "many": [*COMPLETED_MANY], "events": names}
    for row in await tx.rows(SealedRow, _COMPLETING, values | completing) if names else ():
        if list_completions(leaf_fields(row)):
            found[row.number] = row
    return [found[number] for number in sorted(found)]


def has_any(events: CapturedEvents, row: SealedRow) -> bool:
    """Whether a write stored any of the events, and says so in a form that proves it."""
    if row.action == STORED_ONE:
        number = identity.number("event", row.object, events.project)
        at = bisect_left(events.events, number)
        is_there = at < len(events.events) and events.events[at] == number
        return is_there and "leaf" in (row.after or {})
    return any(
        bisect_left(events.events, first) < bisect_right(events.events, last)
        for first, last in list_spans(leaf_fields(row), events.project)
    )


async def read_event_hashes(
    tx: Read, account: int, events: CapturedEvents, writes: Sequence[SealedRow]
) -> dict[str, list[str]]:
    """By the number of a write the hashes of the parts of its tree that have no event of the bundle."""
    hashes = {}
    for row in writes:
        numbers = [
            number
            for first, last in list_spans(leaf_fields(row), events.project)
            for number in range(first, last + 1)
        ]
        outside = list_outside_spans(_list_places(events, numbers), len(numbers))
        if outside:
            hashes[str(row.number)] = [
                (await _compute_root(tx, account, events.project, numbers[start:end])).hex()
                for start, end in outside
            ]
    return hashes


def _list_places(events: CapturedEvents, numbers: Sequence[int]) -> list[int]:
    """The places of those of a write's events that are in the bundle."""
    there = events.events
    return [
        place
        for place, number in enumerate(numbers)
        if (at := bisect_left(there, number)) < len(there) and there[at] == number
    ]


async def _compute_root(tx: Read, account: int, project: int, numbers: Sequence[int]) -> bytes:
    """The root over the leaves of events as they were stored."""
    leaves: list[bytes] = []
    for first in range(0, len(numbers), EVENTS_AT_ONCE):
        some = numbers[first : first + EVENTS_AT_ONCE]
        by_number: dict[int, bytes] = {}
        changed: dict[str, int] = {}
        for *columns, _, is_changed in await tx.tuples(_LINES, (project, list(some))):
            by_number[columns[1]] = leaf_of_columns(columns)
            if is_changed:
                changed[identity.of("event", project, columns[1])] = columns[1]
        values = {
            "account": account, "project": project, "one": COMPLETED_ONE, "many": [*COMPLETED_MANY],
            "events": [*changed],
        }  # fmt: skip
        for name, leaf in await tx.tuples(_FIRST_LEAVES, values) if changed else ():
            by_number[changed[name]] = bytes.fromhex(leaf)
        leaves += [by_number.get(number, b"") for number in some]
    return compute_root(leaves)


async def prove_writes(
    tx: Read, account: int, numbers: Sequence[int], hashes: Mapping[str, list[str]], size: int
) -> WriteProof:
    """What proves all writes at once under the head of so many rows."""
    spans: list[Span] = list_outside_spans([number - 1 for number in numbers], size)
    return WriteProof(dict(hashes), [root.hex() for root in await roots_of(tx, account, spans)])


_NAMES: Final = {
    "event_type": "SELECT id, slug FROM event_types WHERE project_id = %s AND id = ANY (%s)",
    "feedstock": "SELECT id, name FROM feedstocks WHERE project_id = %s AND id = ANY (%s)",
    "asset": "SELECT id, name FROM assets WHERE project_id = %s AND id = ANY (%s)",
    "location": "SELECT id, name FROM locations WHERE project_id = %s AND id = ANY (%s)",
}


async def read_names(tx: Read, project: int, named: Mapping[str, Collection[int]]) -> list[NameRow]:
    """What numbers in the lines of events stand for."""
    found = [
        NameRow(kind, number, name)
        for kind, statement in _NAMES.items()
        for number, name in await tx.tuples(statement, (project, sorted(named[kind])))
    ]
    return sorted(found)
