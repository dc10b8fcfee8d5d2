"""The chain of runs behind posted batches: their own, and all that they draw from, as they were posted.

A run is computed again from what its batch was made of, slot by slot with all of its partitions, and must be
as uncertain as the batch says: if something else is stated by now of what it was made of, the chain is not
that of the batch any more.

Invariants: batches never change, so a chain is the same whenever it is read; a run draws from the batch that
its source's run had when it was posted, whatever adjusted that since.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

from weighbridge.accounting.inputs.posted_slots import (
    BatchAsPosted,
    ComputedSlot,
    PostedReading,
    PostedSlots,
    compute_posted_slots,
    read_posted_batches,
    select_units,
)
from weighbridge.accounting.inputs.streams import read_catalogue
from weighbridge.core import identity
from weighbridge.core.engine import PartitionRun
from weighbridge.core.engine.chain import POOLED_FROM, ChainRun, ChainTerm, DrawnRun
from weighbridge.core.model import Upstream
from weighbridge.core.number import CONTEXT, ZERO, total
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.effects import (
    Correlations,
    Uncertainty,
    UncertaintyEffect,
    add_components,
    hash_uncertainties,
)
from weighbridge.core.unit import find_slope, parse_unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import find_stored_model, read_model

RUNS_MAX: Final = 2_000
"""Runs of a chain that are held in memory at once."""


class ChainSubject(msgspec.Struct, frozen=True):
    """A batch whose run counts in the result, with the part of it that does."""

    batch: int
    """The newest batch of the run."""
    amount: Decimal
    """How much of the run's total, in the unit of the result; below zero where it is deducted."""
    total: Decimal


@dataclass(frozen=True, slots=True)
class PostedChain:
    """The runs of a chain, each after those that it draws from, and what the result has of them."""

    runs: tuple[ChainRun, ...]
    terms: tuple[ChainTerm, ...]
    first_order: Uncertainty
    """How uncertain the result is to first order, in the unit of the ledger."""
    discount: Decimal
    """How much more the runs came to than was credited for the result, in the unit of the ledger."""
    sha256: bytes
    """Of what the runs were computed of and are known by, and how much of each counts."""


class _DrawLink(NamedTuple):
    """A draw, and the batch that the source's run had when it was posted."""

    batch: int
    node: str
    amount: Decimal
    source: int | None
    """None for an instrument."""
    total: Decimal | None


class _KeptDigests(NamedTuple):
    """What a batch keeps of what it was computed of."""

    batch: int
    fingerprint: bytes
    uncertainty: bytes | None
    model: bytes


@dataclass(frozen=True, slots=True)
class _FoundRun:
    """A run of the chain as it was computed again."""

    batch: BatchAsPosted
    holder: int
    """The batch whose lineage and draws the run has: of a run on several ledgers the newest."""
    slots: PostedSlots
    run: PartitionRun


async def read_chain(tx: Read, project: int, subjects: Sequence[ChainSubject]) -> PostedChain:
    """Read the chain behind some batches; Invalid when it cannot be computed as it was posted."""
    reading = PostedReading(tx, await read_catalogue(tx, project), pooled_from=POOLED_FROM)
    found: dict[int, _FoundRun] = {}
    links: dict[int, list[_DrawLink]] = {}
    frontier = {subject.batch for subject in subjects}
    while frontier:
        of_level = await _read_level(reading, project, frontier)
        found |= {one.batch.number: one for one in of_level}
        _require_size(found)
        rows = await tx.tuples(_LINKS, (project, [one.holder for one in of_level]))
        for link in (_DrawLink(*row) for row in rows):
            links.setdefault(link.batch, []).append(link)
        frontier = {
            link.source
            for one in of_level
            for link in links.get(one.holder, ())
            if link.source is not None and link.total
        } - found.keys()
    known = [_KeptDigests(*row) for row in await tx.tuples(_KNOWN, (project, sorted(found)))]
    _require_as_posted(project, found, known)
    runs = [_build_run(found, links, one) for _, one in sorted(found.items()) if _is_asked(one)]
    terms = [subject for subject in subjects if _is_asked(found[subject.batch])]
    return PostedChain(
        tuple(runs),
        tuple(_build_term(found[subject.batch], subject) for subject in terms),
        _add_first_order(found, terms),
        total(
            CONTEXT.multiply(_find_factor(one, subject), one.run.discounts.get(one.batch.output, ZERO))
            for subject in terms
            for one in [found[subject.batch]]
        ),
        _digest(known, subjects),
    )


