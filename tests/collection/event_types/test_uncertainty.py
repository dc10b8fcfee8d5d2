"""What an event type states of how well the values of its data point types are known."""

from decimal import Decimal

import pytest
from tests.given import collection as given

HALF_WIDTH = {"half_width": Decimal("40.0"), "coverage_factor": 2, "unit": "kg", "source": "data sheet"}
MASS = given.number("mass") | {"uncertainty": HALF_WIDTH}


@pytest.fixture
def project(api):
    return given.project(api)


def update(api, project, event_type, *points):
    path = f"/projects/{project['id']}/event_types/{event_type['id']}"
    return api.patch(path, {"event_type": {"data_point_types": list(points)}})


def test_a_data_point_type_says_how_well_its_values_are_known(api, project):
    made = given.event_type(api, project, data_point_types=[MASS, given.number("ash", unit="%")])

    mass, ash = made["data_point_types"]

    assert (mass["uncertainty"], ash["uncertainty"]) == (HALF_WIDTH, None)
    assert api.get(f"/projects/{project['id']}/event_types/{made['id']}").body == made


def test_it_is_stated_anew_kept_and_taken_away(api, project):
    delivery = given.event_type(api, project, data_point_types=[MASS])

    [kept] = (
        update(api, project, delivery, {"slug": "mass", "name": "Gross"}).expect(200).body["data_point_types"]
    )
    assert kept["uncertainty"] == HALF_WIDTH
    anew = {"slug": "mass", "uncertainty": {"relative_standard": Decimal("0.001"), "distribution": "normal"}}
    [restated] = update(api, project, delivery, anew).expect(200).body["data_point_types"]
    assert restated["uncertainty"] == {"relative_standard": Decimal("0.001")}
    [bare] = (
        update(api, project, delivery, {"slug": "mass", "uncertainty": None})
        .expect(200)
        .body["data_point_types"]
    )
    assert bare["uncertainty"] is None
    added = update(
        api,
        project,
        delivery,
        {"slug": "mass"},
        given.number("ash", unit="%") | {"uncertainty": {"standard": 1}},
    )
    assert added.expect(200).body["data_point_types"][1]["uncertainty"] == {"standard": 1}


@pytest.mark.parametrize(
    ("point", "field"),
    [
        (MASS | {"unit": "m"}, "uncertainty.unit"),
        (given.text("note") | {"uncertainty": {"standard": 1}}, "uncertainty"),
        (given.number("heat", unit="degC") | {"uncertainty": {"relative_standard": 1}}, "uncertainty"),
    ],
)
def test_a_statement_that_does_not_fit_its_values_is_refused(api, project, point, field):
    body = {"event_type": {"name": "Delivery", "data_point_types": [point]}}

    error = api.post(f"/projects/{project['id']}/event_types", body).expect(422).error

    assert error["field"] == f"data_point_types[0].{field}"


def test_a_unit_that_no_longer_fits_the_statement_is_refused(api, project):
    delivery = given.event_type(api, project, data_point_types=[MASS])

    error = update(api, project, delivery, {"slug": "mass", "unit": "m"}).expect(422).error

    assert error["field"] == "data_point_types[0].uncertainty.unit"
