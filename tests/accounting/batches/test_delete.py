"""DELETE /batches/{batch_id} (`delete_batch`) and POST /ledgers/{ledger_id}/batch_deletions
(`delete_batches`).
"""

from decimal import Decimal

from tests.given import accounting, chain
from tests.given.accounting import QUARTER
from tests.given.draws import consumer_of, draw

JANUARY, FEBRUARY, MARCH = (f"2025-0{month}-02T00:00:00Z" for month in (1, 2, 3))


def finished(plant, answer):
    """The task of an accepted deletion, as it ended."""
    task = answer.expect(202).body
    plant.drain()
    return plant.api.get(f"/async_tasks/{task['id']}").expect(200).body


def delete(plant, *batches):
    """Delete batches together; gives the task, which must have gone well."""
    named = {"batch_ids": [batch["id"] for batch in batches]}
    task = finished(plant, plant.api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", named))
    assert task["state"] == "complete", task
    return task


def refused(plant, *batches):
    """Why batches cannot be deleted together: code and records of each blocker."""
    named = {"batch_ids": [batch["id"] for batch in batches]}
    answer = plant.api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", named).expect(422)
    return [(error["code"], error["records"]) for error in answer.body["errors"]]


def state(plant):
    """Every balance by batch, and what the ledger holds and is short of."""
    record = plant.api.get(f"/ledgers/{plant.ledger['id']}").expect(200).body
    balances = {batch["id"]: batch["ledger_balance"] for batch in plant.batches()}
    return balances, record["balance"], record["deficit"]


def test_a_deleted_batch_is_gone_and_its_ledger_holds_what_it_held_before(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver("1.5", JANUARY)
    plant.deliver(2, FEBRUARY)
    plant.generate(QUARTER)
    january, february = plant.batches()

    answer = api.delete(f"/batches/{january['id']}")
    task = finished(plant, answer)

    assert answer.headers["Location"] == f"/api/v1/async_tasks/{task['id']}"
    assert answer.headers["Retry-After"] == "2"
    assert (task["type"], task["state"]) == ("batch_deletion", "complete")
    assert task["result"] == {"deleted": [january["id"]], "ended_inputs": [], "stands_above": []}
    assert plant.batches() == [february]
    assert [batch["id"] for batch in api.get("/batches").expect(200).data] == [february["id"]]
    for path in ("", "/input_data", "/lineage", "/evidences"):
        api.get(f"/batches/{january['id']}{path}").expect(404)
    assert plant.balance() == 2


def test_the_run_of_a_deleted_batch_is_as_one_that_was_never_generated(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(2, JANUARY)
    plant.generate(QUARTER)
    delete(plant, *plant.batches())
    assert plant.batches() == []

    result = plant.generate(QUARTER)

    assert (result["created"], result["adjusted"]) == (1, 0)
    assert [batch["adjusts"] for batch in plant.batches()] == [None]
    assert plant.balance() == 2


def test_every_entry_of_a_deleted_batch_is_undone_by_one_that_names_it(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(2, JANUARY)
    plant.generate(QUARTER)

    delete(plant, *plant.batches())

    rows = sql(
        """
        SELECT kind, amount, effective_at, posted_by, reverses IS NOT NULL FROM ledger_entries
         WHERE project_id = %s ORDER BY id
        """,
        plant.project["numeric_id"],
    )
    credit, undone = rows
    assert (credit[0], credit[1], credit[4]) == ("credit", 2, False)
    assert undone == ("credit", -2, credit[2], credit[3], True)


def test_deleting_together_what_a_generation_made_restores_every_balance_and_deficit(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(5, JANUARY)
    plant.deliver(-2, FEBRUARY)
    withdrawn = plant.deliver(4, MARCH)
    plant.generate(QUARTER)
    plant.deliver(-9, JANUARY)
    plant.generate(QUARTER)
    before, kept = state(plant), plant.batches()

    accounting.void(sql, withdrawn)
    plant.deliver("0.5", FEBRUARY)
    plant.deliver(12, JANUARY)
    plant.generate(QUARTER)
    made = [batch for batch in plant.batches() if batch["id"] not in before[0]]
    assert len(made) == 3
    assert state(plant) != before
    delete(plant, *made)

    assert state(plant) == before
    assert [batch["id"] for batch in plant.batches()] == [batch["id"] for batch in kept]


def test_a_deficit_that_a_deleted_batch_settled_is_open_again(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(-2, JANUARY)
    plant.generate(QUARTER)
    plant.deliver(5, MARCH)
    plant.generate(QUARTER)
    assert state(plant)[1:] == (3, 0)

    delete(plant, plant.batches()[1])

    assert state(plant)[1:] == (0, 2)


def test_the_remaining_batches_of_a_run_become_stale_until_it_is_generated_again(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, JANUARY)
    plant.generate(QUARTER)
    plant.deliver(2, JANUARY)
    plant.generate(QUARTER)
    first, second = plant.batches()

    delete(plant, second)

    (left,) = plant.batches()
    assert (left["id"], left["is_stale"]) == (first["id"], True)
    assert left["stale_reasons"] == [{"reason": "batch_deleted", "record": second["id"]}]
    plant.generate(QUARTER)
    assert plant.balance() == 3
    assert not any(batch["is_stale"] for batch in plant.batches())


def test_a_batch_that_a_newer_one_adjusts_is_refused_unless_both_go(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, JANUARY)
    plant.generate(QUARTER)
    plant.deliver(2, JANUARY)
    plant.generate(QUARTER)
    first, second = plant.batches()

    error = api.delete(f"/batches/{first['id']}").expect(422).error

    assert (error["code"], error["records"]) == ("newer_batch", [second["id"]])
    assert error["message"] == (
        f"The batch {first['id']} cannot be deleted: newer batches of its run adjust it: {second['id']}. "
        "Delete those first, or together with it."
    )
    delete(plant, first, second)
    assert plant.batches() == []


def test_a_batch_that_was_drawn_from_is_refused_with_those_who_drew(api, drain, sql):
    plant = accounting.plant(api, drain)
    consumer = consumer_of(plant)
    plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    consumer.generate(QUARTER)
    (source,), (drawing,) = plant.batches(), consumer.batches()
    draw(sql, source, drawing, 2)

    assert refused(plant, source) == [("drawn", [drawing["id"]])]

    delete(plant, drawing)
    assert state(plant)[0] == {source["id"]: 5}
    delete(plant, source)
    assert plant.batches() == []


def test_a_source_and_those_who_drew_from_it_may_go_together(api, drain, sql):
    plant = accounting.plant(api, drain)
    consumer = consumer_of(plant)
    plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    consumer.generate(QUARTER)
    (source,), (drawing,) = plant.batches(), consumer.batches()
    draw(sql, source, drawing, 5)

    delete(plant, source, drawing)

    assert (plant.batches(), consumer.batches()) == ([], [])


def test_a_batch_whose_draws_were_returned_may_go(api, drain, sql):
    plant = accounting.plant(api, drain)
    consumer = consumer_of(plant)
    plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    consumer.generate(QUARTER)
    (source,), (drawing,) = plant.batches(), consumer.batches()
    draw(sql, source, drawing, 5)
    draw(sql, source, drawing, -5)

    delete(plant, source)

    assert plant.batches() == []


def test_what_was_given_back_and_is_drawn_by_now_keeps_the_batch_that_gave(api, drain, sql):
    plant = accounting.plant(api, drain)
    consumer = consumer_of(plant)
    plant.deliver(5, JANUARY)
    withdrawn = plant.deliver(-4, FEBRUARY)
    plant.generate(QUARTER)
    consumer.generate(QUARTER)
    accounting.void(sql, withdrawn)
    plant.deliver("0.5", FEBRUARY)
    plant.generate(QUARTER)
    january, _, rising = plant.batches()
    assert january["ledger_balance"] == 5
    drawing = consumer.batches()[0]
    draw(sql, january, drawing, 3)

    assert refused(plant, rising) == [("drawn", [drawing["id"]])]


def test_a_credit_that_another_run_fell_upon_is_kept_by_the_fall(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    plant.deliver(-2, FEBRUARY)
    plant.generate(QUARTER)
    january, falling = plant.batches()

    assert refused(plant, january) == [("taken", [falling["id"]])]

    delete(plant, january, falling)
    assert state(plant) == ({}, 0, 0)


def test_a_fall_whose_deficit_was_settled_is_kept_by_what_settled_it(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(-2, JANUARY)
    plant.generate(QUARTER)
    plant.deliver(5, MARCH)
    plant.generate(QUARTER)
    falling, settling = plant.batches()

    assert refused(plant, falling) == [("settled", [settling["id"]])]

    delete(plant, falling, settling)
    assert state(plant) == ({}, 0, 0)


def test_a_credit_that_settled_and_got_its_own_back_is_kept_by_who_gave_it_back(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(-2, JANUARY)
    plant.generate(QUARTER)
    plant.deliver(5, MARCH)
    plant.generate(QUARTER)
    plant.deliver(2, JANUARY)
    plant.generate(QUARTER)
    first, rising, settling = plant.batches()
    assert (rising["adjusts"], settling["ledger_balance"]) == (first["id"], 5)

    assert refused(plant, settling) == [("given_back", [rising["id"]])]

    delete(plant, first, rising, settling)
    assert state(plant) == ({}, 0, 0)


def test_a_blocker_that_comes_after_the_request_fails_the_task(api, drain, sql):
    plant = accounting.plant(api, drain)
    consumer = consumer_of(plant)
    plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    consumer.generate(QUARTER)
    (source,), (drawing,) = plant.batches(), consumer.batches()

    answer = api.delete(f"/batches/{source['id']}")
    draw(sql, source, drawing, 1)
    task = finished(plant, answer)

    assert task["state"] == "failed"
    assert drawing["id"] in task["error_message"]
    assert state(plant)[0] == {source["id"]: 4}


def test_a_batch_that_is_deleted_twice_at_once_is_deleted_once(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    (batch,) = plant.batches()

    first, second = api.delete(f"/batches/{batch['id']}"), api.delete(f"/batches/{batch['id']}")
    tasks = [finished(plant, answer) for answer in (first, second)]

    assert sorted(task["state"] for task in tasks) == ["complete", "failed"]
    assert plant.balance() == 0
    api.delete(f"/batches/{batch['id']}").expect(404)


def test_a_batch_that_is_not_there_is_not_found_and_named_among_several(api, stranger, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    (batch,) = plant.batches()
    path = f"/ledgers/{plant.ledger['id']}/batch_deletions"

    stranger.delete(f"/batches/{batch['id']}").expect(404)
    stranger.post(path, {"batch_ids": [batch["id"]]}).expect(404)
    api.delete("/batches/bat_xyz").expect(404)
    error = api.post(path, {"batch_ids": [batch["id"], "bat_xyz"]}).expect(422).error
    assert (error["field"], error["code"], error["records"]) == ("batch_ids", "unknown", ["bat_xyz"])
    assert api.post(path, {"batch_ids": []}).expect(422).error["code"] == "invalid"
    assert state(plant)[1] == Decimal(5)


def test_the_data_of_deleted_batches_are_free(api, drain):
    plant = accounting.plant(api, drain)
    event = plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    path = f"/projects/{plant.project['id']}/events/{event}"
    api.delete(path).expect(422)

    delete(plant, *plant.batches())

    api.delete(path).expect(204)
    api.patch(f"/projects/{plant.project['id']}", {"project": {"time_zone": "Europe/Berlin"}}).expect(200)


def test_who_deleted_what_stands_in_the_audit_log(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    (batch,) = plant.batches()

    delete(plant, batch)

    rows = sql(
        """
        SELECT action, object, after -> 'deleted' FROM audit_log WHERE project_id = %s
         ORDER BY id DESC LIMIT 2
        """,
        plant.project["numeric_id"],
    )
    assert rows == [
        ("batch_deletion.finish", batch["id"], [batch["id"]]),
        ("batch_deletion.start", batch["id"], None),
    ]


def test_a_batch_that_only_its_own_runs_fall_took_from_is_kept_by_the_newer_batch(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(5, JANUARY)
    withdrawn = plant.deliver(3, JANUARY)
    plant.generate(QUARTER)
    accounting.void(sql, withdrawn)
    plant.generate(QUARTER)
    first, falling = plant.batches(sort="id")

    assert refused(plant, first) == [("newer_batch", [falling["id"]])]


def test_why_batches_are_deleted_stands_in_the_task(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(3)
    plant.generate()
    named = {"batch_ids": [plant.batches()[0]["id"]], "reason": "made by mistake"}

    task = finished(plant, plant.api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", named))

    assert task["args"]["reason"] == "made by mistake"


def test_a_fall_of_its_own_run_that_another_ledger_settled_is_called_its_own(api, drain):
    plant = chain.inventory(api, drain)
    production = chain.link(plant)
    delivery = plant.deliver(10, JANUARY)
    made = chain.produce(plant, 5, JANUARY)
    plant.generate(QUARTER)
    production.generate(QUARTER)
    correct(plant, delivery, 3)
    plant.generate(QUARTER)  # all of it is drawn, so the ledger is short
    correct(plant, made, 1)
    production.generate(QUARTER)  # what it gives back settles that
    first, falling = plant.batches()
    settling = production.batches()[-1]

    body = {"batch_ids": [first["id"], falling["id"]]}
    answer = api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", body).expect(422)

    taken = [error for error in answer.errors if error["code"] == "taken"]
    assert [(error["records"], "its own run" in error["message"]) for error in taken] == [
        ([settling["id"]], True)
    ]
    assert not any("other runs" in error["message"] for error in answer.errors)


def correct(plant, event, mass):
    path = f"/projects/{plant.project['id']}"
    (point,) = plant.api.get(f"{path}/events/{event}/data_points").expect(200).data
    body = {"data_point": {"value": Decimal(mass)}}
    plant.api.patch(f"{path}/data_points/{point['id']}", body).expect(200)
