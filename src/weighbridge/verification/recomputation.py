"""Recomputation: every batch anew from its own lineage, through the same engine, to the last digit.

A generation is recomputed slot by slot, with the newest batch that each run of the slot had by then,
because amounts that were shared over partitions can only be divided again with all of them at hand.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.accounting.books.fingerprint import digits, fingerprint, seen_only
from weighbridge.accounting.books.runs import RunRow
from weighbridge.accounting.planning.differences import total_of
from weighbridge.accounting.planning.plan import run_name
from weighbridge.core.engine import EngineSetting, NodeReading, PartitionRun, SlotData, SlotRun, run_slot
from weighbridge.core.identity import ids
from weighbridge.core.ledger.rounding import LedgerRounding
from weighbridge.core.model import Model, ModelError, prepare, sha256
from weighbridge.core.time.cadence import identity_of, label, slot_at
from weighbridge.core.time.instant import Interval
from weighbridge.core.time.slot_versions import in_order
from weighbridge.db.engine import Read
from weighbridge.errors import Refusal
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.versions.stored import stored_model
from weighbridge.verification.draws import RunAsUsed, drawing_as_used
from weighbridge.verification.lineage import data_as_used


class _Generation(msgspec.Struct, frozen=True):
    task: int
    project: int
    family: int
    model: int
    newest_batch: int
    time_zone: str


@dataclass(frozen=True, slots=True)
class _Calculated:
    """What a node came to, as its digits or, of an array, their digest; of a shared input, also the whole."""

    amount: str
    whole: Decimal | None
    name: str
    unit: str
    is_output: bool
    is_primary: bool

    @property
    def shown(self) -> str:
        """What it is called and serves for."""
        role = "the primary output" if self.is_primary else "an output" if self.is_output else "no output"
        return f"{self.name!r} in {self.unit}, {role}"


class _Batch(RunRow, frozen=True):
    """The newest batch of a run and ledger by the end of a generation."""

    number: int
    name: str
    run: int
    is_of_generation: bool
    is_there: bool
    """Not deleted: once all batches are, the project's clock may be set anew."""
    output: str
    unit: str
    scale: int
    rounding: LedgerRounding
    share_places: int
    """Where the shares of its run were cut."""
    total: Decimal
    model_sha256: bytes
    fingerprint: bytes
    event_count: int

    def misplaced(self, generation: _Generation, model: Model) -> Iterator[str]:
        """Why its slot and its name are not those of its run, by the model and the project's clock."""
        zone = ZoneInfo(generation.time_zone)
        if not self.by_event and slot_at(model.cadence, self.start_time, zone) != self.slot:
            yield f"its slot is none of {model.cadence} slots in {zone}"
        slot = (
            ids.of("event", generation.project, self.event)
            if self.event
            else label(model.cadence, self.slot, zone)
        )
        if self.name != (expected := run_name(slot, self.partition)):
            yield f"its tracking id is {self.name!r}, and its slot and partition make {expected!r}"


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
            names = ", ".join(ids.of("batch", generation.project, batch.number) for batch in made)
            violations.append(f"batches {names}: they cannot be computed anew: {reason}")
    return count, violations


async def _check_generation(tx: Read, generation: _Generation, batches: Sequence[_Batch]) -> list[str]:
    stored = await stored_model(tx, generation.model)
    model = read_model(stored.document)
    newest = {batch.run: batch for batch in sorted(batches, key=lambda one: one.number)}
    slot_of = _slots_of(batches)
    slots = in_order(set(slot_of.values()))
    index_of = {slot: index for index, slot in enumerate(slots)}
    chosen = [(index_of[slot_of[batch.number]], batch.number) for batch in newest.values()]
    resolved, data = await data_as_used(tx, generation.project, model, slots, chosen)
    used = [RunAsUsed(slot_of[one.number], one.partition, one.number) for one in newest.values()]
    drawings = await drawing_as_used(tx, generation.project, model, [one.slot for one in data], used)
    data = [replace(one, drawing=drawing) for one, drawing in zip(data, drawings, strict=True)]
    zone = ZoneInfo(generation.time_zone)
    setting = EngineSetting(prepare(model), resolved.measures, generation.project, zone)
    runs = await tx.in_thread(_run, setting, data)
    names = {stream.number: stream.node_slugs for stream in resolved.streams}
    calculated = await _calculations(tx, generation)
    digest = bytes.fromhex(sha256(model))
    violations = []
    for batch in batches:
        if batch.is_of_generation:
            slot_run = runs[index_of[slot_of[batch.number]]]
            run = next((run for run in slot_run.runs if run.partition == batch.partition), None)
            name = ids.of("batch", generation.project, batch.number)
            complaints = _complaints(model, batch, run, calculated.get(batch.number, {}), names)
            misplaced = list(batch.misplaced(generation, model)) if run is not None else []
            if misplaced and not batch.is_there and "period_days" in setting.program.functions:
                continue  # the project's clock was set anew since, and with it the length of days
            if batch.is_there:
                complaints += misplaced
            complaints += [problem.message for problem in slot_run.problems]
            if batch.share_places != model.share_places:
                places = f"at {batch.share_places} places, and its model says {model.share_places}"
                complaints.append(f"its shares were cut {places}")
            if batch.model_sha256 != digest:
                complaints.append("its model version is not the one that made it, by the digest")
            violations += [f"batch {name}: {complaint}" for complaint in complaints]
    return violations


