"""Meters by asset: generation, verification and the check of a bundle agree on which partitions run.

A reading that counts for nothing, such as a kiln's first one, still makes its kiln a partition; what a meter
of the whole site counted is then shared over it too.
"""

import hashlib
import random
from decimal import Decimal

import pytest
from tests.given import accounting, bundles
from tests.given import collection as given
from tests.given.accounting import QUARTER, Plant
from tests.given.inputs import measure, recomputed

COUNTED = """
  - slug: counted
    input: {event_type: meter, data_point_type: shown, aggregate: delta, share: even}
    unit: kWh
    output: true
    optional: true
    default: 0
"""
HEATED = """
  - slug: heated
    input: {event_type: meter, data_point_type: heat, aggregate: delta, share: even, partitions: true}
    unit: kWh
    output: true
    optional: true
    default: 0
"""
BY_MASS = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, partitions: true}
    unit: t
    optional: true
  - slug: counted
    input: {event_type: meter, data_point_type: shown, aggregate: delta, share: by, share_by: mass,
            partitions: true}
    unit: kWh
    output: true
    optional: true
    default: 0
"""
LEVEL = """
  - slug: level
    input: {event_type: meter, data_point_type: shown, aggregate: time_weighted}
    unit: kWh
    optional: true
"""
BOTH = COUNTED.replace("share: even", "share: even, partitions: true") + HEATED


def metered(api, drain, nodes, **fields):
    project = given.project(api)
    points = [given.number(slug, unit="kWh", required=False) for slug in ("shown", "heat")]
    given.event_type(api, project, slug="meter", data_point_types=points)
    given.event_type(api, project, slug="delivery", data_point_types=[given.number("mass")])
    text = accounting.document(nodes, primary_output="counted", partition_type="asset", **fields)
    model = accounting.model(api, project, text)
    return Plant(api, drain, project, model, accounting.ledger(api, project, model, unit="kWh"))


def read(plant, shown, start, **tags):
    return measure(plant, "meter", {"shown": Decimal(shown)}, start, **tags)


def asset(plant, name):
    return {"asset_id": given.asset(plant.api, plant.project, name=name)["id"]}


def faults(account, plant):
    """What a bundle of all that the ledger holds does not hold, by the check and by verification."""
    report = bundles.report_of(plant.api, plant.ledger)
    return recomputed(account.server, plant) + bundles.bundle(account, report).faults()


def test_a_kiln_with_a_first_reading_shares_what_the_site_counted(api, drain, account):
    plant = metered(api, drain, COUNTED)
    read(plant, 100, "2025-01-02")
    read(plant, 150, "2025-01-20")
    read(plant, 7, "2025-01-05", **asset(plant, "Kiln"))

    result = plant.generate()

    assert plant.credits() == {"2025-01 Kiln": 50}
    assert len(result["not_counted"]) == 1
    assert faults(account, plant) == []


def test_books_of_before_the_reading_was_kept_hold_until_the_slot_is_generated_again(api, drain, account):
    plant = metered(api, drain, COUNTED)
    site = [read(plant, shown, "2025-01-02") for shown in (100, 150)]
    kiln = read(plant, 7, "2025-01-05", **asset(plant, "Kiln"))
    plant.generate()
    as_kept_by_1_0_0(account.server.sql, plant, [accounting.key_of("event", one)[1] for one in site])
    assert recomputed(account.server, plant) == []

    plant.generate()

    assert [batch["primary_output"]["value"] for batch in plant.batches()] == [50, 0]
    assert recomputed(account.server, plant) == []
    made = plant.batches()[-1]["input_data"]
    assert kiln in {row["event"]["id"] for row in made}


def test_first_readings_of_two_kilns_beside_one_that_counts(api, drain, account):
    plant = metered(api, drain, COUNTED)
    kiln, oven, dryer = (asset(plant, name) for name in ("Kiln", "Oven", "Dryer"))
    for shown, day, tags in (
        (100, "2025-01-02", {}), (190, "2025-02-20", {}), (7, "2025-01-05", kiln), (9, "2025-02-05", kiln),
        (1, "2025-01-06", oven), (4, "2025-01-07", oven), (3, "2025-02-07", dryer),
    ):  # fmt: skip
        read(plant, shown, day, **tags)
    plant.generate(QUARTER)
    assert faults(account, plant) == []

    read(plant, 5, "2025-01-09", **dryer)
    read(plant, 130, "2025-01-31T12:00:00Z")
    plant.generate(QUARTER)

    assert plant.balance() == 98
    assert faults(account, plant) == []


def test_a_reading_without_the_value_still_makes_its_partition(api, drain, account):
    plant = metered(api, drain, BOTH)
    kiln, oven = asset(plant, "Kiln"), asset(plant, "Oven")
    for values, day, tags in (
        ({"shown": 100, "heat": 5}, "2025-01-02", {}), ({"shown": 150, "heat": 8}, "2025-01-20", {}),
        ({"heat": 1}, "2025-01-05", kiln), ({}, "2025-01-05", oven),
    ):  # fmt: skip
        measure(plant, "meter", values, day, **tags)

    plant.generate()

    assert faults(account, plant) == []


@pytest.mark.parametrize(
    "nodes", [COUNTED, BY_MASS, BOTH, COUNTED + LEVEL], ids=["even", "by", "two", "level"]
)
@pytest.mark.parametrize("seed", range(3))
def test_made_up_meters_are_computed_again(api, drain, account, nodes, seed):
    chance = random.Random(seed)  # noqa: S311 - the same data in every run
    plant = metered(api, drain, nodes, cadence=chance.choice(["monthly", "weekly"]))
    tags = [{}, *(asset(plant, name) for name in ("Kiln", "Oven", "Dryer"))]
    stored = []
    for _ in range(3):
        for _ in range(chance.randrange(3, 8)):
            day, tag = f"2025-0{chance.randrange(1, 4)}-{chance.randrange(1, 28):02}", chance.choice(tags)
            values = {slug: chance.randrange(1, 90) for slug in ("shown", "heat") if chance.random() < 0.8}
            stored.append(measure(plant, "meter", values, day, **tag))
        if nodes == BY_MASS:
            for tag in tags[1:]:
                measure(plant, "delivery", {"mass": chance.randrange(1, 9)}, "2025-02-03", **tag)
        if chance.random() < 0.5:
            accounting.void(account.server.sql, chance.choice(stored))
        plant.finish(QUARTER)
        assert faults(account, plant) == []


def as_kept_by_1_0_0(sql, plant, site):
    """The plant's only batch as 1.0.0 kept it: made of the site's readings alone, and with their digest."""
    [batch] = plant.batches()
    project, number = accounting.key_of("batch", batch["id"])
    [(model, digests)] = sql(
        "SELECT model_sha256, (SELECT sum(hashint8extended(id, 0)) FROM events WHERE id = ANY (%s))"
        "  FROM batches WHERE (project_id, id) = (%s, %s)", site, project, number
    )  # fmt: skip
    fingerprint = hashlib.sha256(model + f"counted 2 {digests}\ncounted 50 50\n".encode()).digest()
    for change, value in {
        "batches SET fingerprint = %s WHERE (project_id, id)": fingerprint,
        "batch_inputs SET event_ids = %s WHERE (project_id, batch_id)": site,
        "batch_inputs SET last_event = %s WHERE (project_id, batch_id)": max(site),
        "batch_input_sets SET event_count = %s WHERE (project_id, batch_id)": len(site),
    }.items():
        sql(f"UPDATE {change} = (%s, %s)", value, project, number)
    sql("UPDATE slot_digests SET digest = %s WHERE project_id = %s", b"of 1.0.0".ljust(32), project)
