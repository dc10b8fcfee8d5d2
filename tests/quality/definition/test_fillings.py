"""A rule that fills gaps is refused with everything that is wrong with it, each problem by its field."""

import pytest
from tests.given import collection as given
from tests.given.gaps import stack

MEAN = {"method": "mean_before_after"}
ROLLING = {"kind": "rolling", "members": 3}


@pytest.fixture
def project(api):
    return stack(api)


def problems(api, project, correction, **fields):
    rule = {
        "name": "Fill", "expression": "{{so2}} < 0", "effective_from": "2020-01-01T00:00:00Z",
        "purpose": "substitute", "correction": correction,
    } | fields  # fmt: skip
    return api.post(f"/projects/{project['id']}/rules", {"rule": rule}).expect(422).errors


WRONG = {
    "a method that there is not": (
        {"method": "guess"}, "correction.method", "correction.method that fills gaps is one of constant, ",
    ),
    "a percentile without its definition": (
        {"tiers": [{"method": "percentile", "p": 90, "window": ROLLING}]},
        "correction.tiers[0].definition", "correction.tiers[0].definition is one of nearest_rank",
    ),
    "a deviation that is not named": (
        {"method": "mean_plus_sd", "factor": 2, "window": ROLLING},
        "correction.deviation", "is one of sample",
    ),
    "a tier that looks at data": (
        {"tiers": [{"when": "{{so2}} > 1", **MEAN}]}, "correction.tiers[0].when", "a tier looks at no data",
    ),
    "a name that nobody knows": (
        {"method": "mean", "window": ROLLING | {"where": "{{lod}} > 0"}},
        "correction.window.where", "did you mean {{load}}?",
    ),
    "a border that is no condition": (
        MEAN | {"border_where": "{{load}} + 1"}, "correction.border_where", "must be true or false",
    ),
    "a field that nobody knows": (
        MEAN | {"metod": 1}, "correction.metod", "is no part of how a rule fills gaps",
    ),
    "nothing": (None, "correction", "but is missing"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_filling_is_said_by_its_field(api, project, name):
    correction, field, said = WRONG[name]

    [problem] = problems(api, project, correction)

    assert problem["field"] == field
    assert said in problem["message"]


LONG = "x" * 1_000_000
TEXTS = {
    "correction.method": {"method": LONG},
    "correction.tiers[0].when": {"tiers": [{"when": LONG, **MEAN}]},
    "correction.tiers[0].code": {"tiers": [{"code": LONG, **MEAN}]},
    "correction.window.where": {"method": "mean", "window": ROLLING | {"where": LONG}},
    "correction.window.kind": {"method": "mean", "window": ROLLING | {"kind": LONG}},
    "correction.border_where": MEAN | {"border_where": LONG},
    "correction.operating_where": MEAN | {"operating_where": LONG},
    "correction.expression": {"method": "expression", "expression": LONG},
    "correction.definition": {"method": "percentile", "p": 90, "window": ROLLING, "definition": LONG},
}


@pytest.mark.parametrize("field", TEXTS)
def test_a_text_of_a_million_characters_is_refused_by_its_field(api, project, field):
    found = problems(api, project, TEXTS[field])

    assert field in {problem["field"] for problem in found}
    assert all(len(problem["message"]) < 1000 for problem in found)


@pytest.mark.parametrize("value", [7, True, [], {}, "x"], ids=str)
@pytest.mark.parametrize("field", ["method", "tiers", "window", "border_where", "round", "conservative"])
def test_a_value_of_a_wrong_shape_is_refused_and_never_a_mistake(api, project, field, value):
    found = problems(api, project, {"method": "mean", "window": ROLLING} | {field: value})

    assert all(problem["field"].startswith("correction") for problem in found)


def test_an_expression_looks_at_one_event_by_itself(api, project):
    found = problems(api, project, MEAN, expression="{{so2}} < previous({{so2}})", window=ROLLING)

    assert [problem["field"] for problem in found] == ["window", "expression"]


def test_an_expression_without_a_window_has_no_aggregates(api, project):
    [problem] = problems(api, project, MEAN, expression="missed_slots() > 0", data_point="so2")

    assert (problem["field"], problem["code"]) == ("expression", "invalid")
    assert problem["message"] == (
        "The expression of a rule that fills gaps looks at one event by itself and has no aggregates; "
        "it says which captured values do not count, such as {{so2}} IS NULL, and slots without an "
        "event are gaps anyway."
    )


def test_events_are_imputed_by_a_cadence_alone(api):
    project = given.measuring(api, given.number("so2"))

    [problem] = problems(api, project, MEAN, purpose="impute")

    assert problem["field"] == "event_type_id"
    assert "cadence" in problem["message"]


def test_texts_have_no_gaps_that_are_filled(api, project):
    [problem] = problems(api, project, MEAN, expression="{{quality}} = 'bad'")

    assert (
        problem["message"]
        == "correction fills gaps with numbers, and 'quality' of an event of type 'hour' holds none."
    )


def test_a_filling_is_answered_in_one_form_and_sending_it_again_makes_no_version(api, project):
    tiers = {
        "tiers": [{"when": "gap_slots() < 3", "code": " 06 ", **MEAN}, {"method": "constant", "value": 1.50}]
    }
    rule = {
        "name": "Fill", "expression": "{{so2}} < 0", "effective_from": "2020-01-01T00:00:00Z",
        "purpose": "substitute", "correction": tiers,
    }  # fmt: skip
    made = api.post(f"/projects/{project['id']}/rules", {"rule": rule}).expect(201).body

    assert made["correction"] == {
        "tiers": [
            {"when": "gap_slots() < 3", "code": "06", "method": "mean_before_after", "without_after": "wait"},
            {"method": "constant", "value": 1.5},
        ],
        "conservative": "high",
    }
    again = api.patch(f"/rules/{made['id']}", {"rule": {"correction": made["correction"]}}).expect(200).body
    assert again["version"] == 1
