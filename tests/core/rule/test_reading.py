"""What is refused of a rule, and where. Core, rule/reading."""

import pytest
from tests.core.rule.records import DELIVERY

from weighbridge.core.expression import PLAIN, TEXT, parse
from weighbridge.core.rule import LANGUAGE, Vocabulary, check_rule, read_rule

ROLLING = {"kind": "rolling", "members": 10}
MODEL = Vocabulary("Biochar", {"net_removal": PLAIN}, {"net_removal": "Net removal"})


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("", "At column 1: The expression ends where"),
        ("{{mass}} >", "At column 11: The expression ends where"),
        ("{{mass}} == 5", "At column 11: Two values are compared with a single =."),
        ("{{mass}} > 2 + 2", "At column 10: Arithmetic next to a comparison is ambiguous"),
        ("avg({{mass}}) > 5", "At column 1: average looks at the members of a window; the rule has none."),
        ("interpolate({{mass}}) > 5", "At column 1: There is no function 'interpolate'"),
        ("lookup({{mass}}) > 5", "At column 1: lookup(table, column, key) takes 3 arguments, but has 1."),
        ("{{site}} matches '(a+'", None),
    ],
)
def test_a_text_that_is_no_rule_is_refused_with_its_place(expression, said):
    rule, problems = read_rule(expression)
    if rule is not None:
        problems = check_rule(rule, DELIVERY)

    assert len(problems) == 1
    assert problems[0].field == "expression"
    assert said is None or problems[0].message.startswith(said)


def test_every_problem_is_named_at_once():
    rule, problems = read_rule(
        "avg(sum({{mass}})) > 1\nand percentile({{mass}}, 101) > 2 and percentile({{mass}}, 5, exact) > 1",
        {"kind": "rolling", "members": 3, "where": "avg({{mass}}) > 1"},
    )

    assert rule is None
    assert [(problem.field, problem.message.partition(":")[0]) for problem in problems] == [
        ("window.where", "At column 1"),
        ("expression", "At column 1"),
        ("expression", "At line 2, column 5"),
        ("expression", "At line 2, column 39"),
    ]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("{{mas}} > 1", "At column 1: delivery has nothing called 'mas'; did you mean {{mass}}?"),
        ("{{mass}} = 'heavy'", "At column 10: Comparing needs two of one kind; the first is a number of 1"),
        ("{{site}} > 'a'", "At column 10: What is compared by size must be a number"),
        ("{{mass}} + 1", "At column 10: A rule says what is wrong, so it must be true or false"),
        ("avg({{site}}) > 1", "At column 1: average is taken of numbers; this is a text."),
        ("{{weighed}} > 1", "At column 13: Comparing needs two of one kind; the first is true or false"),
    ],
)
def test_what_does_not_fit_the_data_is_refused(expression, said):
    rule, _ = read_rule(expression, ROLLING)

    problems = check_rule(rule, DELIVERY)

    assert [problem.message[: len(said)] for problem in problems] == [said]


def test_all_unknown_names_are_told():
    rule, _ = read_rule("{{a}} > 1 and avg({{b}}) > 1", {**ROLLING, "where": "{{c}} = 1"})

    problems = check_rule(rule, DELIVERY)

    assert [problem.code for problem in problems] == ["unknown", "unknown", "unknown"]


def test_hyphens_and_underscores_of_a_slug_are_alike():
    for name in ("{{wet-mass}}", "{{wet_mass}}", "wet_mass"):
        rule, _ = read_rule(f"{name} > 1")

        assert check_rule(rule, DELIVERY) == []


def test_a_node_is_named_by_its_slug_or_with_its_name():
    for name in ("net_removal", "{{net_removal}}", 'node."Net removal".net_removal'):
        rule, _ = read_rule(f"{name} > 1", target="model_run")

        assert check_rule(rule, MODEL) == []

    rule, _ = read_rule('node."Gross removal".net_removal > 1', target="model_run")

    assert len(check_rule(rule, MODEL)) == 1


def test_in_scope_project_aggregates_may_name_the_data_of_other_event_types():
    lab = Vocabulary("lab", {"moisture": PLAIN})
    asked = ("{{mass}} > avg({{moisture}})", ROLLING)

    inside, _ = read_rule(*asked, scope="project")
    outside, _ = read_rule(*asked, scope="event_type")

    assert check_rule(inside, DELIVERY, [lab]) == []
    assert len(check_rule(outside, DELIVERY, [lab])) == 1


def test_missed_slots_need_a_cadence():
    rule, _ = read_rule("missed_slots() > 0")

    assert check_rule(rule, Vocabulary("lab", {"note": TEXT}))[0].message.startswith(
        "missed_slots needs a cadence"
    )


def test_a_rule_of_single_events_needs_its_record_in_the_window():
    rule, problems = read_rule("avg({{mass}}) > 1", ROLLING, scope="event")

    assert rule is None
    assert [problem.field for problem in problems] == ["window.include_current"]


@pytest.mark.parametrize("function", LANGUAGE.functions.values(), ids=lambda function: function.name)
def test_the_example_of_every_function_can_be_parsed(function):
    assert parse(function.example, LANGUAGE)


def test_keywords_are_read_in_any_letter_case():
    rule, problems = read_rule("{{mass}} Not Between 1 AND 2 oR {{mass}} IS nulL")

    assert rule is not None
    assert problems == []
