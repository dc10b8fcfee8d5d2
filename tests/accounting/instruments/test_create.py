"""POST /ledgers/{ledger_id}/instruments (`create_instrument`). Design, system ledgers."""

import re
from decimal import Decimal

import pytest
from tests.given import accounting, instruments
from tests.given import collection as given
from tests.given.instruments import enter

from weighbridge.db import locks


@pytest.fixture
def project(api):
    return given.project(api, time_zone="America/Chicago")


@pytest.fixture
def ledger(api, project):
    return instruments.system_ledger(api, project)


def test_an_instrument_credits_its_ledger_with_its_amount(api, project, ledger):
    made = enter(
        api, ledger, " REC-1 ", amount=Decimal("12.345678"), name="West wind", generation_tech="wind"
    ).expect(201).body  # fmt: skip

    assert re.fullmatch("bat_[0-9a-f]{24}", made["id"])
    assert (made["project_id"], made["ledger_id"]) == (project["id"], ledger["id"])
    assert (made["external_id"], made["name"], made["unit"]) == ("REC-1", "West wind", "kWh")
    assert (made["amount"], made["balance"]) == (Decimal("12.345678"), Decimal("12.345678"))
    assert (made["geography"], made["generation_tech"]) == ("US-TX", "wind")
    assert (made["issued_on"], made["purchased_on"]) == ("2025-01-10", None)
    assert (made["mass"], made["energy_intensity"], made["lower_heating_value"]) == (None, None, None)
    assert api.get(f"/ledgers/{ledger['id']}").body["balance"] == Decimal("12.345678")


def test_it_counts_for_the_day_of_its_issue_in_the_time_zone_of_the_project(api, ledger, sql):
    made = enter(api, ledger).expect(201).body

    day = ("2025-01-10T06:00:00.000Z", "2025-01-11T06:00:00.000Z")
    assert (made["start_time"], made["end_time"]) == day
    assert sql(
        "SELECT kind, amount, run_id, async_task_id, effective_at = %s::timestamptz FROM ledger_entries"
        " WHERE project_id = %s AND batch_id = %s",
        day[1],
        *accounting.key_of("batch", made["id"]),
    ) == [("credit", 1000, None, None, True)]


def test_without_a_day_of_issue_it_counts_for_the_day_on_which_it_is_entered(api, ledger, sql):
    made = enter(api, ledger, issued_on=None, purchased_on="2024-12-01").expect(201).body

    key = accounting.key_of("batch", made["id"])
    assert sql(
        "SELECT start_time <= created_at AND created_at < end_time FROM batches"
        " WHERE project_id = %s AND id = %s",
        *key,
    ) == [(True,)]


def test_fuel_has_figures_of_its_own(api, project):
    ledger = instruments.system_ledger(api, project, "renewable_fuel")

    made = enter(
        api, ledger, "RF-1", geography=None, mass=Decimal("2.5"), energy_intensity=-30,
        lower_heating_value=50,
    ).expect(201).body  # fmt: skip

    assert (made["unit"], made["geography"]) == ("kg{CO2e}", None)
    figures = (made["mass"], made["energy_intensity"], made["lower_heating_value"])
    assert figures == (Decimal("2.5"), -30, 50)


def test_embodied_emissions_have_a_name(api, project):
    ledger = instruments.system_ledger(api, project, "embodied_emissions")

    assert enter(api, ledger, "EE-1", name="Foundation").expect(201).body["name"] == "Foundation"
    assert enter(api, ledger, "EE-2").expect(422).error["field"] == "name"


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"geography": None}, "geography", "required"),
        ({"geography": "  "}, "geography", "required"),
        ({"amount": 0}, "amount", "invalid"),
        ({"amount": -1}, "amount", "invalid"),
        ({"amount": Decimal("0.0000001")}, "amount", "invalid"),
        ({"amount": Decimal("1e200")}, "amount", "invalid"),
        ({"generation_tech": "coal"}, "generation_tech", "invalid"),
        ({"mass": 1}, "mass", "unknown"),
        ({"external_id": "  "}, "external_id", "required"),
    ],
)
def test_a_field_that_breaks_a_rule_is_named_and_nothing_is_credited(api, ledger, fields, field, code):
    error = enter(api, ledger, **{"external_id": "REC-1"} | fields).expect(422).error

    assert (error["field"], error["code"]) == (f"{field}", code)
    assert api.get(f"/ledgers/{ledger['id']}").body["balance"] == 0


def test_all_that_is_wrong_is_named_at_once(api, ledger):
    errors = enter(api, ledger, amount=0, geography=None, generation_tech="coal").expect(422).errors

    assert {error["field"] for error in errors} == {
        "amount", "geography", "generation_tech",
    }  # fmt: skip


def test_figures_that_cannot_be_are_refused(api, project):
    ledger = instruments.system_ledger(api, project, "renewable_fuel")

    error = enter(api, ledger, mass=0).expect(422).error

    assert error["message"] == "instrument.mass is 0; it is above zero."


def test_an_external_id_counts_once_in_its_ledger(api, project, ledger):
    enter(api, ledger).expect(201)

    error = enter(api, ledger, amount=5).expect(422).error

    assert (error["field"], error["code"]) == ("external_id", "taken")
    enter(api, instruments.system_ledger(api, project, name="Others")).expect(201)
    assert api.get(f"/ledgers/{ledger['id']}").body["balance"] == 1000


def test_a_ledger_that_is_none_of_the_system_takes_no_instruments(api, project):
    ledger = accounting.ledger(api, project)

    error = enter(api, ledger).expect(422).error

    assert error["code"] == "no_system_ledger"


def test_it_is_refused_while_a_task_works_with_the_ledger(api, ledger, server):
    project, number = accounting.key_of("ledger", ledger["id"])

    with server.transaction() as connection:
        connection.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (locks.ledger(project, number),)
        )
        enter(api, ledger).expect(409)

    enter(api, ledger).expect(201)


def test_a_new_instrument_leaves_a_row_in_the_audit_log(api, project, ledger, sql):
    made = enter(api, ledger).expect(201).body

    rows = sql(
        "SELECT action, object FROM audit_log WHERE project_id = %s ORDER BY id", project["numeric_id"]
    )
    assert rows[-1] == ("instrument.create", made["id"])
