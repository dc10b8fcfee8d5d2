"""POST /models/{model_id}/model_runs with inputs that are joined: "elements matched one to one or many to one
to the other input's; an unmatched or doubly matched element is an error naming the events".
"""

from decimal import Decimal

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document
from tests.given.model_runs import Yard

JOINED = """
  - slug: wet
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: t
  - slug: moisture
    input: {event_type: lab, data_point_type: moisture, aggregate: values, period: any,
            join: {to: wet, on: tracking_id}}
    unit: "%"
  - slug: dry
    formula: sum(wet * (1 - moisture))
    unit: t
"""


class Lab(Yard):
    """A yard whose moisture comes from a laboratory, days later."""

    def __init__(self, api, nodes):
        super().__init__(api, MASS, primary_output="mass")
        points = [given.number("moisture", unit="%"), given.text("grade")]
        given.event_type(api, self.project, slug="lab", data_point_types=points)
        self.model = accounting.model(api, self.project, document(nodes, primary_output="dry"))

    def analyse(self, moisture, **fields):
        """An analysis; gives its event and the id of the moisture."""
        values = {"moisture": moisture} | ({"grade": fields.pop("grade")} if "grade" in fields else {})
        moment = {"event_type": "lab", "start_time": "2025-02-10T00:00:00Z"} | fields
        event = given.event(self.api, self.project, values=values, **moment)
        return event["data_points"][0]["id"]


def test_a_joined_input_has_the_element_that_matches_each_of_the_other(api):
    yard = Lab(api, JOINED)
    first, second = (yard.deliver(mass, tracking_id=f"lot {mass}")["mass"] for mass in (1, 2))
    third = yard.deliver(4, day=3, tracking_id="lot 1")["mass"]
    late, early = (yard.analyse(10 * lot, tracking_id=f"lot {lot}") for lot in (2, 1))

    values = yard.came_to(first, second, third, late, early)

    assert values == {"wet": [1, 2, 4], "moisture": [10, 20, 10], "dry": Decimal("6.1")}


def test_an_element_that_matches_nothing_or_twice_is_refused_by_name(api):
    yard = Lab(api, JOINED)
    one, lone = yard.deliver(1, tracking_id="lot 1"), yard.deliver(2, tracking_id="lot 2")
    twice = [yard.analyse(moisture, tracking_id="lot 1") for moisture in (10, 20)]
    stray = yard.analyse(30, tracking_id="lot 3")

    errors = yard.ask(one["mass"], lone["mass"], *twice, stray).expect(422).errors

    assert [error["message"].partition(" evt_")[0] for error in errors] == [
        "Input 'moisture' has nothing that matches",
        "Input 'moisture' matches",
        "Input 'moisture' has events that match nothing of 'wet':",
    ]
    assert {(error["field"], error["code"]) for error in errors} == {("data_point_ids", "unmatched")}
    assert (errors[0]["records"], errors[1]["records"][0]) == ([lone["event"]], one["event"])
    assert [len(error["records"]) for error in errors] == [1, 3, 2]


def test_a_joined_input_may_match_by_time(api):
    yard = Lab(api, JOINED.replace("on: tracking_id", "on: interval"))
    ids = [yard.deliver(2 * day, start_time=f"2025-01-0{day}T12:00:00Z")["mass"] for day in (1, 2)]
    shifts = [
        yard.analyse(50, start_time=f"2025-01-0{day}T06:00:00Z", end_time=f"2025-01-0{day}T18:00:00Z")
        for day in (1, 2)
    ]

    assert yard.came_to(*ids, *shifts)["dry"] == 3


def test_a_joined_input_may_match_by_a_text(api):
    yard = Lab(api, JOINED.replace("on: tracking_id", "on: grade"))
    ids = [yard.deliver(mass, values={"grade": grade})["mass"] for mass, grade in ((1, "a"), (2, "b"))]
    analyses = [yard.analyse(moisture, grade=grade) for moisture, grade in ((50, "b"), (10, "a"))]

    assert yard.came_to(*ids, *analyses) == {"wet": [1, 2], "moisture": [10, 50], "dry": Decimal("1.9")}


def test_a_joined_input_may_be_averaged_by_the_weight_of_what_it_is_joined_to(api):
    nodes = JOINED.replace("moisture, aggregate: values", "moisture, aggregate: average, weight: mass")
    yard = Lab(api, nodes.replace("sum(wet * (1 - moisture))", "sum(wet) * (1 - moisture)"))
    ids = [yard.deliver(mass, tracking_id=f"lot {mass}")["mass"] for mass in (1, 3)]
    analyses = [yard.analyse(10 * lot, tracking_id=f"lot {lot}") for lot in (1, 3)]

    assert yard.came_to(*ids, *analyses) == {"wet": [1, 3], "moisture": 25, "dry": 3}
