"""Check the batches that a caller names as sources for nodes with manual allocation.

Invariants: a source is a batch of the project on the ledger that such a node draws from, and serves at
most one node of a model version. An amount is positive and has no more decimals than its ledger.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.accounting.records.model_runs import BATCH_AMOUNTS_MAX, BatchAmount, NewGeneration
from weighbridge.core.engine.slot_computation import SourceLedgerView
from weighbridge.core.identity import ids
from weighbridge.core.identity.ids import Key, Owner
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.ledger.drawing import Drawer
from weighbridge.core.model import Model, Node
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import NumberError, limited, plain, round_to
from weighbridge.core.time.cadence import label
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, NotFound

# A version of a model as it draws: its nodes, the ledgers that they draw from, and its slots.


@dataclass(frozen=True, slots=True)
class DrawingVersion:
    """What one version of a model draws for in a generation."""

    project: int
    family: int
    model_id: int
    model: Model
    source_ledgers: Mapping[str, SourceLedgerView]
    """The ledgers that its nodes draw from, by node."""
    zone: ZoneInfo
    slots: tuple[Interval, ...]
    """Those that it computes."""
    replaced: tuple[Interval, ...] = ()
    """Generated slots of other bounds that those replace: what their runs drew is given back."""
    included: frozenset[Interval] = frozenset()
    """Those of its slots that the request does not name: what was named for them before stays."""

    @property
    def manual_nodes(self) -> list[Node]:
        """The nodes that draw by hand."""
        return [node for node in self.model.nodes if node.allocation_group is not None]

    def label(self, slot: Interval) -> str:
        """What a slot is called."""
        return label(self.model.cadence, slot, self.zone)


# Manual sources: the batches that a caller names for the nodes that draw by hand, and how much of each.
#
# Invariants: a manual source names a batch of the project whose ledger such a node draws from, and one node
# of a model version at most; an amount is positive and has no more decimals than its ledger.


class NamedBatch(msgspec.Struct, frozen=True):
    """A batch that a caller names, and the ledger that holds it."""

    number: int
    ledger: int
    ledger_name: str
    unit: str
    scale: int
    primary: int | None
    """The position of its primary output."""


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """What a request says of one source."""

    field: str
    """Where it says so."""
    batch: str
    key: Key | None
    amount: Decimal | None = None
    """None for all that it holds."""
    group: str | None = None


@dataclass(frozen=True, slots=True)
class ManualSource:
    """So much of a batch, or all that it holds."""

    request: SourceRequest
    batch: NamedBatch

    def nodes(self, version: DrawingVersion) -> list[Node]:
        """The nodes of a version that it is for."""
        drawing = [
            node
            for node in version.manual_nodes
            if version.source_ledgers[node.slug].ledger == self.batch.ledger
        ]
        return [node for node in drawing if self.request.group in {None, node.allocation_group}]


@dataclass(frozen=True, slots=True)
class ManualSources:
    """Everything that a request says of sources by hand."""

    named: tuple[ManualSource, ...] | None = None
    """None where it says nothing, and runs keep what they hold."""
    partition: Partition | None = None
    """The only partition that it speaks of; None when it speaks of all."""
    included: frozenset[Interval] = frozenset()
    """Slots of which it does not speak, and that come along."""

    def concern(self, drawer: Drawer) -> bool:
        """Whether a run's sources are what the request speaks of."""
        return drawer.slot not in self.included and self.partition in {None, drawer.partition}

    def touched(self, version: DrawingVersion) -> set[str]:
        """The nodes whose sources are replaced; an empty list replaces those of all."""
        if self.named is None:
            return set()
        if not self.named:
            return {node.slug for node in version.manual_nodes}
        return {node.slug for source in self.named for node in source.nodes(version)}


NO_MANUAL_SOURCES: Final = ManualSources()
"""A request that says nothing of sources."""


def _outputs_in(project: int, data_points: Sequence[str]) -> dict[str, str]:
    """Which of the data points that a request names are outputs of the project's batches, by field."""
    keys = {
        f"data_point_ids[{index}]": (text, ids.parse("data_point", text))
        for index, text in enumerate(data_points)
    }
    return {
        field: text
        for field, (text, key) in keys.items()
        if key is not None and key.project == project and key.owner is not Owner.EVENT
    }


def _requests(
    amounts: Sequence[BatchAmount] | None, outputs: Mapping[str, str]
) -> list[SourceRequest] | None:
    """What a request says; `outputs` are the data points of batches, by the field that names each."""
    if amounts is None and not outputs:
        return None
    with_amounts = [
        SourceRequest(
            field=f"batch_amounts[{index}]",
            batch=one.batch_id,
            key=ids.parse("batch", one.batch_id),
            amount=one.primary_output_amount,
            group=one.allocation_group,
        )
        for index, one in enumerate(amounts or ())
    ]
    return with_amounts + [_whole(field, text) for field, text in outputs.items()]


def _whole(field: str, text: str) -> SourceRequest:
    key = ids.parse("data_point", text)
    if key is None or key.owner is not Owner.BATCH:
        return SourceRequest(field, text, None)
    return SourceRequest(field, ids.make("batch", Key(key.project, key.key)), key)


