"""A value that a rule imputes counts for each input that reads no other which is missing.

The events of the stack require a concentration and a load, as data points do unless it is said otherwise.
"""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.gaps import filling
from tests.given.rule_evaluation import work

from weighbridge.verification.recomputation import check_batches

READS_ONE = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""
READS_BOTH = """
  - slug: concentration
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
  - slug: load
    input: {event_type: hour, data_point_type: load, aggregate: sum, coverage: any}
    unit: t
  - slug: emission
    formula: concentration + load
    unit: t
    output: true
"""
READS_WHERE = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any, where: load > 1}
    unit: t
    output: true
"""
READS_IN_ORDER = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: last, coverage: any}
    unit: t
    output: true
"""
DAY = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")
MEAN = {"method": "mean_before_after"}


@pytest.fixture
def project(api, account):
    """Hours of 10, none, and 14; a rule has imputed the concentration of the second."""
    points = [given.number("so2"), given.number("load")]
    project = given.measuring(api, *points, slug="hour", cadence_amount=1, cadence_unit="hour")
    bodies = [
        given.event_body(event_type="hour", start_time=f"2025-01-01T{hour}:00:00Z", values=values)
        for hour, values in (("00", {"so2": 10, "load": 3}), ("02", {"so2": 14, "load": 5}))
    ]
    given.events(api, project, bodies)
    filling(api, project, MEAN, purpose="impute", expression="{{so2}} < 0")
    work(account)
    return project


@pytest.fixture
def generated(api, account, drain, project):
    """Generates by a model; gives the total, and how many events are named as incomplete."""

    def generate(nodes):
        text = accounting.document(nodes, cadence="daily", primary_output="emission")
        model = accounting.model(api, project, text)
        ledger = accounting.ledger(api, project, model, name="Emissions")
        plant = accounting.Plant(api, drain, project, model, ledger)
        result = plant.generate(DAY)
        named = [one for one in result["not_counted"] if "lack a required" in one["reason"]]

        async def check():
            async with account.server.database.read() as tx:
                return (await check_batches(tx, project["numeric_id"]))[1]

        assert account.server.run(check()) == []
        [batch] = plant.batches()
        return batch["run_total"], [one["event_count"] for one in named]

    return generate


@pytest.mark.parametrize(
    ("nodes", "said"),
    [(READS_ONE, (36, [])), (READS_BOTH, (32, [1])), (READS_WHERE, (24, [1])), (READS_IN_ORDER, (14, []))],
    ids=["the value", "another too", "another in a condition", "in order"],
)
def test_an_imputed_value_counts_where_nothing_else_is_read_that_is_missing(generated, nodes, said):
    assert generated(nodes) == said


def test_two_rules_fill_what_an_input_reads_of_two_data_points(api, account, project, generated):
    """12 and 4 beside 24 and 8."""
    fields = {"purpose": "impute", "expression": "{{load}} < 0", "data_point": "load", "name": "Loads"}
    filling(api, project, MEAN, **fields)
    work(account)

    assert generated(READS_BOTH) == (48, [])
