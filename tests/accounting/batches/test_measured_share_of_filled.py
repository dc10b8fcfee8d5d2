"""What batches rest on where rules fill gaps: substituted and imputed values count as what they are."""

from decimal import Decimal

import pytest
from tests.accounting.batches.test_measured_share import confirmed, shares
from tests.given import accounting
from tests.given.gaps import body, filling, hours, report, stack
from tests.given.rule_evaluation import calibration, correct, work

DAY = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")
MEAN = {"method": "mean_before_after"}

SUM = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""
BY_LOAD = """
  - slug: emission
    input:
      {event_type: hour, data_point_type: so2, aggregate: average, weight: load, coverage: any}
    unit: t
    output: true
"""
HOUR_BY_HOUR = """
  - slug: so2
    input: {event_type: hour, data_point_type: so2, aggregate: values, coverage: any}
    unit: t
  - slug: emission
    formula: "sum(2 * so2)"
    unit: t
    output: true
"""
LARGEST = SUM.replace("aggregate: sum", "aggregate: max")


@pytest.fixture
def project(api):
    """Two rules fill it: hours that are bad, and hours that never came."""
    project = stack(api)
    filling(api, project, MEAN, name="Substitute")
    filling(api, project, MEAN, purpose="impute", name="Impute")
    return project


@pytest.fixture
def plant_of(api, drain, project, server):
    """Makes a plant of some nodes over the hours; at the end all its batches recompute."""
    plants = []

    def make(nodes=SUM):
        text = accounting.document(nodes, cadence="daily", primary_output="emission")
        model = accounting.model(api, project, text)
        ledger = accounting.ledger(api, project, model, name="Emissions")
        plants.append(accounting.Plant(api, drain, project, model, ledger))
        return plants[-1]

    yield make
    assert [confirmed(server, plant) for plant in plants] == [[] for _ in plants]


def test_substituted_and_imputed_hours_count_as_such(api, account, project, plant_of):
    """10 + 14 + 16 t measured, 12 t substituted, 15 t imputed: 40, 12 and 15 of 67."""
    report(api, project, "10 !99 14 - 16")
    work(account)
    plant = plant_of()
    (entry,) = plant.preview(DAY)

    plant.generate(DAY)

    (batch,) = plant.batches()
    assert batch["run_total"] == 67
    assert shares(batch) == {
        "captured": Decimal("0.597014925373"),
        "substituted": Decimal("0.179104477612"),
        "imputed": Decimal("0.223880597015"),
    }
    assert shares(entry) == shares(batch)


@pytest.mark.parametrize("nodes", [HOUR_BY_HOUR, BY_LOAD], ids=["hour by hour", "by a weight"])
def test_it_is_the_same_where_hours_are_read_one_by_one(api, account, project, plant_of, nodes):
    """The load is 50 in every hour that came; the imputed hour has none and weighs nothing."""
    report(api, project, "10 !99 14 - 16")
    filling(api, project, {"method": "previous"}, purpose="impute", data_point="load", name="Load")
    work(account)
    plant = plant_of(nodes)

    plant.generate(DAY)

    assert shares(plant.batches()[0]) == {
        "captured": Decimal("0.597014925373"),
        "substituted": Decimal("0.179104477612"),
        "imputed": Decimal("0.223880597015"),
    }


def test_the_largest_value_is_what_it_is_itself(api, account, project, plant_of):
    report(api, project, "20 - 30 !1 40")
    work(account)
    plant = plant_of(LARGEST)
    plant.generate(DAY)
    assert shares(plant.batches()[0]) == {"captured": 1}

    correct(api, project, hours(api, project)[5]["event"], 31)
    correct(api, project, hours(api, project)[3]["event"], 39)
    correct(api, project, hours(api, project)[5]["event"], 3)
    work(account)
    plant.generate(DAY)

    assert [(batch["run_total"], shares(batch)) for batch in plant.batches()[-1:]] == [(39, {"manual": 1})]


def test_a_person_takes_the_place_of_what_a_rule_filled(api, account, project, plant_of):
    report(api, project, "10 !99 14 - 16")
    work(account)
    plant = plant_of()
    plant.generate(DAY)

    correct(api, project, hours(api, project)[2]["event"], 13)
    correct(api, project, hours(api, project)[4]["event"], 17)
    work(account)
    plant.generate(DAY)

    first, *_ = plant.batches()
    assert first["run_total"] == 70
    assert shares(first) == {"captured": Decimal("0.571428571429"), "manual": Decimal("0.428571428571")}


def test_an_hour_that_came_after_all_is_measured(api, account, project, plant_of):
    report(api, project, "10 - 14")
    work(account)
    plant = plant_of()
    plant.generate(DAY)
    assert shares(plant.batches()[0]) == {
        "captured": Decimal("0.666666666667"),
        "imputed": Decimal("0.333333333333"),
    }

    api.post(f"/projects/{project['id']}/events", {"event": body(2, "12")}).expect(201)
    work(account)
    plant.generate(DAY)

    assert {tuple(shares(batch)) for batch in plant.batches()} == {("captured",)}


def test_a_calibration_stands_over_a_substitution(api, account, project, plant_of):
    calibration(api, project, "{{so2}} > 50", "{{so2}} / 10", data_point="so2", name="Decimal point")
    report(api, project, "10 !100 10")
    work(account)
    plant = plant_of()

    plant.generate(DAY)

    assert shares(plant.batches()[0]) == {
        "captured": Decimal("0.666666666667"),
        "adjusted": Decimal("0.333333333333"),
    }


def test_the_values_of_a_batch_say_of_themselves_what_its_shares_say_in_sum(api, account, project, plant_of):
    report(api, project, "10 !99 14 - 16")
    work(account)
    plant = plant_of()
    plant.generate(DAY)

    (batch,) = plant.batches()
    told = {}
    for row in batch["input_data"]:
        point = row["data_point"]
        kind = point["substituted"], point["imputed"]
        told[kind] = told.get(kind, 0) + point["value"]

    assert told == {(False, False): 40, (True, False): 12, (False, True): 15}
