"""Values that rules put in share the effects of the readings that they came from; beside GTC."""

import random
from decimal import Decimal

import GTC
import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.gaps import body, filling, stack
from tests.given.rule_evaluation import rule, work

HOURS = 24
DAY = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")
OWN, FIRST, SECOND = 0.3, 0.02, 0.05
"""Of each reading, in its unit; and the parts by which two certificates may be off."""

TURN = 10
"""The hours before this one are under the first certificate."""

READ = "  - slug: so2\n    input: {event_type: hour, data_point_type: so2, aggregate: "
NODES = {
    "summed": READ + "sum, coverage: any}\n",
    "covered": READ + "sum}\n",
    "averaged": READ + "average, coverage: any}\n",
    "weighted": READ + "average, weight: load, coverage: any}\n",
    "weighted one by one": READ + "average, weight: load}\n",
    "by time": READ + "time_weighted, coverage: any}\n",
    "one by one": READ.replace("so2\n", "hours\n") + "values}\n    unit: t\n"
    "  - slug: so2\n    formula: sum(hours)\n",
}
JOINED = """  - slug: trucks
    input: {event_type: truck, data_point_type: mass, aggregate: values}
    unit: t
  - slug: so2
    input:
      event_type: hour
      data_point_type: so2
      aggregate: AGGREGATE
      join: {to: trucks, on: interval}
"""
"""The hour of each truck: one hour of several trucks counts several times."""

_OF_TRUCKS = JOINED.replace("- slug: so2", "- slug: at_trucks").replace("AGGREGATE", "average")
AT_TRUCKS = {
    "joined average": JOINED.replace("AGGREGATE", "average"),
    "joined average by weight": JOINED.replace("AGGREGATE", "average\n      weight: mass"),
    "joined and multiplied": _OF_TRUCKS
    + "    unit: t\n  - slug: factor\n    constant: 1.5\n    unit: '1'\n    uncertainty: {standard: 0.02}\n"
    "  - slug: so2\n    formula: at_trucks * factor\n",
    "joined and summed": _OF_TRUCKS
    + "    unit: t\n" + READ.replace("so2\n", "in_all\n") + "sum, coverage: any}\n    unit: t\n"
    "  - slug: so2\n    formula: at_trucks + in_all\n",
}  # fmt: skip
NODES |= AT_TRUCKS
WINDOW = {"kind": "rolling", "members": 4}
METHODS = {
    "mean_before_after": {},
    "linear": {},
    "previous": {},
    "next": {},
    "mean": {"window": WINDOW},
    "median": {"window": WINDOW},
    "minimum": {"window": WINDOW},
    "maximum": {"window": WINDOW},
    "percentile": {"window": WINDOW, "p": 70, "definition": "inclusive"},
    "mean_plus_sd": {"window": WINDOW, "factor": 1.5, "deviation": "sample"},
    "greater_of": {"methods": [{"method": "mean_before_after"}, {"method": "mean", "window": WINDOW}]},
}


