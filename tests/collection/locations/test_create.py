"""POST /projects/{project_id}/locations."""

import re

import pytest
from tests.given import collection as given


def create(api, project, **fields):
    return api.post(f"/projects/{project['id']}/locations", {"location": {"name": "Yard"} | fields})


def test_a_new_location_comes_back_with_its_id_and_address(api):
    address = {"street_address_1": "Hafenstr. 1", "city": "Hamburg", "country": "DE"}

    made = create(api, given.project(api), address=address).expect(201).body

    assert re.fullmatch("loc_[0-9a-f]{24}", made["id"])
    assert made["name"] == "Yard"
    assert {name: value for name, value in made["address"].items() if value} == address
    assert (made["lat"], made["long"]) == (None, None)


def test_degrees_keep_every_digit_whether_sent_as_text_or_as_a_number(api):
    project = given.project(api)
    body = b'{"location": {"name": "Yard", "lat": 52.12345678901234567890, "long": "-13.40"}}'

    made = api.post(f"/projects/{project['id']}/locations", body).expect(201).body

    assert (made["lat"], made["long"]) == ("52.12345678901234567890", "-13.40")


@pytest.mark.parametrize(
    ("field", "degrees"),
    [
        ("lat", "90.0000001"),
        ("lat", "-91"),
        ("long", "180.1"),
        ("long", "1e9"),
        ("lat", "NaN"),
        ("long", "Infinity"),
    ],
)
def test_degrees_beyond_the_globe_are_refused(api, field, degrees):
    error = create(api, given.project(api), **{field: degrees}).expect(422).error

    assert (error["field"], error["code"]) == (f"{field}", "invalid")


def test_degrees_too_large_to_be_compared_are_refused_as_any_others(api):
    error = create(api, given.project(api), lat="-1E999999999").expect(422).error

    assert error["message"] == "location.lat is -1E+999999999; it takes degrees from -90 to 90."


@pytest.mark.parametrize("degrees", ["1e-20000", "0e-20000", "1." + "0" * 20_000, "0." + "1" * 50])
def test_degrees_with_more_digits_than_a_number_has_are_refused(api, degrees):
    error = create(api, given.project(api), lat=degrees).expect(422).error

    assert (error["field"], error["code"]) == ("lat", "invalid")


def test_the_poles_and_the_date_line_are_on_the_globe(api):
    made = create(api, given.project(api), lat="-90", long="180").expect(201).body

    assert (made["lat"], made["long"]) == ("-90", "180")
