"""Ledgers that would draw from each other in a circle are refused, whichever is made or activated last."""

import pytest
from tests.given import accounting, chain
from tests.given.accounting import MASS, document
from tests.given.collection import Record

DRAWING = """
  - slug: drawn
    upstream: {{ledger: {source}, amount: mass}}
    unit: t
"""


@pytest.fixture
def wood(api, drain):
    """A plant with a ledger `Deliveries` of deliveries."""
    return accounting.plant(api, drain)


def drawing_from(source: str, name: str) -> str:
    return document(MASS + DRAWING.format(source=source), name=name)


def ledger(plant, model: Record, name: str):
    body = {"ledger": {"name": name, "unit": "t", "model_id": model["id"]}}
    return plant.api.post(f"/projects/{plant.project['id']}/ledgers", body)


def test_a_version_that_would_close_a_circle_is_not_activated(wood):
    char = accounting.model(wood.api, wood.project, drawing_from("Deliveries", "Char"))
    ledger(wood, char, "Char").expect(201)
    newer = accounting.version(wood.api, wood.model, drawing_from("Char", "Deliveries"))

    error = wood.api.post(f"/models/{newer['id']}/activate", {}).expect(422).error

    assert (error["field"], error["code"]) == ("yaml", "cycle")
    assert error["message"] == (
        "Ledgers would draw from each other in a circle: 'Deliveries' draws from 'Char' and 'Char' from"
        " 'Deliveries'."
    )
    assert wood.generate()["created"] == 0


def test_a_ledger_that_would_close_a_circle_is_not_made(wood):
    newer = accounting.version(wood.api, wood.model, drawing_from("Char", "Deliveries"))
    wood.api.post(f"/models/{newer['id']}/activate", {}).expect(200)
    char = accounting.model(wood.api, wood.project, drawing_from("Deliveries", "Char"))

    error = ledger(wood, char, "Char").expect(422).error

    assert (error["field"], error["code"]) == ("model_id", "cycle")
    ledger(wood, char, "Charcoal").expect(201)


def test_a_ledger_is_not_given_the_name_that_would_close_a_circle(wood):
    newer = accounting.version(wood.api, wood.model, drawing_from("Char", "Deliveries"))
    wood.api.post(f"/models/{newer['id']}/activate", {}).expect(200)
    char = accounting.model(wood.api, wood.project, drawing_from("Deliveries", "Char"))
    other = ledger(wood, char, "Charcoal").expect(201).body

    error = wood.api.patch(f"/ledgers/{other['id']}", {"ledger": {"name": "Char"}}).expect(422).error

    assert (error["field"], error["code"]) == ("name", "cycle")


def test_a_chain_of_ledgers_is_no_circle(api, drain):
    deliveries = chain.inventory(api, drain)
    production = chain.link(deliveries)

    newer = accounting.version(api, production.model, drawing_from("Deliveries", "Production"))

    assert newer["version"] == 2
