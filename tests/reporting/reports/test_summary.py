"""The summary of changes of a report that restates another: by batch, and by cause."""

from decimal import Decimal

from tests.given import accounting, reports
from tests.given.reports import accepted, rejected


def changes(claims, report):
    """What a report says otherwise: before, after and causes, run by run."""
    summary = claims.read(report)["summary_of_changes"]
    return [(one["before"], one["after"], one["causes"]) for one in summary["data"]]


def corrected(claims, value):
    path = f"/projects/{claims.plant.project['id']}"
    event = claims.plant.api.get(f"{path}/events", {"sort": "start_time"}).data[0]
    point = event["data_points"][0]["id"]
    claims.plant.api.patch(f"{path}/data_points/{point}", {"data_point": {"value": value}}).expect(200)
    claims.plant.generate()


def restated(claims, original, *amounts):
    return claims.report(*amounts, supersedes=original["id"])


def test_late_data_are_named_as_the_cause_of_what_they_add(api, drain):
    claims = reports.claims(api, drain, 5)
    original = accepted(claims, claims.report(5))
    claims.plant.deliver(2)
    claims.plant.generate()

    later = restated(claims, original, 5, 2)

    assert changes(claims, later) == [(5, 7, ["late_data"])]
    summary = claims.read(later)["summary_of_changes"]
    assert (summary["compared_with"], summary["change"]) == (original["id"], 2)
    assert summary["data"][0]["batch_ids"] == [batch["id"] for batch in claims.plant.batches()]


def test_a_correction_is_named_as_the_cause(api, drain):
    claims = reports.claims(api, drain, 5, 3)
    original = accepted(claims, claims.report(5, 3))
    corrected(claims, Decimal("4.5"))
    january, _, february = claims.plant.batches()
    assert (january["adjusts"], february["adjusts"]) == (None, None)

    taken = [{"batch_id": january["id"], "amount": Decimal("4.5")}, {"batch_id": february["id"], "amount": 3}]
    later = claims.ask(supersedes=original["id"], batches=taken).expect(201).body

    assert changes(claims, later) == [(5, Decimal("4.5"), ["correction"])]


def test_another_version_is_named_as_the_cause(api, drain):
    claims = reports.claims(api, drain, 5)
    plant = claims.plant
    original = accepted(claims, claims.report(5))
    doubled = accounting.MASS.replace("aggregate: sum", 'aggregate: sum, where: "mass > 0"')
    version = accounting.version(api, plant.model, accounting.document(doubled))
    api.post(f"/models/{version['id']}/activate", {}).expect(200)
    plant.deliver(0)
    plant.generate(model_version="latest")

    later = restated(claims, original, 4)

    assert changes(claims, later)[0][:2] == (5, 4)
    assert "new_version" in changes(claims, later)[0][2]


def test_another_amount_of_what_stands_as_it_did_is_a_choice(api, drain):
    claims = reports.claims(api, drain, 5, 3)
    original = accepted(claims, claims.report(5))

    later = restated(claims, original, 4, 3)

    assert changes(claims, later) == [(5, 4, ["selection"]), (0, 3, ["selection"])]
    assert claims.read(original)["summary_of_changes"] is None


def test_a_report_is_compared_with_the_last_that_was_accepted(api, drain):
    claims = reports.claims(api, drain, 9)
    original = accepted(claims, claims.report(5))
    refused = rejected(claims, restated(claims, original, 9))

    later = accepted(claims, restated(claims, refused, 6))

    summary = claims.read(later)["summary_of_changes"]
    assert (summary["compared_with"], summary["change"]) == (original["id"], 1)
