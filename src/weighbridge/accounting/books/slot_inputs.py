"""What stays with slots: the complete sets of data that the caller named, and the types that were skipped.

Invariant: a later generation of a slot finds what the last request said; a request replaces all of it, the
sets or the types or both; it ends where other slots replace the slot. A slot of an event is its event or
tracking id, whatever its times are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from weighbridge.accounting.books.runs import slot_columns
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read, Write

Sets = Mapping[int, Mapping[int, frozenset[int]]]
"""Events by the slot's index and the data point type that they are the complete set of."""


@dataclass(frozen=True, slots=True)
class SlotInputs:
    """What was named and skipped in the slots of a generation, and what that means for a model's inputs."""

    sets: Sets = field(default_factory=dict)
    skipped: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Data point types by the slot's index."""
    by_node: Mapping[int, Mapping[str, frozenset[int]]] = field(default_factory=dict)
    """The only events that an input may use, by the slot's index and the node."""
    skipped_nodes: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """The inputs that have no data by the caller's wish, with their types, by the slot's index."""
    replaced: frozenset[int] = frozenset()
    """The positions of the slots of which a request says so: what stays with them is replaced by it."""

    @property
    def nodes(self) -> frozenset[str]:
        """The inputs that do not discover all of their data."""
        return frozenset(node for nodes in self.by_node.values() for node in nodes)


NO_INPUTS: Final = SlotInputs()
"""Nothing was named or skipped."""


_SLOTS: Final = """
    unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(slot_events)s::bigint[],
           %(slot_tracking_ids)s::text[])
        WITH ORDINALITY AS slot (start_time, end_time, event_id, tracking_id, position)
"""
SLOT_KEY: Final = """
    coalesce({0}.event_id, 0), coalesce({0}.tracking_id, ''),
    CASE WHEN num_nonnulls({0}.event_id, {0}.tracking_id) = 0 THEN {0}.start_time ELSE 'epoch' END,
    CASE WHEN num_nonnulls({0}.event_id, {0}.tracking_id) = 0 THEN {0}.end_time ELSE 'epoch' END
"""
"""What tells slots apart, of a table with columns for them; without NULLs they can be compared by hashing."""

_OF_SLOT: Final = f"({SLOT_KEY.format('i')}) = ({SLOT_KEY.format('slot')})"


_FORGET: Final = f"""
    DELETE FROM slot_inputs i USING {_SLOTS}
     WHERE i.project_id = %(project)s AND i.family_id = %(family)s AND {_OF_SLOT}
"""


class _SlotInputRow(msgspec.Struct, frozen=True):
    position: int
    data_point_type: int
    is_skipped: bool
    events: list[int] | None


async def kept_inputs(tx: Read, project: int, family: int, slots: Sequence[Interval]) -> SlotInputs:
    """What stays with some slots."""
    sets: dict[int, dict[int, frozenset[int]]] = {}
    skipped: dict[int, frozenset[int]] = {}
    for row in await tx.rows(
        _SlotInputRow,
        f"""
        SELECT slot.position - 1, i.data_point_type_id, i.is_skipped, i.event_ids
          FROM {_SLOTS} JOIN slot_inputs i ON {_OF_SLOT}
         WHERE i.project_id = %(project)s AND i.family_id = %(family)s
        """,
        {"project": project, "family": family, **slot_columns(slots)},
    ):
        if row.is_skipped:
            skipped[row.position] = skipped.get(row.position, frozenset()) | {row.data_point_type}
        if row.events is not None:
            sets.setdefault(row.position, {})[row.data_point_type] = frozenset(row.events)
    return SlotInputs(sets, skipped)


async def forget_inputs(tx: Write, project: int, family: int, slots: Sequence[Interval]) -> None:
    """Forget what stayed with slots that others have replaced."""
    if slots:
        await tx.execute(_FORGET, {"project": project, "family": family, **slot_columns(slots)})


async def keep_inputs(
    tx: Write, project: int, family: int, slots: Sequence[Interval], inputs: SlotInputs
) -> None:
    """Have what a request says stay with the slots, instead of what stayed with them before."""
    positions = sorted(inputs.replaced)
    if not positions:
        return
    values = {
        "project": project,
        "family": family,
        **slot_columns([slots[position] for position in positions]),
    }
    await tx.execute(_FORGET, values)
    rows = [
        (number, kind, kind in inputs.skipped.get(position, ()), _array(inputs, position, kind))
        for number, position in enumerate(positions, start=1)
        for kind in sorted({*inputs.sets.get(position, ()), *inputs.skipped.get(position, ())})
    ]
    if rows:
        numbers, kinds, skips, events = (list(column) for column in zip(*rows, strict=True))
        await tx.execute(
            f"""
            INSERT INTO slot_inputs (project_id, family_id, start_time, end_time, event_id, tracking_id,
                                     data_point_type_id, is_skipped, event_ids)
            SELECT %(project)s, %(family)s, slot.start_time, slot.end_time, slot.event_id, slot.tracking_id,
                   said.kind, said.is_skipped, said.events::bigint[]
              FROM unnest(%(numbers)s::bigint[], %(kinds)s::integer[], %(skips)s::boolean[],
                          %(events)s::text[]) AS said (position, kind, is_skipped, events)
              JOIN {_SLOTS} USING (position)
            """,
            {**values, "numbers": numbers, "kinds": kinds, "skips": skips, "events": events},
        )


def _array(inputs: SlotInputs, position: int, kind: int) -> str | None:
    events = inputs.sets.get(position, {}).get(kind)
    return None if events is None else f"{{{','.join(map(str, sorted(events)))}}}"
