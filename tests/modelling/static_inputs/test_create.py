"""POST /projects/{project_id}/static_inputs."""

from decimal import Decimal

import pytest
from tests.given import collection as given

NEW_YEAR = "2025-01-01T00:00:00Z"


def create(api, project, **fields):
    body = {"slug": "grid-factor", "value": 1, "effective_from": NEW_YEAR} | fields
    return api.post(f"/projects/{project['id']}/static_inputs", {"static_input": body})


def test_a_new_value_comes_back_with_its_number_and_project(api):
    project = given.project(api)

    made = (
        create(
            api,
            project,
            value=Decimal("0.38"),
            unit="kg{CO2e}/kWh",
            effective_from="2025-01-01T01:00:00.5+01:00",
        )
        .expect(201)
        .body
    )

    assert isinstance(made["id"], int)
    assert made["project_id"] == project["id"]
    assert (made["slug"], made["value"], made["unit"]) == ("grid-factor", Decimal("0.38"), "kg{CO2e}/kWh")
    assert made["effective_from"] == "2025-01-01T00:00:00.500Z"
    assert (made["asset_id"], made["feedstock_id"], made["location_id"]) == (None, None, None)


@pytest.mark.parametrize(
    "digits",
    ["0.1234567890123456789012345678901234", "9999999999999999999999999999999999", "-1.50", "1e-100"],
)
def test_a_value_keeps_every_digit(api, digits):
    project = given.project(api)
    body = f'{{"static_input": {{"slug": "ph", "value": {digits}, "effective_from": "{NEW_YEAR}"}}}}'

    made = api.post(f"/projects/{project['id']}/static_inputs", body.encode()).expect(201)

    assert Decimal(made.body["value"]) == Decimal(digits)


@pytest.mark.parametrize("value", ["1" * 35, "1e101", '"NaN"', '"Infinity"'])
def test_a_value_out_of_limits_is_refused(api, value):
    project = given.project(api)
    body = f'{{"static_input": {{"slug": "ph", "value": {value}, "effective_from": "{NEW_YEAR}"}}}}'

    error = api.post(f"/projects/{project['id']}/static_inputs", body.encode()).expect(422).error

    assert (error["field"], error["code"]) == ("value", "invalid")


def test_a_value_may_be_one_of_an_asset_a_feedstock_and_a_location(api):
    project = given.project(api)
    kiln, wood = given.asset(api, project)["id"], given.feedstock(api, project)["id"]
    yard = given.location(api, project)["id"]

    made = create(api, project, asset_id=kiln, feedstock_id=wood, location_id=yard).expect(201).body

    assert (made["asset_id"], made["feedstock_id"], made["location_id"]) == (kiln, wood, yard)


@pytest.mark.parametrize("noun", ["asset", "feedstock", "location"])
def test_a_record_of_another_project_is_unknown(api, noun):
    theirs = getattr(given, noun)(api, given.project(api))

    error = create(api, given.project(api), **{f"{noun}_id": theirs["id"]}).expect(422).error

    assert (error["field"], error["code"]) == (f"{noun}_id", "unknown")


def test_a_later_value_stands_beside_the_earlier_one(api):
    project = given.project(api)
    first = create(api, project, value=1).expect(201).body

    second = create(api, project, value=2, effective_from="2025-02-01T00:00:00Z").expect(201).body

    assert api.get(f"/projects/{project['id']}/static_inputs").data == [first, second]


def test_the_same_moment_again_is_refused_whatever_the_value(api):
    project = given.project(api)
    create(api, project).expect(201)

    error = create(api, project, value=2, effective_from="2025-01-01T00:00:00.0009Z").expect(422).error

    assert (error["field"], error["code"]) == ("effective_from", "taken")


