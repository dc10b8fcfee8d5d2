"""The planner: reads the data of the selected slots, runs the model, and compares with what is posted.

Preview and generation both call `make_plan` inside one snapshot, so they cannot disagree.
"""

import hashlib
from collections.abc import Mapping, Sequence
from decimal import Decimal

import msgspec

from weighbridge.core.cadence import label
from weighbridge.core.engine import PartitionRun, Reading, run_slot
from weighbridge.core.instant import Instant, Interval
from weighbridge.core.ledger import Holding, post
from weighbridge.core.model import Model, prepare
from weighbridge.core.number import plain, round_to
from weighbridge.core.partition import Partition
from weighbridge.core.statistics import Group
from weighbridge.core.unit import convert, parse_unit
from weighbridge.db.engine import Read
from weighbridge.resources.batch_generations.aggregates import aggregate
from weighbridge.resources.batch_generations.not_counted import left_out, met_no_partition
from weighbridge.resources.batch_generations.plan import Change, Plan, Run, Target
from weighbridge.resources.batch_generations.scope import Scope
from weighbridge.resources.batch_generations.sources import Source, resolve

RunKey = tuple[Interval, Partition]


class _PostedBatch(msgspec.Struct, frozen=True):
    """A batch that a run of the slots has posted before."""

    ledger: int
    start_time: Instant
    end_time: Instant
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    number: int
    balance: Decimal
    posted: Decimal
    total: Decimal
    fingerprint: bytes


async def make_plan(tx: Read, scope: Scope) -> Plan:
    """Plan a generation; problems that would fail it are in the plan, nothing is raised for them."""
    sources = await resolve(tx, scope.project, scope.model)
    slots = scope.selection.selected
    by_slot: list[list[Group]] = [[] for _ in slots]
    for source in sources:
        for index, group in await aggregate(tx, scope.project, source, slots, scope.model.partition_type):
            by_slot[index].append(group)
    posted = await _posted(tx, scope)
    # Formulas are computed off the event loop: heartbeats and other requests go on meanwhile.
    runs, lost, problems = await tx.in_thread(_run_all, scope, sources, by_slot)
    changes, unchanged = _changes(scope, runs, posted, problems)
    return Plan(
        model_id=scope.model_id,
        share_scale=scope.share_scale,
        sources=sources,
        slots=slots,
        slot_labels=tuple(label(scope.model.cadence, slot, scope.zone) for slot in slots),
        touched_labels=tuple(
            label(scope.model.cadence, slot, scope.zone) for slot in scope.selection.touched
        ),
        changes=tuple(changes),
        unchanged=unchanged,
        not_counted=(*met_no_partition(sources, lost), *await left_out(tx, scope, sources)),
        problems=tuple(problems),
    )


def _run_all(
    scope: Scope, sources: Sequence[Source], by_slot: Sequence[Sequence[Group]]
) -> tuple[list[Run], list[Group], list[str]]:
    units = {read.node: read.unit for source in sources for read in source.reads}
    program = prepare(scope.model)
    runs: list[Run] = []
    lost: list[Group] = []
    problems: list[str] = []
    for slot, groups in zip(scope.selection.selected, by_slot, strict=True):
        name = label(scope.model.cadence, slot, scope.zone)
        slot_run = run_slot(program, groups, units, scope.share_scale)
        problems += [f"{name}: {problem}" for problem in slot_run.problems]
        lost += slot_run.not_counted
        runs += [_run(scope, slot, name, one) for one in slot_run.runs]
    return runs, lost, problems


def _run(scope: Scope, slot: Interval, name: str, found: PartitionRun) -> Run:
    counts: dict[int, int] = {}
    for group in found.groups:
        counts[group.source] = counts.get(group.source, 0) + group.event_count
    return Run(slot, name, found.partition, found.readings, counts, fingerprint(scope.model_sha256, found))


