"""The data of a project that carry the values of a case: events, static values and batches to draw from.

This is how a generation would find them, in other units than the nodes have, with statistics where it sums;
no part of it knows that values can be given to nodes by name.
"""

from datetime import UTC, timedelta
from decimal import Decimal

from weighbridge.core.engine import EngineSetting, SlotData, StandaloneRunContext
from weighbridge.core.engine.slot_computation import (
    Drawing,
    Element,
    Group,
    Measure,
    SourceLedgerView,
    StaticValue,
)
from weighbridge.core.engine.statistics import NOTHING, compute_statistics
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.ledger.drawing import SourceBatch
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.model import Aggregate, Available, Input, StaticInput, Upstream
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.unit import convert, parse_unit

START = Instant(2025, 1, 1, tzinfo=UTC)
PROJECT = 3
SCALE = 6
MEASURED_IN = {"t": "kg", "t{wet}": "kg{wet}", "kWh": "Wh", "%": ""}
"""The units of data points whose nodes have another."""

BY_STATISTICS = {Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MIN, Aggregate.MAX, Aggregate.COUNT}


def slot_of_values(prepared, given_values):
    """The setting and the data of a slot that carry these values."""
    model, values, hours = prepared.model, given_values.values, given_values.hours
    tags = Partition(**given_values.partition)
    period_days = given_values.period_days
    slot = Interval(START, START + timedelta(days=float(period_days)))
    inputs = [node for node in model.nodes if isinstance(node.body, Input)]
    measures = {node.slug: measure_of(number, node) for number, node in enumerate(inputs, 1)}
    groups = tuple(
        group_of(node, measures[node.slug], events_of(node, values[node.slug], hours.get(node.slug)), tags)
        for node in inputs
        if node.slug in values
    )
    statics = {
        node.body.slug: list(static_values(node, values[node.slug]))
        for node in model.nodes
        if isinstance(node.body, StaticInput) and node.slug in values
    }
    is_slot = tags.is_whole(model.partition_type) and {node.slug for node in model.partitioning} & {*values}
    data = SlotData(
        slot, groups, statics,
        drawing=drawing_of(model, values, slot, tags), alone=None if is_slot else StandaloneRunContext(tags),
    )  # fmt: skip
    return EngineSetting(prepared, measures, PROJECT), data


def measure_of(source, node):
    is_of_elements = node.body.aggregate not in BY_STATISTICS or node.body.join is not None
    unit = MEASURED_IN.get(node.unit.text)
    weight = 2 if node.body.weight else None
    return Measure(
        node.unit if unit is None else parse_unit(unit), source, is_of_elements=is_of_elements,
        weight=weight, key=1, target_key=1,
    )  # fmt: skip


def events_of(node, value, hours):
    """What must have been measured for a node to come to a value, one hour after the other."""
    aggregate = node.body.aggregate
    if isinstance(value, Decimal) and aggregate is Aggregate.COUNT:
        value = (Decimal(1),) * int(value)
    if isinstance(value, Decimal) and aggregate is Aggregate.DELTA:
        before = event(node, 0, Decimal(7), 0, START - timedelta(days=1))
        return [before, event(node, 1, 7 + value, 0, START + timedelta(days=1))]
    listed = (value,) if isinstance(value, Decimal) else value
    lengths = hours or (Decimal(1),) * len(listed)
    return [
        event(node, place, one, length, START + timedelta(hours=place))
        for place, (one, length) in enumerate(zip(listed, lengths, strict=True), 1)
    ]


def event(node, place, value, hours, start):
    unit = MEASURED_IN.get(node.unit.text)
    measured = value if unit is None else convert(value, node.unit, parse_unit(unit))
    code = f"lot {place}"
    return Element(
        event=place, rank=place, time=Interval(start, start + timedelta(hours=float(hours))),
        values=(measured, code, Decimal(1)), tracking_id=code,
    )  # fmt: skip


def group_of(node, measure, events, tags):
    first, digest = f"evt_{node.slug}", Decimal(0)
    if measure.is_of_elements:
        found, elements = NOTHING, tuple(events)
    else:
        weight = Decimal(1) if node.body.weight else None
        found, elements = compute_statistics((one.values[0], weight) for one in events), ()
    return Group(
        measure.source, tags, len(events), first, digest, {node.slug: found},
        elements, is_of_elements=measure.is_of_elements,
    )  # fmt: skip


def static_values(node, value):
    """One value in force all the time, or one more with each event."""
    listed = (value,) if isinstance(value, Decimal) else value
    for place, one in enumerate(listed, 1):
        since = START if node.body.at is None else START + timedelta(hours=place)
        yield StaticValue(place, one, node.unit, Instant.of(since))


def drawing_of(model, values, slot, tags):
    """A source ledger for each node that draws or looks, with just what it comes to; None without any."""
    stocks, source_ledgers = [], {}
    for ledger, node in enumerate(model.nodes, 1):
        if not isinstance(node.body, Upstream | Available) or node.slug not in values:
            continue
        names = node.body.attributes if isinstance(node.body, Upstream) else {}
        listed = values[node.slug] if isinstance(values[node.slug], tuple) else (values[node.slug],)
        source_ledgers[node.slug] = SourceLedgerView(ledger, node.body.ledger, node.unit, SCALE, names)
        for place, amount in enumerate(listed):
            attributes = {name: (values[f"{node.slug}.{name}"][place], unit) for name, unit in names.items()}
            number = 1000 * ledger + place
            stocks.append(SourceBatch(number, ledger, slot, f"batch {place:03d}", tags, amount, attributes))
    return Drawing(slot, Pool(stocks, {}), source_ledgers) if source_ledgers else None
