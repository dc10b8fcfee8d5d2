"""Taking what somebody gave to a node in place of data: a number that it comes to, or what it draws.

A list of an input is not taken here: its values are elements of the slot, and the engine reads, joins and
aggregates them as it reads the events of a project. Nor is what is missing, for which the same stands in, or
the same sentence is said, as where a project has no data.

Invariants: what is given is in the unit of its node; a list that is to stand beside elements has one value
for each of them; a value that no data could come to is a problem.
"""

from decimal import Decimal

from weighbridge.core.engine.draws import amount_needed
from weighbridge.core.engine.setting import GivenValues
from weighbridge.core.engine.slot_computation import (
    MISSING,
    NOT_COMPUTABLE,
    UNMATCHED,
    NodeReading,
    SlotComputation,
    of,
)
from weighbridge.core.engine.statics import not_in_force, stand_in_static
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Amount, Available, Input, Node, StaticInput, Upstream, is_listed

ListOrNumber = Decimal | tuple[Decimal, ...] | None


def take(computation: SlotComputation, node: Node, given: GivenValues) -> bool:
    """Give a node what was given to it; False when the engine has to read or compute it."""
    value = given.values.get(node.slug)
    match node.body:
        case Input() as body if value is not None and not body.is_array:
            return _take_input(computation, node, body, value)
        case StaticInput() as static:
            for one in computation.partitions:
                computation.keep(node, one, NodeReading(_static(computation, node, static, one, value)))
            return True
        case Upstream() as upstream if value is not None:
            for one in computation.partitions:
                _take_draws(computation, node, upstream, one, given)
            return True
        case Available() if value is not None:
            for one in computation.partitions:
                computation.keep(node, one, NodeReading(_one_number(computation, node, one, value)))
            return True
    return False


def _take_input(
    computation: SlotComputation, node: Node, body: Input, value: Decimal | tuple[Decimal, ...]
) -> bool:
    """Take what an input comes to; a list is left to its aggregate, where that needs nothing else."""
    if isinstance(value, tuple) and is_listed(body):
        return False
    for one in computation.partitions:
        computation.keep(node, one, NodeReading(_one_number(computation, node, one, value)))
    return True


def _one_number(
    computation: SlotComputation, node: Node, one: Partition, value: Decimal | tuple[Decimal, ...]
) -> Amount:
    if isinstance(value, Decimal):
        return value
    computation.problem(node, f"is one number and was given a list of {len(value)}", one, NOT_COMPUTABLE)
    return Decimal(0)


def _static(
    computation: SlotComputation, node: Node, body: StaticInput, one: Partition, value: ListOrNumber
) -> Amount:
    if body.at is None:
        if value is None:
            return stand_in_static(computation, node, body, "has no value in force", one)
        return _one_number(computation, node, one, value)
    elements = computation.by_partition[one].arrays.get(body.at, ())
    amounts = (value,) if isinstance(value, Decimal) else value or ()
    if lacking := [element.event for element in elements[len(amounts) :]]:
        not_in_force(computation, node, body, one, lacking)
    if elements and len(amounts) > len(elements):
        fact = f"is looked up at the {len(elements)} values of {body.at!r} and was given {len(amounts)}"
        computation.problem(node, fact, one, UNMATCHED)
    missing = (Decimal(0),) * (len(elements) - len(amounts))
    return (*amounts[: len(elements)], *missing)


def _take_draws(
    computation: SlotComputation, node: Node, body: Upstream, one: Partition, given: GivenValues
) -> None:
    """Take the amounts that a node draws, and what travels along; what it needs must be an amount."""
    if not body.is_manual:
        amount_needed(computation, node, body, one)
    drawn = _listed(given, node.slug)
    computation.keep(node, one, NodeReading(drawn))
    for slug in body.attributes:
        name = f"{node.slug}.{slug}"
        column = _listed(given, name)
        if name not in given.values:
            sentence = (
                f"Node {node.slug!r}{of(one)} draws from {body.ledger!r}, which has no value of {slug!r}."
            )
            computation.fail(node, one, sentence, MISSING)
        elif len(column) != len(drawn):
            sentence = (
                f"Node {node.slug!r}{of(one)} has {len(drawn)} draws and {len(column)} values of {slug!r}."
            )
            computation.fail(node, one, sentence, UNMATCHED)
        computation.keep_value(name, computation.setting.program.types[name].unit, one, column)


def _listed(given: GivenValues, name: str) -> tuple[Decimal, ...]:
    value = given.values.get(name, ())
    return (value,) if isinstance(value, Decimal) else value
