"""Partitions that batches are of although nothing that they were made of says so.

Version 1.0.0 left the only reading of a partition out of what its batch was made of when other readings
counted in it. Such a batch is computed with its partition named, where the project has a reading that makes
it run; generating its slot again keeps the reading.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from weighbridge.accounting.inputs.streams import Resolved
from weighbridge.core.engine import SlotData
from weighbridge.core.engine.run import partitions_of_data
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Aggregate, Input, Model
from weighbridge.db.engine import Read
from weighbridge.db.literal import moments


@dataclass(frozen=True, slots=True)
class LineageReading:
    """What a project's batches of one model version are read with."""

    tx: Read
    project: int
    model: Model
    streams: Resolved


Placed = tuple[int, Partition]
"""The index of a slot, and the partition of a batch of it that comes to something."""


async def with_named_partitions(
    reading: LineageReading, data: Sequence[SlotData], batches: Collection[Placed]
) -> list[SlotData]:
    """The same data, with the partitions named that batches are of and that only readings they lack make."""
    model = reading.model
    made = [set(partitions_of_data(model, one.groups)) for one in data]
    lacking = sorted({(index, partition) for index, partition in batches if partition not in made[index]})
    counted = {
        node.slug
        for node in model.partitioning
        if isinstance(node.body, Input) and node.body.aggregate is Aggregate.DELTA
    }
    types = sorted({one.event_type for one in reading.streams.streams if counted & set(one.node_slugs)})
    if not lacking or not types:
        return list(data)
    rows = await reading.tx.tuples(
        _HAVE_READINGS,
        {
            "project": reading.project,
            "types": types,
            "starts": moments(data[index].slot.start for index, _ in lacking),
            "ends": moments(data[index].slot.end for index, _ in lacking),
            "tracking_ids": [partition.tracking_id for _, partition in lacking],
            "feedstocks": [partition.feedstock for _, partition in lacking],
            "assets": [partition.asset for _, partition in lacking],
        },
    )
    named: dict[int, set[Partition]] = {}
    for (number,) in rows:
        index, partition = lacking[number - 1]
        named.setdefault(index, set()).add(partition)
    return [replace(one, named=frozenset(named.get(index, ()))) for index, one in enumerate(data)]


_HAVE_READINGS: Final = """
    SELECT lacking.number
      FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(tracking_ids)s::text[],
                  %(feedstocks)s::text[], %(assets)s::text[])
           WITH ORDINALITY AS lacking (start_time, end_time, tracking_id, feedstock, asset, number)
     WHERE EXISTS (
        SELECT FROM events e
          LEFT JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
          LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
         WHERE e.project_id = %(project)s AND e.event_type_id = ANY (%(types)s)
           AND e.start_time <= lacking.end_time AND e.end_time >= lacking.start_time
           AND (lacking.tracking_id IS NULL OR e.tracking_id = lacking.tracking_id)
           AND (lacking.feedstock IS NULL OR f.name = lacking.feedstock)
           AND (lacking.asset IS NULL OR a.name = lacking.asset))
"""
