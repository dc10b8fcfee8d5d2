"""Which slots are in force: those whose runs are made of data, and no two of them hold the same time.

Every test ends with what the ledger holds beside what was delivered, and with what the generation names.
"""

from dataclasses import replace

import pytest
from tests.given import accounting
from tests.given.accounting import MASS, QUARTER
from tests.given.on_purpose import broken_on_purpose
from tests.given.reports import Claims

from weighbridge.accounting.posting.deletion import undo_batches
from weighbridge.verification.invariants import NO_SHARED_TIME, check_counted_once

WEEKS_OF_JANUARY = ("2025-01-06T00:00:00Z", "2025-01-13T00:00:00Z", "2025-01-20T00:00:00Z")
WHOLE = ("2024-12-30T00:00:00Z", "2025-04-07T00:00:00Z")
FEBRUARY_ON = ("2025-02-01T00:00:00Z", "2025-03-03T00:00:00Z")


def activate(plant, cadence, nodes=MASS, **settings):
    """A newer version with another cadence, which is active from now on."""
    text = accounting.document(nodes, cadence=cadence, **settings)
    versions = plant.api.get(f"/models/{plant.model['id']}/versions").expect(200).data
    newest = max(versions, key=lambda one: one["version"])
    newer = accounting.version(plant.api, newest, text)
    plant.api.post(f"/models/{newer['id']}/activate", {}).expect(200)
    return newer


def move(plant, event, day):
    path = f"/projects/{plant.project['id']}/events/{event}"
    plant.api.patch(path, {"event": {"start_time": day, "end_time": day}}).expect(200)


def correct(plant, event, mass):
    path = f"/projects/{plant.project['id']}"
    (point,) = plant.api.get(f"{path}/events/{event}/data_points").expect(200).data
    plant.api.patch(f"{path}/data_points/{point['id']}", {"data_point": {"value": mass}}).expect(200)


def weekly_with_an_emptied_week(api, drain):
    """Deliveries of 5, 3 and 7 t in three weeks, of which the second has moved into the third."""
    plant = accounting.plant(api, drain, cadence="weekly")
    first, second, third = WEEKS_OF_JANUARY
    plant.deliver(5, first)
    moving = plant.deliver(3, second)
    plant.deliver(7, third)
    plant.generate(WHOLE)
    move(plant, moving, third)
    plant.generate(WHOLE)
    return plant, moving


@pytest.mark.parametrize("cadence", ["monthly", "quarterly", "daily", "event"])
def test_an_emptied_week_brings_no_other_week_back_once_they_were_replaced(api, drain, cadence):
    plant, _ = weekly_with_an_emptied_week(api, drain)
    activate(plant, cadence)

    plant.generate(WHOLE, model_version="latest")
    assert plant.balance() == 15
    again = plant.generate(WHOLE)

    assert (plant.balance(), again["batches"]) == (15, [])


@pytest.mark.parametrize(
    ("before", "after"), [("daily", "weekly"), ("monthly", "weekly"), ("monthly", "quarterly")]
)
def test_an_emptied_slot_of_any_cadence_stays_empty_beside_what_replaced_it(api, drain, before, after):
    plant = accounting.plant(api, drain, cadence=before)
    plant.deliver(5, "2025-01-08T00:00:00Z")
    moving = plant.deliver(3, "2025-02-12T00:00:00Z")
    plant.deliver(4, "2025-03-12T00:00:00Z")
    plant.generate(WHOLE)
    move(plant, moving, "2025-03-13T00:00:00Z")
    plant.generate(WHOLE)
    activate(plant, after)

    plant.generate(WHOLE, model_version="latest")
    plant.generate(WHOLE)

    assert plant.balance() == 12


