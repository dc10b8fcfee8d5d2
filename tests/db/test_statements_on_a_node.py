"""Every request of an account on a node is carried out there, by PostgreSQL alone.

Asked are the counters that the cluster keeps on each node of the statements that it planned. The service
connects to the node itself and names the tables that the node has, so nothing of a request is counted; what
goes by the cluster meets one shard.
"""

from contextlib import ExitStack, contextmanager

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier
from tests.given.requests import OPERATIONS, content_of, required_query, sent, world_of
from tests.server import Server

from weighbridge.accounting.posting.waiting_events import update_marked
from weighbridge.exchange.changes import forget_changes, number_all
from weighbridge.exchange.webhooks import forget_deliveries
from weighbridge.http.idempotency import forget
from weighbridge.platform.async_tasks import QUEUE
from weighbridge.platform.audit_log import log_link_uses, log_refusals
from weighbridge.platform.audit_tree import seal
from weighbridge.platform.queue import TAKE_NEXT, recover
from weighbridge.quality.evaluation.incremental import Rounds

BY_THE_CLUSTER = set()
"""Operations with statements that the cluster plans; `docs/decisions/0063-cells.md` names them, too."""

SEVERAL_SHARDS = set()
"""Operations with statements that meet several shards; `docs/decisions/0063-cells.md` names them, too."""

COUNTED = "a statement on a table of the cell as the cluster knows it"

OF_THE_NODE = "SET search_path = local_cell_north, cell_north"

COUNTERS = """
    SELECT query_execution_single_shard, query_execution_multi_shard
      FROM citus_stat_counters WHERE name = current_database()
"""
NODE_NUMBER = "SELECT nodeid FROM pg_dist_node WHERE nodeport = current_setting('port')::integer"
CALLED = """
    SELECT max(state_change) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'citus_internal gpid=' || %s || '__________'
"""
"""When the cell's own node last asked another one for something; its number is the beginning of the gpid."""


class Counters:
    """What each node of a cluster has counted of a database, and whether the cell's own has called it."""

    def __init__(self, cluster, opened):
        urls = {"coordinator": cluster.coordinator, "own": cluster.workers[0], "other": cluster.workers[1]}
        self._nodes = {
            name: opened.enter_context(psycopg.connect(url, autocommit=True)) for name, url in urls.items()
        }
        [self._own] = self._nodes["own"].execute(NODE_NUMBER).fetchone()

    def read(self):
        return {
            name: (*node.execute(COUNTERS).fetchone(), *node.execute(CALLED, (self._own,)).fetchone())
            for name, node in self._nodes.items()
        }

    def since(self, before):
        return {
            name: (single - before[name][0], several - before[name][1], called != before[name][2])
            for name, (single, several, called) in self.read().items()
        }


OF_THE_CLUSTER = ("citus.distributed_deadlock_detection_factor", "citus.recover_2pc_interval")
"""How often the cluster itself has nodes call one another, whatever anybody asks; -1 is never."""


@contextmanager
def counting(cluster):
    """Have connections that are made within count what they carry out, while the cluster itself is quiet."""
    database = Identifier(conninfo_to_dict(cluster.coordinator)["dbname"])
    with ExitStack() as opened:
        for url in (cluster.coordinator, *cluster.workers):
            node = opened.enter_context(psycopg.connect(url, autocommit=True))
            node.execute("SET citus.enable_ddl_propagation = off")
            node.execute(SQL("ALTER DATABASE {} SET citus.enable_stat_counters = on").format(database))
            reset = SQL("ALTER DATABASE {} RESET citus.enable_stat_counters").format(database)
            opened.callback(node.execute, reset)
            opened.callback(node.execute, "SELECT pg_reload_conf()")
            for setting in OF_THE_CLUSTER:
                node.execute(SQL("ALTER SYSTEM SET {} = -1").format(Identifier(*setting.split("."))))
                opened.callback(
                    node.execute, SQL("ALTER SYSTEM RESET {}").format(Identifier(*setting.split(".")))
                )
            node.execute("SELECT pg_reload_conf()")
        yield Counters(cluster, opened)


@pytest.fixture(scope="module")
def counted(cluster):
    """What each operation had each node count, asked once."""
    if cluster is None:
        pytest.skip("the counters are those of a cluster, which --citus COMMAND starts")
    with (
        counting(cluster) as counters,
        Server(cluster.coordinator, second_cell="north") as server,
    ):
        # What the tests ask past the service does not go by the cluster, either.
        server.sql(OF_THE_NODE)
        whole = counters.read()
        world = world_of(server)
        found = {"the records before": (201, counters.since(whole))}
        before = counters.read()
        with psycopg.connect(cluster.workers[0]) as node:
            node.execute("SELECT count(*) FROM cell_north.accounts")
        found[COUNTED] = 200, counters.since(before)
        link = f"/reports/{world.ids['report']}/links"
        url = next(world.callers).post(link, {"link": {"name": "Reader"}}).expect(201).body["url"]
        before = counters.read()
        server.anyone.get(url[url.index("/reports/") :]).expect(200)
        found["opening a report by its link"] = 200, counters.since(before)
        for name, operation in sorted(
            OPERATIONS.items(), key=lambda one: (one[1].method == "DELETE", one[0])
        ):
            before = counters.read()
            body = content_of(operation) if operation.body is not None else None
            query = required_query(operation, world)
            answer = sent(operation, world.path(operation), next(world.callers), body, query)
            world.account.drain()
            found[name] = answer.status, counters.since(before)
        for name, round_ in rounds_of(world.account.database).items():
            before = counters.read()
            server.run(round_)
            found[name] = 200, counters.since(before)
    return found


def rounds_of(database):
    """What a worker does again and again, each once."""

    async def within(function, *values):
        async with database.write() as tx:
            await function(tx, *values)

    return {
        "recovering": within(recover, 10),
        "logging refusals": within(log_refusals),
        "logging uses of links": within(log_link_uses),
        "sealing": seal(database),
        "numbering changes": number_all(database),
        "evaluating rules": Rounds(database).look(),
        "counting what waits": update_marked(database),
        "forgetting answers": within(forget),
        "forgetting changes": within(forget_changes, 1),
        "forgetting deliveries": within(forget_deliveries),
        "taking a job": within(take_job),
    }


async def take_job(tx):
    await tx.tuples(TAKE_NEXT, {"queues": [QUEUE], "worker_id": None, "lock": None})


def test_operations_are_asked_and_none_fails(counted):
    failed = {name: status for name, (status, _) in counted.items() if status >= 500}
    good = [name for name, (status, _) in counted.items() if status < 400]

    assert failed == {}
    assert len(good) > len(counted) / 2


def test_no_statement_meets_more_than_one_shard(counted):
    several = {name for name, (_, nodes) in counted.items() if any(many for _, many, _ in nodes.values())}

    assert several == SEVERAL_SHARDS


def test_nothing_is_carried_out_on_another_node(counted):
    elsewhere = {
        name
        for name, (_, nodes) in counted.items()
        if any(nodes["coordinator"][:2]) or any(nodes["other"][:2])
    }

    assert elsewhere == set()


def test_the_cluster_plans_no_statement(counted):
    planned = {name for name, (_, nodes) in counted.items() if nodes["own"][0]}

    assert planned == BY_THE_CLUSTER | {COUNTED}


def test_no_node_is_called_by_another(counted):
    calling = [name for name, (_, nodes) in counted.items() if nodes["coordinator"][2] or nodes["other"][2]]

    assert " ".join(calling) == ""
