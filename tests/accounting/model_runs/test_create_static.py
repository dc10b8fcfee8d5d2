"""POST /models/{model_id}/model_runs with static inputs: those of the project in force at the start."""

from tests.given import collection as given
from tests.given.accounting import MASS
from tests.given.model_runs import Yard

STATIC = (
    MASS
    + """
  - slug: factor
    static_input: factor
    unit: kg/t
  - slug: dry
    formula: mass * factor
    unit: t
"""
)


def test_static_inputs_are_those_in_force_at_the_start(api):
    yard = Yard(api, STATIC)
    for moment, value in (("2024-06-01", 100), ("2025-01-01", 200), ("2025-02-01", 400)):
        effective = f"{moment}T00:00:00Z"
        given.static_input(
            api, yard.project, slug="factor", value=value, unit="kg/t", effective_from=effective
        )

    assert yard.came_to(yard.deliver(10)["mass"])["dry"] == 2


def test_a_static_input_that_has_no_value_yet_is_refused_by_name(api):
    yard = Yard(api, STATIC)
    given.static_input(api, yard.project, slug="factor", unit="kg/t", effective_from="2025-01-02T00:00:00Z")

    [error] = yard.ask(yard.deliver(1)["mass"]).expect(422).errors

    assert error["message"] == (
        "Input 'factor' reads the static input 'factor', which has no value in force at "
        "2025-01-01T00:00:00.000Z."
    )


def test_a_static_input_that_changes_inside_the_period_is_refused(api):
    yard = Yard(api, STATIC)
    for moment, value in (("2024-06-01", 100), ("2025-01-15", 200)):
        given.static_input(
            api, yard.project, slug="factor", value=value, unit="kg/t", effective_from=f"{moment}T00:00:00Z"
        )

    [error] = yard.ask(yard.deliver(1)["mass"]).expect(422).errors

    assert error["code"] == "changes"


def test_a_static_input_of_each_element_is_that_of_its_time(api):
    nodes = """
  - slug: wet
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: t
  - slug: factor
    static_input: factor
    at: wet
    unit: kg/t
  - slug: dry
    formula: sum(wet * factor)
    unit: t
"""
    yard = Yard(api, nodes)
    for moment, value in (("2024-06-01", 100), ("2025-01-15", 200)):
        given.static_input(
            api, yard.project, slug="factor", value=value, unit="kg/t", effective_from=f"{moment}T00:00:00Z"
        )
    ids = [yard.deliver(10, day=day)["mass"] for day in (1, 20)]

    assert yard.came_to(*ids) == {"wet": [10, 10], "factor": [100, 200], "dry": 3}


def test_a_static_input_by_feedstock_is_that_of_the_feedstock_that_all_events_share(api):
    yard = Yard(api, STATIC.replace("static_input: factor", "static_input: factor\n    by: feedstock"))
    wood, straw = (given.feedstock(api, yard.project)["id"] for _ in range(2))
    given.static_input(api, yard.project, slug="factor", value=500, unit="kg/t", feedstock_id=wood)
    mine, other = yard.deliver(2, feedstock_id=wood), yard.deliver(2, feedstock_id=straw)

    assert yard.came_to(mine["mass"])["dry"] == 1
    assert yard.problems(mine["mass"], other["mass"]) == [("factor", "required")]
