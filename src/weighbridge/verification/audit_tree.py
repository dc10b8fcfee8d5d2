"""The audit log of every account: each leaf and node of its tree made anew from the rows.

Rows that were sealed before there was a tree are linked to the row before as well, which is checked too.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from weighbridge.collection.measurements.event_records import LINE_COLUMNS, leaf_of_columns
from weighbridge.core import identity
from weighbridge.core.platform.audit import ANCHOR, link
from weighbridge.core.proof import Checkpoint, Edge, KeptNode
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.statements import canonical
from weighbridge.platform.audit_tree import TornTreeError, edge_of, leaf_of, size_of
from weighbridge.platform.records import SealedRow

READ_AT_ONCE: Final = 5000
"""Rows that are held in memory at a time."""

ASTRAY_MAX: Final = 100
"""Rows that are named at most of those that are neither sealed nor wait for it."""

_SEALED: Final = """
    SELECT s.hash, s.chain, a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id,
           a.request_id, a.action, a.object, a.before, a.after
      FROM audit_seals s JOIN audit_log a ON a.id = s.audit_id
     WHERE s.account_id = %s AND s.number > %s ORDER BY s.number LIMIT %s
"""
_BEFORE: Final = """
    SELECT number, chain FROM audit_seals
     WHERE account_id = %s AND sealed_at < %s::timestamptz ORDER BY number DESC LIMIT 1
"""
_ASTRAY: Final = """
    SELECT a.account_id, a.id FROM audit_log a
     WHERE (%(since)s::timestamptz IS NULL OR a.at >= %(since)s)
       AND NOT EXISTS (SELECT FROM audit_seals s WHERE s.audit_id = a.id)
       AND NOT EXISTS (SELECT FROM audit_unsealed u WHERE (u.account_id, u.audit_id) = (a.account_id, a.id))
     ORDER BY a.id LIMIT %(limit)s
"""


class Head(msgspec.Struct, frozen=True):
    """The head of an account's log. Noted elsewhere, it vouches for every row up to its number."""

    account: int
    number: int
    hash: str
    """The root of the tree over those rows, as 64 hexadecimal digits."""


@dataclass(slots=True)
class Walk:
    """How far an account's rows have been walked, and what was said of them."""

    account: int
    number: int
    chain: bytes
    edge: Edge
    nodes: dict[tuple[int, int], bytes]
    """The kept nodes by level and position."""
    is_whole: bool = True
    violations: list[str] = field(default_factory=list)

    def row(self, row: SealedRow, leaf: bytes, chain: bytes | None) -> None:
        """Go on to the next row, with what its seal says."""
        if row.number != self.number + 1:
            self.say(f"row {self.number + 1} of the audit log is missing")
            self.is_whole = False
        is_linked = chain is None or link(self.chain, canonical(row)) == chain
        if leaf_of(row) != leaf or not is_linked:
            self.say(f"row {row.number} of the audit log is not what was sealed ({row.action})")
        self.number, self.chain = row.number, chain or self.chain
        kept_nodes = self.edge.add(leaf)
        if self.is_whole:
            self.violations += self._of_nodes(kept_nodes)

    def _of_nodes(self, kept_nodes: list[KeptNode]) -> Iterator[str]:
        for level, position, root in kept_nodes:
            if self.nodes.get((level, position)) != root:
                yield (
                    f"account {self.account}: the tree of the audit log is torn at row {self.number}:"
                    f" node {position} of level {level} is not what its rows make"
                )

    def say(self, violation: str) -> None:
        """Name something that does not hold."""
        self.violations.append(f"account {self.account}: {violation}")


async def check_trees(tx: Read, since: Instant | None = None) -> tuple[list[Head], list[str]]:
    """Check every account's log, or what was sealed since a moment; gives their heads and the violations."""
    heads: list[Head] = []
    violations: list[str] = []
    for (account,) in await tx.tuples("SELECT DISTINCT account_id FROM audit_seals ORDER BY 1"):
        walk = await _begun(tx, account, since)
        while rows := await tx.tuples(_SEALED, (account, walk.number, READ_AT_ONCE)):
            for leaf, chain, *content in rows:
                walk.row(SealedRow(*content), leaf, chain)
        if (last := await size_of(tx, account)) > walk.number:
            walk.say(f"row {last} of the audit log is missing")
        heads.append(Head(account, walk.number, walk.edge.root.hex()))
        violations += walk.violations
    astray = await tx.tuples(_ASTRAY, {"since": since, "limit": ASTRAY_MAX})
    violations += [
        f"account {account}: the row with the id {number} of the audit log has lost its seal"
        for account, number in astray
    ]
    return heads, violations


