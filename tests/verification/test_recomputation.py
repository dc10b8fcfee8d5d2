"""Recomputation: every batch anew from its own lineage and model version, compared to the last digit."""

from tests.given import accounting
from tests.given.on_purpose import BROKEN, BROKEN_LOGS
from tests.verification.conftest import Books

from weighbridge.core import identity

RECOMPUTES = "every batch recomputes to the last digit"
MASS_OF_HALF = """
  - slug: mass
    formula: half * 2
    unit: t
    output: true
"""


def broken(books):
    found = books.violations()
    assert list(found) == [RECOMPUTES]
    return found[RECOMPUTES]


def test_a_changed_value_of_a_node_is_named_with_both_values(books):
    books.break_by(
        f"""UPDATE batch_calculations SET value = value + 0.1
             WHERE batch_id = {books.number(0)} AND slug = 'mass'"""
    )

    assert broken(books) == [
        f"batch {books.batches[0]['id']}: node mass is 1.6 in the batch and 1.5 computed anew"
    ]


def test_a_value_of_a_node_that_is_gone_is_named(books):
    books.break_by(
        f"DELETE FROM batch_calculations WHERE batch_id = {books.number(0)} AND slug = 'intensity'"
    )

    (sentence,) = broken(books)

    assert sentence.startswith(
        f"batch {books.batches[0]['id']}: node intensity is nothing in the batch and 22.2"
    )


def test_a_changed_whole_of_a_share_is_named(books):
    books.break_by(
        f"""UPDATE batch_calculations SET whole = whole + 1
             WHERE batch_id = {books.number(0)} AND slug = 'power'"""
    )

    (sentence,) = broken(books)

    assert f"batch {books.batches[0]['id']}: node power is" in sentence


def test_a_changed_value_of_an_event_is_named_by_every_batch_that_it_made(books):
    books.break_by("UPDATE events SET numbers = '{1.6}' WHERE numbers = '{1.5}'")

    found = broken(books)

    # Straw's own mass, and the shares of both feedstocks of January, on both ledgers and in both generations.
    january = [batch for batch in books.batches if batch["tracking_id"].startswith("2025-01")]
    assert len(january) == 8
    assert {batch["id"] for batch in january} == {sentence.split()[1].rstrip(":") for sentence in found}
    assert any("node mass is 1.5 in the batch and 1.6 computed anew" in sentence for sentence in found)


def test_an_event_that_was_exchanged_for_another_is_named(books):
    number = books.number(0)
    books.break_by(
        f"""
        UPDATE batch_inputs i
           SET (event_ids, first_event, last_event) = (
                   SELECT o.event_ids, o.first_event, o.last_event FROM batch_inputs o
                    WHERE o.batch_id = {books.number(2)} AND o.set_number = 1)
         WHERE i.batch_id = {number} AND i.set_number = 1
        """
    )

    found = broken(books)

    name = books.batches[0]["id"]
    assert f"batch {name}: node mass is 1.5 in the batch and 2.5 computed anew" in found
    assert f"batch {name}: the digest of its inputs differs from that of its lineage" in found


def test_a_twin_of_the_same_value_does_not_pass_for_the_event(books):
    books.break_by(
        """
        WITH twin AS MATERIALIZED (
            SELECT project_id, 1, event_type_id, start_time, end_time, feedstock_id, numbers, true
              FROM events WHERE numbers = '{1.5}')
        INSERT INTO events
               (project_id, id, event_type_id, start_time, end_time, feedstock_id, numbers, is_complete)
        SELECT * FROM twin
        """,
        f"""
        UPDATE batch_inputs SET event_ids = '{{1}}', first_event = 1, last_event = 1
         WHERE batch_id = {books.number(0)} AND set_number = 1
        """,
    )

    assert broken(books) == [
        f"batch {books.batches[0]['id']}: the digest of its inputs differs from that of its lineage"
    ]


