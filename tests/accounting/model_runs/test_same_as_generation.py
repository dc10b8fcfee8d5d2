"""POST /models/{model_id}/model_runs beside a generation: over the same data both come to the same digits and
say the same of what is wrong, because both are one engine.
"""

from decimal import Decimal
from pathlib import Path

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.accounting import JANUARY, Plant
from tests.given.inputs import WET

from weighbridge.core.model import Input, StaticInput
from weighbridge.modelling.documents import read_model

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))
YEAR = ("2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")
SINCE = "2024-01-01T00:00:00Z"
FIELD = "data_point_ids"


class Works:
    """A plant that remembers the data points of all that it measures."""

    def __init__(self, plant):
        self.plant, self.api, self.project = plant, plant.api, plant.project
        self.data_points = []

    def take(self, kind, values, start, *, end=None, **fields):
        """One event of a kind; times may be days of January, numbers are texts or whole."""
        times = {"start_time": _time(start)} | ({"end_time": _time(end)} if end else {})
        values = {slug: value if slug == "code" else Decimal(value) for slug, value in values.items()}
        made = given.event(self.api, self.project, event_type=kind, values=values, **times, **fields)
        self.data_points += [one["id"] for one in made["data_points"]]

    def factor(self, value, since=SINCE, **fields):
        given.static_input(
            self.api, self.project, slug="share", value=value, effective_from=since,
            **{"unit": "%"} | fields,
        )  # fmt: skip

    def run(self, times=JANUARY, data_points=None):
        """The answer to a run by itself, over all that was measured unless it is said over what."""
        named = self.data_points if data_points is None else data_points
        body = {"start_time": times[0], "end_time": times[1], "data_point_ids": named}
        return self.api.post(f"/models/{self.plant.model['id']}/model_runs", {"model_run": body})

    def both(self, times=JANUARY):
        """The values of the nodes of each batch that is generated; a run over its data must have the same."""
        self.plant.generate(times)
        return [self._both(batch) for batch in self.plant.batches()]

    def _both(self, batch):
        path = f"/batches/{batch['id']}"
        nodes = self.api.get(f"{path}/lineage").expect(200).body["nodes"]
        generated = {one["slug"]: one["elements"] if one["value"] is None else one["value"] for one in nodes}
        rows = self.api.get(f"{path}/input_data", {"page_size": "200"}).expect(200).data
        data_points = [row["data_point"]["id"] for row in rows]
        run = self.run((batch["start_time"], batch["end_time"]), data_points).expect(201).body
        assert run["state"] == "complete", run["error_message"]
        alone = {one["slug"]: one["value"] for one in run["calculations"]}
        assert _digits(alone) == _digits(generated)
        return generated


def _time(moment):
    return f"2025-01-{moment:02d}T00:00:00Z" if isinstance(moment, int) else moment


def _digits(values):
    """Values as texts: numbers that are equal may differ in their digits."""
    return {slug: str(value) for slug, value in values.items()}


def works(api, drain, nodes, unit, **fields):
    """A plant with deliveries, a laboratory, bills and a tank, whose model comes to the node `dry`."""
    return Works(given_inputs.plant(api, drain, nodes, primary_output="dry", unit=unit, **fields))


def works_of(api, drain, text):
    """A plant that measures what a document reads; every static input has a value."""
    model, project = read_model(text), given.project(api)
    read = {}
    for node in model.nodes:
        if isinstance(node.body, Input):
            read.setdefault(node.body.event_type, {})[node.body.data_point_type] = node.unit.text or None
    for slug, points in read.items():
        types = [given.number(point, unit=unit) for point, unit in points.items()]
        given.event_type(api, project, slug=slug, data_point_types=types)
    for place, node in enumerate(model.nodes):
        if isinstance(node.body, StaticInput):
            value, unit = Decimal("12.0625") + place, node.unit.text or None
            given.static_input(
                api, project, slug=node.body.slug, value=value, unit=unit, effective_from=SINCE
            )  # fmt: skip
    made = accounting.model(api, project, text)
    unit = model.node(model.primary_output).unit.text or "1"
    ledger = accounting.ledger(api, project, made, unit=unit)
    return Works(Plant(api, drain, project, made, ledger)), read


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_published_examples(api, drain, path):
    plant, read = works_of(api, drain, path.read_text())
    for kind, points in read.items():
        for day in (3, 4, 9):
            values = {slug: f"0.{day}1234567890123456789{place}" for place, slug in enumerate(points)}
            plant.take(kind, values, day, end=f"2025-01-{day:02d}T01:00:00Z", tracking_id="lot 1")

    assert plant.both(YEAR)


def reading(kind, point, aggregate, unit, options=""):
    """One input, and nothing else."""
    return f"""
  - slug: dry
    input: {{event_type: {kind}, data_point_type: {point}, aggregate: {aggregate}{options}}}
    unit: "{unit}"
"""


