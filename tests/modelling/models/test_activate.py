"""POST /models/{model_id}/activate (`activate_model`). Model format: "`activate` switches atomically what a
ledger runs, and is refused while the version has errors."
"""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document

MEAN = MASS.replace("sum", "average")


def activate(api, model, body=None):
    return api.post(f"/models/{model['id']}/activate", {} if body is None else body)


@pytest.fixture
def project(api):
    return given.measuring(api, given.number("mass"))


@pytest.fixture
def first(api, project):
    return accounting.model(api, project, document(MASS))


def test_ledgers_run_the_version_from_then_on(api, project, first):
    ledger = accounting.ledger(api, project, first)
    second = accounting.version(api, first, document(MEAN, name="Mean"))

    activated = activate(api, second).expect(200).body

    assert activated == {**second, "is_active": True}
    assert api.get(f"/models/{first['id']}").body["is_active"] is False
    shown = api.get(f"/ledgers/{ledger['id']}").body["latest_model"]
    assert shown == {"id": second["id"], "name": "Mean"}


def test_an_older_version_can_be_active_again(api, first):
    second = accounting.version(api, first, document(MEAN), activate=True)

    assert activate(api, first).expect(200).body["is_active"] is True
    assert api.get(f"/models/{second['id']}").body["is_active"] is False


def test_a_generation_computes_with_the_active_version(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(4, day=1)
    plant.deliver(2, day=2)

    accounting.version(api, plant.model, document(MEAN), activate=True)
    plant.generate()

    assert plant.balance() == 3


def test_the_request_needs_no_body(api, first):
    second = accounting.version(api, first, document(MEAN))

    assert api.send("POST", f"/models/{second['id']}/activate").expect(200).body["is_active"] is True


@pytest.mark.parametrize("body", [{"version_label": "x"}, [], "x"])
def test_a_body_that_asks_for_something_else_is_refused(api, first, body):
    activate(api, first, body).expect(400)


def test_a_version_without_the_output_of_a_ledger_is_refused_with_the_ledgers_name(api, project, first):
    accounting.ledger(api, project, first, name="Deliveries")
    second = accounting.version(
        api, first, document(MASS.replace("slug: mass", "slug: weight"), primary_output="weight")
    )

    error = activate(api, second).expect(422).error

    assert error["message"] == (
        "The ledger 'Deliveries' is credited by 'mass'; this version has the outputs weight."
    )
    assert (error["field"], error["code"]) == ("output", "missing_output")
    assert api.get(f"/models/{first['id']}").body["is_active"] is True


def test_a_version_whose_output_counts_something_else_is_refused_with_the_ledgers_name(api, project, first):
    accounting.ledger(api, project, first, name="Deliveries")
    counting = MASS.replace("aggregate: sum", "aggregate: count").replace("unit: t", 'unit: ""')
    second = accounting.version(api, first, document(counting))

    error = activate(api, second).expect(422).error

    assert error["code"] == "incompatible_unit"
    assert "The ledger 'Deliveries' is in t" in error["message"]


def test_a_unit_that_the_ledgers_can_be_converted_from_is_taken(api, project, first):
    accounting.ledger(api, project, first)
    second = accounting.version(api, first, document(MASS.replace("unit: t", "unit: kg")))

    activate(api, second).expect(200)


def test_every_ledger_that_could_not_be_credited_is_named_at_once(api, project):
    nodes = MASS + "  - {slug: double, formula: 2 * mass, unit: t, output: true}\n"
    first = accounting.model(api, project, document(nodes))
    for output in ("mass", "double"):
        accounting.ledger(api, project, first, name=f"Of {output}", output=output)
    only = accounting.version(
        api, first, document(MASS.replace("slug: mass", "slug: weight"), primary_output="weight")
    )

    errors = activate(api, only).expect(422).errors

    assert ["'Of mass'" in errors[0]["message"], "'Of double'" in errors[1]["message"]] == [True, True]


def test_a_version_that_names_an_event_type_the_project_lacks_is_refused(api, first):
    second = accounting.version(api, first, document(MASS.replace("delivery", "shipment")))

    error = activate(api, second).expect(422).error

    assert error["field"] == "yaml"
    assert "there is no event type 'shipment'" in error["message"]


def test_a_version_waits_until_its_event_type_is_there(api, project, first):
    second = accounting.version(api, first, document(MASS.replace("delivery", "shipment")))
    given.event_type(api, project, slug="shipment", data_point_types=[given.number("mass")])

    activate(api, second).expect(200)


def test_a_model_outside_projects_must_fit_the_projects_of_its_ledgers(api, project):
    first = accounting.model(api, None, document(MASS))
    second = accounting.version(api, first, document(MASS.replace("delivery", "shipment")))
    activate(api, second).expect(200)
    activate(api, first).expect(200)
    accounting.ledger(api, project, first)

    activate(api, second).expect(422)


def test_a_new_ledger_is_held_against_the_active_version_whichever_is_named(api, project, first):
    other = document(MASS.replace("slug: mass", "slug: weight"), primary_output="weight")
    accounting.version(api, first, other, activate=True)

    ledger = accounting.ledger(api, project, first)

    assert ledger["output"] == "weight"


def test_activating_stands_in_the_audit_once(api, first, account, sql):
    second = accounting.version(api, first, document(MEAN))

    activate(api, second).expect(200)
    activate(api, second).expect(200)

    assert sql(
        """
        SELECT object, before ->> 'id', after ->> 'id' FROM audit_log
         WHERE account_id = %s AND action = 'model.activate'
        """,
        account.id,
    ) == [(second["id"], first["id"], second["id"])]
