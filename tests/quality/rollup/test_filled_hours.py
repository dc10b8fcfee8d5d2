"""Rolled-up hours that rules fill: those that never came and those of too few minutes, until minutes come."""

from dataclasses import dataclass
from typing import Any

import pytest
from tests.given import accounting, rule_evaluation
from tests.given import collection as given
from tests.given.approvals import bulk_approve
from tests.given.roll_ups import events_of, hours, minutes, minutes_of, read, roll_up
from tests.given.rule_evaluation import evaluate, results, runs, work
from tests.server import Account, Caller

from weighbridge.verification.invariants import check_roll_ups
from weighbridge.verification.recomputation import check_batches

NODES = """
  - slug: co2
    input: {event_type: stack-hour, data_point_type: co2, aggregate: sum, coverage: any}
    unit: kg
    output: true
"""
MEAN = {"method": "mean_before_after"}
DAY = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")


@dataclass(frozen=True)
class Stack:
    """A stack whose minutes are rolled up to hours: 10 kg, one of 47 minutes, one of none, 16 kg."""

    api: Caller
    account: Account
    project: dict[str, Any]
    hourly: dict[str, Any]
    plant: accounting.Plant

    def filling(self, expression="{{co2}} < 0", **fields):
        usual = {"purpose": "impute", "data_point": "co2", "correction": MEAN, "name": "Lost hours"}
        usual |= {"event_type_id": self.hourly["id"]} | fields
        return rule_evaluation.rule(self.api, self.project, expression, **usual)

    def deliver(self, values=None):
        usual = minutes_of(10, [10] * 60) | minutes_of(11, [7] * 47) | minutes_of(13, [16] * 60)
        return read(self.api, self.project, values or usual)

    def void(self, readings):
        for one in readings:
            self.api.delete(f"/projects/{self.project['id']}/events/{one['id']}").expect(204)

    def shown(self):
        """Of each hour: its value, where that is from, its status, and of how many valid minutes it is."""
        found = {}
        for event in events_of(self.api, self.project, self.hourly):
            co2 = next((one for one in event["data_points"] if one["slug"] == "co2"), {})
            valid = (event["rolled_up_from"] or {}).get("valid_readings")
            said = (co2.get("value"), co2.get("value_source"), event["status"], valid)
            assert found.setdefault(event["start_time"][11:13], said) == said
        return found

    def total(self):
        self.plant.generate(DAY)
        return [batch["run_total"] for batch in self.plant.batches()][:1]

    def is_stale(self):
        return [batch["is_stale"] for batch in self.plant.batches()]

    def violations(self):
        async def run():
            async with self.account.server.database.read() as tx:
                return (await check_batches(tx, self.project["numeric_id"]))[1] + await check_roll_ups(tx)

        return self.account.server.run(run())


@pytest.fixture
def stack(api, account, drain):
    project = given.project(api)
    minutes(api, project)
    values = [("co2", "average", "co2"), ("minutes", "count", "co2")]
    points = [given.number("co2", unit="kg"), given.number("minutes", unit=None)]
    hourly = hours(api, project, values, points=points, valid_share_min=0.8)
    text = accounting.document(NODES, primary_output="co2", cadence="daily")
    made = accounting.model(api, project, text)
    plant = accounting.Plant(api, drain, project, made, accounting.ledger(api, project, made, unit="kg"))
    return Stack(api, account, project, hourly, plant)


FIRST, LAST = {"10": (10, "captured", "complete", 60)}, {"13": (16, "captured", "complete", 60)}
FILLED = (
    FIRST | {"11": (13, "substituted", "incomplete", 47), "12": (13, "imputed", "incomplete", None)} | LAST
)
LOST = (None, None, "incomplete", 47)


@pytest.mark.parametrize("is_rule_first", [True, False])
def test_hours_of_too_few_minutes_and_of_none_are_filled_and_counted(stack, is_rule_first):
    if is_rule_first:
        rule = stack.filling()
    stack.deliver()
    if not is_rule_first:
        rule = stack.filling()
    work(stack.account)

    assert stack.shown() == FILLED
    assert {run["state"] for run in runs(stack.api, rule)} == {"complete"}
    assert stack.total() == [52]
    assert stack.violations() == []
    path = f"/projects/{stack.project['id']}/event_types/{stack.hourly['id']}/capture_rate"
    asked = {"start_time": "2025-01-01T10:00:00Z", "end_time": "2025-01-01T14:00:00Z", "period": "day"}
    rate = stack.api.get(path, asked).expect(200).body["total"]
    counted = {name: rate[name] for name in ("expected", "received", "valid", "substituted", "imputed")}
    assert counted == {"expected": 4, "received": 3, "valid": 2, "substituted": 1, "imputed": 1}


