"""Aggregates: exact sums over the events of a stream, by slot and tags, in one statement.

PostgreSQL adds numerics exactly and in any order to the same digits; division is left to the engine,
which rounds at 34 digits. Events with values that do not come from a meter make sums of their own, one
for each mixture of sources, so that the same scan tells what rests on what; most slots have none.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, LiteralString

from psycopg.sql import SQL, Composable, Identifier

from weighbridge.accounting.inputs.selection import SelectedEvents
from weighbridge.accounting.inputs.streams import InputStream, ReadValue
from weighbridge.accounting.inputs.used_corrections import value_sources
from weighbridge.collection.measurements.value import ValueColumn
from weighbridge.core.engine.measured.inputs import latest
from weighbridge.core.engine.statistics import Group, Statistics
from weighbridge.core.identity import ids
from weighbridge.core.ledger.partition import DIMENSIONS, Partition
from weighbridge.core.model import Aggregate
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.db.engine import Read
from weighbridge.db.list_page import ANY_WAY, BY_INDEX

_COLUMNS: Final[Mapping[str, LiteralString]] = {
    "count": "count({v})",
    "total": "coalesce(sum({v}), 0)",
    "least": "min({v})",
    "greatest": "max({v})",
    "weight": "coalesce(sum({w}) FILTER (WHERE {v} IS NOT NULL), 0)",
    "weighted": "coalesce(sum({v} * {w}), 0)",
    "unweighted": "count(*) FILTER (WHERE {v} IS NOT NULL AND {w} IS NULL)",
    "negative": "coalesce(sum({v}) FILTER (WHERE {v} < 0), 0)",
    "weighted negative": "coalesce(sum({v} * {w}) FILTER (WHERE ({v} < 0) <> ({w} < 0)), 0)",
}
"""How each statistic is computed from a value v and its weight w."""

_NEEDED: Final = {
    "sum": ("count", "total", "negative"),
    "average": ("count", "total", "negative"),
    "weighted average": ("count", "weight", "weighted", "unweighted", "weighted negative"),
    "min": ("count", "least"),
    "max": ("count", "greatest"),
    "count": ("count",),
}
"""The statistics that each aggregate is made of."""

_GROUPED: Final = SQL("""
    WITH grouped AS (
        SELECT slot.number AS slot, {tracking_id} AS tracking_id, {feedstock} AS feedstock_id,
               {asset} AS asset_id, count(*) AS event_count, min(e.id) AS first_event,
               sum(hashint8extended(e.id, {revision})) AS digest, {origins} AS origins, e.is_imputed,
               {statistics}
          FROM {events}
         GROUP BY 1, 2, 3, 4, 8, 9
    )
    SELECT grouped.slot, grouped.tracking_id, feedstocks.name, assets.name, event_count, first_event, digest,
           origins, is_imputed, {names}
      FROM grouped
      LEFT JOIN feedstocks ON feedstocks.project_id = %(project)s AND feedstocks.id = grouped.feedstock_id
      LEFT JOIN assets ON assets.project_id = %(project)s AND assets.id = grouped.asset_id
""")


async def aggregate(
    tx: Read, project: int, stream: InputStream, selected: SelectedEvents, partition_type: str
) -> list[tuple[int, Group]]:
    """Aggregate the events of a stream that were selected, by index of slot and tags."""
    dimensions = DIMENSIONS[partition_type]
    statistics = list(_statistics(stream, selected.value))
    names = [Identifier(f"c{index}") for index in range(len(statistics))]
    statement = _GROUPED.format(
        tracking_id=SQL("e.tracking_id") if "tracking_id" in dimensions else SQL("NULL::text"),
        feedstock=SQL("e.feedstock_id") if "feedstock" in dimensions else SQL("NULL::integer"),
        asset=SQL("e.asset_id") if "asset" in dimensions else SQL("NULL::integer"),
        statistics=SQL(", ").join(
            SQL("{} AS {}").format(column, name)
            for (_, _, column), name in zip(statistics, names, strict=True)
        ),
        revision=selected.revision,
        origins=selected.origins(stream.positions),
        events=selected.events,
        names=SQL(", ").join(names),
    )
    columns = [(node, name) for node, name, _ in statistics]
    groups: dict[tuple[int, Partition], Group] = {}
    # The planner takes a tenth of a large table for a reason to read all of it, and sorts on disk what a
    # few hundred groups hold in memory.
    tx.beforehand(*BY_INDEX)
    rows, _ = await tx.several((statement, selected.values), ANY_WAY)
    for row in rows:
        group = _group(project, stream, columns, row)
        key = row[0] - 1, group.tags
        groups[key] = groups[key].plus(group) if key in groups else group
    return [(slot, group) for (slot, _), group in groups.items()]


def _statistics(
    stream: InputStream, value: Callable[[ValueColumn], Composable]
) -> Iterator[tuple[str, str, Composable]]:
    """Node, statistic and SQL of every column."""
    for read in stream.reads:
        for name in _NEEDED[_kind(read)]:
            weight = value(read.weight) if read.weight else SQL("NULL")
            yield read.node, name, SQL(_COLUMNS[name]).format(v=value(read.column), w=weight)


def _kind(read: ReadValue) -> str:
    return "weighted average" if read.aggregate is Aggregate.AVERAGE and read.weight else read.aggregate


def _group(
    project: int, stream: InputStream, columns: Sequence[tuple[str, str]], row: Sequence[Any]
) -> Group:
    _, tracking_id, feedstock, asset, event_count, first_event, digest, origins, is_imputed, *values = row
    by_input: dict[str, dict[str, Any]] = {read.node: {} for read in stream.reads}
    for (node, name), value in zip(columns, values, strict=True):
        by_input[node][name.rpartition(" ")[2]] = value
    sources = _sources(stream, origins, is_imputed=is_imputed)
    return Group(
        stream.number,
        Partition(tracking_id=tracking_id, feedstock=feedstock, asset=asset),
        event_count,
        ids.of("event", project, first_event),
        digest,
        {node: Statistics(**of_node).of(sources[node]) for node, of_node in by_input.items()},
    )


def _sources(
    stream: InputStream, origins: Sequence[str | None] | None, *, is_imputed: bool
) -> Mapping[str, ValueSource]:
    """Where the values come from that each input reads, weights with them; all events of a row are alike."""
    named = value_sources(origins, len(stream.positions), is_imputed=is_imputed)
    by_position = dict(zip(stream.positions, named, strict=True))
    return {
        read.node: latest([by_position[one.position] for one in (read.column, read.weight) if one])
        for read in stream.reads
    }
