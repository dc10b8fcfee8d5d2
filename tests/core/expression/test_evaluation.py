"""Computing expressions: units are converted, arrays run in parallel, and what has no value says why."""

from decimal import Decimal

import pytest

from weighbridge.core.expression import (
    TRUTH,
    Budget,
    Environment,
    ExpressionError,
    NameScope,
    Value,
    check,
    evaluate,
    parse,
    quantities,
    quantity,
    text,
)
from weighbridge.core.halt import Halt, Halted
from weighbridge.core.number import plain
from weighbridge.core.unit import parse_unit

DELIVERIES, BILLS = "the deliveries", "the bills"


def kg(number):
    return quantity(Decimal(number), parse_unit("kg"))


def array(unit, *numbers, of=DELIVERIES):
    return quantities(
        [None if number is None else Decimal(number) for number in numbers], parse_unit(unit), of
    )


VALUES = {
    "mass": kg("1500"),
    "tonnes": quantity(Decimal(2), parse_unit("t")),
    "energy": quantity(Decimal("7.2"), parse_unit("MJ")),
    "factor": quantity(Decimal("0.5"), parse_unit("kg{CO2e}/kWh")),
    "share": quantity(Decimal(12), parse_unit("%")),
    "zero": quantity(Decimal(0), parse_unit("")),
    "warm": quantity(Decimal(25), parse_unit("degC")),
    "cold": quantity(Decimal(5), parse_unit("degC")),
    "missing": quantity(None, parse_unit("kg")),
    "label": text("Wood chips"),
    "nameless": text(None),
    "flag": Value(TRUTH, content=True),
    "wet": array("t{wet}", "1.2", "0.9"),
    "moisture": array("%", "12", "18"),
    "days": array("d", "2", "0"),
    "late": array("t{wet}", "1", None),
    "bills": array("kWh", "5", of=BILLS),
    "empty": array("kg"),
}


def computed(expression):
    tree = parse(expression)
    expected = check(tree, NameScope({name: value.type for name, value in VALUES.items()}))

    value = evaluate(tree, Environment(VALUES))

    assert value.type == expected
    return value