def _is_asked(found: _FoundRun) -> bool:
    """Whether the model of a run asks for uncertainty; what others come to is certain."""
    return found.slots.model.uncertainty is not None


def _require_size(found: Collection[object]) -> None:
    if len(found) > RUNS_MAX:
        message = f"More than {RUNS_MAX:,} runs are in the chain; trials repeat at most so many together."
        raise Invalid([Problem(message, "trials", "too_many")])


async def _read_level(reading: PostedReading, project: int, batches: Collection[int]) -> list[_FoundRun]:
    """Compute the runs of some batches again, model version by model version."""
    rows = await reading.tx.tuples(select_units(project, batches=batches))
    portions: dict[tuple[int, int, int], list[ComputedSlot]] = {}
    for unit in (ComputedSlot(*row) for row in rows):
        portions.setdefault(unit.frame, []).append(unit)
    found: dict[int, _FoundRun] = {}
    for portion in portions.values():
        model = read_model((await find_stored_model(reading.tx, portion[0].model)).document)
        posted = await read_posted_batches(reading.tx, portion)
        for slots in await compute_posted_slots(reading, portion, model, posted):
            found |= {one.batch.number: one for one in _find_runs(project, slots, batches)}
    if missing := set(batches) - found.keys():
        raise Invalid([Problem(_say_not_computable(project, min(missing), "its inputs are gone"))])
    return list(found.values())


def _find_runs(project: int, slots: PostedSlots, batches: Collection[int]) -> Iterator[_FoundRun]:
    holders: dict[tuple[int, int], int] = {}
    for batch in slots.batches:
        key = batch.position, batch.run
        holders[key] = max(batch.number, holders.get(key, 0))
    for batch in slots.batches:
        if batch.number not in batches or not batch.is_of_generation:
            continue
        problems, run = slots.slot_run_of(batch).problems, slots.run_of(batch)
        if problems or run is None:
            reason = problems[0].message if problems else "its events make no run of its partition"
            raise Invalid([Problem(_say_not_computable(project, batch.number, reason))])
        yield _FoundRun(batch, holders[batch.position, batch.run], slots, run)


def _say_not_computable(project: int, batch: int, reason: str) -> str:
    name = identity.of("batch", project, batch)
    return f"The run of the batch {name} cannot be computed as it was posted: {reason.rstrip('.')}."


def _require_as_posted(project: int, found: Mapping[int, _FoundRun], known: Sequence[_KeptDigests]) -> None:
    """Raise Invalid when something else is stated by now of what a batch was made of."""
    for one in known:
        run = found[one.batch].run
        again = hash_uncertainties(run.uncertainties or {}, [draw.uncertainties for draw in run.draws])
        if one.uncertainty != again:
            name = identity.of("batch", project, one.batch)
            message = (
                f"What is stated of the uncertainty of what the batch {name} was made of has changed since it"
                " was posted; generate its slot again first."
            )
            raise Invalid([Problem(message)])


def _build_run(
    found: Mapping[int, _FoundRun], links: Mapping[int, Sequence[_DrawLink]], one: _FoundRun
) -> ChainRun:
    slots, run = one.slots, one.run
    assert run.basis is not None, "runs keep what they were read of"  # noqa: S101
    data = slots.data_of(one.batch)
    owner = " ".join(part for part in (slots.model.name, str(data.slot.start), run.partition.label) if part)
    return ChainRun(
        name=str(one.batch.number),
        program=slots.setting.program,
        slot=data.slot,
        amounts={slug: reading.amount for slug, reading in run.readings.items()},
        basis=run.basis,
        measures=slots.setting.measures,
        statics={value.number: value for values in data.statics.values() for value in values},
        owner=owner,
        sources={
            node.slug: tuple(
                _build_source(found, one, node.slug, node.body, place, link)
                for place, link in enumerate(
                    link for link in links.get(one.holder, ()) if link.node == node.slug
                )
            )
            for node in slots.model.nodes
            if isinstance(node.body, Upstream)
        },
    )