def formula(text, unit="t"):
    return f"  - slug: dry\n    formula: {text}\n    unit: {unit}\n"


def joined(on, aggregate="values", options=""):
    """Deliveries with a laboratory result each."""
    return f"""{WET}
  - slug: moisture
    input: {{event_type: lab, data_point_type: moisture, aggregate: {aggregate}{options},
      join: {{to: wet, on: {on}}}}}
    unit: "1"
"""


def factored(options=""):
    """Deliveries with a factor of the project."""
    return f"""{WET}
  - slug: factor
    static_input: {{slug: share{options}}}
    unit: "%"
{formula("sum(wet * factor)", "kg")}"""


EACH_DRY = formula("sum(wet * (1 - moisture))")
MEAN_DRY = formula("sum(wet) * (1 - moisture)")
BY_SAMPLE = reading("lab", "moisture", "average", "1", ", weight: sample")
DELTA = reading("tank", "level", "delta", "kg")
DIVIDED = reading("bill", "energy", "sum", "MJ", ", straddle: prorate")
SIDE_BY_SIDE = f"""
  - slug: sample
    input: {{event_type: lab, data_point_type: sample, aggregate: values}}
    unit: kg
  - slug: moisture
    input: {{event_type: lab, data_point_type: moisture, aggregate: values}}
    unit: "1"
{formula("sum(sample * (1 - moisture))", "kg")}"""


def analysed(analysed_on):
    def take(plant):
        for mass, lot in (("1.7", "A"), ("2.3", "B"), ("0.1", "A")):
            plant.take("delivery", {"mass": mass, "code": lot.lower()}, 3, tracking_id=lot, end=4)
        for moisture, lot in (("10.3", "B"), ("20.7", "A")):
            values = {"moisture": moisture, "sample": "3.1", "code": lot.lower()}
            plant.take("lab", values, analysed_on, tracking_id=lot)

    return take


in_time, late = analysed(3), analysed("2025-02-11T00:00:00Z")


def levels(plant):
    for level, moment in (
        (100, "2024-12-28T00:00:00Z"),
        ("130.25", 7),
        (20, "2025-01-19T11:07:03Z"),
        (27, 30),
    ):
        plant.take("tank", {"level": level}, moment)


def bills(plant):
    plant.take("bill", {"energy": "100"}, "2024-12-12T00:00:00Z", end=17)
    plant.take("bill", {"energy": "250.7"}, 17, end="2025-02-03T00:00:00Z")


def deliveries(plant):
    for mass, hours in (("1.7", "07"), ("2.3", "03"), ("0.1", "13")):
        plant.take("delivery", {"mass": mass}, 3, end=f"2025-01-04T{hours}:00:00Z")
    plant.factor(3)


def coded(plant):
    for day, code in ((3, "x"), (4, "y")):
        plant.take("delivery", {"mass": 1, "code": code}, day)


def at_one_moment(plant):
    """Deliveries that no time tells apart; the values say which comes first."""
    for moisture, sample in ((50, "1.5"), (10, 2), (30, 3)):
        plant.take("lab", {"moisture": moisture, "sample": sample}, 3)