async def manual_sources_of(
    tx: Read, versions: Sequence[DrawingVersion], request: NewGeneration, partition: Partition | None = None
) -> ManualSources:
    """What a request says of sources; raise Invalid with everything that is wrong with it.

    A request that speaks of one partition is about a batch; what it names beside that must be there as well.
    """
    count = len(request.batch_amounts or ())
    if count > BATCH_AMOUNTS_MAX:
        message = f"batch_amounts has {count} entries; at most {BATCH_AMOUNTS_MAX} can be named."
        raise Invalid([Problem(message, "batch_amounts", "too_many")])
    outputs = _outputs_in(versions[0].project, request.data_point_ids or ())
    requests = _requests(request.batch_amounts, outputs)
    sources = await _find(tx, versions, requests, is_record=partition is not None)
    included = frozenset[Interval]().union(*(version.included for version in versions))
    return replace(sources, partition=partition, included=included)


async def _find(
    tx: Read,
    versions: Sequence[DrawingVersion],
    requests: Sequence[SourceRequest] | None,
    *,
    is_record: bool,
) -> ManualSources:
    """Find what a request names; raise Invalid with everything that is wrong with it.

    A batch that is not there is a wrong value, or raises NotFound where its amount is named as of a record.
    """
    if requests is None:
        return NO_MANUAL_SOURCES
    project = versions[0].project
    batches = await _batches(tx, project, [one.key.key for one in requests if one.key is not None])
    named: list[ManualSource] = []
    problems: list[Problem] = []
    for one in requests:
        batch = batches.get(one.key.key) if one.key is not None and one.key.project == project else None
        if batch is None and is_record and one.amount is not None:
            raise NotFound("batch", one.batch)
        if batch is None:
            message = f"{one.field} names {one.batch!r}, which is no batch of the project."
            field = one.field if one.amount is None else f"{one.field}.batch_id"
            problems.append(Problem(message, field, "unknown"))
            continue
        named.append(ManualSource(one, batch))
        problems += _problems(named[-1], versions)
    problems += _doubled(named, versions)
    if problems:
        raise Invalid(problems)
    return ManualSources(tuple(named))


async def _batches(tx: Read, project: int, batches: Sequence[int]) -> dict[int, NamedBatch]:
    rows = await tx.rows(
        NamedBatch,
        """
        SELECT b.id, b.ledger_id, l.name, l.unit, l.scale, c.position
          FROM batches b
          JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
          LEFT JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
         WHERE b.project_id = %s AND b.id = ANY (%s) AND b.deleted_at IS NULL
        """,
        (project, list(batches)),
    )
    return {row.number: row for row in rows}


def _problems(source: ManualSource, versions: Sequence[DrawingVersion]) -> Iterator[Problem]:
    request, batch = source.request, source.batch
    yield from _amount_problems(source)
    if request.key is not None and request.amount is None and request.key.position != batch.primary:
        yield Problem(
            f"{request.field} is an output of {request.batch} that {batch.ledger_name!r} does not hold; name"
            " its primary output.",
            request.field,
            "invalid",
        )
    drawing = [
        node
        for version in versions
        for node in version.manual_nodes
        if version.source_ledgers[node.slug].ledger == batch.ledger
    ]
    if not drawing:
        yield Problem(
            f"{request.field} names {request.batch} of {batch.ledger_name!r}, and no node of the model draws"
            " from that ledger by hand.",
            request.field,
            "not_drawn_by_hand",
        )
        return
    groups = ", ".join(sorted({node.allocation_group or "" for node in drawing}))
    if request.group is not None and not any(source.nodes(version) for version in versions):
        yield Problem(
            f"{request.field}.allocation_group is {request.group!r}; what draws from {batch.ledger_name!r} is"
            f" in {groups}.",
            f"{request.field}.allocation_group",
            "unknown",
        )
    if any(len(source.nodes(version)) > 1 for version in versions):
        yield Problem(
            f"{request.field} needs an allocation_group: {groups} draw from {batch.ledger_name!r}.",
            f"{request.field}.allocation_group",
            "required",
        )


def _amount_problems(source: ManualSource) -> Iterator[Problem]:
    request, batch = source.request, source.batch
    if request.amount is None:
        return
    field = f"{request.field}.primary_output_amount"
    try:
        amount = limited(request.amount)
    except NumberError as error:
        yield Problem(f"{field}: {error}", field, "invalid")
        return
    if amount <= 0:
        yield Problem(f"{field} is {plain(amount)}; what is drawn is above zero.", field, "invalid")
    elif round_to(amount, batch.scale) != amount:
        yield Problem(
            f"{field} is {plain(amount)}; {batch.ledger_name!r} keeps {batch.scale} decimals.",
            field,
            "invalid",
        )


def _doubled(named: Sequence[ManualSource], versions: Sequence[DrawingVersion]) -> Iterator[Problem]:
    """A source may be named once for a node."""
    seen: set[tuple[int, int, str]] = set()
    for source in named:
        keys = {
            (source.batch.number, position, node.slug)
            for position, version in enumerate(versions)
            for node in source.nodes(version)
        }
        if seen & keys:
            message = f"{source.request.field} names {source.request.batch} a second time for the same node."
            yield Problem(message, source.request.field, "taken")
        seen |= keys
