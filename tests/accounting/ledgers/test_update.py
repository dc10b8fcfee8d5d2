"""PATCH /ledgers/{ledger_id} (`update_ledger`)."""

import pytest
from tests.given import accounting
from tests.given import collection as given


@pytest.fixture
def ledger(api):
    return accounting.ledger(api, given.project(api))


def change(api, ledger, **fields):
    return api.patch(f"/ledgers/{ledger['id']}", {"ledger": fields})


def test_name_and_category_change_and_what_is_left_out_stays(api, ledger):
    named = change(api, ledger, name=" Stored carbon ").expect(200).body
    categorised = change(api, ledger, asset_category="biochar").expect(200).body

    assert (named["name"], named["asset_category"]) == ("Stored carbon", None)
    assert (categorised["name"], categorised["asset_category"]) == ("Stored carbon", "biochar")
    changing = {"name", "asset_category", "updated_at"}
    assert {key: ledger[key] for key in ledger.keys() - changing} == {
        key: categorised[key] for key in categorised.keys() - changing
    }
    assert api.get(f"/ledgers/{ledger['id']}").expect(200).body == categorised


def test_how_a_ledger_rounds_never_changes(api, ledger):
    error = change(api, ledger, rounding="down").expect(400).error

    assert error["field"] == "rounding"
    assert api.get(f"/ledgers/{ledger['id']}").body["rounding"] == "half_even"


def test_a_category_is_taken_away_by_null(api, ledger):
    change(api, ledger, asset_category="biochar").expect(200)

    assert change(api, ledger, asset_category=None).expect(200).body["asset_category"] is None


def test_the_same_values_change_nothing(api, ledger, sql):
    before = sql("SELECT count(*) FROM audit_log")

    assert change(api, ledger, name=ledger["name"]).expect(200).body == ledger
    assert sql("SELECT count(*) FROM audit_log") == before


def test_everything_that_is_wrong_is_said_at_once(api, ledger):
    errors = change(api, ledger, name=" ", asset_category=" ").expect(422).body["errors"]

    assert [error["field"] for error in errors] == ["name", "asset_category"]


def test_a_name_of_another_ledger_of_the_project_is_taken(api):
    project = given.project(api)
    ledger = accounting.ledger(api, project)
    accounting.ledger(api, project, name="Other")

    error = change(api, ledger, name="Other").expect(422).error

    assert (error["field"], error["code"]) == ("name", "taken")


def test_what_a_ledger_counts_cannot_change(api, ledger):
    for fields in ({"unit": "kg"}, {"scale": 3}):
        change(api, ledger, **fields).expect(400)
    change(api, ledger, output="mass").expect(422)


def test_a_system_ledger_is_kept_as_it_is(api, ledger, sql):
    key = accounting.key_of("ledger", ledger["id"])
    sql("UPDATE ledgers SET system_ledger_type = 'renewable_fuel' WHERE project_id = %s AND id = %s", *key)

    assert change(api, ledger, name="Mine").expect(422).error["code"] == "system_ledger"


def test_the_audit_log_has_the_ledger_before_and_after(api, ledger, sql):
    change(api, ledger, name="After").expect(200)

    [row] = sql(
        """
        SELECT before ->> 'name', after ->> 'name' FROM audit_log
         WHERE action = 'ledger.update' AND object = %s
        """,
        ledger["id"],
    )
    assert row == ("Deliveries", "After")