class Series:
    """A day of hours, some of them wrong or missing, with what GTC makes of them."""

    def __init__(self, seed, *, imputes=True):
        draw = random.Random(seed)  # noqa: S311 - a series, no secret
        self.values = [Decimal(draw.randint(100, 999)) / 10 for _ in range(HOURS)]
        self.loads = [draw.randint(10, 90) for _ in range(HOURS)]
        free = [*range(5, HOURS - 1)]
        self.wrong = {*draw.sample(free, 4), 12, 13}
        self.missing = (
            {*draw.sample([hour for hour in free if hour not in self.wrong], 3)} if imputes else set()
        )
        self.certificates = GTC.ureal(0, FIRST), GTC.ureal(0, SECOND)
        self.trucks = [*range(HOURS), *draw.sample(range(HOURS), 9)]
        self.masses = [draw.randint(5, 30) for _ in self.trucks]
        self.readings = [
            float(value) * (1 + self.certificates[hour >= TURN]) + GTC.ureal(0, OWN)
            for hour, value in enumerate(self.values)
        ]

    @property
    def filled(self):
        return self.wrong | self.missing

    def store(self, api, project, asset):
        for hour, value in enumerate(self.values):
            if hour not in self.missing:
                event = body(hour + 1, f"!{value}" if hour in self.wrong else str(value), asset_id=asset)
                event["data_points"] = [
                    point | {"value": self.loads[hour]} if point["slug"] == "load" else point
                    for point in event["data_points"]
                ]
                given.events(api, project, [event])

    def find(self, method, hour):
        """What a method comes to, of readings with their uncertainty."""
        before = max(one for one in range(hour) if one not in self.filled)
        after = min(one for one in range(hour, HOURS) if one not in self.filled)
        one, other = self.readings[before], self.readings[after]
        members = [self.readings[one] for one in range(hour) if one not in self.filled][-4:]
        ranked, mean = sorted(members, key=GTC.value), sum(members) / 4
        deviation = GTC.sqrt(sum((member - mean) ** 2 for member in members) / 3)
        return {
            "mean_before_after": (one + other) / 2,
            "linear": one + (other - one) * (hour - before) / (after - before),
            "previous": one,
            "next": other,
            "mean": mean,
            "median": (ranked[1] + ranked[2]) / 2,
            "minimum": ranked[0],
            "maximum": ranked[-1],
            "percentile": ranked[2] + (ranked[3] - ranked[2]) * 0.1,
            "mean_plus_sd": mean + 1.5 * deviation,
            "greater_of": max((one + other) / 2, mean, key=GTC.value),
        }[method]

    def result(self, method, nodes):
        values = [
            self.find(method, hour) if hour in self.filled else self.readings[hour] for hour in range(HOURS)
        ]
        if nodes in AT_TRUCKS:
            return self.result_at_trucks(values, nodes)
        if nodes.startswith("weighted"):
            weights = self.loads
            return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)
        return sum(values) / (HOURS if nodes in ("averaged", "by time") else 1)

    def result_at_trucks(self, values, nodes):
        at_trucks = [values[hour] for hour in self.trucks]
        weights = self.masses if nodes == "joined average by weight" else [1] * len(at_trucks)
        weighed = sum(value * weight for value, weight in zip(at_trucks, weights, strict=True))
        return weighed / sum(weights) + (sum(values) if nodes == "joined and summed" else 0)

    def send_trucks(self, api, project):
        given.event_type(api, project, slug="truck", data_point_types=[given.number("mass")])
        bodies = [
            given.event_body(
                event_type="truck",
                start_time=f"2025-01-01T{hour:02}:00:00Z",
                end_time=f"2025-01-01T{hour:02}:{20 + place}:00Z",
                values={"mass": mass},
            )
            for place, (hour, mass) in enumerate(zip(self.trucks, self.masses, strict=True))
        ]
        given.events(api, project, bodies)


@pytest.fixture
def generate(api, account):
    return build_generate(api, account)


def build_generate(api, account):
    """What generates a day of a series whose gaps are filled by a method, and gives what the batch says."""

    def _generate(series, nodes, correction, head="uncertainty: {}"):
        project = stack(api)
        [kind] = api.get(f"/projects/{project['id']}/event_types").data
        path = f"/projects/{project['id']}/event_types/{kind['id']}"
        points = [
            {"slug": point["slug"]} | ({"uncertainty": {"standard": OWN}} if point["slug"] == "so2" else {})
            for point in api.get(path).body["data_point_types"]
        ]
        api.patch(path, {"event_type": {"data_point_types": points}}).expect(200)
        asset = given.asset(api, project, name="Stack")["id"]
        calibrate(
            api,
            project,
            kind,
            asset,
            size=FIRST,
            start="2024-06-01T00:00:00Z",
            end=f"2025-01-01T{TURN}:00:00Z",
        )
        calibrate(api, project, kind, asset, size=SECOND, start=f"2025-01-01T{TURN}:00:00Z")
        series.store(api, project, asset)
        if nodes in AT_TRUCKS:
            series.send_trucks(api, project)
        filling(api, project, correction, asset_id=asset)
        fields = {"purpose": "impute", "data_point": "so2", "asset_id": asset, "correction": correction}
        rule(api, project, "{{so2}} < 0 or {{quality}} = 'bad'", name="Impute", **fields)
        work(account)
        unit = f"{NODES[nodes]}    unit: t\n"
        text = accounting.document(unit, primary_output="so2", cadence="daily")
        model = accounting.model(api, project, text.replace("nodes:", f"{head}\nnodes:"))
        ledger = accounting.ledger(api, project, model)
        plant = accounting.Plant(api, account.drain, project, model, ledger)
        plant.generate(DAY)
        [batch] = plant.batches()
        return api.get(f"/batches/{batch['id']}").expect(200).body

    return _generate


