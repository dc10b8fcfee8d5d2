"""A batch whose inputs changed is stale and says which; generating again settles it.

Design, Stale and Corrections. A correction that commits while a generation runs is not lost either.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given import collection as given
from tests.given import generation as given_generation
from tests.given.accounting import JANUARY

from weighbridge.core import identity
from weighbridge.verification.recomputation import check_batches

STATIC = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: factor
    static_input: grid-factor
    unit: kg/t
  - slug: emission
    formula: mass * factor
    unit: kg
    output: true
"""


AT_EACH_BILL = """
  - slug: energy
    input: {event_type: bill, data_point_type: energy, aggregate: values, straddle: end}
    unit: kWh
  - slug: factor
    static_input: {slug: grid-factor, at: energy}
    unit: kg/kWh
  - slug: emission
    formula: sum(energy * factor)
    unit: kg
    output: true
"""


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


def mass_of(plant, event):
    return plant.api.get(f"/projects/{plant.project['id']}/events/{event}").expect(200).body["data_points"][0]


def correct(plant, event, value):
    path = f"/projects/{plant.project['id']}/data_points/{mass_of(plant, event)['id']}"
    plant.api.patch(path, {"data_point": {"value": value}}).expect(200)


def change(plant, event, **fields):
    path = f"/projects/{plant.project['id']}/events/{event}"
    plant.api.patch(path, {"event": fields}).expect(200)


def staleness(plant):
    return [batch["is_stale"] for batch in plant.batches(sort="id")]


def reasons(batch):
    return [(one["reason"], one["record"]) for one in batch["stale_reasons"]]


def violations(server, plant):
    """What recomputing finds of this plant's batches."""

    async def check():
        async with server.database.read() as tx:
            return (await check_batches(tx, plant.project["numeric_id"]))[1]

    return server.run(check())


def test_a_fresh_batch_is_not_stale(plant):
    plant.deliver(3)
    plant.generate()

    [batch] = plant.batches()

    assert (batch["is_stale"], batch["stale_reasons"]) == (False, [])


def test_a_corrected_value_makes_its_batch_stale_until_it_is_generated_again(plant):
    event = plant.deliver(3)
    plant.generate()

    correct(plant, event, 5)

    [stale] = plant.batches()
    assert stale["is_stale"] is True
    assert reasons(stale) == [("data_point_corrected", mass_of(plant, event)["id"])]

    assert plant.generate()["adjusted"] == 1
    assert [batch["primary_output"]["value"] for batch in plant.batches(sort="id")] == [3, 2]
    assert staleness(plant) == [False, False]


def test_the_value_that_is_held_makes_nothing_stale(plant):
    event = plant.deliver(3)
    plant.generate()

    correct(plant, event, 3)

    assert staleness(plant) == [False]


def test_only_batches_that_used_the_event_become_stale(plant):
    january = plant.deliver(3)
    plant.deliver(4, "2025-02-05T00:00:00Z")
    plant.generate(given_accounting.QUARTER)

    correct(plant, january, 5)

    assert {batch["tracking_id"]: batch["is_stale"] for batch in plant.batches()} == {
        "2025-01": True,
        "2025-02": False,
    }


def test_an_event_that_no_batch_used_makes_nothing_stale(plant):
    plant.deliver(3)
    plant.generate()
    late = plant.deliver(4, 2)

    correct(plant, late, 5)

    assert staleness(plant) == [False]


def test_corrections_that_leave_the_total_as_it_was_are_settled_by_a_batch_of_zero(plant, server):
    first, second = plant.deliver(3), plant.deliver(5, 2)
    plant.generate()
    correct(plant, first, 5)
    correct(plant, second, 3)

    assert plant.count() == 1
    result = plant.generate()

    assert (result["adjusted"], result["unchanged"]) == (1, 0)
    assert [batch["primary_output"]["value"] for batch in plant.batches(sort="id")] == [8, 0]
    assert staleness(plant) == [False, False]
    assert violations(server, plant) == []