def test_a_changed_digest_is_named(books):
    books.break_by(f"UPDATE batches SET fingerprint = sha256('other') WHERE id = {books.number(3)}")

    assert broken(books) == [
        f"batch {books.batches[3]['id']}: the digest of its inputs differs from that of its lineage"
    ]


def test_a_changed_model_is_named_by_every_batch_of_the_version(books):
    books.break_by("UPDATE models SET document = replace(document, 'power / mass', 'power / mass * 2')")

    found = broken(books)

    computed = [batch for batch in books.batches if batch["input_data_count"]]
    assert len(computed) == 14
    for batch in computed:
        of_batch = [sentence.partition(": ")[2] for sentence in found if batch["id"] in sentence]
        assert of_batch[0].startswith("node intensity is ")
        assert of_batch[-1] == "its model version is not the one that made it, by the digest"


def test_a_change_of_a_model_that_changes_no_value_is_named_too(books):
    books.break_by("UPDATE models SET document = replace(document, 'Deliveries', 'Shipments')")

    found = broken(books)

    assert {sentence.partition(": ")[2] for sentence in found} == {
        "its model version is not the one that made it, by the digest"
    }
    assert len(found) == len(books.batches)


def test_a_model_that_can_no_longer_be_read_is_named_and_the_rest_is_checked(books):
    books.break_by("UPDATE models SET document = 'nodes: ['")

    found = broken(books)

    assert any("cannot be computed anew" in sentence for sentence in found)


def test_data_that_came_later_do_not_disturb_what_was_computed_before(books):
    books.break_by(
        "UPDATE events SET voided_at = now()",
        "UPDATE event_types SET name = 'Other'",
    )

    assert books.violations() == {}


def test_ledgers_of_one_model_that_were_generated_from_different_data_all_recompute(api, drain, sql, server):
    plant = accounting.plant(
        api, drain, accounting.MASS + accounting.POWER_BY_MASS, partition_type="feedstock"
    )
    power = accounting.ledger(api, plant.project, plant.model, name="Power", unit="kWh", output="power")
    other = accounting.Plant(api, drain, plant.project, plant.model, power)
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    plant.deliver(1, feedstock_id=straw)
    plant.deliver(1, feedstock_id=wood)
    plant.bill(8)
    plant.generate()
    withdrawn = plant.deliver(2, feedstock_id=straw)
    other.generate()
    accounting.void(sql, withdrawn)
    plant.bill(5, feedstock_id=wood)

    assert plant.generate()["unchanged"] == 1

    _expect_that_all_holds(server, plant)


def test_slots_that_one_generation_computed_by_different_versions_all_recompute(api, drain, server):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-05T00:00:00Z")
    plant.generate(accounting.JANUARY)
    doubled = accounting.MASS.replace("slug: mass", "slug: half") + MASS_OF_HALF
    newer = accounting.version(api, plant.model, accounting.document(doubled))
    api.post(f"/models/{newer['id']}/activate", {}).expect(200)
    plant.deliver(2, "2025-01-06T00:00:00Z")
    plant.deliver(4, "2025-02-05T00:00:00Z")

    result = plant.generate(accounting.QUARTER)

    assert (result["created"], result["adjusted"], plant.balance()) == (1, 1, 11)
    _expect_that_all_holds(server, plant)


def test_whatever_else_the_tests_of_this_run_have_made_recomputes(server):
    found = [
        sentence for of_rule in Books(server.owner_url, []).violations().values() for sentence in of_rule
    ]

    assert [sentence for sentence in found if not _is_of_broken(sentence)] == []


def _is_of_broken(sentence):
    """Whether a sentence is of what a test has broken on purpose."""
    noun, name, *_ = sentence.split()
    if noun == "account":
        return int(name.rstrip(":,")) in BROKEN_LOGS
    return identity.parse(noun, name.rstrip(":,")).project in BROKEN


def _expect_that_all_holds(server, plant):
    books, project = Books(server.owner_url, []), plant.project["numeric_id"]
    assert books.breaches(project) == {}
    computed, wrong = books.recomputed(project)
    assert (computed > 0, wrong) == (True, [])
