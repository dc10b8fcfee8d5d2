"""Prism holds every request of a quarter, and every answer of the double, against Isometric's document.

The document is Isometric's, and is not in this repository: ISOMETRIC_OPENAPI names it.
"""

import os
from collections import Counter

import pytest
from tests.given import prism
from tests.given.certified import certified_plant
from tests.given.certify import certify
from tests.reporting.isometric.test_kills import carry_out_with_kills

EVERY = int(os.environ.get("EVERY", "25"))
"""Of the calls of a quarter, at every how manyth whoever sends is killed."""

pytestmark = pytest.mark.skipif(bool(prism.MISSING), reason=prism.MISSING or "both are there")


@pytest.fixture(scope="module")
def double():
    with certify(says_uploaded=False) as listening:
        yield listening


@pytest.fixture(scope="module")
def judge(double, tmp_path_factory):
    with prism.proxy(double.address, tmp_path_factory.mktemp("prism") / "prism.log") as address:
        yield address


@pytest.fixture(autouse=True)
def _empty(double):
    double.forget()
    double.every, double.holds_reading = 1, False


@pytest.fixture
def plant(api, drain, judge):
    """The plant, whose registry is the double with the judge before it."""
    return certified_plant(api, drain, judge)


def refused(plant, report):
    """The calls of a report that were refused."""
    calls, query = [], {"page_size": 200, "sort": "id"}
    path = f"/reports/{report['id']}/registry_calls"
    page = plant.api.get(path, query).expect(200)
    calls += page.data
    while cursor := page.info.get("next_cursor"):
        page = plant.api.get(path, {"page_size": 200, "cursor": cursor}).expect(200)
        calls += page.data
    return [(one["method"], one["path"], one["answer"]) for one in calls if (one["http_status"] or 0) >= 400]


def test_all_requests_of_a_quarter_are_valid(plant, double):
    plant.attach_certificate()
    plant.map()

    found = plant.submit(plant.draft())

    assert found["status"] == "submitted", found["history"]
    assert refused(plant, found) == []
    assert (double.statement["status"], len(double.files)) == ("AWAITING_VERIFICATION", 2)


def test_a_request_that_the_document_does_not_allow_is_refused(plant):
    """Prism refuses a kind of quantity that the registry does not know; the double would take it."""
    value = {"data_point": "temperature", "quantity_kind": "warmth", "unit": "degC"}
    plant.map(sensors=[{"event_type": "kiln-temperature", "value": value}])

    found = plant.submit(plant.draft())

    assert found["status"] == "failed"
    assert "422" in found["history"][-1]["reason"]


def test_a_quarter_with_kills_at_calls_is_sent_by_valid_requests_and_nothing_is_doubled(
    server, account, plant, double, capsys
):
    """Every call of the quarter, those that read among them, is killed before and after it is carried out.

    A run of all tests kills at every EVERYth; `make certify` at each, in some minutes.
    """
    plant.attach_certificate()
    plant.map()
    report = plant.draft()
    double.every, double.holds_reading = EVERY, True

    kills = carry_out_with_kills(server, account, plant, double, report)

    assert plant.read(report)["status"] == "submitted"
    assert refused(plant, report) == []
    assert (double.doubled, set(double.references.values())) == ({}, {1})
    assert plant.statement(report)["findings"] == []
    assert sum(plant.statement(report)["record_counts"].values()) == len(double.references) + 2
    assert kills == len(double.held) // EVERY > 0
    with capsys.disabled():
        if EVERY == 1:
            calls = Counter(method for method, *_ in double.journal)
            print(f"\n{dict(calls)}, {kills} kills, {len(double.doubled)} doubled")  # noqa: T201 - the figures


def test_the_lists_that_a_mapping_is_chosen_from_are_read_by_valid_requests(api, drain, plant):
    path = f"/registries/{plant.registry['id']}/catalogue"
    task = api.post(path, {}).expect(202).body["async_task_id"]
    drain()

    ended = api.get(f"/async_tasks/{task}").expect(200).body

    assert ended["state"] == "complete", ended["error_message"]
    kinds = {one["kind"] for one in api.get(path, {"page_size": 200}).data}
    assert kinds == {
        "project",
        "removal_template",
        "component_blueprint",
        "feedstock_type",
        "storage_location",
    }
