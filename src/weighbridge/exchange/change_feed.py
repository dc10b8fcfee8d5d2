"""Number the entries of the feed of changes, and turn those after a webhook's cursor into deliveries.

Invariants: an entry gets its number after its commit; the cursor moves in the transaction that stores
the deliveries, so each change is in exactly one delivery of each webhook that subscribes to it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from weighbridge.core.platform.audit import CHANGE_TYPES, ChangeCursor
from weighbridge.db.engine import Database, Write
from weighbridge.exchange.records.changes import ChangeEntry, stored_kinds

# Numbers of the feed: given to what was committed, before anybody looks.


NUMBERED_AT_ONCE: Final = 1_000
"""Rows that `number_changes` takes at a time, and all that their transactions have beside them."""

ROUNDS_MAX: Final = 20
"""How often one look takes some; what is left then comes with the next one."""

_NEWEST: Final = """
    SELECT array_agg(account), array_agg(coalesce(
               (SELECT max(c.number) FROM changes c WHERE c.account_id = account), 0))
      FROM unnest(%s::integer[]) AS account
"""


async def number_changes(database: Database) -> int:
    """Give numbers to what was committed; gives how much there was."""
    numbered_count = 0
    for _ in range(ROUNDS_MAX):
        numbered_row = await database.single("SELECT number_changes()")
        numbered_count += numbered_row[0] if numbered_row else 0
        if not numbered_row or numbered_row[0] < NUMBERED_AT_ONCE:
            break
    return numbered_count


async def read_newest_numbers(database: Database, accounts: Sequence[int]) -> Mapping[int, int]:
    """The number of the newest entry of each account, once what was committed has its number."""
    await number_changes(database)
    newest_row = await database.single(_NEWEST, ([*accounts],))
    return dict(zip(newest_row[0], newest_row[1], strict=True)) if newest_row and newest_row[0] else {}


# Taking: what the feed has behind a webhook's place becomes deliveries.
#
# Neighbouring entries of one kind, one action and one project become one delivery, up to a thousand
# records, so that a receiver that fell behind catches up in few requests. Ten thousand events of one
# request are ten deliveries; a thousand requests of an event each, taken at once, are one.
#
# Invariants: the place moves in the transaction that stores the deliveries, so each change is in exactly
# one delivery of each webhook that asks for it; deliveries are in the order of the feed.


RECORDS_OF_DELIVERY_MAX: Final = 1_000
"""Records that one delivery names."""

WAITING_DELIVERIES_MAX: Final = 1_000
"""Deliveries of one webhook that wait; what comes after them stays in the feed until there is room."""

ENTRIES_AT_ONCE_MAX: Final = 1_000
"""Entries of the feed that are taken at once."""

ENTRIES_LOOKED_MAX: Final = 100_000
"""Entries of the feed that are looked through at once for those that a webhook asks for."""


@dataclass(frozen=True, slots=True)
class HookReceiver:
    """A webhook as whoever holds its lane needs it."""

    number: int
    account: int
    user: int
    project: int | None
    url: str
    change_types: Sequence[str]
    task_types: Sequence[str]
    is_enabled: bool
    next_number: int
    next_position: int
    waiting: int

    @property
    def next(self) -> ChangeCursor:
        """The next change that it is to be told of."""
        return ChangeCursor(self.next_number, self.next_position)


@dataclass(slots=True)
class TakenDelivery:
    """A delivery that is being put together of entries of the feed."""

    first: ChangeCursor
    next: ChangeCursor
    kind: str
    action: str
    project: int | None
    at: datetime
    keys: list[range] = field(default_factory=list)

    @property
    def room(self) -> int:
        """How many records it may still name."""
        return RECORDS_OF_DELIVERY_MAX - sum(map(len, self.keys))

    @property
    def multirange(self) -> str:
        """Its keys as PostgreSQL reads them."""
        return "{" + ",".join(f"[{key.start},{key.stop})" for key in self.keys) + "}"

    def belongs_to(self, entry: ChangeEntry) -> bool:
        """Whether changes of an entry may go into it."""
        return (self.kind, self.action, self.project) == (entry.kind, entry.action, entry.project)


async def lock_receiver(tx: Write, webhook: int, holder: UUID) -> HookReceiver | None:
    """The webhook whose lane is held, for the rest of the transaction; None when it is not, or is gone."""
    lane_query = (
        "SELECT FROM webhook_lanes WHERE webhook_id = %s AND holder = %s AND held_until > now() FOR UPDATE"
    )
    if not await tx.tuples(lane_query, (webhook, holder)):
        return None
    return await tx.row(HookReceiver, _RECEIVER, (webhook,))


_RECEIVER: Final = """
    SELECT w.id, w.account_id, w.user_id, w.project_id, w.url, w.change_types, w.task_types, w.is_enabled,
           l.next_number, l.next_position,
           (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'pending')
      FROM webhooks w JOIN webhook_lanes l ON l.webhook_id = w.id
     WHERE w.id = %s
