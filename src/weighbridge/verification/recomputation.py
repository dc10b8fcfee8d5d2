"""Recomputation: every batch anew from its own lineage, through the same engine, to the last digit.

A generation is recomputed slot by slot, with the newest batch that each run of the slot had by then,
because amounts that were shared over partitions can only be divided again with all of them at hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import msgspec

from weighbridge.core.cadence import EventSlot
from weighbridge.core.engine import PartitionRun, Setting, SlotData, SlotRun, run_slot
from weighbridge.core.instant import Instant, Interval
from weighbridge.core.model import Model, ModelError, prepare, sha256
from weighbridge.core.partition import Partition
from weighbridge.core.slot import in_order
from weighbridge.db.engine import Read
from weighbridge.errors import Refusal
from weighbridge.resources.batch_generations.changes import total_of
from weighbridge.resources.batch_generations.fingerprint import digits, fingerprint, seen_only
from weighbridge.resources.batches.queries import batch_id
from weighbridge.resources.models.document import read_model
from weighbridge.resources.models.queries import stored_model
from weighbridge.verification.draws import RunAsUsed, drawing_as_used
from weighbridge.verification.lineage import data_as_used


class _Generation(msgspec.Struct, frozen=True):
    task: int
    project: int
    family: int
    model: int
    share_scale: int
    newest_batch: int


@dataclass(frozen=True, slots=True)
class _Calculated:
    """What a node came to, as its digits or, of an array, their digest; of a shared input, also the whole."""

    amount: str
    whole: Decimal | None


class _Batch(msgspec.Struct, frozen=True):
    """The newest batch of a run and ledger by the end of a generation."""

    number: int
    run: int
    is_of_generation: bool
    start_time: Instant
    end_time: Instant
    by_event: bool
    event: int | None
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    output: str
    unit: str
    scale: int
    total: Decimal
    model_sha256: bytes
    fingerprint: bytes
    event_count: int

    @property
    def partition(self) -> Partition:
        return Partition(self.tracking_id, self.feedstock, self.asset)

    @property
    def slot(self) -> Interval:
        if not self.by_event:
            return Interval(self.start_time, self.end_time)
        tracking_id = "" if self.event else self.tracking_id or ""
        return EventSlot(self.start_time, self.end_time, event=self.event or 0, tracking_id=tracking_id)


async def check_batches(tx: Read, project: int | None = None) -> tuple[int, list[str]]:
    """Recompute every generation, or those of one project; gives the number of batches and the violations."""
    count, violations = 0, []
    for generation in await tx.rows(_Generation, _GENERATIONS, {"project": project}):
        batches = await tx.rows(_Batch, _BATCHES, {**msgspec.structs.asdict(generation)})
        made = [batch for batch in batches if batch.is_of_generation]
        count += len(made)
        try:
            violations += await _check_generation(tx, generation, batches)
        except (Refusal, ModelError) as reason:
            names = ", ".join(batch_id(generation.project, batch.number) for batch in made)
            violations.append(f"batches {names}: they cannot be computed anew: {reason}")
    return count, violations


async def _check_generation(tx: Read, generation: _Generation, batches: Sequence[_Batch]) -> list[str]:
    stored = await stored_model(tx, generation.model)
    model = read_model(stored.document)
    newest = {batch.run: batch for batch in sorted(batches, key=lambda one: one.number)}
    slots = in_order({batch.slot for batch in batches})
    place = {slot: index for index, slot in enumerate(slots)}
    chosen = [(place[batch.slot], batch.number) for batch in newest.values()]
    resolved, data = await data_as_used(tx, generation.project, model, slots, chosen)
    used = [RunAsUsed(batch.slot, batch.partition, batch.number) for batch in newest.values()]
    drawings = await drawing_as_used(tx, generation.project, model, [one.slot for one in data], used)
    data = [replace(one, drawing=drawing) for one, drawing in zip(data, drawings, strict=True)]
    setting = Setting(prepare(model), resolved.measures, generation.share_scale, generation.project)
    runs = await tx.in_thread(_run, setting, data)
    names = {source.number: source.node_slugs for source in resolved.sources}
    calculated = await _calculations(tx, generation)
    digest = bytes.fromhex(sha256(model))
    violations = []
    for batch in batches:
        if batch.is_of_generation:
            slot_run = runs[place[batch.slot]]
            found = next((run for run in slot_run.runs if run.partition == batch.partition), None)
            name = batch_id(generation.project, batch.number)
            complaints = _complaints(model, batch, found, calculated.get(batch.number, {}), names)
            complaints += slot_run.problems
            if batch.model_sha256 != digest:
                complaints.append("its model version is not the one that made it, by the digest")
            violations += [f"batch {name}: {complaint}" for complaint in complaints]
    return violations


def _run(setting: Setting, slots: Sequence[SlotData]) -> list[SlotRun]:
    return [run_slot(setting, data) for data in slots]


def _complaints(
    model: Model,
    batch: _Batch,
    found: PartitionRun | None,
    calculated: Mapping[str, _Calculated],
    names: Mapping[int, Sequence[str]],
) -> list[str]:
    if found is None:
        if batch.event_count or batch.total:
            return ["its events make no run of its partition"]
        return []
    anew = {
        slug: _Calculated(digits(reading.amount), reading.whole)
        for slug, reading in found.readings.items()
        if reading.amount is not None
    }
    complaints = [
        f"node {slug} is {_shown(calculated.get(slug))} in the batch "
        f"and {_shown(anew.get(slug))} computed anew"
        for slug in model.slugs
        if calculated.get(slug) != anew.get(slug)
    ]
    total = total_of(model, found.readings, batch.output, batch.unit, batch.scale)
    if total != batch.total:
        complaints.append(f"its run comes to {batch.total} in the batch and {total} computed anew")
    if fingerprint(batch.model_sha256, found, names, seen_only(model)) != batch.fingerprint:
        complaints.append("the digest of its inputs differs from that of its lineage")
    return complaints


def _shown(calculated: _Calculated | None) -> str:
    return "nothing" if calculated is None else calculated.amount


async def _calculations(tx: Read, generation: _Generation) -> dict[int, dict[str, _Calculated]]:
    found: dict[int, dict[str, _Calculated]] = {}
    for batch, slug, value, whole, count, digest in await tx.tuples(
        """
        SELECT c.batch_id, c.slug, c.value, c.whole, c.element_count, encode(c.elements_sha256, 'hex')
          FROM batch_calculations c
          JOIN batches b ON (b.project_id, b.id) = (c.project_id, c.batch_id)
         WHERE b.project_id = %s AND b.async_task_id = %s
        """,
        (generation.project, generation.task),
    ):
        amount = digits(value) if count is None else f"[{count} {digest}]"
        found.setdefault(batch, {})[slug] = _Calculated(amount, whole)
    return found


_GENERATIONS = """
    SELECT b.async_task_id, b.project_id, m.family_id, b.model_id, b.share_scale, max(b.id)
      FROM batches b JOIN models m ON m.id = b.model_id
     WHERE %(project)s::integer IS NULL OR b.project_id = %(project)s
     GROUP BY b.async_task_id, b.project_id, m.family_id, b.model_id, b.share_scale
     ORDER BY b.async_task_id