def calibrate(api, project, kind, asset, *, size, start, end=None):
    body = {
        "name": f"From {start}", "asset_id": asset, "event_type_id": kind["id"], "data_point_type": "so2",
        "valid_from": start, "valid_until": end, "uncertainty": {"relative_standard": size},
    }  # fmt: skip
    api.post(f"/projects/{project['id']}/calibrations", {"calibration": body}).expect(201)


def assert_as_gtc(batch, expected):
    found = batch["uncertainty"]["standard_uncertainty"]
    assert float(found) == pytest.approx(GTC.uncertainty(expected), rel=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("nodes", ["summed", "one by one"])
def test_a_filled_value_shares_what_makes_its_readings_uncertain(generate, method, nodes):
    series = Series(f"{method} {nodes}")

    batch = generate(series, nodes, {"method": method} | METHODS[method])

    assert float(batch["primary_output"]["value"]) == pytest.approx(GTC.value(series.result(method, nodes)))
    assert_as_gtc(batch, series.result(method, nodes))


@pytest.mark.parametrize("nodes", ["covered", "averaged", "weighted", "weighted one by one", "by time"])
def test_every_aggregate_has_what_filled_values_rest_on(generate, nodes):
    series = Series(nodes, imputes=not nodes.startswith("weighted"))

    batch = generate(series, nodes, {"method": "mean"} | METHODS["mean"])

    assert_as_gtc(batch, series.result("mean", nodes))


@pytest.mark.parametrize("method", ["linear", "mean", "greater_of"])
@pytest.mark.parametrize("nodes", ["joined average", "joined average by weight", "joined and summed"])
def test_a_filled_value_that_is_joined_shares_them_as_well(generate, method, nodes):
    series = Series(f"{method} {nodes}")

    batch = generate(series, nodes, {"method": method} | METHODS[method])

    assert float(batch["primary_output"]["value"]) == pytest.approx(GTC.value(series.result(method, nodes)))
    assert_as_gtc(batch, series.result(method, nodes))


def test_a_joined_input_that_correlations_name_counts_a_reading_of_two_trucks_as_one(generate):
    series, nodes = Series("correlated"), "joined and multiplied"
    pairs = "uncertainty: {correlations: [{between: [at_trucks, factor], coefficient: 0.5}]}"

    batch = generate(series, nodes, {"method": "linear"}, pairs)

    average = series.result("linear", nodes)
    certified = sum(GTC.component(average, one) ** 2 for one in series.certificates)
    own = (GTC.variance(average) - certified) ** 0.5
    independent, of_factor = 1.5 * own, 0.02 * GTC.value(average)
    expected = independent**2 + 1.5**2 * certified + of_factor**2 + independent * of_factor
    found = batch["uncertainty"]["standard_uncertainty"]
    assert float(found) == pytest.approx(expected**0.5, rel=1e-10)


@pytest.mark.parametrize("nodes", ["summed", "one by one"])
def test_what_a_rule_states_takes_the_place_of_its_sources(generate, nodes):
    series = Series(nodes)
    stated = {"relative_half_width": 0.2, "distribution": "rectangular"}

    batch = generate(series, nodes, {"method": "constant", "value": 60, "uncertainty": stated})

    captured = sum(series.readings[hour] for hour in range(HOURS) if hour not in series.filled)
    independent = [GTC.ureal(60, 60 * 0.2 / 3**0.5) for _ in series.filled]
    assert_as_gtc(batch, captured + sum(independent))