"""

_BOUNDS: Final = """
    SELECT coalesce((SELECT max(number) FROM changes WHERE account_id = %(account)s), 0),
           coalesce((SELECT number FROM change_horizons WHERE account_id = %(account)s), 0)
"""

_ENTRIES: Final = """
    SELECT number, kind, action, project_id, at, ARRAY(SELECT lower(part) FROM unnest(keys) AS part),
           ARRAY(SELECT upper(part) FROM unnest(keys) AS part)
      FROM changes
     WHERE account_id = %(account)s AND number BETWEEN %(first)s AND %(last)s
       AND kind || '.' || action = ANY (%(types)s)
       AND (task_type IS NULL OR task_type = ANY (%(task_types)s))
       AND (%(project)s::integer IS NULL OR project_id = %(project)s::integer)
     ORDER BY number
     LIMIT %(limit)s
"""

_STORE: Final = """
    INSERT INTO webhook_deliveries (webhook_id, kind, action, project_id, keys, first_number, first_position,
                                    next_number, next_position, changed_at)
    SELECT %s, kind, action, project, keys::int8multirange, first_number, first_position, next_number,
           next_position, changed_at
      FROM unnest(%s::text[], %s::text[], %s::integer[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[],
                  %s::bigint[], %s::timestamptz[]) WITH ORDINALITY
           AS d (kind, action, project, keys, first_number, first_position, next_number, next_position,
                 changed_at, place)
     ORDER BY place
"""

_MOVE: Final = """
    UPDATE webhook_lanes SET next_number = %s, next_position = %s, lost_entries = lost_entries + %s
     WHERE webhook_id = %s
"""


async def take(tx: Write, receiver: HookReceiver) -> int:
    """Store what the feed has for an enabled webhook, as far as there is room; gives how many deliveries."""
    room = WAITING_DELIVERIES_MAX - receiver.waiting
    if not receiver.is_enabled or room <= 0:
        return 0
    [(head, horizon)] = await tx.tuples(_BOUNDS, {"account": receiver.account})
    start = max(receiver.next, ChangeCursor(horizon + 1, 0))
    lost = start.number - receiver.next.number
    last = min(max(head, horizon), start.number + ENTRIES_LOOKED_MAX - 1)
    if last < start.number and not lost:
        return 0
    entries = await tx.rows(ChangeEntry, _ENTRIES, _build_query(receiver, start.number, last))
    if len(entries) == ENTRIES_AT_ONCE_MAX:
        last = entries[-1].number
    deliveries = [*build_deliveries(entries, start)]
    goes_on = (
        ChangeCursor(max(last, horizon) + 1, 0) if len(deliveries) <= room else deliveries[room - 1].next
    )
    if kept_deliveries := deliveries[:room]:
        await tx.execute(_STORE, _build_columns(receiver.number, kept_deliveries))
    await tx.execute(_MOVE, (goes_on.number, goes_on.position, lost, receiver.number))
    return len(kept_deliveries)


def build_deliveries(entries: Iterable[ChangeEntry], start: ChangeCursor) -> Iterator[TakenDelivery]:
    """The deliveries that tell of entries, from a place in the first of them on."""
    making: TakenDelivery | None = None
    for entry in entries:
        done = start.position if entry.number == start.number else 0
        while done < entry.size:
            if making is None or not making.belongs_to(entry) or not making.room:
                if making is not None:
                    yield making
                at = ChangeCursor(entry.number, done)
                making = TakenDelivery(at, at, entry.kind, entry.action, entry.project, entry.at)
            added = [*_take_keys(entry.ranges(done), making.room)]
            making.keys += added
            done += sum(map(len, added))
            making.at = entry.at
            making.next = (
                ChangeCursor(entry.number, done) if done < entry.size else ChangeCursor(entry.number + 1, 0)
            )
    if making is not None:
        yield making


def _take_keys(ranges: Iterable[range], count: int) -> Iterator[range]:
    """So many keys of ranges, from their beginning."""
    for keys in ranges:
        if count <= 0:
            return
        if keys:
            yield keys[:count]
        count -= len(keys)


def _build_query(receiver: HookReceiver, first: int, last: int) -> dict[str, object]:
    pairs = dict.fromkeys(pair for text in receiver.change_types for pair in CHANGE_TYPES[text])
    return {
        "account": receiver.account,
        "first": first,
        "last": last,
        "types": [
            f"{stored_kind}.{action}" for kind, action in pairs for stored_kind in stored_kinds([kind])
        ],
        "task_types": [*receiver.task_types],
        "project": receiver.project,
        "limit": ENTRIES_AT_ONCE_MAX,
    }


def _build_columns(webhook: int, deliveries: Sequence[TakenDelivery]) -> tuple[object, ...]:
    rows = (
        (
            delivery.kind, delivery.action, delivery.project, delivery.multirange,
            delivery.first.number, delivery.first.position, delivery.next.number, delivery.next.position,
            delivery.at,
        )
        for delivery in deliveries
    )  # fmt: skip
    return webhook, *map(list, zip(*rows, strict=True))
