"""GET /projects/{project_id}/ledgers (`list_project_ledgers`), and ledgers by project (`list_ledgers`)."""

import pytest
from tests.given import accounting
from tests.given import collection as given


@pytest.fixture
def project(api):
    project = given.project(api)
    for name in ("One", "Two"):
        accounting.ledger(api, project, name=name)
    accounting.ledger(api, given.project(api), name="Elsewhere")
    return project


def names(answer):
    return [ledger["name"] for ledger in answer.expect(200).data]


def test_the_ledgers_of_a_project_are_listed_below_it(api, project):
    for key in ("id", "numeric_id"):
        path = f"/projects/{project[key]}/ledgers"
        assert names(api.get(path)) == ["One", "Two"]
        assert names(api.get(path, {"sort": "-name"})) == ["Two", "One"]
        assert names(api.get(path, {"filter[name]": "Two"})) == ["Two"]


def test_ledgers_are_narrowed_to_a_project_by_its_id_and_its_number(api, project):
    for key in ("id", "numeric_id"):
        assert names(api.get("/ledgers", {"filter[project_id]": str(project[key])})) == ["One", "Two"]
    assert len(names(api.get("/ledgers"))) == 3


def test_they_are_read_as_they_stood_at_a_time(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(2)
    plant.generate()
    path = f"/projects/{plant.project['id']}/ledgers"

    then = api.get(path, {"as_of": "2020-01-01T00:00:00Z"}).expect(200).data

    assert [ledger["balance"] for ledger in then] == [0]
    assert [ledger["balance"] for ledger in api.get(path).expect(200).data] == [2]


def test_the_ledgers_of_another_accounts_project_are_not_found(project, stranger):
    stranger.get(f"/projects/{project['id']}/ledgers").expect(404)