def _build_source(
    found: Mapping[int, _FoundRun], drawing: _FoundRun, node: str, body: Upstream, place: int, link: _DrawLink
) -> DrawnRun | None:
    """What a draw takes of its source's run; None of what is certain."""
    if link.source is None or not link.total or not _is_asked(found[link.source]):
        return None
    source, model = found[link.source], drawing.slots.model
    of_source = source.slots.model
    to_ledger = find_slope(of_source.node(source.batch.output).unit, parse_unit(source.batch.unit))
    to_node = find_slope(parse_unit(source.batch.unit), model.node(node).unit)
    slope = CONTEXT.multiply(to_ledger, to_node)
    draw = [draw for draw in drawing.run.draws if draw.node == node][place]
    part = CONTEXT.divide(CONTEXT.multiply(link.amount, slope), link.total)
    return DrawnRun(
        run=str(link.source),
        output=source.batch.output,
        part=part,
        discount=CONTEXT.multiply(part, source.run.discounts.get(source.batch.output, ZERO)),
        attributes=tuple(
            (slug, find_slope(of_source.node(slug).unit, unit))
            for slug, unit in zip(body.attributes, draw.units, strict=True)
        ),
    )


def _find_factor(one: _FoundRun, subject: ChainSubject) -> Decimal:
    """What the result has of a run, for each unit of its output."""
    slope = find_slope(one.slots.model.node(one.batch.output).unit, parse_unit(one.batch.unit))
    if subject.amount == subject.total:
        return slope
    return CONTEXT.divide(CONTEXT.multiply(subject.amount, slope), subject.total)


def _build_term(one: _FoundRun, subject: ChainSubject) -> ChainTerm:
    return ChainTerm(str(one.batch.number), one.batch.output, _find_factor(one, subject))


def _add_first_order(found: Mapping[int, _FoundRun], subjects: Sequence[ChainSubject]) -> Uncertainty:
    """How uncertain the sum is to first order: what its runs share adds up before it is squared."""
    parts = [
        (one.run.uncertainties or {})[one.batch.output].scale(_find_factor(one, subject))
        for subject in subjects
        for one in [found[subject.batch]]
    ]
    correlations: dict[frozenset[UncertaintyEffect], Decimal] = {}
    for part in parts:
        correlations |= part.correlations
    joined: Correlations = correlations
    return Uncertainty(add_components(part.components for part in parts), joined)


def _digest(known: Sequence[_KeptDigests], subjects: Sequence[ChainSubject]) -> bytes:
    written = (
        sorted((one.batch, one.fingerprint, one.uncertainty or b"", one.model) for one in known),
        sorted((subject.batch, subject.amount, subject.total) for subject in subjects),
    )
    return hashlib.sha256(msgspec.json.encode(written)).digest()


# A draw takes from the batch that its source's run had when it was posted; it is kept with the draw by lots.
_LINKS: Final = """
    SELECT d.batch_id, d.node, d.amount, newest.id, newest.total
      FROM batch_draws d
      JOIN batches drawing ON (drawing.project_id, drawing.id) = (d.project_id, d.batch_id)
      JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
      LEFT JOIN LATERAL (
            SELECT n.id, n.total FROM batches n
             WHERE (n.project_id, n.run_id, n.ledger_id)
                 = (source.project_id, source.run_id, source.ledger_id) AND n.id < d.batch_id
               AND (n.deleted_at IS NULL OR n.deleted_at > drawing.created_at)
             ORDER BY n.id DESC LIMIT 1) AS newest ON true
     WHERE d.project_id = %s AND d.batch_id = ANY (%s) ORDER BY d.batch_id, d.node, d.place
"""
_KNOWN: Final = """
    SELECT id, fingerprint, uncertainty_sha256, model_sha256 FROM batches
     WHERE project_id = %s AND id = ANY (%s) ORDER BY id
"""