def fingerprint(model_sha256: bytes, found: PartitionRun) -> bytes:
    """Digest everything that the result depends on: model version, events, values."""
    digest = hashlib.sha256(model_sha256)
    for line in sorted(f"{g.source} {g.tags.named} {g.event_count} {g.digest}\n" for g in found.groups):
        digest.update(line.encode())
    for slug, reading in found.readings.items():
        digest.update(f"{slug} {_digits(reading.amount)} {_digits(reading.whole)}\n".encode())
    return digest.digest()


def _digits(amount: Decimal | None) -> str:
    return "" if amount is None else plain(amount)


async def _posted(tx: Read, scope: Scope) -> dict[int, dict[RunKey, list[_PostedBatch]]]:
    """What the runs of the selected slots have posted, by ledger and run, oldest batch first."""
    rows = await tx.rows(
        _PostedBatch,
        """
        SELECT b.ledger_id, r.start_time, r.end_time, r.tracking_id, f.name, a.name, b.id, b.balance,
               (SELECT sum(e.amount) FROM ledger_entries e
                 WHERE (e.project_id, e.batch_id) = (b.project_id, b.id)), b.total, b.fingerprint
          FROM runs r
          JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id)
          LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
          LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
         WHERE r.project_id = %s AND r.family_id = %s AND b.ledger_id = ANY (%s) AND r.start_time = ANY (%s)
         ORDER BY b.id
        """,
        (
            scope.project,
            scope.family,
            [target.number for target in scope.targets],
            [slot.start for slot in scope.selection.selected],
        ),
    )
    found: dict[int, dict[RunKey, list[_PostedBatch]]] = {}
    for row in rows:
        key = Interval(row.start_time, row.end_time), Partition(row.tracking_id, row.feedstock, row.asset)
        found.setdefault(row.ledger, {}).setdefault(key, []).append(row)
    return found


def _changes(
    scope: Scope,
    runs: Sequence[Run],
    posted: Mapping[int, Mapping[RunKey, list[_PostedBatch]]],
    problems: list[str],
) -> tuple[list[Change], int]:
    """The differences between what the runs should have credited and what they have."""
    changes: list[Change] = []
    unchanged = 0
    planned = {(run.slot, run.partition) for run in runs}
    for target in scope.targets:
        of_ledger = posted.get(target.number, {})
        vanished = [_vanished(scope, key, target) for key in of_ledger if key not in planned]
        for run in [*runs, *vanished]:
            batches = of_ledger.get((run.slot, run.partition), [])
            if batches and batches[-1].fingerprint == run.fingerprint:
                unchanged += 1
                continue
            change = _change(scope, run, target, batches)
            if change.total < 0:
                of_run = f" for {run.partition.label}" if run.partition.label else ""
                problems.append(
                    f"{run.label}: {target.output!r}{of_run} comes to {change.total} {target.unit}, "
                    "and a ledger holds no negative amount."
                )
            changes.append(change)
    return changes, unchanged


def _change(scope: Scope, run: Run, target: Target, batches: Sequence[_PostedBatch]) -> Change:
    total = total_of(scope.model, run.readings, target.output, target.unit, target.scale)
    already = sum((batch.posted for batch in batches), Decimal(0))
    holdings = [Holding(batch.number, batch.balance) for batch in batches]
    return Change(run, target, total, post(total, already, holdings), batches[0].number if batches else None)


def total_of(model: Model, readings: Mapping[str, Reading], output: str, unit: str, scale: int) -> Decimal:
    """What a run comes to on a ledger: its output in the ledger's unit, rounded once, half to even."""
    reading = readings.get(output)
    if reading is None or reading.amount is None:
        return Decimal(0)
    return round_to(convert(reading.amount, model.node(output).unit, parse_unit(unit)), scale, "half_even")


def _vanished(scope: Scope, key: RunKey, target: Target) -> Run:
    """A run whose partition left the data: its output is zero and no other node has a value."""
    slot, partition = key
    name = label(scope.model.cadence, slot, scope.zone)
    fingerprint = hashlib.sha256(b"no data").digest()
    return Run(slot, name, partition, {target.output: Reading(Decimal(0))}, {}, fingerprint)
