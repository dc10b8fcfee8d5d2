"""Conditions of inputs are decided for every event: true, false, or neither, and then the event is named."""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import Plant
from tests.given.inputs import measure, recomputed

POINTS = [
    given.number("mass"), given.text("grade", required=False), given.text("quality", required=False),
    given.number("ash", required=False), given.boolean("certified", required=False),
]  # fmt: skip
EVENTS = [
    {"mass": 1, "grade": "a"},
    {"mass": 2, "grade": "b", "ash": 4},
    {"mass": 4, "quality": "a"},
    {"mass": 8, "certified": True, "ash": 0},
]


def plant(api, drain, condition, *, is_model_of_project=True):
    project = given.project(api)
    given.event_type(api, project, slug="delivery", data_point_types=POINTS)
    nodes = f"""
  - slug: mass
    input: {{event_type: delivery, data_point_type: mass, aggregate: sum, where: "{condition}"}}
    unit: t
    output: true
    optional: true
"""
    text = accounting.document(nodes)
    model = accounting.model(api, project if is_model_of_project else None, text)
    return Plant(api, drain, project, model, accounting.ledger(api, project, model))


def measured(plant, events=EVENTS):
    return [measure(plant, "delivery", values, f"2025-01-{day:02d}") for day, values in enumerate(events, 2)]


def undecided(plant):
    return [(one["reason"], one["events"]) for one in plant.preview()[0]["not_counted"]]


def without(missing):
    return f"without {missing} the condition of input mass is neither true nor false for them"


@pytest.mark.parametrize(("condition", "expected"), [("grade = 'a'", 1), ("grade != 'a'", 2)])
def test_an_event_that_lacks_what_a_condition_reads_is_named(api, drain, server, condition, expected):
    works = plant(api, drain, condition)
    _, _, third, fourth = measured(works)

    result = works.generate()

    assert works.credits() == {"2025-01": expected}
    assert result["not_counted"] == [
        {
            "reason": without("'grade'"), "event_type": "delivery", "event_count": 2,
            "events": [third, fourth],
        }
    ]  # fmt: skip
    assert recomputed(server, works) == []


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("grade is null", 12),
        ("grade is not null", 3),
        ("not (grade is null)", 3),
        ("coalesce(grade, 'none') != 'a'", 14),
        ("not (coalesce(grade, quality, 'none') = 'a')", 10),
        ("coalesce(certified, false)", 8),
        ("coalesce(ash, mass) > 3", 6),
        ("grade is not null and grade = 'a'", 1),
        ("grade is null or not grade = 'a'", 14),
        ("coalesce(asset, location, tracking_id, '-') = '-'", 15),
        ("ash is not null and ash != 0 and (mass / ash) < 1", 2),
    ],
)
def test_conditions_that_are_decided_for_every_event(api, drain, server, condition, expected):
    works = plant(api, drain, condition)
    measured(works)

    works.generate()

    assert works.credits() == {"2025-01": expected}
    assert undecided(works) == []
    assert recomputed(server, works) == []


def test_what_is_missing_is_named_for_each_event(api, drain):
    works = plant(api, drain, "grade = 'a' or quality = 'a' or asset = 'Kiln'")
    kiln = given.asset(api, works.project, name="Kiln")
    first, second, third, fourth = measured(works)
    measure(works, "delivery", {"mass": 16}, "2025-01-20", asset_id=kiln["id"])

    works.generate()

    assert works.credits() == {"2025-01": 1 + 4 + 16}
    assert undecided(works) == [
        (without("'grade' and 'quality' and 'asset'"), [fourth]),
        (without("'quality' and 'asset'"), [second]),
    ]
    assert first not in str(undecided(works))
    assert third not in str(undecided(works))


def test_an_event_outside_of_the_range_is_not_named(api, drain):
    works = plant(api, drain, "grade = 'a'")
    measure(works, "delivery", {"mass": 1}, "2025-02-01T00:00:00Z")
    measure(works, "delivery", {"mass": 1}, "2024-12-31T23:59:59Z")

    assert undecided(works) == []


def test_a_condition_that_divides_by_zero_fails_the_generation_by_name(api, drain):
    works = plant(api, drain, "(mass / ash) > 0.4")
    first, _, third, fourth = measured(works)
    said = "Input 'mass' has the condition mass / ash > 0.4, which divides by zero for 1 events: "

    failure = works.failure()

    assert failure.replace("(mass / ash)", "mass / ash") == f"{said}{fourth}."
    assert undecided(works) == [(without("'ash'"), [first, third])]
    assert works.batches() == []


def test_quotients_are_those_of_the_engine(sql):
    [row] = sql(
        "SELECT quotient(2, 3), quotient(-1, 7), quotient(1, 8), quotient(0, 5), quotient(5, 0),"
        " quotient(1e60, 3e-30), quotient(123456789012345678901234567890123450, 1e10),"
        " quotient(10000000000000000000000000000000005, 2e-60)"
    )

    assert list(row) == [
        None if shown is None else Decimal(shown)
        for shown in (
            "0.6666666666666666666666666666666667", "-0.1428571428571428571428571428571429", "0.125", "0",
            None,
            "3.333333333333333333333333333333333E+89", "12345678901234567890123456.78901234",
            "5.000000000000000000000000000000002E+93",
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("grade > 2", "At column 7: Comparing needs two of one kind"),
        ("colour = 'red'", "At column 1: There is no 'colour' here"),
        ("(mass ^ 2) > 2", "A where filter takes comparisons"),
        ("coalesce((mass / ash), 1) > 2", "no division inside coalesce or is null"),
    ],
)
def test_a_condition_that_cannot_be_decided_is_refused_by_name(api, drain, condition, reason):
    works = plant(api, drain, condition, is_model_of_project=False)
    measured(works)

    refusal = works.start().expect(422).error["message"]

    assert refusal.startswith("Input 'mass' has the condition ")
    assert reason in refusal


def test_a_named_data_point_that_a_condition_does_not_decide_is_refused_with_what_is_missing(api, drain):
    works = plant(api, drain, "grade = 'a'")
    made = given.event(
        api, works.project, event_type="delivery", values={"mass": 3}, start_time="2025-01-05T00:00:00Z"
    )
    body = {
        "model_run": {
            "data_point_ids": [made["data_points"][0]["id"]],
            "start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z",
        }
    }  # fmt: skip

    [error] = api.post(f"/models/{works.model['id']}/model_runs", body).expect(422).errors

    assert error["message"].endswith(
        "cannot count: its event lacks 'grade', without which the condition grade = 'a' is neither true nor "
        "false."
    )
