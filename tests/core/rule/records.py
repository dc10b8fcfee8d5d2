"""Records by hand, and the rules that look at them."""

from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from weighbridge.core.expression import PLAIN, TEXT, TRUTH
from weighbridge.core.rule import Evaluation, Record, Vocabulary, check_rule, compile_rule, read_rule
from weighbridge.core.time.calendar import CadenceSlots, Instant
from weighbridge.core.time.expectation import Expectation, ExpectedCadence, MeterSlot

DELIVERY = Vocabulary(
    "delivery",
    {"mass": PLAIN, "wet-mass": PLAIN, "fuel": PLAIN, "site": TEXT, "weighed": TRUTH},
    has_cadence=True,
)
DAYS = ExpectedCadence(CadenceSlots(1, "day", ZoneInfo("UTC")), Expectation())


def at(text):
    return Instant.of(datetime.fromisoformat(text))


def record(key, start, values=(), *, hours=0, delay=0, group="all", slot=None, is_target=True):
    """A record that started then, with values in the order of the rule's names; numbers as texts."""
    moment = at(start + "Z")
    end = moment + timedelta(hours=hours)
    read = tuple(Decimal(value) if isinstance(value, int) else value for value in values)
    numbered = None if slot is None else MeterSlot(slot, DAYS)
    return Record(key, moment, end, end + timedelta(hours=delay), group, numbered, is_target, read)


def rule_of(expression, window=None, scope="event_type", target="data_point", vocabulary=DELIVERY):
    rule, problems = read_rule(expression, window, scope, target)
    assert rule is not None, problems
    assert check_rule(rule, vocabulary) == []
    return rule


def evaluate(rule, records, zone="UTC"):
    evaluation = Evaluation(compile_rule(rule, zone=ZoneInfo(zone)), ZoneInfo(zone))
    return [*evaluation.take(records), *evaluation.finish()]


def alerts(expression, records, window=None, scope="event_type", zone="UTC"):
    """The keys of the records that the rule alerts on."""
    found = evaluate(rule_of(expression, window, scope), records, zone)
    assert [finding.error for finding in found if finding.error] == []
    return [finding.record.key for finding in found]


def daily(values, names=1):
    """One record a day from 1 January 2025 on, numbered from 1."""
    return [
        record(
            number, f"2025-01-{number:02}T00:00:00", value if isinstance(value, tuple) else (value,) * names
        )
        for number, value in enumerate(values, start=1)
    ]
