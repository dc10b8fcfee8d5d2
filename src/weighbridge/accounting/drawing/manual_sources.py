"""Choices: the sources that a caller names for the nodes that draw by hand, and how much of each.

Invariants: a choice names a batch of the project whose ledger such a node draws from, and one node of a model
version at most; an amount is positive and has no more decimals than its ledger.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.accounting.batch_generations.records import BatchAmount, NewGeneration
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.identity import ids
from weighbridge.core.identity.ids import Key, Owner
from weighbridge.core.ledger.drawing import Drawer
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Node
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import NumberError, limited, plain, round_to
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, NotFound

BATCH_AMOUNTS_MAX: Final = 10_000
"""Amounts of batches that one generation may name."""


class Source(msgspec.Struct, frozen=True):
    """A batch that a caller names, and the ledger that holds it."""

    number: int
    ledger: int
    ledger_name: str
    unit: str
    scale: int
    primary: int | None
    """The position of its primary output."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a request says of one source."""

    field: str
    """Where it says so."""
    batch: str
    key: Key | None
    amount: Decimal | None = None
    """None for all that it holds."""
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """So much of a source, or all that it holds."""

    named: Named
    source: Source

    def nodes(self, scope: Scope) -> list[Node]:
        """The nodes of a version that it is for."""
        drawing = [node for node in by_hand(scope) if scope.outlets[node.slug].ledger == self.source.ledger]
        return [node for node in drawing if self.named.group in {None, node.allocation_group}]


@dataclass(frozen=True, slots=True)
class Choices:
    """Everything that a request says of sources; None where it says nothing and runs keep what they hold."""

    made: tuple[Choice, ...] | None = None
    partition: Partition | None = None
    """The only partition that it speaks of; None when it speaks of all."""
    included: frozenset[Interval] = frozenset()
    """Slots of which it does not speak, and that come along."""

    def concern(self, drawer: Drawer) -> bool:
        """Whether a run's sources are what the request speaks of."""
        return drawer.slot not in self.included and self.partition in {None, drawer.partition}

    def touched(self, scope: Scope) -> set[str]:
        """The nodes whose sources are replaced; an empty list replaces those of all."""
        if self.made is None:
            return set()
        if not self.made:
            return {node.slug for node in by_hand(scope)}
        return {node.slug for choice in self.made for node in choice.nodes(scope)}


NO_CHOICES: Final = Choices()
"""A request that says nothing of sources."""


def by_hand(scope: Scope) -> list[Node]:
    """The nodes of a version that draw by hand."""
    return [node for node in scope.model.nodes if node.allocation_group is not None]


def outputs_in(project: int, data_points: Sequence[str]) -> dict[str, str]:
    """Which of the data points that a request names are outputs of the project's batches, by field."""
    keys = {
        f"data_point_ids[{place}]": (text, ids.parse("data_point", text))
        for place, text in enumerate(data_points)
    }
    return {
        field: text
        for field, (text, key) in keys.items()
        if key is not None and key.project == project and key.owner is not Owner.EVENT
    }


def named_by(amounts: Sequence[BatchAmount] | None, outputs: Mapping[str, str]) -> list[Named] | None:
    """What a request says; `outputs` are the data points of batches, by the field that names each."""
    if amounts is None and not outputs:
        return None
    with_amounts = [
        Named(
            field=f"batch_amounts[{place}]",
            batch=one.batch_id,
            key=ids.parse("batch", one.batch_id),
            amount=one.primary_output_amount,
            group=one.allocation_group,
        )
        for place, one in enumerate(amounts or ())
    ]
    return with_amounts + [_whole(field, text) for field, text in outputs.items()]


def _whole(field: str, text: str) -> Named:
    key = ids.parse("data_point", text)
    if key is None or key.owner is not Owner.BATCH:
        return Named(field, text, None)
    return Named(field, ids.make("batch", Key(key.project, key.key)), key)


async def choices_in(
    tx: Read, scopes: Sequence[Scope], asked: NewGeneration, partition: Partition | None = None
) -> Choices:
    """What a request says of sources; raise Invalid with everything that is wrong with it.

    A request that speaks of one partition is about a batch; what it names beside that must be there as well.
    """
    count = len(asked.batch_amounts or ())
    if count > BATCH_AMOUNTS_MAX:
        message = f"batch_amounts has {count} entries; at most {BATCH_AMOUNTS_MAX} can be named."
        raise Invalid([Problem(message, "batch_amounts", "too_many")])
    outputs = outputs_in(scopes[0].project, asked.data_point_ids or ())
    named = named_by(asked.batch_amounts, outputs)
    found = await read_choices(tx, scopes, named, is_record=partition is not None)
    included = frozenset[Interval]().union(*(scope.included for scope in scopes))
    return replace(found, partition=partition, included=included)