def test_a_corrected_time_inside_the_slot_is_settled_by_a_batch_of_zero(plant, server):
    event = plant.deliver(3)
    plant.generate()

    change(plant, event, start_time="2025-01-20T00:00:00Z")

    [stale] = plant.batches()
    assert reasons(stale) == [("event_corrected", event)]
    assert plant.generate()["adjusted"] == 1
    assert staleness(plant) == [False, False]
    assert violations(server, plant) == []


def test_an_event_moved_to_another_month_leaves_its_batch(plant, server):
    moved = plant.deliver(3)
    plant.deliver(4, 2)
    plant.generate()

    change(plant, moved, start_time="2025-02-20T00:00:00Z")
    plant.generate(given_accounting.QUARTER)

    assert plant.balance() == 7
    assert not any(staleness(plant))
    assert violations(server, plant) == []


def test_a_revert_makes_stale_again_and_generating_restores_the_result(plant, server):
    event = plant.deliver(3)
    plant.generate()
    correct(plant, event, 5)
    plant.generate()

    path = f"/projects/{plant.project['id']}/data_points/{mass_of(plant, event)['id']}/revert"
    plant.api.post(path, {}).expect(200)

    assert staleness(plant) == [False, True]
    plant.generate()
    assert plant.balance() == 3
    assert violations(server, plant) == []


def test_a_correction_that_was_reverted_before_any_generation_is_settled_without_a_batch(plant):
    event = plant.deliver(3)
    plant.generate()
    correct(plant, event, 5)
    path = f"/projects/{plant.project['id']}/data_points/{mass_of(plant, event)['id']}/revert"
    plant.api.post(path, {}).expect(200)

    result = plant.generate()

    assert (result["created"], result["adjusted"], result["unchanged"]) == (0, 0, 1)
    assert staleness(plant) == [False]


def test_every_batch_recomputes_whatever_was_corrected_since(plant, server):
    events = [plant.deliver(mass, day) for day, mass in enumerate((3, 4, 5), start=1)]
    plant.generate()
    for event, value in zip(events, (6, 7, 8), strict=True):
        correct(plant, event, value)
        plant.generate()
    correct(plant, events[0], 100)
    change(plant, events[1], start_time="2025-01-30T00:00:00Z")

    assert violations(server, plant) == []


def test_the_input_data_of_a_batch_shows_what_it_was_made_of(plant):
    event = plant.deliver(3)
    plant.generate()
    correct(plant, event, 5)
    plant.generate()
    correct(plant, event, 6)

    shown = [batch["input_data"][0]["data_point"] for batch in plant.batches(sort="id")]

    assert [(one["value"], one["raw_value"]) for one in shown] == [(3, 3), (5, 3)]


def test_a_static_input_for_the_past_makes_the_batches_that_read_it_stale(api, drain):
    plant = given_accounting.plant(
        api, drain, STATIC, primary_output="emission", unit="kg", is_model_of_project=False
    )
    given.static_input(api, plant.project, value=2, unit="kg/t", effective_from="2024-01-01T00:00:00Z")
    plant.deliver(3)
    plant.deliver(3, "2025-02-05T00:00:00Z")
    plant.generate(given_accounting.QUARTER)

    given.static_input(api, plant.project, value=3, unit="kg/t", effective_from="2025-02-01T00:00:00Z")
    given.static_input(
        api, plant.project, slug="other", value=3, unit="kg/t", effective_from="2025-01-01T00:00:00Z"
    )

    assert {batch["tracking_id"]: batch["is_stale"] for batch in plant.batches()} == {
        "2025-01": False,
        "2025-02": True,
    }
    plant.generate(given_accounting.QUARTER)
    assert not any(staleness(plant))
    assert plant.balance() == 6 + 9