async def check_kept_head(tx: Read, head: Checkpoint) -> list[str]:
    """What speaks against the database having every row of a head, which its key has vouched for."""
    account = head.origin.rpartition("/")[2]
    if not account.isdecimal():
        return [f"{head.origin} is no audit log of an account of this service"]
    walk = Walk(int(account), 0, ANCHOR, Edge(), {}, is_whole=False)
    while left := min(READ_AT_ONCE, head.size - walk.edge.size):
        rows = await tx.tuples(_SEALED, (walk.account, walk.number, left))
        if not rows:
            walk.say(f"the head is of {head.size} rows of the audit log, and here are {walk.edge.size}")
            return walk.violations
        for leaf, chain, *content in rows:
            walk.row(SealedRow(*content), leaf, chain)
    if walk.edge.root != head.root:
        walk.say(f"the first {head.size} rows of the audit log are not those that the head was made of")
    return walk.violations


async def _begun(tx: Read, account: int, since: Instant | None) -> Walk:
    """The walk of an account's rows, from the first on or from a moment."""
    nodes = await tx.tuples("SELECT level, position, hash FROM audit_nodes WHERE account_id = %s", (account,))
    by_place = {(level, position): root for level, position, root in nodes}
    rows = await tx.tuples(_BEFORE, (account, since))
    if not rows:
        return Walk(account, 0, ANCHOR, Edge(), by_place)
    [(number, chain)] = rows
    try:
        return Walk(account, number, chain or ANCHOR, await edge_of(tx, account, number), by_place)
    except TornTreeError as error:
        walk = Walk(account, 0, ANCHOR, Edge(), by_place)
        walk.say(str(error))
        return walk


# Events against the audit log: each is what was captured when the log says that it was stored.
#
# A bulk write logs the root over the leaves of its events, a single write its leaf. The completion of an
# event, and what is stated anew of one of its values, log its leaf before and after. The log is walked in
# portions; in memory are only the leaves of completed events. What rows of before 1.1.0 stored has no leaf,
# and is counted as what cannot be shown.


ROWS_AT_ONCE: Final = 2_000
"""Rows of the log that are read at a time."""
EVENTS_AT_ONCE: Final = 10_000
"""Events that are read at a time."""

_BULK: Final = ("event.create_many", "data_feed_upload.finish")
EventKey = tuple[int, int]
"""Project and number."""


@dataclass
class RecordedEvents:
    """What was found of events."""

    events: int = 0
    """Held against the log."""
    unshown: int = 0
    """Stored by rows without a root or a leaf."""
    violations: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CompletedEvents:
    """The leaves of events that were completed: before the first time, and after the last."""

    first: Mapping[EventKey, str | None]
    last: Mapping[EventKey, str | None]


async def check_events(tx: Read) -> RecordedEvents:
    """Compare every event in the log with its leaf or root."""
    recorded_events = RecordedEvents()
    completed = await _completed(tx)
    async for rows in _rows(tx, ["event.create"]):
        await _check_singles(tx, rows, completed, recorded_events)
    async for rows in _rows(tx, [*_BULK]):
        for project, name, action, recorded in rows:
            await _check_bulk(tx, project, f"{action} of {name}", recorded or {}, completed, recorded_events)
    async for rows in _rows(tx, ["event.void"]):
        await _check_voided(tx, rows, recorded_events)
    await _check_last(tx, completed, recorded_events)
    return recorded_events


async def _rows(tx: Read, actions: Sequence[str]) -> AsyncIterator[list[tuple[int, str, str, Any]]]:
    after = 0
    while rows := await tx.tuples(_ROWS, ([*actions], after, ROWS_AT_ONCE)):
        after = rows[-1][0]
        yield [(project, name, action, recorded) for _, project, name, action, recorded in rows]


async def _completed(tx: Read) -> CompletedEvents:
    first: dict[EventKey, str | None] = {}
    last: dict[EventKey, str | None] = {}
    after = 0
    while rows := await tx.tuples(_COMPLETED, (after, ROWS_AT_ONCE)):
        after = rows[-1][0]
        for _, project, name, before, now, leaves in rows:
            recorded_leaves = [[name, before, now]] if leaves is None else leaves
            for event, was, becomes in recorded_leaves:
                key = identity.parse("event", event)
                if key is not None:
                    first.setdefault((project, key.key), was)
                    last[project, key.key] = becomes
    return CompletedEvents(first, last)


async def _check_singles(
    tx: Read,
    rows: Iterable[tuple[int, str, str, Any]],
    completed: CompletedEvents,
    recorded_events: RecordedEvents,
) -> None:
    recorded_leaves: dict[int, dict[int, str | None]] = {}
    for project, name, _, after in rows:
        key = identity.parse("event", name)
        if key is not None:
            recorded_leaves.setdefault(project, {})[key.key] = (after or {}).get("leaf")
    for project, leaves in recorded_leaves.items():
        recorded_events.unshown += sum(leaf is None for leaf in leaves.values())
        expected = {number: leaf for number, leaf in leaves.items() if leaf is not None}
        stored_leaves = {number: leaf async for number, leaf in _leaves(tx, project, [*expected])}
        for number, leaf in expected.items():
            was = completed.first.get((project, number), stored_leaves.get(number))
            if was is not None or number not in stored_leaves:
                _compare(recorded_events, project, number, leaf, was)


