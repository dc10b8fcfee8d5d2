"""Static inputs: the value of the project that is in force when a slot begins, or at each of some elements.

Invariants: a value with keys is never taken for what they do not name, nor one without keys for what they
would; a value that changes inside the slot is refused where one number is asked for.
"""

from collections.abc import Sequence

from weighbridge.core.engine.element import Element, StaticValue
from weighbridge.core.engine.inputs import substitute
from weighbridge.core.engine.slot_computation import CHANGING, MISSING, NodeReading, SlotComputation
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Amount, Dimension, Node, StaticInput
from weighbridge.core.quantity.number import ZERO
from weighbridge.core.quantity.unit import convert
from weighbridge.core.time.instant import Instant

_NO_KEY = {"asset": None, "feedstock": None, "location": None}


def read_static(computation: SlotComputation, node: Node, body: StaticInput) -> None:
    """Give a static input its value in every partition."""
    values = sorted(computation.data.statics.get(body.slug, ()), key=lambda one: one.effective_from)
    for one in computation.partitions:
        if body.at is not None:
            amount = _at_elements(computation, node, body, one, values)
        else:
            amount = _at_start(computation, node, body, one, values)
        computation.keep(node, one, NodeReading(amount))


def _at_start(
    computation: SlotComputation, node: Node, body: StaticInput, one: Partition, values: Sequence[StaticValue]
) -> Amount:
    key = None if body.by is None else _shared_key(computation, body.by, one)
    if body.by is not None and key is None:
        return stand_in_static(
            computation, node, body, f"is a value for each {body.by}, and the partition has none", one
        )
    keyed = _keyed(values, body.by, key)
    slot = computation.data.slot
    in_force = _in_force(keyed, Instant.of(slot.start))
    if in_force is None:
        fact = f"has no value in force at {Instant.of(slot.start).text}"
        amount = stand_in_static(computation, node, body, fact, one)
    else:
        amount = convert(in_force.value, in_force.unit, node.unit)
        computation.by_partition[one].statics.setdefault(node.slug, set()).add(in_force.number)
    later = [value for value in keyed if slot.start < value.effective_from < slot.end]
    # A value that is set again as it was does not change.
    changes = [value for value in later if convert(value.value, value.unit, node.unit) != amount]
    if changes and (one, node.slug) not in computation.failed:
        moment = changes[0].effective_from.text
        _problem(computation, node, body, f"changes at {moment}, inside the slot", one, code=CHANGING)
    return amount


def stand_in_static(
    computation: SlotComputation, node: Node, body: StaticInput, fact: str, one: Partition
) -> Amount:
    """What stands in for a value that is not there; a problem when nothing does."""
    if not node.is_optional and node.default is None:
        _problem(computation, node, body, fact, one)
    return substitute(computation, node)


def _at_elements(
    computation: SlotComputation, node: Node, body: StaticInput, one: Partition, values: Sequence[StaticValue]
) -> Amount:
    """The value in force at each element of an input."""
    assert body.at is not None  # noqa: S101 - the caller saw it
    amounts = []
    missing = []
    by_key: dict[str | None, list[StaticValue]] = {}
    used = computation.by_partition[one].statics.setdefault(node.slug, set())
    for element in computation.by_partition[one].arrays.get(body.at, ()):
        key = _key(body.by, element, one)
        keyed = by_key.setdefault(key, _keyed(values, body.by, key) if key or body.by is None else [])
        in_force = _in_force(keyed, Instant.of(element.time.start))
        if in_force is None:
            missing.append(element.event)
            amounts.append(ZERO)
        else:
            used.add(in_force.number)
            amounts.append(convert(in_force.value, in_force.unit, node.unit))
    if missing:
        not_in_force(computation, node, body, one, missing)
    return tuple(amounts)


def not_in_force(
    computation: SlotComputation, node: Node, body: StaticInput, one: Partition, events: Sequence[int]
) -> None:
    """Note the elements at which no value is in force."""
    _problem(computation, node, body, f"has no value in force for {computation.setting.named(events)}", one)


def _shared_key(computation: SlotComputation, by: Dimension, one: Partition) -> str | None:
    """The asset, feedstock or location of a partition as a whole."""
    alone = computation.data.alone
    key: str | None = getattr(one, by, None) if alone is None else alone.keys.get(by)
    return key


def _key(by: Dimension | None, element: Element, one: Partition) -> str | None:
    match by:
        case Dimension.ASSET:
            return element.asset or one.asset
        case Dimension.FEEDSTOCK:
            return element.feedstock or one.feedstock
        case Dimension.LOCATION:
            return element.location
    return None


def _keyed(values: Sequence[StaticValue], by: Dimension | None, key: str | None) -> list[StaticValue]:
    """The values whose keys are exactly the one that is asked for."""
    keys = _NO_KEY if by is None else _NO_KEY | {str(by): key}
    return [
        value
        for value in values
        if (value.asset, value.feedstock, value.location)
        == (keys["asset"], keys["feedstock"], keys["location"])
    ]


def _in_force(values: Sequence[StaticValue], moment: Instant) -> StaticValue | None:
    """The newest value that holds at a moment."""
    return next((value for value in reversed(values) if value.effective_from <= moment), None)


def _problem(
    computation: SlotComputation,
    node: Node,
    body: StaticInput,
    fact: str,
    one: Partition,
    *,
    code: str = MISSING,
) -> None:
    computation.problem(node, f"reads the static input {body.slug!r}, which {fact}", one, code)
