"""What changed between two bundles: what the reports take, run by run, and why.

A run is a slot and partition on a ledger; it is compared by what its newest batch in each bundle says. Runs
that the report does not take of are told too, for what is reported may rest on them.

Invariant: a run is told when the amount that is taken of it, its total or what it was made of differs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.form.rows import BatchRow
from weighbridge.core.bundle.form.tables import BatchLineage, DrawRead, numbers_of
from weighbridge.core.quantity.number import ZERO, exact_total, plain
from weighbridge.core.report.restatement import ChangeCause

RunName = tuple[str, str]
"""A ledger and what its batch is called."""


@dataclass(frozen=True, slots=True)
class RunDeviation:
    """A run in two bundles; None where it is not in one."""

    ledger: str
    name: str
    unit: str
    taken: tuple[Decimal, Decimal]
    totals: tuple[Decimal | None, Decimal | None]
    causes: tuple[ChangeCause, ...]
    details: tuple[str, ...]
    """In words: which events came and went, which versions computed it."""


@dataclass(frozen=True, slots=True)
class _RunState:
    unit: str
    taken: Decimal
    total: Decimal
    model: tuple[str, int] | None
    revision: int
    lineage: BatchLineage | None


def bundle_difference(before: BundleContents, after: BundleContents) -> list[RunDeviation]:
    """What changed from one bundle to another, by ledger and batch."""
    earlier, later = _states(before), _states(after)
    return [
        change
        for name in sorted(earlier.keys() | later.keys())
        if (change := _change(name, earlier.get(name), later.get(name))) is not None
    ]


def story_lines(contents: BundleContents, story: Sequence[BatchRow]) -> Iterator[str]:
    """What a run came to with each of its batches, the oldest first, and why."""
    before: _RunState | None = None
    for batch in story:
        state = _state(contents, batch.batch, ZERO)
        why = [f"{cause}: {text}" for cause, text in _causes(before, state)] if before else []
        of_unit = f"{plain(batch.total)} {state.unit}".strip()
        gone = [] if batch.deleted_at is None else [f"deleted at {batch.deleted_at.text}"]
        yield "; ".join([f"{of_unit} by {batch.batch_id}", *why, *gone])
        before = before if gone else state


def _states(contents: BundleContents) -> dict[RunName, _RunState]:
    newest: dict[RunName, int] = {}
    taken: dict[RunName, list[Decimal]] = {}
    for number, batch in sorted(contents.batches.items()):
        name = contents.ledgers[batch.ledger].name, batch.tracking_id
        if batch.deleted_at is None:
            newest[name] = number
        if said := contents.reported.get(batch.batch_id):
            taken.setdefault(name, []).append(Decimal(said.amount))
    return {
        name: _state(contents, number, exact_total(taken.get(name, ()))) for name, number in newest.items()
    }


def _state(contents: BundleContents, number: int, taken: Decimal) -> _RunState:
    batch = contents.batches[number]
    model = None if batch.model is None else contents.models[batch.model]
    return _RunState(
        contents.ledgers[batch.ledger].unit,
        taken,
        batch.total,
        None if model is None else (model.name, model.version),
        batch.engine_revision,
        contents.lineage.get(number),
    )


def _change(name: RunName, before: _RunState | None, after: _RunState | None) -> RunDeviation | None:
    state = after or before
    assert state is not None, "the name is of one of them"  # noqa: S101
    taken = (before.taken if before else ZERO, after.taken if after else ZERO)
    totals = (before.total if before else None, after.total if after else None)
    found = list(_causes(before, after))
    if taken[0] != taken[1] and not found:
        found.append((ChangeCause.SELECTION, "the data are the same"))
    if not found and totals[0] == totals[1]:
        return None
    causes = tuple(dict.fromkeys(cause for cause, _ in found))
    return RunDeviation(*name, state.unit, taken, totals, causes, tuple(text for _, text in found))


def _causes(before: _RunState | None, after: _RunState | None) -> Iterator[tuple[ChangeCause, str]]:
    if before is None or after is None:
        yield ChangeCause.LATE_DATA, "it is new" if before is None else "it is gone"
        return
    if before.model != after.model:
        yield ChangeCause.NEW_VERSION, f"computed by {_version(before)} before, by {_version(after)} after"
    if before.revision != after.revision:
        yield (
            ChangeCause.NEW_VERSION,
            f"by revision {before.revision} of the engine before, {after.revision} after",
        )
    if before.lineage is not None and after.lineage is not None:
        yield from _of_lineage(before.lineage, after.lineage)


def _version(state: _RunState) -> str:
    return "nothing" if state.model is None else f"{state.model[0]} version {state.model[1]}"


def _of_lineage(before: BatchLineage, after: BatchLineage) -> Iterator[tuple[ChangeCause, str]]:
    was, now = _events(before), _events(after)
    for event_type in sorted(was.keys() | now.keys()):
        gone, came = was.get(event_type, set()), now.get(event_type, set())
        if gone != came:
            text = f"{event_type}: {len(came - gone):,} events more, {len(gone - came):,} fewer"
            yield ChangeCause.LATE_DATA, text
    old, new = set(numbers_of(before.corrections)), set(numbers_of(after.corrections))
    if old != new:
        text = f"{len(new - old):,} corrections more, {len(old - new):,} fewer"
        yield ChangeCause.CORRECTION, text
    if before.static_inputs != after.static_inputs:
        yield ChangeCause.OTHER_INPUTS, "other static inputs were in force"
    if [_drawn(one) for one in before.draws] != [_drawn(one) for one in after.draws]:
        yield ChangeCause.OTHER_INPUTS, f"{len(before.draws):,} draws before, {len(after.draws):,} after"


def _events(lineage: BatchLineage) -> dict[str, set[int]]:
    events: dict[str, set[int]] = {}
    for read in lineage.inputs:
        events.setdefault(read.event_type, set()).update(numbers_of(read.events))
    return events


def _drawn(draw: DrawRead) -> tuple[object, ...]:
    return draw.node, draw.source, draw.amount, draw.attributes
