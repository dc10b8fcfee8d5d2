"""What was set aside: data that a request leaves out of a slot; it named others, or skipped their type.

What was named or skipped stays with its slot, so that data which come later are left out too; that is said
with every generation.
"""

from collections.abc import Sequence
from typing import Final

from psycopg.sql import SQL

from weighbridge.accounting.batch_generations.records import NotCounted
from weighbridge.accounting.books.runs import slot_columns
from weighbridge.accounting.inputs.event_slots import EVENTS_NAMED_MAX
from weighbridge.accounting.inputs.selection import EACH_SLOT, BySlot, chosen, membership
from weighbridge.accounting.inputs.streams import InputStream, matching
from weighbridge.accounting.inputs.window import Reach
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read

OTHERS_NAMED: Final = "other data were named for input {input}"
TYPE_SKIPPED: Final = "the type that input {input} reads was set aside"


async def set_aside(
    tx: Read, scope: Scope, place: BySlot, sources: Sequence[InputStream]
) -> list[NotCounted]:
    """Events that an input would use if nothing had been named or skipped for their slot."""
    return [
        one
        for source in sources
        if source.apart is not None and source.window.reach is not Reach.ANY
        for one in await _of_source(tx, scope, place, source)
    ]


async def _of_source(tx: Read, scope: Scope, place: BySlot, source: InputStream) -> list[NotCounted]:
    node = source.reads[0].node
    restriction, values = chosen(place, source)
    skipped = [index + 1 for index, nodes in scope.inputs.skipped_nodes.items() if node in nodes]
    rows = await tx.tuples(
        _SET_ASIDE.format(
            slots=EACH_SLOT,
            source=matching(source),
            membership=membership(place.slots, source),
            chosen=restriction,
        ),
        {
            **values,
            **slot_columns(place.slots),
            "project": place.project,
            "event_type": source.event_type,
            "skipped": skipped,
            "named": EVENTS_NAMED_MAX,
        },
    )
    return [
        NotCounted(
            (TYPE_SKIPPED if is_skipped else OTHERS_NAMED).format(input=node),
            source.event_type_slug,
            count,
            [ids.of("event", place.project, number) for number in numbers],
        )
        for is_skipped, count, numbers in rows
    ]


_SET_ASIDE: Final = SQL("""
    SELECT is_skipped, count(*), (array_agg(id ORDER BY start_time, id))[1:%(named)s]
      FROM (SELECT DISTINCT slot.number = ANY (%(skipped)s::integer[]) AS is_skipped, e.id, e.start_time
              FROM {slots} JOIN {source} ON {membership} AND NOT {chosen}) AS aside
     GROUP BY is_skipped ORDER BY is_skipped
""")
