"""What stays with slots: the complete sets of data that the caller named, and the types that were set aside.

Invariant: a later generation of a slot finds what the last request said; a request replaces all of it, the
sets or the types or both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from weighbridge.core.instant import Instant, Interval
from weighbridge.db.engine import Read, Write

Sets = Mapping[int, Mapping[int, frozenset[int]]]
"""Events by the slot's index and the data point type that they are the complete set of."""


@dataclass(frozen=True, slots=True)
class SlotInputs:
    """What was named and set aside in the slots of a generation, and what that means for a model's inputs."""

    sets: Sets = field(default_factory=dict)
    skipped: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Data point types by the slot's index."""
    by_node: Mapping[int, Mapping[str, frozenset[int]]] = field(default_factory=dict)
    """The only events that an input may use, by the slot's index and the node."""
    skipped_nodes: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """The inputs that have no data by the caller's wish, with their types, by the slot's index."""
    is_asked: bool = False
    """Whether a request said so, and it is to be kept."""

    @property
    def nodes(self) -> frozenset[str]:
        """The inputs that do not discover all of their data."""
        return frozenset(node for nodes in self.by_node.values() for node in nodes)


NO_INPUTS: Final = SlotInputs()
"""Nothing was named or set aside."""


class _Kept(msgspec.Struct, frozen=True):
    start_time: Instant
    end_time: Instant
    data_point_type: int
    is_skipped: bool
    events: list[int] | None


async def kept_inputs(tx: Read, project: int, family: int, slots: Sequence[Interval]) -> SlotInputs:
    """What stays with some slots."""
    index = {slot: place for place, slot in enumerate(slots)}
    sets: dict[int, dict[int, frozenset[int]]] = {}
    skipped: dict[int, frozenset[int]] = {}
    for row in await tx.rows(
        _Kept,
        """
        SELECT start_time, end_time, data_point_type_id, is_skipped, event_ids FROM slot_inputs
         WHERE project_id = %s AND family_id = %s AND start_time = ANY (%s)
        """,
        (project, family, [slot.start for slot in slots]),
    ):
        place = index.get(Interval(row.start_time, row.end_time))
        if place is None:
            continue
        if row.is_skipped:
            skipped[place] = skipped.get(place, frozenset()) | {row.data_point_type}
        if row.events is not None:
            sets.setdefault(place, {})[row.data_point_type] = frozenset(row.events)
    return SlotInputs(sets, skipped)


async def keep_inputs(
    tx: Write, project: int, family: int, slots: Sequence[Interval], inputs: SlotInputs
) -> None:
    """Have what was asked stay with the slots, in the place of what stayed with them before."""
    if not inputs.is_asked:
        return
    starts, ends = [slot.start for slot in slots], [slot.end for slot in slots]
    await tx.execute(
        """
        DELETE FROM slot_inputs USING unnest(%s::timestamptz[], %s::timestamptz[]) AS slot (starts, ends)
         WHERE project_id = %s AND family_id = %s AND start_time = starts AND end_time = ends
        """,
        (starts, ends, project, family),
    )
    rows = [
        (slot.start, slot.end, kind, kind in inputs.skipped.get(place, ()), _array(inputs, place, kind))
        for place, slot in enumerate(slots)
        for kind in sorted({*inputs.sets.get(place, ()), *inputs.skipped.get(place, ())})
    ]
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        await tx.execute(
            """
            INSERT INTO slot_inputs (project_id, family_id, start_time, end_time, data_point_type_id,
                                     is_skipped, event_ids)
            SELECT %s, %s, starts, ends, kind, is_skipped, events::bigint[]
              FROM unnest(%s::timestamptz[], %s::timestamptz[], %s::integer[], %s::boolean[], %s::text[])
                   AS asked (starts, ends, kind, is_skipped, events)
            """,
            (project, family, *columns),
        )


def _array(inputs: SlotInputs, place: int, kind: int) -> str | None:
    events = inputs.sets.get(place, {}).get(kind)
    return None if events is None else f"{{{','.join(map(str, sorted(events)))}}}"
