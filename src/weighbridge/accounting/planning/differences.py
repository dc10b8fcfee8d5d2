"""Differences: the runs of a plan that are not what their newest batches say, ledger by ledger.

Slots whose data are what they were last computed from are not computed again. Models that draw from other
ledgers, or look at what those hold, have no such slots, for their result depends on more than their own data;
nor have slots of events, which are computed quickly one by one.

Invariant: a slot is unchanged only when every ledger that is generated has the same digest of it.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, Protocol

from psycopg.sql import SQL

from weighbridge.accounting.books.fingerprint import NO_DATA
from weighbridge.accounting.books.runs import (
    RUN_COLUMNS,
    RUN_TAGS,
    RUNS_OF_SLOTS,
    RunIdentity,
    RunRow,
    slot_columns,
)
from weighbridge.accounting.books.slot_digests import Digests, kept_digests
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.planning.plan import Run, RunDifference
from weighbridge.accounting.planning.scope import CreditedLedger, Scope
from weighbridge.core.engine import ENGINE_REVISION, NodeReading, SlotData
from weighbridge.core.engine.element import Measures
from weighbridge.core.ledger.rounding import LedgerRounding, rounded_total
from weighbridge.core.model import Aggregate, Input, Model
from weighbridge.core.quantity.unit import convert, parse_unit
from weighbridge.core.time.cadence import EVENT, label
from weighbridge.core.time.instant import Interval
from weighbridge.core.time.meter import Service
from weighbridge.db.engine import Read


class _PostedRun(RunRow, frozen=True):
    """A run of the slots that has batches on a ledger: the first, and what the newest was made of."""

    ledger: int
    slot_number: int
    """The position of its slot among those that are computed or replaced, from 1."""
    run: int
    first: int
    fingerprint: bytes
    engine_revision: int
    cadence: str

    def is_what(self, run: Run) -> bool:
        """Whether its newest batch is what the run comes to, by today's arithmetic; nothing needs none."""
        is_of_today = self.engine_revision >= ENGINE_REVISION or run.fingerprint == NO_DATA
        return self.fingerprint == run.fingerprint and is_of_today


async def differences_of(
    tx: Read,
    scope: Scope,
    runs: Sequence[Run],
    unchanged_runs: Collection[RunIdentity] = (),
    unchanged_slots: Collection[Interval] = (),
) -> tuple[list[RunDifference], int]:
    """The runs that differ from what they have posted, and how many do not.

    Unchanged runs were not computed and are not counted; those of unchanged slots are the same without
    looking.
    """
    slots = (*scope.slots, *scope.replaced)
    posted: dict[int, dict[RunIdentity, _PostedRun]] = {}
    for row in await _posted_runs(tx, scope, slots):
        posted.setdefault(row.ledger, {})[RunIdentity(slots[row.slot_number - 1], row.partition)] = row
    planned = {run.identity for run in runs}.union(unchanged_runs)
    replaced = set(scope.replaced)
    differences: list[RunDifference] = []
    unchanged = 0
    for ledger in scope.ledgers:
        every = posted.get(ledger.number, {})
        of_ledger = {key: before for key, before in every.items() if key.slot not in unchanged_slots}
        unchanged += len(every) - len(of_ledger)
        gone = sorted(of_ledger.keys() - planned, key=_order)
        vanished = [_vanished(scope, key, of_ledger[key].cadence, ledger) for key in gone]
        for run in [*runs, *vanished]:
            before = of_ledger.get(run.identity)
            if before and before.is_what(run):
                # A replaced slot that is at zero already is not there any more.
                unchanged += run.slot not in replaced
            else:
                differences.append(_difference(scope.model, run, ledger, before))
    return differences, unchanged


class Keeping(Protocol):
    """How a ledger keeps what runs come to."""

    @property
    def output(self) -> str:
        """The output of the model that it keeps."""
        ...

    @property
    def unit(self) -> str: ...

    @property
    def scale(self) -> int: ...

    @property
    def rounding(self) -> LedgerRounding: ...


def total_of(model: Model, readings: Mapping[str, NodeReading], ledger: Keeping) -> Decimal:
    """What a run comes to on a ledger: its output in the ledger's unit, rounded once as the ledger says."""
    reading = readings.get(ledger.output)
    if reading is None or not isinstance(reading.amount, Decimal):
        return Decimal(0)  # an optional input had no data; a model's outputs are single numbers
    amount = convert(reading.amount, model.node(ledger.output).unit, parse_unit(ledger.unit))
    return rounded_total(amount, ledger.scale, ledger.rounding)


def _order(run: RunIdentity) -> tuple[object, ...]:
    return run.order


def _difference(model: Model, run: Run, ledger: CreditedLedger, before: _PostedRun | None) -> RunDifference:
    total = total_of(model, run.readings, ledger)
    if before is None:
        return RunDifference(run, ledger, total)
    return RunDifference(run, ledger, total, before.run, before.first)


def _vanished(scope: Scope, identity: RunIdentity, cadence: str, ledger: CreditedLedger) -> Run:
    """A run that the data no longer have or that was replaced: zero, and no other node has a value.

    Where all of its data were skipped, it still says so.
    """
    positions = {slot: position for position, slot in enumerate(scope.slots)}
    skipped = scope.inputs.skipped_nodes.get(positions.get(identity.slot, -1), {})
    name = label(cadence, identity.slot, scope.zone)
    readings = {ledger.output: NodeReading(Decimal(0))}
    return Run(identity.slot, name, identity.partition, readings, {}, NO_DATA, skipped=skipped)


async def _posted_runs(tx: Read, scope: Scope, slots: Sequence[Interval]) -> list[_PostedRun]:
    return await tx.rows(
        _PostedRun,
        _POSTED_RUNS,
        {
            **slot_columns(slots),
            "project": scope.project,
            "family": scope.family,
            "ledgers": [ledger.number for ledger in scope.ledgers],
        },
    )


_POSTED_RUNS: Final = SQL("""
    SELECT {columns}, b.ledger_id, r.slot, r.id, min(b.id),
           (array_agg(b.fingerprint ORDER BY b.id DESC))[1],
           (array_agg(b.engine_revision ORDER BY b.id DESC))[1],
           (array_agg(m.cadence ORDER BY b.id DESC))[1]
      FROM {runs}
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
      JOIN models m ON m.id = b.model_id
      {tags}
     WHERE b.ledger_id = ANY (%(ledgers)s)
     GROUP BY b.ledger_id, r.slot, r.id, r.start_time, r.end_time, r.by_event, r.event_id, r.tracking_id,
              f.name, a.name
""").format(columns=SQL(RUN_COLUMNS), runs=RUNS_OF_SLOTS, tags=SQL(RUN_TAGS))


def digests_of(
    scope: Scope, measures: Measures, streams: Sequence[InputStream], slots: Sequence[SlotData]
) -> Digests:
    """Digest everything that each slot is computed from; empty for a model that draws or looks."""
    if scope.source_ledgers or scope.model.cadence == EVENT:
        return {}
    alike = hashlib.sha256(scope.model_sha256)
    alike.update(f"{ENGINE_REVISION} {scope.zone}\n".encode())
    if any(
        isinstance(node.body, Input) and node.body.aggregate is Aggregate.DELTA
        for node in scope.model.partitioning
    ):
        # 1.0.0 left the only reading of a partition out of what its batch was made of.
        alike.update(b"readings that count for nothing are kept\n")
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
