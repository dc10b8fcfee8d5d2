"""PATCH /ledgers/{ledger_id} (`update_ledger`): a ledger is given a model later, while it has none."""

import pytest
from tests.given import accounting, chain
from tests.given import collection as given
from tests.given.accounting import MASS, POWER_EVENLY, Plant, document


@pytest.fixture
def project(api):
    """A project that measures deliveries and bills."""
    project = given.project(api)
    given.event_type(api, project, slug="delivery", data_point_types=[given.number("mass")])
    given.event_type(api, project, slug="bill", data_point_types=[given.number("energy", unit="kWh")])
    return project


@pytest.fixture
def model(api, project):
    return accounting.model(api, project, document(MASS + POWER_EVENLY))


def change(api, ledger, **fields):
    return api.patch(f"/ledgers/{ledger['id']}", {"ledger": fields})


def test_a_ledger_without_a_model_is_given_one_and_runs_it(api, drain, project, model):
    ledger = accounting.ledger(api, project)

    given_one = change(api, ledger, model_id=model["id"]).expect(200).body

    assert given_one["latest_model"] == {"id": model["id"], "name": "Deliveries"}
    assert (given_one["output"], given_one["cadence"], given_one["partition_type"]) == (
        "mass",
        "monthly",
        "time",
    )
    plant = Plant(api, drain, project, model, ledger)
    plant.deliver(2)
    plant.bill(3)
    plant.generate()
    assert plant.credits() == {"2025-01": 2}


def test_another_output_and_another_name_may_come_with_it(api, project, model):
    ledger = accounting.ledger(api, project, unit="kWh")

    changed = change(api, ledger, model_id=model["id"], output="power", name="Power").expect(200).body

    assert (changed["name"], changed["output"], changed["unit"]) == ("Power", "power", "kWh")
    assert api.get(f"/ledgers/{ledger['id']}").expect(200).body == changed


def test_it_is_written_to_the_audit_log(api, project, model, sql):
    ledger = accounting.ledger(api, project)
    change(api, ledger, model_id=model["id"]).expect(200)

    ((action, before, after),) = sql(
        "SELECT action, before, after FROM audit_log WHERE object = %s ORDER BY id DESC LIMIT 1", ledger["id"]
    )

    assert (action, before["latest_model"]) == ("ledger.update", None)
    assert after["latest_model"]["id"] == model["id"]


def test_a_ledger_that_has_a_model_keeps_it(api, project, model):
    ledger = accounting.ledger(api, project, model)
    other = accounting.model(api, project, document(MASS, name="Other"))

    for fields, field in (
        ({"model_id": other["id"]}, "model_id"),
        ({"output": "power"}, "output"),
        ({"model_id": model["id"], "output": "power"}, "output"),
    ):
        error = change(api, ledger, **fields).expect(422).error
        assert (error["field"], error["code"], error["records"]) == (field, "has_model", [model["id"]])
    assert api.get(f"/ledgers/{ledger['id']}").expect(200).body == ledger


def test_naming_the_model_that_it_has_changes_nothing(api, project, model, sql):
    ledger = accounting.ledger(api, project, model)
    newer = accounting.version(api, model, document(MASS + POWER_EVENLY, share_places=3))
    before = sql("SELECT count(*) FROM audit_log")

    for fields in ({"model_id": model["id"]}, {"model_id": newer["id"], "output": "mass"}):
        assert change(api, ledger, **fields).expect(200).body == ledger
    assert sql("SELECT count(*) FROM audit_log") == before


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"model_id": "mod_nothing"}, ("model_id", "unknown")),
        ({"output": "mass"}, ("output", "invalid")),
        ({"output": "heat"}, ("output", "invalid")),
        ({"output": "power"}, ("unit", "invalid")),
    ],
)
def test_a_model_that_does_not_fit_is_refused(api, project, model, fields, wrong):
    ledger = accounting.ledger(api, project)
    named = {} if fields == {"output": "mass"} else {"model_id": model["id"]}

    error = change(api, ledger, **named | fields).expect(422).error

    assert (error["field"], error["code"]) == wrong
    assert api.get(f"/ledgers/{ledger['id']}").expect(200).body == ledger


def test_a_model_of_another_account_is_unknown(api, project, stranger):
    ledger = accounting.ledger(api, project)
    theirs = accounting.model(stranger, None, document(MASS))

    error = change(api, ledger, model_id=theirs["id"]).expect(422).error

    assert (error["field"], error["code"]) == ("model_id", "unknown")


def test_an_output_that_another_ledger_keeps_is_taken(api, project, model):
    accounting.ledger(api, project, model, name="First")
    ledger = accounting.ledger(api, project)

    error = change(api, ledger, model_id=model["id"]).expect(422).error

    assert (error["field"], error["code"]) == ("output", "taken")


def test_a_model_that_would_draw_from_the_ledger_is_refused_and_so_is_a_circle(api, drain):
    deliveries = chain.inventory(api, drain)
    project = deliveries.project
    ledger = accounting.ledger(api, project, name="Circle")
    text = document(chain.drawing().replace("Deliveries", "Circle"), name="Circle", primary_output="made")
    itself = accounting.model(api, project, text)
    production = accounting.model(api, project, document(
        chain.drawing().replace("Deliveries", "Circle"), name="Production", primary_output="made",
    ))  # fmt: skip
    accounting.ledger(api, project, production, name="Production")
    back = accounting.model(api, project, document(
        chain.drawing().replace("Deliveries", "Production"), name="Back", primary_output="made",
    ))  # fmt: skip

    own = change(api, ledger, model_id=itself["id"]).expect(422).error
    circle = change(api, ledger, model_id=back["id"]).expect(422).error

    assert (own["field"], own["code"]) == ("name", "own_ledger")
    assert (circle["field"], circle["code"]) == ("model_id", "cycle")


def test_a_system_ledger_takes_no_model(api, project, model):
    ledger = api.post(
        f"/projects/{project['id']}/ledgers",
        {"ledger": {"name": "Held", "system_ledger_type": "renewable_energy_credits"}},
    ).expect(201)

    error = change(api, ledger.body, model_id=model["id"], output="power").expect(422).error

    assert error["code"] == "system_ledger"
