"""Recomputation: every batch anew from its own lineage, through the same engine, to the last digit.

A generation is recomputed slot by slot, with the newest batch that each run of the slot had by then,
because amounts that were shared over partitions can only be divided again with all of them at hand.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import msgspec

from weighbridge.core.engine import PartitionRun, Reading, SlotRun, run_slot
from weighbridge.core.instant import Instant
from weighbridge.core.model import Model, ModelError, prepare, sha256
from weighbridge.core.number import plain
from weighbridge.core.partition import Partition
from weighbridge.core.statistics import Group
from weighbridge.db.engine import Read
from weighbridge.errors import Refusal
from weighbridge.resources.batch_generations.aggregates import aggregate_used
from weighbridge.resources.batch_generations.planner import fingerprint, total_of
from weighbridge.resources.batch_generations.sources import Source, resolve
from weighbridge.resources.batches.queries import batch_id
from weighbridge.resources.models.document import read_model
from weighbridge.resources.models.queries import stored_model


class _Generation(msgspec.Struct, frozen=True):
    task: int
    project: int
    family: int
    model: int
    share_scale: int
    newest_batch: int


class _Batch(msgspec.Struct, frozen=True):
    """The newest batch of a run and ledger by the end of a generation."""

    number: int
    run: int
    is_of_generation: bool
    start_time: Instant
    end_time: Instant
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


async def check_batches(tx: Read) -> tuple[int, list[str]]:
    """Recompute every generation; gives the number of batches and the violations."""
    count, violations = 0, []
    for generation in await tx.rows(_Generation, _GENERATIONS):
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
    sources = await resolve(tx, generation.project, model)
    slots = sorted({(batch.start_time, batch.end_time) for batch in batches})
    place = {slot: index for index, slot in enumerate(slots)}
    newest = {batch.run: batch for batch in sorted(batches, key=lambda one: one.number)}
    chosen = [(place[batch.start_time, batch.end_time], batch.number) for batch in newest.values()]
    by_slot: list[list[Group]] = [[] for _ in slots]
    for source in sources:
        for index, group in await aggregate_used(
            tx, generation.project, source, chosen, model.partition_type
        ):
            by_slot[index].append(group)
    runs = await tx.in_thread(_run, model, sources, by_slot, generation.share_scale)
    calculated = await _calculations(tx, generation)
    digest = bytes.fromhex(sha256(model))
    violations = []
    for batch in batches:
        if batch.is_of_generation:
            slot_run = runs[place[batch.start_time, batch.end_time]]
            found = next((run for run in slot_run.runs if run.partition == batch.partition), None)
            name = batch_id(generation.project, batch.number)
            complaints = _complaints(model, batch, found, calculated.get(batch.number, {}))
            if batch.model_sha256 != digest:
                complaints.append("its model version is not the one that made it, by the digest")
            violations += [f"batch {name}: {complaint}" for complaint in complaints]
    return violations


def _run(
    model: Model, sources: Sequence[Source], by_slot: Sequence[Sequence[Group]], scale: int
) -> list[SlotRun]:
    units = {read.node: read.unit for source in sources for read in source.reads}
    program = prepare(model)
    return [run_slot(program, groups, units, scale) for groups in by_slot]


def _complaints(
    model: Model, batch: _Batch, found: PartitionRun | None, calculated: Mapping[str, Reading]
) -> list[str]:
    if found is None:
        if batch.event_count or batch.total:
            return ["its events make no run of its partition"]
        return []
    anew = {slug: reading for slug, reading in found.readings.items() if reading.amount is not None}
    complaints = [
        f"node {slug} is {_shown(calculated.get(slug))} in the batch "
        f"and {_shown(anew.get(slug))} computed anew"
        for slug in model.slugs
        if calculated.get(slug) != anew.get(slug)
    ]
    total = total_of(model, found.readings, batch.output, batch.unit, batch.scale)
    if total != batch.total:
        complaints.append(f"its run comes to {batch.total} in the batch and {total} computed anew")
    if fingerprint(batch.model_sha256, found) != batch.fingerprint:
        complaints.append("the digest of its inputs differs from that of its lineage")
    return complaints


def _shown(reading: Reading | None) -> str:
    return "nothing" if reading is None or reading.amount is None else plain(reading.amount)


async def _calculations(tx: Read, generation: _Generation) -> dict[int, dict[str, Reading]]:
    found: dict[int, dict[str, Reading]] = {}
    for batch, slug, value, whole in await tx.tuples(
        """
        SELECT c.batch_id, c.slug, c.value, c.whole FROM batch_calculations c
          JOIN batches b ON (b.project_id, b.id) = (c.project_id, c.batch_id)
         WHERE b.project_id = %s AND b.async_task_id = %s
        """,
        (generation.project, generation.task),
    ):
        found.setdefault(batch, {})[slug] = Reading(value, whole)
    return found


_GENERATIONS = """
    SELECT b.async_task_id, b.project_id, m.family_id, b.model_id, b.share_scale, max(b.id)
      FROM batches b JOIN models m ON m.id = b.model_id
     GROUP BY b.async_task_id, b.project_id, m.family_id, b.model_id, b.share_scale
     ORDER BY b.async_task_id
"""

# Of every run in the slots that the generation touched, the newest batch by its end on each ledger that it
# touched there: a run may stand at other data on a ledger that was generated at another time.
_BATCHES = """
    SELECT DISTINCT ON (r.id, b.ledger_id)
           b.id, r.id, b.async_task_id = %(task)s, r.start_time, r.end_time, r.tracking_id, f.name, a.name,
           l.output, l.unit, l.scale,
           b.total, b.model_sha256, b.fingerprint,
           (SELECT coalesce(sum(s.event_count), 0)::bigint FROM batch_input_sets s
             WHERE (s.project_id, s.batch_id) = (b.project_id, b.id))
      FROM runs r
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.id <= %(newest_batch)s
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
     WHERE r.project_id = %(project)s AND r.family_id = %(family)s
       AND (b.ledger_id, r.start_time, r.end_time) IN (
               SELECT own.ledger_id, own.start_time, own.end_time FROM batches own
                WHERE own.project_id = %(project)s AND own.async_task_id = %(task)s)
     ORDER BY r.id, b.ledger_id, b.id DESC
"""
