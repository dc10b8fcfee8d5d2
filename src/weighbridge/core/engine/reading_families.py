"""Reading families: inputs of a model that read the same data points, so that one reading has one error.

Inputs belong together where they read data points of the same type, as their values or as their weights, and
their filters do not exclude one another. Of sums and plain averages of the same events each reading counts
alike, up to one factor, so all that the readings have for themselves is one effect of them all. Any other
family is read event by event, and its inputs share what they have in common (`shared_errors`). An input that
is joined to another is a family by itself, for it may read one event several times.

An input that the correlations of a model name has its own error as one effect, as the model states it: it is
in no family with others, and one by itself where it is joined.

Invariants: what a family is follows from the model alone, so every reader of a bundle finds the same; counts
are in none, for no error of a reading changes them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from weighbridge.core.expression.tree import Binary, Expression, Name, Operator, Text
from weighbridge.core.model import Aggregate, Input, Model, Node


class PointRead(NamedTuple):
    """What an input reads of its events: its values, or its weights."""

    node: str
    weight: str | None = None
    """The data point type of the weights; None for the values."""


@dataclass(frozen=True, slots=True)
class ReadingFamily:
    """Inputs that may read the same data points."""

    reads: tuple[PointRead, ...]
    """In the order of the model, of one node its values first."""
    is_proportional: bool
    """Whether each reading counts alike in all of them, up to one factor."""

    @property
    def name(self) -> PointRead:
        """What names the effect of its readings."""
        return self.reads[0]


ReadingFamilies = Mapping[PointRead, ReadingFamily]
"""The families of a model, by each of their reads."""

IsWeightOfTarget = Callable[[str], bool]
"""Whether the weights of an input belong to the events that it is joined to, by its slug."""

_SUMMED_ALIKE: Final = frozenset({Aggregate.SUM, Aggregate.AVERAGE})


@dataclass(frozen=True, slots=True)
class _FoundRead:
    read: PointRead
    node: Node
    point: tuple[str, str]
    """Event type and data point type."""
    equal_to: Mapping[str, str]
    """The texts that a filter asks for, by what it asks them of."""


def find_reading_families(model: Model, is_weight_of_target: IsWeightOfTarget) -> ReadingFamilies:
    """Find the inputs of a model that may read the same data points; a read that has no other is in none."""
    if model.uncertainty is None:
        return {}
    named = {name for one, other, _ in model.uncertainty.correlations for name in (one, other)}
    groups: list[list[_FoundRead]] = []
    alone: list[list[_FoundRead]] = []
    for found in _list_reads(model, is_weight_of_target):
        if found.node.slug in named:
            alone.append([found])
            continue
        meeting = [group for group in groups if any(_may_meet(found, other) for other in group)]
        joined = [*(one for group in meeting for one in group), found]
        groups = [group for group in groups if group not in meeting] + [joined]
    places = {node.slug: place for place, node in enumerate(model.nodes)}
    families: dict[PointRead, ReadingFamily] = {}
    for group in groups + alone:
        if len(group) == 1 and not _is_joined(group[0]):
            continue
        group.sort(key=lambda one: (places[one.read.node], one.read.weight is not None))
        family = ReadingFamily(tuple(one.read for one in group), _is_proportional(group))
        families |= dict.fromkeys(family.reads, family)
    return families


def list_read_one_by_one(families: ReadingFamilies) -> frozenset[str]:
    """List the inputs whose events are read one by one, because they share readings with others."""
    return frozenset(read.node for read, family in families.items() if not family.is_proportional)


def _list_reads(model: Model, is_weight_of_target: IsWeightOfTarget) -> Iterator[_FoundRead]:
    for node in model.nodes:
        body = node.body
        if not isinstance(body, Input) or body.aggregate is Aggregate.COUNT:
            continue
        equal_to = dict(() if body.where is None else _list_equal_texts(body.where.tree))
        yield _FoundRead(PointRead(node.slug), node, (body.event_type, body.data_point_type), equal_to)
        if body.weight is None:
            continue
        target = model.node(body.join.to).body if body.join and is_weight_of_target(node.slug) else None
        event_type = body.event_type
        if isinstance(target, Input):
            event_type = target.event_type
            equal_to = dict(() if target.where is None else _list_equal_texts(target.where.tree))
        yield _FoundRead(PointRead(node.slug, body.weight), node, (event_type, body.weight), equal_to)


def _list_equal_texts(tree: Expression) -> Iterator[tuple[str, str]]:
    """List what must equal a text for a condition to hold."""
    match tree:
        case Binary(Operator.AND, left, right):
            yield from _list_equal_texts(left)
            yield from _list_equal_texts(right)
        case Binary(Operator.EQUAL, Name() as name, Text(value=value)):
            yield name.text, value


def _may_meet(one: _FoundRead, other: _FoundRead) -> bool:
    """Whether there may be a reading that both read."""
    if one.point != other.point:
        return False
    return all(other.equal_to.get(name, text) == text for name, text in one.equal_to.items())


def _is_joined(found: _FoundRead) -> bool:
    """Whether an input may read one event several times, once for each that it is joined to."""
    return isinstance(found.node.body, Input) and found.node.body.join is not None


def _is_proportional(group: Sequence[_FoundRead]) -> bool:
    bodies = [one.node.body for one in group]
    first = bodies[0]
    return all(
        isinstance(body, Input)
        and isinstance(first, Input)
        and one.read.weight is None
        and body.aggregate in _SUMMED_ALIKE
        and body.weight is None
        and body.join is None
        and not body.is_any_period
        and (body.where, body.straddle) == (first.where, first.straddle)
        and one.node.uncertainty == group[0].node.uncertainty
        for one, body in zip(group, bodies, strict=True)
    )
