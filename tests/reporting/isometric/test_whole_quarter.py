"""A quarter of the demonstration's plant, from readings to a submitted statement of Isometric Certify."""

from collections import Counter

import pytest
from tests.given.certified import certified_plant
from tests.given.certify import PROJECT, certify

KINDS = {
    "sensor": 1, "feedstock_batch": 12, "production_batch": 6, "measurement_sample": 9,
    "biochar_application": 7, "datapoint": 13, "project_component": 1, "removal": 6,
    "time_series": 1, "ghg_statement": 1,
}  # fmt: skip


@pytest.fixture
def double():
    with certify() as listening:
        yield listening


@pytest.fixture
def plant(api, drain, double):
    made = certified_plant(api, drain, double.address)
    made.map()
    return made


def test_a_quarter_becomes_a_submitted_statement_with_its_removals(plant, double):
    draft = plant.draft()

    found = plant.submit(draft)

    assert (found["status"], found["history"][-1]["adapter"]) == ("submitted", "isometric_certify")
    assert found["history"][-1]["reference"] == double.statement["id"]
    assert (double.statement["project_id"], double.statement["reporting_period_end_at"]) == (
        PROJECT,
        "2025-03-31",
    )
    told = plant.statement(draft)
    assert told["record_counts"] == KINDS
    assert told["findings"] == []
    assert max(double.references.values()) == 1
    assert Counter(method for method, *_ in double.journal)["DELETE"] == 0