def shown(expression):
    value = computed(expression)
    contents = value.content if isinstance(value.content, tuple) else (value.content,)
    digits = " ".join(plain(one) if isinstance(one, Decimal) else str(one).lower() for one in contents)
    return f"{digits} {value.type.unit.text}".strip() if value.type.unit is not None else digits


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("mass + tonnes", "3500 kg"),
        ("tonnes + mass", "3.5 t"),
        ("tonnes - mass", "0.5 t"),
        ("energy * factor", "3.6 MJ*kg{CO2e}/kWh"),
        ('to(energy * factor, "g{CO2e}")', "1000 g{CO2e}"),
        ("mass / tonnes", "750 kg/t"),
        ('to(mass / tonnes, "")', "0.75"),
        ("1 - share", "0.88"),
        ("share + 1", "112 %"),
        ("mass ^ 2", "2250000 kg^2"),
        ("mass ^ -1 * mass", "1"),
        ("mass ^ 0", "1"),
        ("sqrt(mass ^ 2)", "1500 kg"),
        ("2 ^ 0.5", "1.414213562373095048801688724209698"),
        ("4 ^ 0.5", "2"),
        ("sqrt(2)", "1.414213562373095048801688724209698"),
        ("1 / 3", "0.3333333333333333333333333333333333"),
        ("2 / 3", "0.6666666666666666666666666666666667"),
        ("1 / 3 * 3", "0.9999999999999999999999999999999999"),
        ("-2 ^ 2", "-4"),
        ("exp(1)", "2.718281828459045235360287471352662"),
        ("ln(10)", "2.302585092994045684017991454684364"),
        ("log10(1000)", "3"),
        ("exp(share)", "1.127496851579375671479265569374848"),
        ("wet * (1 - moisture)", "1.056 0.738 t{wet}"),
        ("sum(wet * (1 - moisture))", "1.794 t{wet}"),
        ("average(moisture)", "15 %"),
        ("median(wet)", "1.05 t{wet}"),
        ("min(wet)", "0.9 t{wet}"),
        ("max(mass, tonnes)", "2000 kg"),
        ("min(0.95, share)", "0.12"),
        ("sum(mass, tonnes, mass)", "5000 kg"),
        ("count(wet)", "2"),
        ("count(empty)", "0"),
        ("sum(empty)", "0 kg"),
        ("abs(mass - tonnes)", "500 kg"),
        ("round(energy, 0, half_up)", "7 MJ"),
        ("round(2.5)", "2"),
        ("round(2.5, 0, up)", "3"),
        ("round(1250, -2)", "1200"),
        ("floor(-1.5)", "-2"),
        ("ceil(-1.5)", "-1"),
        ("clamp(mass, 0 * mass, tonnes / 2)", "1000 kg"),
        ("value(tonnes, 'kg') * 2", "4000"),
        ("quantity(share, 't{CO2e}')", "0.12 t{CO2e}"),
        ("if(mass > tonnes, mass, tonnes)", "2000 kg"),
    ],
)
def test_a_calculation_has_this_result(expression, result):
    assert shown(expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("mass < tonnes", "true"),
        ("mass = (tonnes - tonnes / 4)", "true"),
        ("share = 0.12", "true"),
        ("mass between (0 * mass) and tonnes", "true"),
        ("mass in (tonnes, mass)", "true"),
        ("mass not in (tonnes)", "true"),
        ("label = 'Wood chips'", "true"),
        ("label in ('Straw', 'Wood chips')", "true"),
        ("label contains 'chip'", "true"),
        ("label not contains 'straw'", "true"),
        ("label starts with 'Wood'", "true"),
        ("label ends with 'Wood'", "false"),
        ("label matches '^W.*s$'", "true"),
        ("flag = true and not false", "true"),
        ("missing is null", "true"),
        ("mass is not null", "true"),
        ("nameless is null", "true"),
        ("late is null", "false true"),
        ("days = (0 * days)", "false true"),
        ("mass is null or mass > tonnes", "false"),
    ],
)
def test_a_test_is_true_or_false(expression, result):
    assert shown(expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("if(zero = 0, 0, 1 / zero)", "0"),
        ("zero != 0 and (1 / zero) > 2", "false"),
        ("zero = 0 or (1 / zero) > 2", "true"),
        ("if(value(days, 'd') = 0, 0, value(wet, 't{wet}') / value(days, 'd'))", "0.6 0"),
        ("coalesce(missing, mass)", "1500 kg"),
        ("coalesce(late, 0.5 * wet)", "1 0.45 t{wet}"),
        ("if(missing is null, mass, missing)", "1500 kg"),
        ("if(flag, label, 'x')", "wood chips"),
        ("if(label matches '^S', 1, 2)", "2"),
    ],
)
def test_only_what_is_chosen_needs_a_value(expression, result):
    assert shown(expression) == result


@pytest.mark.parametrize(
    ("expression", "position", "reason"),
    [
        ("1 / zero", "column 3", "The divisor is zero"),
        ("zero / zero", "column 6", "The divisor is zero"),
        ("1 + wet / days * 0", "column 3", "Adding"),
        ("sum(wet / days)", "column 9", "The divisor is zero"),
        ("mass + missing", "column 8", "missing has no value"),
        ("sum(late)", "column 5", "late has no value"),
        ("nameless = 'x'", "column 1", "nameless has no value"),
        ("if(nameless = 'x', 1, 2)", "column 4", "nameless has no value"),
        ("coalesce(missing, missing)", "column 19", "missing has no value"),
        ("coalesce(missing, mass / zero * zero)", "column 24", "The divisor is zero"),
        ("ln(zero)", "column 1", "ln needs a number above zero; this is 0"),
        ("log10(-1)", "column 1", "log10 needs a number above zero; this is -1"),
        ("sqrt(-1)", "column 1", "sqrt needs a number not below zero"),
        ("(-8) ^ 0.5", "column 6", "below zero"),
        ("zero ^ 0", "column 6", "Zero has no power"),
        ("zero ^ -1", "column 6", "Zero has no power"),
        ("2 ^ (zero + 65)", "column 3", "beyond 64"),
        ("exp(1000)", "column 1", "beyond 1e100"),
        ("1e100 * 10", "column 7", "beyond 1e100"),
        ("clamp(1, 3, 2)", "column 1", "low not above high"),
        ("average(empty)", "column 1", "There is no element"),
        ("max(empty)", "column 1", "There is no element"),
        ("period_days()", "column 1", "length of the period is not given"),
        ("period_hours()", "column 1", "length of the period is not given"),
        ("duration_hours(wet)", "column 1", "durations of the events of wet are not given"),
    ],
)
def test_what_has_no_value_is_an_error_with_its_place(expression, position, reason):
    with pytest.raises(ExpressionError, match=reason) as failed:
        computed(expression)

    assert str(failed.value.position) == position


