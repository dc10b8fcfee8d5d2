"""Settled slots: those whose data are what they were last computed from, so that nothing is computed again.

Models that draw from other ledgers, or look at what those hold, have none: their result depends on more than
their own data. Nor have slots of events, which are computed quickly one by one.

Invariant: a slot is settled only when every ledger that is generated stands at the same digest.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.engine import SlotData
from weighbridge.core.engine.element import Measures
from weighbridge.core.time.cadence import EVENT
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read, Write

Digests = Mapping[Interval, bytes]
"""By slot."""


def digests_of(
    scope: Scope, measures: Measures, sources: Sequence[InputStream], slots: Sequence[SlotData]
) -> Digests:
    """Digest everything that each slot is computed from; empty for a model that draws or looks."""
    if scope.outlets or scope.model.cadence == EVENT:
        return {}
    alike = hashlib.sha256(scope.model_sha256)
    alike.update(f"{scope.share_scale} {scope.zone}\n".encode())
    for slug, measure in sorted(measures.items()):
        alike.update(f"{slug} {measure.unit} {measure.coverage} {measure.cadence}\n".encode())
    names = {source.number: ",".join(source.node_slugs) for source in sources}
    found = {}
    for data in slots:
        digest = alike.copy()
        for line in sorted(_lines(data, names)):
            digest.update(f"{line}\n".encode())
        found[data.slot] = digest.digest()
    return found


def _lines(data: SlotData, names: Mapping[int, str]) -> Iterator[str]:
    for group in data.groups:
        numbers = sum(element.digest for element in group.elements)
        yield f"{names[group.source]} {group.tags.named} {group.event_count} {group.digest} {numbers}"
    for slug, values in data.statics.items():
        # A static input never changes, but what its keys are called may.
        yield f"static {slug} {[(one.number, one.asset, one.feedstock, one.location) for one in values]}"
    yield f"skipped {sorted(data.skipped)}"


async def settled_slots(tx: Read, scope: Scope, digests: Digests) -> set[Interval]:
    """The slots that every ledger of the generation has at these digests."""
    if not digests:
        return set()
    rows = await tx.tuples(
        """
        SELECT start_time, end_time, digest FROM slot_digests
         WHERE project_id = %s AND ledger_id = ANY (%s) AND start_time = ANY (%s)
        """,
        (
            scope.project,
            [target.number for target in scope.targets],
            [slot.start for slot in digests],
        ),
    )
    found: dict[tuple[datetime, datetime], list[bytes]] = {}
    for start, end, digest in rows:
        found.setdefault((start, end), []).append(digest)
    return {
        slot
        for slot, digest in digests.items()
        if found.get((slot.start, slot.end)) == [digest] * len(scope.targets)
    }


async def keep_digests(tx: Write, scope: Scope, digests: Digests) -> None:
    """Note what the slots were computed from."""
    slots = [*scope.replaced, *digests]
    if not slots:
        return
    await forget_digests(tx, scope.project, [target.number for target in scope.targets], slots)
    await tx.execute(
        """
        INSERT INTO slot_digests (project_id, ledger_id, start_time, end_time, digest)
        SELECT %s, ledger_id, start_time, end_time, digest
          FROM unnest(%s::integer[]) AS ledger (ledger_id),
               unnest(%s::timestamptz[], %s::timestamptz[], %s::bytea[])
                   AS slot (start_time, end_time, digest)
        """,
        (
            scope.project,
            [target.number for target in scope.targets],
            [slot.start for slot in digests],
            [slot.end for slot in digests],
            [*digests.values()],
        ),
    )


async def forget_digests(
    tx: Write, project: int, ledgers: Collection[int], slots: Collection[Interval]
) -> None:
    """Have slots computed anew the next time, whatever their data are."""
    await tx.execute(
        """
        DELETE FROM slot_digests
         WHERE project_id = %s AND ledger_id = ANY (%s)
           AND (start_time, end_time) IN (SELECT * FROM unnest(%s::timestamptz[], %s::timestamptz[]))
        """,
        (project, [*ledgers], [slot.start for slot in slots], [slot.end for slot in slots]),
    )