def _compare(
    recorded_events: RecordedEvents, project: int, number: int, recorded_leaf: str, stored_leaf: str | None
) -> None:
    recorded_events.events += 1
    if recorded_leaf != stored_leaf:
        name = identity.of("event", project, number)
        deviation = "is not there" if stored_leaf is None else "is not what the log says was captured"
        recorded_events.violations.append(f"event {name}: it {deviation}")


async def _check_bulk(
    tx: Read,
    project: int,
    name: str,
    recorded: Mapping[str, Any],
    completed: CompletedEvents,
    recorded_events: RecordedEvents,
) -> None:
    count = recorded.get("count", recorded.get("stored")) or 0
    spans = [tuple(identity.parse("event", end) for end in span) for span in recorded.get("ids", ())]
    numbers = [number for first, last in spans if first and last for number in range(first.key, last.key + 1)]
    if not count:
        return
    if "root" not in recorded or len(numbers) != count:
        recorded_events.unshown += count
        return
    tree = Edge()
    missing = 0
    for at in range(0, count, EVENTS_AT_ONCE):
        portion = numbers[at : at + EVENTS_AT_ONCE]
        stored_leaves = {number: leaf async for number, leaf in _leaves(tx, project, portion)}
        missing += len(portion) - len(stored_leaves)
        for number in portion:
            leaf = completed.first.get((project, number), stored_leaves.get(number))
            if leaf is None and number in stored_leaves:  # completed by a row of before 1.1.0
                recorded_events.unshown += count
                return
            tree.add(bytes.fromhex(leaf or "00"))
    recorded_events.events += count
    if missing:
        recorded_events.violations.append(
            f"{name}: {missing:,} of {count:,} events that it stored are not there"
        )
    elif tree.root.hex() != recorded["root"]:
        first = identity.of("event", project, numbers[0])
        recorded_events.violations.append(
            f"{name}, from {first} on: they are not what the log says was captured"
        )


async def _leaves(tx: Read, project: int, numbers: Sequence[int]) -> AsyncIterator[tuple[int, str]]:
    for at in range(0, len(numbers), EVENTS_AT_ONCE):
        rows = await tx.tuples(_EVENTS, (project, [*numbers[at : at + EVENTS_AT_ONCE]]))
        for row in rows:
            yield row[1], leaf_of_columns(row).hex()


async def _check_last(tx: Read, completed: CompletedEvents, recorded_events: RecordedEvents) -> None:
    """Compare completed events with their final leaves."""
    by_project: dict[int, list[int]] = {}
    for (project, number), leaf in completed.last.items():
        if leaf is not None:
            by_project.setdefault(project, []).append(number)
    for project, numbers in by_project.items():
        stored_leaves = {number: leaf async for number, leaf in _leaves(tx, project, numbers)}
        for number in numbers:
            _compare(
                recorded_events,
                project,
                number,
                completed.last[project, number] or "",
                stored_leaves.get(number),
            )


async def _check_voided(
    tx: Read, rows: Iterable[tuple[int, str, str, Any]], recorded_events: RecordedEvents
) -> None:
    keys = [(project, key.key) for project, name, _, _ in rows if (key := identity.parse("event", name))]
    projects, numbers = zip(*keys, strict=True)
    for project, number in await tx.tuples(_NOT_VOIDED, ([*projects], [*numbers])):
        name = identity.of("event", project, number)
        recorded_events.violations.append(f"event {name}: the log says that it was voided, and it counts")


_ROWS: Final = """
    SELECT id, project_id, object, action, after FROM audit_log
     WHERE action = ANY (%s) AND id > %s ORDER BY id LIMIT %s
"""
_COMPLETED: Final = """
    SELECT id, project_id, object, before ->> 'leaf', after ->> 'leaf', after -> 'leaves' FROM audit_log
     WHERE (action IN ('event.update', 'event.update_many')
            OR action = 'data_point.correct' AND after ? 'leaves') AND id > %s ORDER BY id LIMIT %s
"""
_EVENTS: Final = f"SELECT {LINE_COLUMNS} FROM events e WHERE e.project_id = %s AND e.id = ANY (%s)"
_NOT_VOIDED: Final = """
    SELECT e.project_id, e.id
      FROM unnest(%s::integer[], %s::bigint[]) AS told (project_id, id) JOIN events e USING (project_id, id)
     WHERE e.voided_at IS NULL
"""