def test_a_number_that_is_too_small_goes_to_zero():
    assert shown("exp(-1000)") == "0"


def test_a_temperature_takes_part_as_an_absolute_temperature():
    assert shown("warm * 2") == "596.3 K"
    assert shown("warm - cold") == "20 K"
    assert shown("max(warm, cold)") == "25 degC"
    assert shown("warm > cold") == "true"
    assert shown("value(warm, 'degC')") == "25"
    assert shown("to(warm - cold, 'degC')") == "-253.15 degC"


def test_the_durations_of_events_and_the_length_of_the_period_are_known_to_a_formula():
    hours = array("h", "1.5", "2")
    environment = Environment(
        {"power": array("kW", "10", "4")},
        durations={"power": hours},
        period_days=quantity(Decimal(31), parse_unit("d")),
        period_hours=quantity(Decimal(743), parse_unit("h")),
    )

    energy = evaluate(parse("sum(power * duration_hours(power))"), environment)
    month = evaluate(parse("period_days()"), environment)
    clock = evaluate(parse("period_hours()"), environment)

    assert (energy.content, str(energy.type.unit)) == (Decimal(23), "kW*h")
    assert (month.content, str(month.type.unit)) == (Decimal(31), "d")
    assert (clock.content, str(clock.type.unit)) == (Decimal(743), "h")


def test_arrays_of_one_origin_with_different_lengths_are_an_error():
    environment = Environment({"a": array("kg", "1", "2"), "b": array("kg", "1", "2", "3")})

    with pytest.raises(ExpressionError, match="Arrays of 2 and 3 elements"):
        evaluate(parse("a + b"), environment)


def test_a_run_has_a_budget_that_its_expressions_share():
    environment = Environment({"a": array("kg", *range(1000))})
    budget = Budget(2_500)

    evaluate(parse("a + a"), environment, budget)

    with pytest.raises(ExpressionError, match="costs more than 2500 operations"):
        evaluate(parse("a + a"), environment, budget)


def test_a_name_that_stands_for_nothing_is_refused_with_the_nearest():
    with pytest.raises(ExpressionError, match="There is no 'moistrue' here; did you mean 'moisture'"):
        computed("moistrue")


def test_an_element_without_a_result_fails_the_array_and_does_not_shorten_it():
    names = {
        "mass": quantity(Decimal(6), parse_unit("t")),
        "parts": quantities([Decimal(2), Decimal(0), Decimal(3)], parse_unit(""), "the deliveries"),
    }

    with pytest.raises(ExpressionError, match="The divisor is zero"):
        evaluate(parse("sum(mass / parts)"), Environment(names))


@pytest.mark.parametrize(
    ("expression", "cost_max"),
    [
        ("name = name", 500),
        ("name contains 'y'", 500),
        ("name in ('x', 'y')", 500),
        ("name matches 'y$'", 400_000),
    ],
)
def test_reading_a_long_text_costs_by_its_length(expression, cost_max):
    environment = Environment({"name": text("x" * 100_000)})
    budget = Budget()

    evaluate(parse(expression), environment, budget)

    assert 100 < budget.spent < cost_max


def test_a_pattern_that_keeps_many_states_alive_is_stopped_by_the_budget():
    environment = Environment({"name": text("x" * 200_000)})

    with pytest.raises(ExpressionError, match="more than 1000 operations"):
        evaluate(parse("name matches '.{0,50}.{0,50}.{0,40}ZZ'"), environment, Budget(1_000))


def test_a_match_costs_the_same_each_time():
    budgets = Budget(), Budget()

    for budget in budgets:
        evaluate(parse("name matches '(a|b)*a(a|b){20}c'"), Environment({"name": text("ab" * 999)}), budget)

    assert budgets[0].spent == budgets[1].spent > 1_000


def test_a_computation_that_nobody_waits_for_ends_at_its_next_step():
    halt = Halt()
    budget = Budget()

    def work():
        evaluate(parse("1 + 1"), Environment(), budget)
        halt.call()
        return evaluate(parse("1 + 1"), Environment(), budget)

    with pytest.raises(Halted):
        halt.over(work)
    assert evaluate(parse("1 + 1"), Environment(), budget).content == 2