def test_a_month_that_was_corrected_to_nothing_brings_no_month_back_beside_the_quarter(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(5, "2025-01-08T00:00:00Z")
    corrected = plant.deliver(3, "2025-02-12T00:00:00Z")
    plant.deliver(7, "2025-03-12T00:00:00Z")
    plant.generate(QUARTER)
    correct(plant, corrected, 0)
    plant.generate(QUARTER)
    activate(plant, "quarterly")

    plant.generate(QUARTER, model_version="latest")
    plant.generate(QUARTER)

    assert plant.balance() == 12


def test_data_that_return_to_an_emptied_slot_are_computed_by_the_active_version(api, drain):
    plant, _ = weekly_with_an_emptied_week(api, drain)
    doubled = (
        MASS.replace("output: true", "").replace("slug: mass", "slug: weighed")
        + """
  - slug: mass
    formula: 2 * weighed
    unit: t
    output: true
"""
    )
    activate(plant, "weekly", doubled)
    plant.generate(WHOLE, model_version="latest")
    plant.deliver(5, WEEKS_OF_JANUARY[1])

    plant.generate(WHOLE)

    assert plant.balance() == 40


def test_data_that_move_back_between_slots_in_force_are_computed_where_they_were(api, drain):
    plant, moved = weekly_with_an_emptied_week(api, drain)
    activate(plant, "monthly")
    move(plant, moved, WEEKS_OF_JANUARY[1])

    plant.generate(WHOLE)

    assert plant.balance() == 15


def test_a_delivery_between_the_last_month_and_the_first_week_is_named(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(5, "2025-01-08T00:00:00Z")
    plant.generate()
    activate(plant, "weekly")
    lost = plant.deliver(3, "2025-02-01T12:00:00Z")
    plant.deliver(4, "2025-02-05T00:00:00Z")

    result = plant.generate(FEBRUARY_ON)

    assert plant.balance() == 9
    assert [one["events"] for one in result["not_counted"]] == [[lost]]
    assert "another cadence" in result["not_counted"][0]["reason"]


def test_an_event_that_moves_into_a_generated_month_leaves_its_own_slot(api, drain):
    plant = accounting.plant(api, drain, cadence="event")
    moving = plant.deliver(5, "2025-01-08T00:00:00Z")
    plant.generate()
    activate(plant, "monthly")
    plant.deliver(4, "2025-02-05T00:00:00Z")
    plant.generate(FEBRUARY_ON)
    move(plant, moving, "2025-02-10T00:00:00Z")

    plant.generate(FEBRUARY_ON)

    assert plant.balance() == 9


def zero_batches(plant):
    """The batches that brought replaced weeks to zero."""
    return [batch["id"] for batch in plant.batches() if batch["run_total"] == 0 and batch["adjusts"]]


def three_weeks(api, drain):
    plant = accounting.plant(api, drain, cadence="weekly")
    for mass, day in zip((5, 3, 7), WEEKS_OF_JANUARY, strict=True):
        plant.deliver(mass, day)
    plant.generate(WHOLE)
    return plant


def replaced_weeks(api, drain):
    """Three weeks that a month has replaced."""
    plant = three_weeks(api, drain)
    activate(plant, "monthly")
    plant.generate(WHOLE, model_version="latest")
    return plant


def test_what_brought_a_replaced_slot_to_zero_goes_only_with_what_replaced_it(api, drain):
    plant = replaced_weeks(api, drain)
    (month,) = [batch["id"] for batch in plant.batches() if batch["tracking_id"] == "2025-01"]
    path = f"/ledgers/{plant.ledger['id']}/batch_deletions"

    refused = api.post(path, {"batch_ids": zero_batches(plant)}).expect(422)
    assert {(error["code"], *error["records"]) for error in refused.errors} == {("slot_replaced", month)}
    api.post(path, {"batch_ids": [*zero_batches(plant), month]}).expect(202)
    drain()

    assert (plant.balance(), [batch["tracking_id"] for batch in plant.batches()]) == (
        15,
        ["2025-W02", "2025-W03", "2025-W04"],
    )


def test_a_replacement_takes_the_other_ledgers_of_the_model_along(api, drain):
    nodes = MASS + "  - slug: twice\n    formula: 2 * mass\n    unit: t\n    output: true\n"
    plant = accounting.plant(api, drain, nodes, cadence="weekly")
    plant.deliver(5, WEEKS_OF_JANUARY[0])
    twice = accounting.ledger(api, plant.project, plant.model, name="Twice", output="twice")
    other = replace(plant, ledger=twice)
    plant.generate(WHOLE)
    other.generate(WHOLE)
    activate(plant, "monthly", nodes)

    plant.generate(WHOLE, model_version="latest")

    assert (plant.balance(), other.balance()) == (5, 10)
    assert [batch["tracking_id"] for batch in other.batches() if batch["run_total"]] == ["2025-01"]
    assert other.generate(WHOLE)["batches"] == []


def test_data_that_were_named_for_a_slot_keep_it_until_it_is_replaced(api, drain):
    plant = accounting.plant(
        api, drain, MASS.replace("output: true", "output: true\n    default: 0"), cadence="weekly"
    )
    first, second, _ = WEEKS_OF_JANUARY
    plant.deliver(5, first)
    plant.deliver(3, second)
    (kind,) = api.get(f"/projects/{plant.project['id']}/event_types").data[0]["data_point_types"]
    plant.generate(WHOLE)
    week = (second, "2025-01-20T00:00:00Z")
    plant.generate(week, skipped_data_point_type_ids=[kind["id"]])
    assert plant.balance() == 5
    activate(plant, "monthly")

    plant.generate(WHOLE)
    assert plant.balance() == 5
    plant.generate(WHOLE, model_version="latest")

    assert plant.balance() == 8


def test_the_next_generation_mends_slots_that_share_time(server, api, drain):
    plant = replaced_weeks(api, drain)
    double(server, plant)
    assert plant.balance() == 30
    assert len(shared_time(server, plant)) == 3

    result = plant.generate(("2025-01-06T00:00:00Z", "2025-01-26T00:00:00Z"))

    assert (plant.balance(), result["adjusted"]) == (15, 3)
    assert shared_time(server, plant) == []
    assert plant.generate(WHOLE)["batches"] == []


def test_mending_takes_along_what_only_the_slots_had_that_give_way(server, api, drain):
    plant = replaced_weeks(api, drain)
    double(server, plant)
    plant.deliver(4, "2025-01-30T00:00:00Z")
    activate(plant, "weekly")

    plant.generate(("2025-01-06T00:00:00Z", "2025-01-13T00:00:00Z"))

    assert (plant.balance(), shared_time(server, plant)) == (19, [])


def test_a_report_over_slots_that_share_time_is_not_sent_off(server, api, drain):
    plant = replaced_weeks(api, drain)
    double(server, plant)
    week = next(batch for batch in plant.batches() if batch["tracking_id"] == "2025-W02")
    report = Claims(plant).ask(batches=[{"batch_id": week["id"], "amount": 1}]).expect(201).body

    answer = api.post(f"/reports/{report['id']}/submit", {}).expect(422)

    assert any("share time" in error["message"] for error in answer.errors), answer.errors


def test_a_report_beside_a_delivery_that_no_slot_can_have_is_not_sent_off(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(5, "2025-01-08T00:00:00Z")
    plant.generate()
    activate(plant, "weekly")
    plant.deliver(4, "2025-02-05T00:00:00Z")
    plant.generate(FEBRUARY_ON)
    report = Claims(plant).report(5, 4)
    late = plant.deliver(3, "2025-02-01T12:00:00Z")

    for _ in range(2):
        answer = api.post(f"/reports/{report['id']}/submit", {}).expect(422)
        (told,) = [error for error in answer.errors if error["code"] == "late_data"]
        assert (told["records"], "no slot" in told["message"]) == ([late], True)
        plant.generate(FEBRUARY_ON)

    # Days between the last month and the first week have a slot for it.
    activate(plant, "daily")
    plant.generate(("2025-02-01T00:00:00Z", "2025-02-03T00:00:00Z"))
    report = Claims(plant).report(5, 3, 4)
    assert plant.balance() == 12
    api.post(f"/reports/{report['id']}/submit", {}).expect(202)


def double(server, plant):
    """Undo what brought replaced weeks to zero, as 1.0.0 computed them again beside the month."""
    project = broken_on_purpose(plant.project["numeric_id"])
    batches = [accounting.key_of("batch", batch)[1] for batch in zero_batches(plant)]

    async def run():
        async with server.database.write() as tx:
            task = await tx.value("SELECT max(id) FROM async_tasks WHERE project_id = %s", (project,))
            await undo_batches(tx, project, batches, task)

    server.run(run())


def shared_time(server, plant):
    async def run():
        async with server.database.read() as tx:
            return (await check_counted_once(tx, plant.project["numeric_id"]))[NO_SHARED_TIME]

    return server.run(run())
