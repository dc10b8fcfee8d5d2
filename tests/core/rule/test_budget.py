"""Evaluating a rule has a budget: what its records cost on the average is bounded, texts by what is read."""

from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from tests.core.rule.records import record, rule_of

from weighbridge.core.expression import PLAIN, TEXT, Budget, ExpressionError
from weighbridge.core.halt import Halt, Halted
from weighbridge.core.rule import Evaluation, Vocabulary, compile_rule
from weighbridge.core.rule.evaluation import COST_OF_RECORD_MAX

NOTED = Vocabulary("delivery", {"mass": PLAIN, "note": TEXT})
RUNAWAY = "{{note}} matches '.{0,50}.{0,50}.{0,40}ZZ'"
UTC = ZoneInfo("UTC")


def days(count, value):
    return [record(number, f"2025-01-{number % 28 + 1:02}T00:00:00", (value,)) for number in range(count)]


def test_a_rule_that_reads_far_more_than_most_is_stopped():
    program = compile_rule(rule_of(RUNAWAY, vocabulary=NOTED), Budget(10_000))

    with pytest.raises(ExpressionError, match="costs more than"):
        Evaluation(program, UTC).take(days(1, "x" * 10_000))


def test_records_pay_for_themselves_however_many_there_are():
    program = compile_rule(rule_of("{{mass}} > 3 and sqrt({{mass}}) < 100", vocabulary=NOTED), Budget(0))

    Evaluation(program, UTC).take(days(1_000, Decimal(4)))

    assert program.cost < COST_OF_RECORD_MAX / 10


def test_a_rule_that_nobody_waits_for_is_halted():
    halt = Halt()
    evaluation = Evaluation(compile_rule(rule_of("{{mass}} > 3", vocabulary=NOTED)), UTC)

    def work():
        evaluation.take(days(10, Decimal(4)))
        halt.call()
        evaluation.take(days(10, Decimal(4)))

    with pytest.raises(Halted):
        halt.over(work)


@pytest.mark.parametrize("test", ["in (1, 2, 3, 4, 5, 6, 7, 8, 9)", "between 1 and 2"])
def test_what_is_compared_with_several_is_computed_once(test):
    expression = "{{mass}}"
    for _ in range(15):
        expression = f"if({expression} {test}, 3, 4)"
    program = compile_rule(rule_of(f"{expression} = 4", vocabulary=NOTED), Budget(0))

    found = Evaluation(program, UTC).take(days(3, Decimal(5)))

    assert len(found) in {0, 3}
