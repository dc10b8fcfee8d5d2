"""Saving a document of a project (`create_model`, `create_version`): it is held against the event types that
the project has.
"""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document


def create(api, model, text):
    return api.post(f"/models/{model['id']}/versions", {"yaml": text})


@pytest.fixture
def project(api):
    return given.measuring(api, given.number("mass", unit="kg"), given.text("truck"))


def test_a_unit_that_the_data_points_cannot_be_converted_to_is_refused(api, project):
    nodes = MASS.replace("unit: t", "unit: kWh")

    error = api.post("/models", {"model": {"yaml": document(nodes), "project_id": project["id"]}}).error

    assert "mass is in kWh, to which kg" in error["message"]


def test_a_text_cannot_be_summed(api, project):
    nodes = MASS.replace("data_point_type: mass", "data_point_type: truck")
    first = accounting.model(api, project, document(MASS))

    error = create(api, first, document(nodes)).expect(422).error

    assert "mass needs numbers, but truck of delivery is a text" in error["message"]


def test_a_data_point_type_that_the_event_type_lacks_is_refused(api, project):
    nodes = MASS.replace("data_point_type: mass", "data_point_type: weight")

    error = api.post("/models", {"model": {"yaml": document(nodes), "project_id": project["id"]}}).error

    assert "delivery has no data point type 'weight'; it has mass, truck." in error["message"]


def test_an_event_type_may_come_later(api, project):
    nodes = MASS.replace("event_type: delivery", "event_type: shipment")

    accounting.model(api, project, document(nodes))


def test_a_filter_and_a_weight_of_an_event_type_that_comes_later_are_not_judged(api, project):
    nodes = """
  - slug: mass
    input:
      {event_type: shipment, data_point_type: mass, aggregate: average, weight: volume, where: "truck = 'a'"}
    unit: t
    output: true
"""
    accounting.model(api, project, document(nodes))


def test_a_filter_on_an_event_type_that_is_there_is_judged(api, project):
    nodes = MASS.replace("aggregate: sum", "aggregate: sum, where: driver = 'a'")

    error = api.post("/models", {"model": {"yaml": document(nodes), "project_id": project["id"]}}).error

    assert "driver" in error["message"]


def test_outputs_that_a_draw_brings_along_have_the_units_of_the_ledgers_model(api, project):
    ghg = MASS + "  - {slug: intensity, constant: 3, unit: 'g{CO2e}/kg', output: true}\n"
    accounting.ledger(api, project, accounting.model(api, project, document(ghg)), name="Stock")
    drawing = """
  - slug: need
    constant: 1
    unit: t
  - slug: drawn
    upstream: {ledger: Stock, amount: need, attributes: [intensity]}
    unit: t
  - slug: total
    formula: sum(drawn * drawn.intensity)
    unit: UNIT
    output: true
"""
    fits = document(drawing.replace("UNIT", "kg{CO2e}"), primary_output="total")
    accounting.model(api, project, fits)

    body = {"yaml": document(drawing.replace("UNIT", "kWh"), primary_output="total")}
    error = api.post("/models", {"model": body | {"project_id": project["id"]}}).expect(422).error

    assert "kWh" in error["message"]
