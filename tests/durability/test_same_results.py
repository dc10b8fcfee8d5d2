"""The same data give the same results, whoever computes them: workers, hash seeds and arrival do not show.

What is compared is everything that a batch says, of every ledger of a chain: totals, balances, values and
shares of its nodes, arrays, draws and inputs; ids and times of making aside.
"""

import random
from decimal import Decimal

import pytest
from tests.durability.remote import Site
from tests.given import collection as given
from tests.given.works import FEEDSTOCKS

CHAIN = ("Deliveries", "Biochar", "Carbon")
TOLD = ("tracking_id", "start_time", "end_time", "run_total", "ledger_balance", "input_data_count")
OF_NODES = ("slug", "unit", "value", "whole", "element_count", "elements")


def data():
    """Measurements of three months whose sums and parts have many digits: kind, month, feedstock, amount."""
    found = []
    for number in range(60):
        month, feedstock = 1 + number % 3, FEEDSTOCKS[number % 2]
        found += [
            ("delivery", month, feedstock, Decimal(number * 7919 % 10_007) / 7),
            ("production", month, feedstock, Decimal(number * 104_729 % 997) / 3000),
            ("application", month, feedstock, Decimal(number * 15_485_863 % 89) / 700),
        ]
    found += [("bill", month, None, Decimal(1000 + month) / 3) for month in (1, 2, 3)]
    return found + [("fuel", month, None, Decimal(100 + month) / 7) for month in (1, 2, 3)]


def told(works):
    """All that the batches say, ledger by ledger."""
    return {ledger: [described(works, batch) for batch in works.batches(ledger)] for ledger in works.ledgers}


def described(works, batch):
    lineage = works.api.get(f"/batches/{batch['id']}/lineage").expect(200).body
    nodes = [[str(node[name]) for name in OF_NODES] for node in lineage["nodes"]]
    # Rows of one moment are listed by id; what arrays are made of is compared in its own order, in the nodes.
    inputs = sorted(str(row["data_point"]["value"]) for row in batch["input_data"])
    return [str(batch[name]) for name in TOLD], nodes, inputs


def drawn(site, works):
    """Every draw by the slots and feedstocks of who draws and of what."""
    return site.sql(
        """
        SELECT consumer.tracking_id, d.node, d.place, source.tracking_id, d.amount
          FROM batch_draws d
          JOIN batches consumer ON (consumer.project_id, consumer.id) = (d.project_id, d.batch_id)
          JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
         WHERE d.project_id = %s
         ORDER BY consumer.tracking_id, d.node, d.place, source.tracking_id, d.amount
        """,
        works.number,
    )


@pytest.fixture
def site(folder, migrated_dir):
    site = Site(folder, migrated_dir)
    yield site
    site.close()


def generated(works, arrival):
    """Generate the chain once, from data that arrived in some order; gives all that came of it."""
    events = data()
    random.Random(arrival).shuffle(events)  # noqa: S311 - a fixed order
    given.events(
        works.api,
        works.project,
        [works.body(kind, month, amount, feedstock) for kind, month, feedstock, amount in events],
    )
    for ledger in CHAIN:
        task = works.generate(ledger)
        assert task["state"] == "complete", task
    return told(works)


def test_workers_hash_seeds_and_arrival_do_not_show_in_the_results(site):
    found = []
    for hash_seed, workers in (("0", 1), ("20", 3)):
        remote = site.serve(PYTHONHASHSEED=hash_seed)
        site.work(workers, PYTHONHASHSEED=hash_seed)
        for order in ("fifo", "pro_rata"):
            works = site.works(remote, order=order)
            found.append((generated(works, arrival=hash_seed), drawn(site, works)))
        site.stop_all()

    fifo, pro_rata, *again = found
    assert again == [fifo, pro_rata]
    assert fifo[1] != pro_rata[1]
    assert [len(fifo[0][ledger]) for ledger in CHAIN] == [6, 6, 6]
    assert len(fifo[1]) >= 12