WAYS = {
    "a join by tracking id": (joined("tracking_id") + EACH_DRY, "t", in_time),
    "a join of any period": (joined("tracking_id", options=", period: any") + EACH_DRY, "t", late),
    "a join by a text": (joined("code", options=", period: any") + EACH_DRY, "t", late),
    "a join by time": (
        joined("interval", options=', where: code = "b"').replace("values}", 'values, where: code = "b"}')
        + EACH_DRY, "t", in_time,
    ),
    "a joined average": (joined("code", "average", ", period: any") + MEAN_DRY, "t", late),
    "an average by the weight of what is joined to": (
        joined("tracking_id", "average", ", weight: mass") + MEAN_DRY, "t", in_time
    ),
    "an average by a weight": (BY_SAMPLE, "1", at_one_moment),
    "arrays side by side": (SIDE_BY_SIDE, "kg", at_one_moment),
    "a totaliser": (DELTA, "kg", levels),
    "an average over time": (reading("tank", "level", "time_weighted", "kg"), "kg", levels),
    "a median": (reading("tank", "level", "median", "t", ", where: level > 25"), "t", levels),
    "what is cut at the boundaries": (DIVIDED, "MJ", bills),
    "what begins in the slot": (reading("bill", "energy", "max", "MJ", ", straddle: start"), "MJ", bills),
    "what ends in the slot": (reading("bill", "energy", "last", "MJ", ", straddle: end"), "MJ", bills),
    "a count of texts": (reading("delivery", "code", "count", "1"), "1", coded),
    "durations and the period": (
        WET + formula('sum(wet * value(duration_hours(wet), "h")) / value(period_days(), "d")'),
        "t", deliveries,
    ),
    "a static input": (factored(), "kg", deliveries),
    "a static input at each element": (factored(", at: wet"), "kg", deliveries),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_every_way_of_reading(api, drain, name):
    nodes, unit, measure = WAYS[name]
    plant = works(api, drain, nodes, unit)
    measure(plant)

    [nodes_of_batch] = plant.both()

    assert nodes_of_batch["dry"]


@pytest.mark.parametrize("options", ["", ", at: wet"])
def test_each_partition_by_itself(api, drain, options):
    plant = works(api, drain, factored(f"{options}, by: feedstock"), "kg", partition_type="feedstock")
    for name, masses in (("Wood", ("1.7", "0.3")), ("Straw", ("2.9", "0.1"))):
        tag = plant.plant.feedstock(name)
        plant.factor(len(name), feedstock_id=tag)
        for mass in masses:
            plant.take("delivery", {"mass": mass}, 3, feedstock_id=tag)

    straw, wood = plant.both()

    assert (straw["dry"], wood["dry"]) == (150, 80)


def test_what_a_cadence_expects_goes_by_the_clock_of_the_project(api, drain):
    nodes, january = reading("bill", "energy", "sum", "MJ"), ("2024-12-31T23:00:00Z", "2025-01-31T23:00:00Z")
    plant = works(api, drain, nodes, "MJ", cadences={"bill": (1, "day")}, time_zone="Europe/Berlin")
    for day in range(1, 31):
        plant.take("bill", {"energy": 1}, f"2025-01-{day:02d}T00:15:00+01:00")

    [error] = plant.run(january).expect(422).errors
    assert [f"2025-01: {error['message']}"] == plant.plant.preview(january)[0]["problems"]

    plant.take("bill", {"energy": 5}, "2025-01-31T23:59:59+01:00")
    assert plant.both(january) == [{"dry": 126}]


def one_delivery(plant):
    plant.take("delivery", {"mass": 1}, 3, tracking_id="A")


def analysed_twice(plant):
    one_delivery(plant)
    for day, lot in ((4, "A"), (5, "A"), (6, "C")):
        plant.take("lab", {"moisture": 10}, day, tracking_id=lot)


def one_unweighted(plant):
    plant.take("lab", {"moisture": 10, "sample": 1}, 4)
    plant.take("lab", {"moisture": 10}, 5)


def weightless(plant):
    plant.take("lab", {"moisture": 10, "sample": 0}, 4)


def one_level(plant):
    plant.take("tank", {"level": 10}, 7)


def one_bill(plant):
    plant.take("bill", {"energy": 10}, 2, end="2025-02-01T00:00:00Z")


def refactored(plant):
    deliveries(plant)
    plant.factor(4, "2025-01-05T00:00:00Z")


FAULTS = {
    "nothing that matches": (joined("tracking_id") + EACH_DRY, "t", one_delivery, (FIELD, "unmatched")),
    "a second match": (joined("tracking_id") + EACH_DRY, "t", analysed_twice, (FIELD, "unmatched")),
    "no weight of a value": (BY_SAMPLE, "1", one_unweighted, (FIELD, "required")),
    "arrays of different events": (SIDE_BY_SIDE, "kg", one_unweighted, (FIELD, "unmatched")),
    "a gap": (DIVIDED, "MJ", one_bill, ("dry", "not_covered")),
    "an input without data": (
        WET + reading("bill", "energy", "max", "MJ"), "MJ", one_delivery, ("dry", "required")
    ),
    "a static input without a value": (factored(), "kg", one_delivery, ("factor", "required")),
    "a static input that changes": (factored(), "kg", refactored, ("factor", "changes")),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_missing_or_does_not_fit_is_said_in_the_same_sentences(api, drain, name):
    nodes, unit, measure, (field, code) = FAULTS[name]
    plant = works(api, drain, nodes, unit)
    measure(plant)

    errors = plant.run().expect(422).errors

    assert [f"2025-01: {error['message']}" for error in errors] == plant.plant.preview()[0]["problems"]
    assert {(error["field"], error["code"]) for error in errors} == {(field, code)}


FAILURES = {
    "weights of zero": (BY_SAMPLE, "1", weightless),
    "a totaliser with one reading": (DELTA, "kg", one_level),
    "a division by zero": (WET + formula("sum(wet) / 0"), "t", one_delivery),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_run_that_comes_to_no_value_fails_with_the_same_sentence(api, drain, name):
    nodes, unit, measure = FAILURES[name]
    plant = works(api, drain, nodes, unit)
    measure(plant)

    run = plant.run().expect(201).body

    assert run["state"] == "failed"
    assert f"2025-01: {run['error_message']}" == plant.plant.failure()
