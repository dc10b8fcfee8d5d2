"""Prism holds every request of a quarter, and every answer of the double, against Isometric's document.

The document is Isometric's, and is not in this repository: ISOMETRIC_OPENAPI names it.
"""

import pytest
from tests.given import prism
from tests.given.certify import certified_plant, certify
from tests.reporting.isometric.test_kills import carry_out_with_kills

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


def test_after_kills_at_each_call_all_requests_are_valid_and_nothing_is_doubled(
    server, account, plant, double
):
    plant.attach_certificate()
    plant.map()
    report = plant.draft(2)

    carry_out_with_kills(server, account, plant, double, report)

    assert plant.read(report)["status"] == "submitted"
    assert refused(plant, report) == []
    assert set(double.references.values()) == {1}
    assert (double.count("/ghg_statements"), double.count("/data-upload-submissions")) == (1, 1)


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
