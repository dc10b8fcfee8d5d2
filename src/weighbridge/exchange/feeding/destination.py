"""What the rows of a file may name, as it is when they are stored.

Invariant: the event type is held until the transaction ends, so nobody redefines what its rows are written
for; locations and tags are held by the keys of the rows.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from weighbridge.collection.event_types import read_event_type
from weighbridge.collection.intake.checking import EventVocabulary
from weighbridge.collection.intake.lookup import look_up
from weighbridge.collection.records.data_points import EventType
from weighbridge.collection.records.events import LocationRef
from weighbridge.core.collection.data_feed import DecimalMark, ReferenceRule
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.errors import NotFound, Refusal
from weighbridge.exchange.data_feeds.records import DataFeed
from weighbridge.exchange.tabular.cell import MissingMarks
from weighbridge.exchange.tabular.clock import read_clock
from weighbridge.exchange.tabular.columns import Columns
from weighbridge.exchange.tabular.row import RowMapping

_NAMES: Final = {
    "location": "SELECT id, name FROM locations WHERE project_id = %s ORDER BY id",
    "feedstock": "SELECT id, name FROM feedstocks WHERE project_id = %s ORDER BY id",
    "asset": "SELECT id, name FROM assets WHERE project_id = %s ORDER BY id",
}


@dataclass(frozen=True, slots=True)
class FeedDestination:
    """The event type of a feed, and the records of its project that rows may name, by ids and by names."""

    event_type: EventType
    vocabulary: EventVocabulary
    by_name: Mapping[str, Mapping[str, str]]
    """By kind: ids by name, and by themselves."""


async def destination_of(tx: Write, actor: Actor, project: int, feed: DataFeed) -> FeedDestination:
    """Find and hold what the rows of a feed's file may name."""
    try:
        event_type = await read_event_type(tx, project, feed.event_type_id)
        names = await look_up(tx, actor, project, slugs=[event_type.slug], named={})
    except NotFound:
        raise Refusal("The event type of the data feed is no more.") from None
    numbers: dict[str, dict[str, int]] = {}
    by_name: dict[str, dict[str, str]] = {}
    for kind, statement in _NAMES.items():
        rows = [
            (ids.of(kind, project, number), number, name)
            for number, name in await tx.tuples(statement, (project,))
        ]
        numbers[kind] = {friendly: number for friendly, number, _ in rows}
        by_name[kind] = _ids_by_name(rows)
    vocabulary = EventVocabulary(
        project, names.vocabulary.schemas, numbers["location"], numbers["feedstock"], numbers["asset"]
    )
    return FeedDestination(event_type, vocabulary, by_name)


def mapping_of(feed: DataFeed, columns: Columns, destination: FeedDestination, reference: str) -> RowMapping:
    """How the rows of a file become events."""
    decimal_comma = feed.decimal_mark == DecimalMark.COMMA
    return RowMapping(
        columns=columns,
        clock=read_clock(
            time_zone=feed.time_zone,
            time_format=feed.time_format,
            every=feed.duration,
            in_order=feed.rows_in_order,
        ),
        event_type=destination.event_type.slug,
        locations=[LocationRef(friendly) for friendly in feed.location_ids],
        feedstocks=destination.by_name["feedstock"],
        assets=destination.by_name["asset"],
        reference=reference,
        is_known_by_time=feed.client_reference == ReferenceRule.TIME,
        places=destination.by_name["location"],
        feedstock=feed.feedstock_id,
        asset=feed.asset_id,
        decimal_comma=decimal_comma,
        missing=MissingMarks.of(feed.missing, decimal_comma=decimal_comma),
    )


def _ids_by_name(rows: Sequence[tuple[str, int, str]]) -> dict[str, str]:
    """A name that two records have names neither."""
    times = Counter(name for _, _, name in rows)
    own = {name: friendly for friendly, _, name in rows if times[name] == 1}
    return own | {friendly: friendly for friendly, _, _ in rows}