def test_without_a_rule_such_hours_are_named_and_count_nowhere(stack):
    stack.deliver()
    work(stack.account)

    assert stack.shown() == FIRST | {"11": LOST} | LAST
    assert stack.total() == [26]


@pytest.mark.parametrize("evaluation", ["automatic", "on_demand"])
def test_minutes_that_come_take_the_place_of_what_was_filled_as_they_are_rolled_up(stack, evaluation):
    """One more minute makes hour 11 of 48; hour 12 comes whole. A rule on demand is not asked again."""
    stack.deliver()
    roll_up(stack.account)
    rule = stack.filling(evaluation=evaluation)
    if evaluation == "on_demand":
        evaluate(stack.api, stack.account, rule)
    work(stack.account)
    assert (stack.shown(), stack.total()) == (FILLED, [52])

    stack.deliver({"11:47": 7} | minutes_of(12, [9] * 60))
    roll_up(stack.account)

    measured = {"11": (7, "captured", "complete", 48), "12": (9, "captured", "complete", 60)}
    assert stack.shown() == FIRST | measured | LAST
    assert True in stack.is_stale()
    assert (stack.total(), stack.violations()) == ([42], [])


def test_minutes_that_go_again_leave_the_hours_to_the_rule(stack):
    stack.deliver()
    stack.filling()
    work(stack.account)
    came = stack.deliver({"11:47": 7} | minutes_of(12, [9] * 60))
    roll_up(stack.account)

    stack.void(came)
    work(stack.account)

    assert (stack.shown(), stack.total(), stack.violations()) == (FILLED, [52], [])


def test_an_hour_of_some_minutes_takes_the_place_of_an_imputed_one_and_is_filled_in_its_turn(stack):
    stack.deliver()
    stack.filling()
    work(stack.account)

    stack.deliver(minutes_of(12, [9] * 5))
    work(stack.account)

    assert stack.shown() == FILLED | {"12": (13, "substituted", "incomplete", 5)}
    assert (stack.total(), stack.violations()) == ([52], [])


def test_a_rule_that_substitutes_fills_the_lost_hour_that_it_finds_and_no_other(stack):
    stack.deliver()
    stack.filling("{{minutes}} < 48", purpose="substitute")
    work(stack.account)

    assert stack.shown() == {name: said for name, said in FILLED.items() if name != "12"}
    assert (stack.total(), stack.violations()) == ([39], [])


def test_with_approval_both_kinds_of_hours_are_proposed_and_filled_by_it(stack):
    stack.deliver()
    rule = stack.filling(requires_approval=True)
    work(stack.account)
    assert stack.shown() == FIRST | {"11": LOST} | LAST
    found = results(stack.api, rule)
    proposed = [one["proposed_correction"]["to_value"] for one in found]
    assert [one["approval_state"] for one in found] == ["pending"] * 2
    assert (proposed, {one["event_id"] is None for one in found}) == ([13, 13], {True, False})

    bulk_approve(stack.api, stack.project, *[one["id"] for one in found]).expect(200)
    work(stack.account)

    assert stack.shown() == FILLED
    assert [one["approval_state"] for one in results(stack.api, rule)] == ["approved"] * 2
    stack.deliver({"11:47": 7, "12:00": 9})
    work(stack.account)
    assert {one["approval_state"] for one in results(stack.api, rule)} >= {"withdrawn"}
    assert stack.shown()["11"] == (7, "captured", "complete", 48)


def test_a_lost_hour_of_two_feedstocks_is_filled_once(stack):
    straw, wood = (given.feedstock(stack.api, stack.project, name=name) for name in ("Straw", "Wood"))
    read(stack.api, stack.project, minutes_of(10, [10] * 60), feedstock_id=straw["id"])
    read(stack.api, stack.project, minutes_of(11, [7] * 20), feedstock_id=straw["id"])
    later = {f"11:{minute}": 7 for minute in range(30, 50)}
    read(stack.api, stack.project, later, feedstock_id=wood["id"])
    read(stack.api, stack.project, minutes_of(12, [16] * 60), feedstock_id=wood["id"])
    stack.filling()
    work(stack.account)

    events = events_of(stack.api, stack.project, stack.hourly)
    values = [one["value"] for event in events for one in event["data_points"] if one["slug"] == "co2"]
    assert values.count(13) == 1
    assert stack.total() == [39]
