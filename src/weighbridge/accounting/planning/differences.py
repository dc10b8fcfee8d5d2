"""Changes: the runs of a plan that are not what their newest batches say, ledger by ledger."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUNS_OF_SLOTS, slot_columns
from weighbridge.accounting.planning.plan import Change, Run, RunKey, Target
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.engine import Reading
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Model
from weighbridge.core.quantity.number import round_to
from weighbridge.core.quantity.unit import convert, parse_unit
from weighbridge.core.time.cadence import label
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read


class _Standing(msgspec.Struct, frozen=True):
    """A run of the slots that has batches on a ledger: the first, and what the newest was made of."""

    ledger: int
    slot: int
    """The place of its slot among those that were asked for, from 1."""
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    run: int
    first: int
    fingerprint: bytes
    cadence: str

    @property
    def partition(self) -> Partition:
        return Partition(self.tracking_id, self.feedstock, self.asset)


async def changes_of(
    tx: Read,
    scope: Scope,
    runs: Sequence[Run],
    untouched: Collection[RunKey] = (),
    settled: Collection[Interval] = (),
) -> tuple[list[Change], int]:
    """The runs that differ from what they have posted, and how many do not.

    Untouched runs stay as they are and are not counted; those of settled slots are the same without looking.
    """
    slots = (*scope.selection.selected, *scope.replaced)
    standing: dict[int, dict[RunKey, _Standing]] = {}
    for row in await _standing(tx, scope, slots):
        standing.setdefault(row.ledger, {})[RunKey(slots[row.slot - 1], row.partition)] = row
    planned = {run.key for run in runs}.union(untouched)
    changes: list[Change] = []
    unchanged = 0
    for target in scope.targets:
        every = standing.get(target.number, {})
        of_ledger = {key: before for key, before in every.items() if key.slot not in settled}
        unchanged += len(every) - len(of_ledger)
        gone = sorted(of_ledger.keys() - planned, key=_place)
        vanished = [_vanished(scope, key, of_ledger[key].cadence, target) for key in gone]
        for run in [*runs, *vanished]:
            before = of_ledger.get(run.key)
            if before and before.fingerprint == run.fingerprint:
                unchanged += 1
            else:
                changes.append(_change(scope.model, run, target, before))
    return changes, unchanged


def total_of(model: Model, readings: Mapping[str, Reading], output: str, unit: str, scale: int) -> Decimal:
    """What a run comes to on a ledger: its output in the ledger's unit, rounded once, half to even."""
    reading = readings.get(output)
    if reading is None or not isinstance(reading.amount, Decimal):
        return Decimal(0)  # an optional input had no data; a model's outputs are single numbers
    return round_to(convert(reading.amount, model.node(output).unit, parse_unit(unit)), scale, "half_even")


def _place(key: RunKey) -> tuple[object, ...]:
    return key.place


def _change(model: Model, run: Run, target: Target, before: _Standing | None) -> Change:
    total = total_of(model, run.readings, target.output, target.unit, target.scale)
    if before is None:
        return Change(run, target, total)
    return Change(run, target, total, before.run, before.first)


def _vanished(scope: Scope, key: RunKey, cadence: str, target: Target) -> Run:
    """A run that the data no longer have or that was replaced: zero, and no other node has a value.

    Where all of its data were set aside, it still says so.
    """
    places = {slot: place for place, slot in enumerate(scope.selection.selected)}
    skipped = scope.inputs.skipped_nodes.get(places.get(key.slot, -1), {})
    name = label(cadence, key.slot, scope.zone)
    fingerprint = hashlib.sha256(b"no data").digest()
    readings = {target.output: Reading(Decimal(0))}
    return Run(key.slot, name, key.partition, readings, {}, fingerprint, skipped=skipped)


async def _standing(tx: Read, scope: Scope, slots: Sequence[Interval]) -> list[_Standing]:
    return await tx.rows(
        _Standing,
        _STANDING.format(runs=RUNS_OF_SLOTS),
        {
            **slot_columns(slots),
            "project": scope.project,
            "family": scope.family,
            "ledgers": [target.number for target in scope.targets],
        },
    )


_STANDING: Final = SQL("""
    SELECT b.ledger_id, r.slot, r.tracking_id, f.name, a.name, r.id, min(b.id),
           (array_agg(b.fingerprint ORDER BY b.id DESC))[1], (array_agg(m.cadence ORDER BY b.id DESC))[1]
      FROM {runs}
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
      JOIN models m ON m.id = b.model_id
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
     WHERE b.ledger_id = ANY (%(ledgers)s)
     GROUP BY b.ledger_id, r.slot, r.tracking_id, r.id, f.name, a.name
""")