"""

# Of every run in the slots that the generation touched, the newest batch that was there by its end, on each
# ledger that it touched there: a run may stand at other data on a ledger that was generated at another time.
_BATCHES = """
    SELECT DISTINCT ON (r.id, b.ledger_id)
           b.id, r.id, b.async_task_id = %(task)s, b.start_time, b.end_time, r.by_event, r.event_id,
           r.tracking_id, f.name, a.name,
           l.output, l.unit, l.scale,
           b.total, b.model_sha256, b.fingerprint,
           (SELECT coalesce(sum(s.event_count), 0)::bigint FROM batch_input_sets s
             WHERE (s.project_id, s.batch_id) = (b.project_id, b.id))
      FROM runs r
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.id <= %(newest_batch)s
       AND (b.deleted_at IS NULL OR b.deleted_at > (
               SELECT made.posted_at FROM ledger_entries made
                WHERE made.project_id = %(project)s AND made.batch_id = %(newest_batch)s
                  AND made.kind = 'credit' AND made.reverses IS NULL))
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
     WHERE r.project_id = %(project)s AND r.family_id = %(family)s
       AND (b.ledger_id, CASE WHEN r.by_event THEN coalesce(r.event_id::text, r.tracking_id) ELSE '' END,
            r.start_time, r.end_time) IN (
               SELECT own.ledger_id,
                      CASE WHEN same.by_event THEN coalesce(same.event_id::text, same.tracking_id)
                           ELSE '' END, same.start_time, same.end_time
                 FROM batches own JOIN runs same ON (same.project_id, same.id) = (own.project_id, own.run_id)
                WHERE own.project_id = %(project)s AND own.async_task_id = %(task)s)
     ORDER BY r.id, b.ledger_id, b.id DESC
"""
