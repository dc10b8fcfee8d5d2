"""Unchanged slots: those whose data are what they were last computed from, so that nothing is computed again.

Models that draw from other ledgers, or look at what those hold, have none: their result depends on more than
their own data. Nor have slots of events, which are computed quickly one by one.

Invariant: a slot is unchanged only when every ledger that is generated has the same digest of it.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from weighbridge.accounting.books.slot_digests import Digests, kept_digests
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.engine import ENGINE_REVISION, SlotData
from weighbridge.core.engine.element import Measures
from weighbridge.core.time.cadence import EVENT
from weighbridge.core.time.instant import Interval
from weighbridge.core.time.meter import Service
from weighbridge.db.engine import Read


def digests_of(
    scope: Scope, measures: Measures, streams: Sequence[InputStream], slots: Sequence[SlotData]
) -> Digests:
    """Digest everything that each slot is computed from; empty for a model that draws or looks."""
    if scope.source_ledgers or scope.model.cadence == EVENT:
        return {}
    alike = hashlib.sha256(scope.model_sha256)
    alike.update(f"{ENGINE_REVISION} {scope.zone}\n".encode())
    for slug, measure in sorted(measures.items()):
        alike.update(f"{slug} {measure.unit} {measure.coverage} {measure.cadence}\n".encode())
    names = {stream.number: ",".join(stream.node_slugs) for stream in streams}
    digests = {}
    for data in slots:
        digest = alike.copy()
        for line in sorted(_lines(data, names)):
            digest.update(f"{line}\n".encode())
        digests[data.slot] = digest.digest()
    return digests


def _lines(data: SlotData, names: Mapping[int, str]) -> Iterator[str]:
    for group in data.groups:
        numbers = sum(element.digest for element in group.elements)
        yield f"{names[group.source]} {group.tags.named} {group.event_count} {group.digest} {numbers}"
        # Neither where an event was nor when its meter is in service is told by its digest, and both change.
        by_meter: dict[tuple[str | None, str | None, Service], int] = {}
        for one in group.elements:
            meter = one.asset, one.location, one.service
            by_meter[meter] = by_meter.get(meter, 0) + one.digest
        for meter, digest in by_meter.items():
            yield f"{names[group.source]} {group.tags.named} {meter} {digest}"
    for slug, values in data.statics.items():
        # A static input never changes, but what its keys are called may.
        yield f"static {slug} {[(one.number, one.asset, one.feedstock, one.location) for one in values]}"
    yield f"skipped {sorted(data.skipped)}"


async def unchanged_slots(tx: Read, scope: Scope, digests: Digests) -> set[Interval]:
    """The slots that every ledger of the generation has at these digests."""
    if not digests:
        return set()
    ledgers = [ledger.number for ledger in scope.ledgers]
    kept = await kept_digests(tx, scope.project, ledgers, digests)
    return {slot for slot, digest in digests.items() if kept.get(slot) == [digest] * len(ledgers)}