def test_a_static_input_makes_stale_what_read_it_at_an_event_that_began_before_the_slot(api, drain):
    plant = given_accounting.plant(
        api, drain, AT_EACH_BILL, primary_output="emission", unit="kg", is_model_of_project=False
    )
    given.static_input(api, plant.project, value=2, unit="kg/kWh", effective_from="2024-01-01T00:00:00Z")
    given.static_input(api, plant.project, value=3, unit="kg/kWh", effective_from="2025-01-20T00:00:00Z")
    plant.bill(10, "2025-01-15T00:00:00Z", end_time="2025-02-02T00:00:00Z")
    plant.generate(given_accounting.QUARTER)
    assert plant.credits() == {"2025-02": 20}

    given.static_input(api, plant.project, value=5, unit="kg/kWh", effective_from="2025-01-10T00:00:00Z")

    assert staleness(plant) == [True]
    plant.generate(given_accounting.QUARTER)
    assert (staleness(plant), plant.balance()) == ([False, False], 50)


def test_a_static_input_for_a_later_time_makes_nothing_stale(api, drain):
    plant = given_accounting.plant(
        api, drain, STATIC, primary_output="emission", unit="kg", is_model_of_project=False
    )
    given.static_input(api, plant.project, value=2, unit="kg/t", effective_from="2024-01-01T00:00:00Z")
    plant.deliver(3)
    plant.generate()

    given.static_input(api, plant.project, value=3, unit="kg/t", effective_from="2025-03-01T00:00:00Z")

    assert staleness(plant) == [False]


def test_staleness_passes_downstream_through_draws(api, drain):
    deliveries = chain.inventory(api, drain)
    event = deliveries.deliver(10)
    deliveries.generate()
    production = chain.link(deliveries)
    chain.produce(production, 3, "2025-01-10T00:00:00Z")
    production.generate(JANUARY)

    correct(deliveries, event, 12)

    [source] = deliveries.batches()
    [drawing] = production.batches()
    assert (source["is_stale"], drawing["is_stale"]) == (True, True)
    assert reasons(drawing) == [("upstream_stale", source["id"])]


def test_a_correction_in_flight_while_a_generation_ends_leaves_its_batches_stale(plant, server):
    event = plant.deliver(3)
    key = identity.parse("event", event)
    project = plant.project["numeric_id"]

    with ThreadPoolExecutor(1) as other:
        with server.transaction() as correcting:
            correcting.execute(
                "SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", (f"inputs:{project}",)
            )
            generating = other.submit(plant.generate)
            server.await_blocked()
            correcting.execute(
                """
                INSERT INTO corrections (project_id, event_id, position, source, from_value, to_value, state,
                                         user_id)
                SELECT %s, %s, 1, 'manual', '3', '5', 'in_force', min(id) FROM users
                """,
                (project, key.key),
            )
            correcting.execute(
                "UPDATE events SET corrected_numbers = '{5}', is_revised = true"
                " WHERE project_id = %s AND id = %s",
                (project, key.key),
            )
        generating.result()

    [batch] = plant.batches()
    assert batch["primary_output"]["value"] == 3
    assert reasons(batch) == [("data_point_corrected", mass_of(plant, event)["id"])]
    assert plant.generate()["adjusted"] == 1
    assert plant.balance() == 5
    assert staleness(plant) == [False, False]
    assert violations(server, plant) == []


def test_a_correction_that_waits_for_a_generation_to_end_marks_its_batches(plant, server):
    event = plant.deliver(3)
    project = plant.project["numeric_id"]

    with ThreadPoolExecutor(2) as others:
        with server.transaction() as earlier:
            earlier.execute(
                "SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", (f"inputs:{project}",)
            )
            generating = others.submit(plant.generate)
            server.await_blocked()
            correcting = others.submit(correct, plant, event, 5)
        generating.result()
        correcting.result()

    assert [batch["is_stale"] for batch in plant.batches()] == [True]


def test_a_correction_does_not_wait_for_a_generation_that_still_computes(plant, server):
    event = plant.deliver(3)

    with given_generation.running(server, plant):
        correct(plant, event, 5)

    plant.generate()
    assert plant.balance() == 5
