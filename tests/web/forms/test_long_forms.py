"""A form of many rows is made beside other requests, whether an address or a typed field asks for them."""

import pytest
from tests.given import collection as given
from tests.given.loops import HELD_SECONDS_MAX, tried
from tests.given.people import visitor

ROW = 990


@pytest.fixture
def project(account):
    return given.project(account.caller())


def test_a_row_that_an_address_names_holds_up_nobody(account, project):
    kind = given.event_type(account.caller(), project, expected_locations="two")
    form = f"/projects/{project['id']}/events/new?event_type_id={kind['id']}"
    somebody = visitor(account)

    answer, held = tried(account.server, lambda: somebody.get(f"{form}&locations[{ROW}].id=1"))

    assert f'name="locations[{ROW}].id"' in answer.expect(200).text
    assert held < HELD_SECONDS_MAX


def test_a_row_that_is_typed_holds_up_nobody(account, project):
    form = f"/projects/{project['id']}/event_types/new"
    somebody = visitor(account)

    answer, held = tried(
        account.server, lambda: somebody.post(form, {f"data_point_types[{ROW}].name": "Mass"})
    )

    assert f'name="data_point_types[{ROW}].name"' in answer.expect(422).text
    assert held < HELD_SECONDS_MAX
