"""The condition `valid_when` of an event type: when an event counts as a valid measurement."""

import pytest
from tests.given import collection as given

MASS, QUALITY = given.number("mass"), given.text("quality")
CONDITION = "quality = 'good' and mass > 0"


@pytest.fixture
def project(api):
    return given.project(api)


def update(api, project, event_type, **fields):
    return api.patch(f"/projects/{project['id']}/event_types/{event_type['id']}", {"event_type": fields})


def test_an_event_type_says_when_its_events_are_valid(api, project):
    made = given.event_type(api, project, data_point_types=[MASS, QUALITY], valid_when=CONDITION)
    plain = given.event_type(api, project, slug="plain", data_point_types=[MASS])

    assert made["valid_when"] == CONDITION
    assert plain["valid_when"] is None
    assert update(api, project, plain, valid_when="mass > 0").expect(200).body["valid_when"] == "mass > 0"
    assert update(api, project, plain, name="Other").expect(200).body["valid_when"] == "mass > 0"
    assert update(api, project, plain, valid_when=None).expect(200).body["valid_when"] is None


@pytest.mark.parametrize(
    "condition",
    ["", "mass", "mass >", "ash > 0", "quality > 1", "round(mass, 1) > 0", "quality matches 'g.*'", "'good'"],
)
def test_what_is_no_condition_on_its_events_is_refused(api, project, condition):
    made = given.event_type(api, project, data_point_types=[MASS, QUALITY])
    other = {"name": "Other", "data_point_types": [MASS, QUALITY], "valid_when": condition}

    for answer in (
        update(api, project, made, valid_when=condition),
        api.post(f"/projects/{project['id']}/event_types", {"event_type": other}),
    ):
        assert answer.expect(422).error["field"] == "valid_when"


def test_what_the_condition_names_is_neither_removed_nor_made_another_type(api, project):
    made = given.event_type(api, project, data_point_types=[MASS, QUALITY], valid_when=CONDITION)
    retyped = [MASS, QUALITY | {"value_type": "boolean"}]

    removed = update(api, project, made, data_point_types=[MASS]).expect(422)
    other = update(api, project, made, data_point_types=retyped).expect(422)
    together = update(api, project, made, data_point_types=[MASS], valid_when="mass > 0").expect(200)

    assert removed.error["field"] == other.error["field"] == "valid_when"
    assert together.body["valid_when"] == "mass > 0"


def test_a_condition_is_refused_without_the_data_capture_rate(api, account, sql, project):
    made = given.event_type(api, project, data_point_types=[MASS])
    sql(
        "INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'data_capture_rate', false)",
        account.id,
    )

    refused = update(api, project, made, valid_when="mass > 0").expect(422)

    assert (refused.error["field"], refused.error["code"]) == ("valid_when", "feature_off")
