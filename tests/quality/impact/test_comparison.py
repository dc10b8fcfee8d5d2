"""GET of the impact of a proposal: which tonnes an approval would change, and that asking changes nothing."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from time import monotonic, sleep

import psycopg
import pytest
from tests.given import accounting as given_accounting
from tests.given.accounting import MASS
from tests.given.approvals import approve, path, reject, shown
from tests.given.chain import inventory, link, produce
from tests.given.rule_evaluation import calibration, correct, results, rule, work
from tests.server import DEADLINE_SECONDS

from weighbridge.core import identity

MONTH = "2025-01-01T00:00:00.000Z", "2025-02-01T00:00:00.000Z"


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


@pytest.fixture
def proposed(api, account, plant):
    """Has a rule propose two percent more for deliveries above 20 t; gives the one result."""

    def make(**fields):
        made = calibration(api, plant.project, requires_approval=True, **fields)
        work(account)
        [found] = results(api, made)
        return found["id"]

    return make


def impact(api, plant, result):
    return api.get(path(plant.project, result, "impact"))


def proposed_point(api, plant, result):
    """The data point that a result proposes to correct."""
    return shown(api, plant.project, result)["data_point_id"]


def test_an_impact_says_what_batches_and_ledgers_would_come_to(api, plant, proposed):
    plant.deliver(50)
    plant.deliver(5, day=2)
    [batch] = plant.generate()["batches"]
    result = proposed()

    said = impact(api, plant, result).expect(200).body

    assert said == {
        "id": result,
        "approval_state": "pending",
        "batches": [
            {
                "batch_id": batch,
                "ledger_id": plant.ledger["id"],
                "partition": None,
                "start_time": MONTH[0],
                "end_time": MONTH[1],
                "primary_output_before": 55,
                "primary_output_after": 56,
                "unit": "t",
            }
        ],
        "ledgers": [
            {
                "ledger_id": plant.ledger["id"],
                "name": plant.ledger["name"],
                "batch_count": 1,
                "change": 1,
                "unit": "t",
                "primary_output_before": 55,
                "primary_output_after": 56,
            }
        ],
        "reports": [],
        "stale_batches": [
            {
                "batch_id": batch,
                "ledger_id": plant.ledger["id"],
                "reasons": [{"reason": "data_point_corrected", "record": proposed_point(api, plant, result)}],
                "tracking_id": "2025-01",
                "ledger_name": plant.ledger["name"],
            }
        ],
        "deficits": [],
        "problems": [],
        "not_followed": [],
        "following_rules": [],
    }


def test_asking_changes_nothing_and_approving_comes_to_what_was_said(api, account, plant, proposed):
    plant.deliver(50)
    plant.generate()
    result = proposed()
    before = shown(api, plant.project, result), plant.batches()
    rows = account.server.sql("SELECT count(*) FROM audit_log WHERE account_id = %s", account.id)

    [said] = impact(api, plant, result).expect(200).body["batches"]

    assert (shown(api, plant.project, result), plant.batches()) == before
    assert account.server.sql("SELECT count(*) FROM audit_log WHERE account_id = %s", account.id) == rows
    approve(api, plant.project, result).expect(200)
    plant.generate()
    assert sum(one["primary_output"]["value"] for one in plant.batches()) == said["primary_output_after"]


def test_data_that_came_late_count_on_both_sides(api, plant, proposed):
    plant.deliver(50)
    plant.generate()
    plant.deliver(7, day=3)

    [said] = impact(api, plant, proposed()).expect(200).body["batches"]

    assert (said["primary_output_before"], said["primary_output_after"]) == (Decimal(57), Decimal(58))


def test_a_slot_that_was_never_generated_has_nothing_to_change(api, plant, proposed):
    plant.deliver(50)

    said = impact(api, plant, proposed()).expect(200).body

    assert (said["batches"], said["ledgers"], said["approval_state"]) == ([], [], "pending")


def test_a_proposal_whose_data_changed_has_no_impact_and_says_so(api, plant, proposed):
    event = plant.deliver(50)
    plant.generate()
    result = proposed()
    record = api.get(f"/projects/{plant.project['id']}/events/{event}").body
    correct(api, plant.project, record, 60)

    said = impact(api, plant, result).expect(200).body

    assert (said["approval_state"], said["batches"]) == ("superseded", [])
    assert shown(api, plant.project, result)["approval_state"] == "pending"


def test_only_a_pending_proposal_has_an_impact(api, plant, proposed):
    plant.deliver(50)
    plain = rule(api, plant.project, "{{mass}} > 20", name="plain")
    result = proposed()
    reject(api, plant.project, result).expect(200)

    for one, state in ((result, "rejected"), (results(api, plain)[0]["id"], None)):
        assert impact(api, plant, one).expect(200).body == {
            "id": one,
            "approval_state": state,
            "batches": [],
            "ledgers": [],
            "reports": [],
            "stale_batches": [],
            "deficits": [],
            "problems": [],
            "not_followed": [],
            "following_rules": [],
        }


def test_an_impact_names_the_deficit_that_would_open(api, account, drain):
    deliveries = inventory(api, drain)
    deliveries.deliver(50)
    deliveries.generate()
    production = link(deliveries)
    produce(production, 24)
    production.generate()
    made = calibration(api, deliveries.project, "{{mass}} > 40", "{{mass}} - 10", requires_approval=True)
    work(account)
    [result] = [one["id"] for one in results(api, made)]

    said = impact(api, deliveries, result).expect(200).body

    assert [(one["ledger_id"], one["change"]) for one in said["ledgers"]] == [(deliveries.ledger["id"], -10)]
    assert [(one["ledger"], one["amount"], one["end_time"]) for one in said["deficits"]] == [
        (deliveries.ledger["id"], 8, MONTH[1])
    ]
    assert said["problems"] == []
    assert api.get(f"/ledgers/{deliveries.ledger['id']}/deficits").data == []


def test_runs_that_would_count_the_data_only_with_the_correction_are_named_too(api, account, drain):
    heavy = MASS.replace("aggregate: sum", 'aggregate: sum, where: "mass > 50"')
    plant = given_accounting.plant(api, drain, heavy)
    plant.deliver(50)
    plant.deliver(70, day=2)
    plant.generate()
    made = calibration(api, plant.project, "{{mass}} = 50", requires_approval=True)
    work(account)
    [result] = [one["id"] for one in results(api, made)]

    [said] = impact(api, plant, result).expect(200).body["batches"]

    assert (said["primary_output_before"], said["primary_output_after"]) == (70, 121)


def test_data_that_change_while_an_impact_is_worked_out_are_told_as_that(api, account, plant, proposed):
    event = plant.deliver(50)
    plant.generate()
    result, server = proposed(), account.server
    number = identity.number("event", event)

    with psycopg.connect(server.running_url) as other, ThreadPoolExecutor(1) as caller:
        other.execute("UPDATE events SET updated_at = now() WHERE id = %s", (number,))
        asked = caller.submit(lambda: impact(account.caller(), plant, result))
        deadline = monotonic() + DEADLINE_SECONDS
        while not server.sql("SELECT pid FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"):
            assert monotonic() < deadline
            sleep(0.01)
        other.commit()
        answer = asked.result()

    assert answer.expect(503).error["message"] == (
        "The data changed while the answer was worked out; try again."
    )
    assert impact(api, plant, result).expect(200).body["ledgers"][0]["change"] == 1
