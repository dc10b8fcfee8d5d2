"""A worker evaluates the automatic rules of different accounts side by side."""

import time

import pytest
from tests.given import collection as given
from tests.given.rule_evaluation import rule, statuses, work

from weighbridge.core import identity
from weighbridge.db import locks
from weighbridge.quality.evaluation.incremental import Rounds

HEAVY = "{{mass}} > 20"
DEADLINE_SECONDS = 60.0


class Party:
    """An account with a project and an automatic rule that was evaluated."""

    def __init__(self, server):
        self.account = server.account()
        self.api = self.account.caller()
        self.project = given.measuring(self.api, given.number("mass"))
        self.rule = rule(self.api, self.project, HEAVY)
        work(self.account)

    def deliver(self, mass, day=1):
        moment = f"2025-01-{day:02}T00:00:00Z"
        given.event(self.api, self.project, start_time=moment, values={"mass": mass})

    @property
    def found(self):
        return statuses(self.api, self.rule)


@pytest.fixture
def rounds(server):
    async def made():
        return Rounds(server.database)

    return server.run(made())


def await_that(condition):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_rule_that_takes_long_delays_no_other_account(server, rounds):
    slow, quick = Party(server), Party(server)
    slow.deliver(30)
    quick.deliver(30)
    key = identity.parse("rule", slow.rule["id"])

    with server.transaction() as connection:
        name = locks.rule(key.project, key.key)
        connection.execute(*locks.hold(name))
        server.run(rounds.look())
        await_that(lambda: quick.found)

        assert (slow.found, quick.found) == ([], [("fail", "30")])
        quick.deliver(40, day=2)
        server.run(rounds.look())
        await_that(lambda: len(quick.found) == 2 or server.run(rounds.look()))
        assert slow.found == []

    server.run(rounds.finish())
    assert slow.found == [("fail", "30")]


def test_what_is_told_to_stop_leaves_its_marks(server, rounds):
    party = Party(server)
    party.deliver(30)
    key = identity.parse("rule", party.rule["id"])

    with server.transaction() as connection:
        connection.execute(*locks.hold(locks.rule(key.project, key.key)))
        server.run(rounds.look())
        server.await_blocked()
        server.run(rounds.stop())

    work(party.account)
    assert party.found == [("fail", "30")]