def test_the_same_moment_is_free_for_other_keys_and_taken_for_the_same(api):
    project = given.project(api)
    kiln, truck = given.asset(api, project)["id"], given.asset(api, project)["id"]
    create(api, project).expect(201)
    create(api, project, asset_id=kiln).expect(201)

    create(api, project, asset_id=truck).expect(201)
    create(api, project, slug="other").expect(201)
    create(api, given.project(api)).expect(201)
    error = create(api, project, asset_id=kiln).expect(422).error

    assert error["code"] == "taken"


def test_units_of_a_slug_must_fit_one_another(api):
    project = given.project(api)
    create(api, project, unit="kg").expect(201)

    create(api, project, unit="t", effective_from="2025-02-01T00:00:00Z").expect(201)
    create(api, project, slug="other", unit="kWh").expect(201)
    error = create(api, project, unit="kWh", effective_from="2025-03-01T00:00:00Z").expect(422).error
    plain = create(api, project, effective_from="2025-03-01T00:00:00Z").expect(422).error

    assert (error["field"], error["code"]) == ("unit", "incompatible")
    assert error["message"] == (
        "static_input.unit is kWh, and earlier values of 'grid-factor' are in kg; "
        "the two count different things."
    )
    assert plain["code"] == "incompatible"


def test_everything_that_is_wrong_is_named_at_once(api):
    answer = create(
        api,
        given.project(api),
        slug="Grid factor",
        unit="bananas",
        asset_id="ast_1",
        effective_from="0001-01-01T00:00:00+14:00",
    ).expect(422)

    assert [error["field"] for error in answer.errors] == [
        "slug",
        "unit",
        "effective_from",
        "asset_id",
    ]


def test_a_time_without_an_offset_is_refused(api):
    create(api, given.project(api), effective_from="2025-01-01T00:00:00").expect(400)


def test_of_many_who_add_the_same_value_at_once_one_succeeds(api, server):
    project = given.project(api)

    answers = server.together(lambda: create(api, project).status, 4)

    assert sorted(answers) == [201, 422, 422, 422]


def test_of_many_who_begin_a_slug_with_units_that_do_not_fit_one_succeeds(api, server):
    project = given.project(api)
    units = iter(["kg", "kWh", "m", "s"])

    answers = server.together(
        lambda: create(api, project, unit=(unit := next(units)), effective_from=AT[unit]), 4
    )

    assert sorted(answer.status for answer in answers) == [201, 422, 422, 422]


AT = {"kg": NEW_YEAR, "kWh": "2025-02-01T00:00:00Z", "m": "2025-03-01T00:00:00Z", "s": "2025-04-01T00:00:00Z"}
"""A moment for each unit, so that the moments are not what stands in the way."""


def test_nothing_changes_or_removes_a_value(api):
    project = given.project(api)
    made = create(api, project).expect(201).body
    one = f"/projects/{project['id']}/static_inputs/{made['id']}"

    api.patch(one, {"static_input": {"value": 2}}).expect(405)
    api.delete(one).expect(405)


def test_a_creation_stands_in_the_audit(api, account, sql):
    made = create(api, given.project(api), value=Decimal("0.10")).expect(201).body

    assert sql(
        """
        SELECT object, after ->> 'value' FROM audit_log
         WHERE account_id = %s AND action = 'static_input.create'
        """,
        account.id,
    ) == [(str(made["id"]), "0.10")]


def test_a_value_says_how_well_it_is_known(api):
    project = given.project(api)
    stated = {"relative_half_width": Decimal("0.050"), "distribution": "rectangular", "source": "DIN 1"}

    made = create(api, project, value=2, unit="kg", uncertainty=stated).expect(201).body

    assert made["uncertainty"] == stated
    assert api.get(f"/projects/{project['id']}/static_inputs/{made['id']}").body == made
    assert create(api, project, slug="ph").expect(201).body["uncertainty"] is None
    wrong = create(api, project, slug="other", unit="kg", uncertainty={"standard": 1, "unit": "m"})
    assert wrong.expect(422).error["field"] == "uncertainty.unit"
