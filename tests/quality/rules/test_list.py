"""GET /projects/{project_id}/rules."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given import collection as given


@pytest.mark.parametrize(
    ("field", "value", "names"),
    [
        ("name", "Mass", ["Mass"]),
        ("target", "data_point", ["Mass", "Calibration"]),
        ("target", "model_run", ["Batch"]),
        ("evaluation", "automatic", ["Batch"]),
        ("purpose", "adjust", ["Calibration"]),
    ],
)
def test_rules_are_filtered(api, drain, field, value, names):
    plant = given_accounting.plant(api, drain)
    given_alerts.rule(api, plant.project, name="Mass")
    given_alerts.rule(
        api, plant.project, "mass > 40", name="Batch", target="model_run", model_id=plant.model["id"],
        evaluation="automatic",
    )  # fmt: skip
    given_alerts.calibration(api, plant.project, name="Calibration")

    found = api.get(f"/projects/{plant.project['id']}/rules", {f"filter[{field}]": value}).expect(200).data

    assert [one["name"] for one in found] == names


def test_rules_of_an_event_type_are_found_by_it(api):
    plant = given.measuring(api, given.number("mass"))
    delivery = api.get(f"/projects/{plant['id']}/event_types").data[0]["id"]
    given_alerts.rule(api, plant)
    mine = given_alerts.rule(api, plant, event_type_id=delivery)

    found = api.get(f"/projects/{plant['id']}/rules", {"filter[event_type_id]": delivery}).expect(200).data

    assert [one["id"] for one in found] == [mine["id"]]


def test_another_projects_rules_are_not_listed(api):
    plant, other = given.measuring(api, given.number("mass")), given.measuring(api, given.number("mass"))
    given_alerts.rule(api, other)

    assert api.get(f"/projects/{plant['id']}/rules").data == []