async def read_choices(
    tx: Read, scopes: Sequence[Scope], named: Sequence[Named] | None, *, is_record: bool = False
) -> Choices:
    """Find what a request names; raise Invalid with everything that is wrong with it.

    A batch that is not there is a wrong value, or raises NotFound where its amount is named as of a record.
    """
    if named is None:
        return Choices()
    project = scopes[0].project
    found = await _sources(tx, project, [one.key.key for one in named if one.key is not None])
    made: list[Choice] = []
    problems: list[Problem] = []
    for one in named:
        source = found.get(one.key.key) if one.key is not None and one.key.project == project else None
        if source is None and is_record and one.amount is not None:
            raise NotFound
        if source is None:
            message = f"{one.field} names {one.batch!r}, which is no batch of the project."
            field = one.field if one.amount is None else f"{one.field}.batch_id"
            problems.append(Problem(message, field, "unknown"))
            continue
        made.append(Choice(one, source))
        problems += _problems(made[-1], scopes)
    problems += _doubled(made, scopes)
    if problems:
        raise Invalid(problems)
    return Choices(tuple(made))


async def _sources(tx: Read, project: int, batches: Sequence[int]) -> dict[int, Source]:
    rows = await tx.rows(
        Source,
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


def _problems(choice: Choice, scopes: Sequence[Scope]) -> Iterator[Problem]:
    named, source = choice.named, choice.source
    yield from _amount_problems(choice)
    if named.key is not None and named.amount is None and named.key.position != source.primary:
        yield Problem(
            f"{named.field} is an output of {named.batch} that {source.ledger_name!r} does not hold; name its"
            " primary output.",
            named.field,
            "invalid",
        )
    drawing = [
        node
        for scope in scopes
        for node in by_hand(scope)
        if scope.outlets[node.slug].ledger == source.ledger
    ]
    if not drawing:
        yield Problem(
            f"{named.field} names {named.batch} of {source.ledger_name!r}, and no node of the model draws"
            " from that ledger by hand.",
            named.field,
            "not_drawn_by_hand",
        )
        return
    groups = ", ".join(sorted({node.allocation_group or "" for node in drawing}))
    if named.group is not None and not any(choice.nodes(scope) for scope in scopes):
        yield Problem(
            f"{named.field}.allocation_group is {named.group!r}; what draws from {source.ledger_name!r} is in"
            f" {groups}.",
            f"{named.field}.allocation_group",
            "unknown",
        )
    if any(len(choice.nodes(scope)) > 1 for scope in scopes):
        yield Problem(
            f"{named.field} needs an allocation_group: {groups} draw from {source.ledger_name!r}.",
            f"{named.field}.allocation_group",
            "required",
        )


def _amount_problems(choice: Choice) -> Iterator[Problem]:
    named, source = choice.named, choice.source
    if named.amount is None:
        return
    field = f"{named.field}.primary_output_amount"
    try:
        amount = limited(named.amount)
    except NumberError as error:
        yield Problem(f"{field}: {error}", field, "invalid")
        return
    if amount <= 0:
        yield Problem(f"{field} is {plain(amount)}; what is drawn is above zero.", field, "invalid")
    elif round_to(amount, source.scale) != amount:
        yield Problem(
            f"{field} is {plain(amount)}; {source.ledger_name!r} keeps {source.scale} decimals.",
            field,
            "invalid",
        )


def _doubled(made: Sequence[Choice], scopes: Sequence[Scope]) -> Iterator[Problem]:
    """A source may be named once for a node."""
    seen: set[tuple[int, int, str]] = set()
    for choice in made:
        keys = {
            (choice.source.number, place, node.slug)
            for place, scope in enumerate(scopes)
            for node in choice.nodes(scope)
        }
        if seen & keys:
            message = f"{choice.named.field} names {choice.named.batch} a second time for the same node."
            yield Problem(message, choice.named.field, "taken")
        seen |= keys