def _slots_of(batches: Sequence[_Batch]) -> dict[int, Interval]:
    """The slot of each batch; one of events stands where the generation had it, whenever others were made."""
    ordered = sorted(batches, key=lambda one: one.is_of_generation)
    newest = {identity_of(batch.slot): batch.slot for batch in ordered}
    return {batch.number: newest[identity_of(batch.slot)] for batch in batches}


def _run(setting: EngineSetting, slots: Sequence[SlotData]) -> list[SlotRun]:
    return [run_slot(setting, data) for data in slots]


def _complaints(
    model: Model,
    batch: _Batch,
    run: PartitionRun | None,
    calculated: Mapping[str, _Calculated],
    names: Mapping[int, Sequence[str]],
) -> list[str]:
    if run is None and (batch.event_count or batch.total):
        return ["its events make no run of its partition"]
    readings = {batch.output: NodeReading(Decimal(0))} if run is None else run.readings
    anew = {
        node.slug: _Calculated(
            digits(reading.amount),
            reading.whole,
            node.label,
            str(node.unit),
            node in model.outputs,
            node.slug == batch.output,
        )
        for node in model.nodes
        if (reading := readings.get(node.slug)) is not None and reading.amount is not None
    }
    complaints = [
        _difference(slug, calculated.get(slug), anew.get(slug))
        for slug in model.slugs
        if calculated.get(slug) != anew.get(slug)
    ]
    if run is None:
        return complaints
    total = total_of(model, run.readings, batch)
    if total != batch.total:
        complaints.append(f"its run comes to {batch.total} in the batch and {total} computed anew")
    if fingerprint(batch.model_sha256, run, names, seen_only(model)) != batch.fingerprint:
        complaints.append("the digest of its inputs differs from that of its lineage")
    return complaints


def _difference(slug: str, kept: _Calculated | None, anew: _Calculated | None) -> str:
    if kept is not None and anew is not None and kept.amount == anew.amount and kept.whole == anew.whole:
        return f"node {slug} is {kept.shown} in the batch, and {anew.shown} in the model"
    return f"node {slug} is {_shown(kept)} in the batch and {_shown(anew)} computed anew"


def _shown(calculated: _Calculated | None) -> str:
    return "nothing" if calculated is None else calculated.amount


async def _calculations(tx: Read, generation: _Generation) -> dict[int, dict[str, _Calculated]]:
    by_batch: dict[int, dict[str, _Calculated]] = {}
    for batch, slug, value, whole, count, digest, elements, *rest in await tx.tuples(
        """
        SELECT c.batch_id, c.slug, c.value, c.whole, c.element_count, encode(c.elements_sha256, 'hex'),
               c.elements, c.name, c.unit, c.is_output, c.is_primary
          FROM batch_calculations c
          JOIN batches b ON (b.project_id, b.id) = (c.project_id, c.batch_id)
         WHERE b.project_id = %s AND b.async_task_id = %s
        """,
        (generation.project, generation.task),
    ):
        amount = digits(value) if count is None else f"[{count} {digest}]"
        if elements is not None and digits(tuple(elements)) != amount:
            amount = f"{amount} by its digest, {digits(tuple(elements))} by its elements"
        by_batch.setdefault(batch, {})[slug] = _Calculated(amount, whole, *rest)
    return by_batch


_GENERATIONS = """
    SELECT b.async_task_id, b.project_id, m.family_id, b.model_id, max(b.id), p.time_zone
      FROM batches b JOIN models m ON m.id = b.model_id JOIN projects p ON p.id = b.project_id
     WHERE %(project)s::integer IS NULL OR b.project_id = %(project)s
     GROUP BY b.async_task_id, b.project_id, m.family_id, b.model_id, p.time_zone
     ORDER BY b.async_task_id
"""

# Of every run in the slots that one version computed in the generation, the newest batch that was there by
# its end, on each ledger that it touched there: a run may stand at other data on a ledger that was generated
# at another time.
_BATCHES = """
    SELECT DISTINCT ON (r.id, b.ledger_id)
           b.start_time, b.end_time, r.by_event, r.event_id, r.tracking_id, f.name, a.name,
           b.id, b.tracking_id, r.id, (b.async_task_id, b.model_id) = (%(task)s, %(model)s),
           b.deleted_at IS NULL,
           l.output, l.unit, l.scale, l.rounding, b.share_scale,
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
       AND (b.ledger_id, CASE WHEN r.by_event THEN coalesce(r.event_id::text, r.tracking_id)
                              ELSE concat(r.start_time, '/', r.end_time) END, r.by_event) IN (
               SELECT own.ledger_id,
                      CASE WHEN same.by_event THEN coalesce(same.event_id::text, same.tracking_id)
                           ELSE concat(same.start_time, '/', same.end_time) END, same.by_event
                 FROM batches own JOIN runs same ON (same.project_id, same.id) = (own.project_id, own.run_id)
                WHERE own.project_id = %(project)s AND own.async_task_id = %(task)s
                  AND own.model_id = %(model)s)
     ORDER BY r.id, b.ledger_id, b.id DESC
"""
