"""Verification names a mark that is gone: without it a report over changed data could be sent off."""

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.given import accounting, gaps
from tests.given import collection as given
from tests.given.approvals import approve, of_event
from tests.given.rule_evaluation import rule, work

from weighbridge.db.embedded.cluster import SUPERUSER
from weighbridge.verification import verify

STALE = "a batch whose values were corrected, or whose events were taken back since, is marked as stale"
SEEN = "no slot has seen data of later than the last generation of its project"
SUM = """
  - slug: sum
    input: {{event_type: {}, data_point_type: so2, aggregate: sum, coverage: any}}
    unit: t
    output: true
"""


class Works:
    """Hours of a stack, one of them imputed and one proposed to be halved, and days that they are rolled up
    to: both are generated.
    """

    def __init__(self, account):
        self.account, self.api = account, account.caller()
        self.project = gaps.stack(self.api)
        rolled_up = {"data_point": "so2", "aggregate": "sum", "source": "so2"}
        given.event_type(
            self.api, self.project, slug="day", cadence_amount=1, cadence_unit="day",
            data_point_types=[given.number("so2")],
            rolled_up_from={"event_type": "hour", "data_points": [rolled_up]},
        )  # fmt: skip
        gaps.filling(self.api, self.project, {"method": "mean_before_after"}, purpose="impute")
        halved = {"method": "expression", "expression": "{{so2}} / 2"}
        self.adjusting = rule(
            self.api, self.project, "{{so2}} > 20", purpose="adjust", data_point="so2",
            requires_approval=True, correction=halved,
        )  # fmt: skip
        self.events = gaps.report(self.api, self.project, "10 - 14 30 16 11 12")
        work(account)
        self.plants = [self._plant("hour"), self._plant("day")]
        self.generate()

    def _plant(self, kind):
        text = accounting.document(SUM.format(kind), name=kind, cadence="daily", primary_output="sum")
        model = accounting.model(self.api, self.project, text)
        ledger = accounting.ledger(self.api, self.project, model, name=kind)
        return accounting.Plant(self.api, self.account.drain, self.project, model, ledger)

    def generate(self):
        for plant in self.plants:
            plant.generate(accounting.QUARTER)

    def correct(self):
        points = [{"slug": "so2", "value": 9}]
        self.change(1, data_points=points)

    def change(self, hour, **fields):
        path = f"/projects/{self.project['id']}/events/{self.events[hour]}"
        self.api.patch(path, {"event": {**fields, "reason": "read again"}}).expect(200)

    def approve(self):
        approve(self.api, self.project, of_event(self.api, self.adjusting, {"id": self.events[4]})).expect(
            200
        )

    def move(self):
        self.change(7, start_time="2025-02-03T00:00:00Z", end_time="2025-02-03T00:00:00Z")

    def capture(self):
        gaps.report(self.api, self.project, "13", first=2)

    def undo(self):
        self.correct()
        work(self.account)
        self.generate()
        events = self.api.get(f"/projects/{self.project['id']}/events/{self.events[1]}").body
        point = next(one["id"] for one in events["data_points"] if one["slug"] == "so2")
        self.api.post(f"/projects/{self.project['id']}/data_points/{point}/revert", {}).expect(200)

    def violations(self):
        found = self.account.server.run(verify(self.account.server.database))
        return {one.rule: one.violations for one in found.checks if one.violations}

    def break_by(self, statement):
        with psycopg.connect(make_conninfo(self.account.server.owner_url, user=SUPERUSER)) as connection:
            connection.execute("SET session_replication_role = replica")
            return connection.execute(statement).rowcount


@pytest.fixture(scope="module")
def server(lone_server):
    """A service whose database has the events of this file alone, for verifying looks at all of them."""
    with lone_server() as server:
        yield server


@pytest.mark.parametrize("change", ["correct", "approve", "move", "capture", "undo"])
def test_changed_values_whose_marks_are_gone_are_named(account, change):
    works = Works(account)
    assert works.violations() == {}

    getattr(works, change)()
    work(account)
    assert works.violations() == {}, "what is marked is no mistake"

    assert works.break_by("DELETE FROM stale_runs") > 0
    named = works.violations()
    assert named.keys() == {STALE}
    batches = [plant.batches(sort="-id")[0]["id"] for plant in works.plants]
    assert sorted(one.split()[1].rstrip(":") for one in named[STALE]) == sorted(batches), named

    works.generate()
    assert works.violations() == {}


def test_a_slot_that_is_said_to_have_seen_what_came_later_is_named(account):
    works = Works(account)
    gaps.report(works.api, works.project, "50", first=9)

    later = "UPDATE generated_slots SET seen_until = now() + interval '1 minute' WHERE ledger_id = {}"
    [(number,)] = account.server.sql("SELECT max(id) FROM ledgers")
    assert works.break_by(later.format(number)) > 0

    [sentence] = works.violations()[SEEN]
    assert works.plants[-1].ledger["id"] in sentence
