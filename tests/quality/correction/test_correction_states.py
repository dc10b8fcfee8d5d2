"""What becomes of a rule's correction in each state, whatever happens next: the table, over HTTP.

The rule adds 1 t to deliveries of more than 20 t; the delivery captured 50 t.
"""

import pytest
from tests.given import collection as given
from tests.given.rule_evaluation import calibration, corrections, work


class Delivery:
    """One delivery, and what can happen to the rule's correction of it."""

    def __init__(self, api, account):
        self.api, self.account = api, account
        self.project = given.measuring(api, given.number("mass"))
        self.event = given.event(api, self.project, values={"mass": 50})
        self.rule = calibration(api, self.project, becomes="{{mass}} + 1", priority=50)
        self.point = f"/projects/{self.project['id']}/data_points/{self.event['data_points'][0]['id']}"
        work(account)

    def prevail(self):
        """The rule goes before every other one: it is evaluated as another version."""
        self._save(priority=1)

    def give_way(self):
        """Another rule, with a smaller priority, corrects the same value."""
        self.other = calibration(self.api, self.project, becomes="{{mass}} + 2", name="other", priority=10)
        work(self.account)

    def give_back(self):
        """What stood above it is taken back."""
        self.api.post(f"/rules/{self.other['id']}/undo_corrections", {}).expect(200)
        work(self.account)

    def undo(self):
        self.api.post(f"/rules/{self.rule['id']}/undo_corrections", {}).expect(200)
        work(self.account)

    def revert(self):
        self.api.post(f"{self.point}/revert", {}).expect(200)
        work(self.account)

    def withdraw(self):
        """The rule does not say so any more."""
        self._save(expression="{{mass}} > 60")

    def say_again(self):
        self._save(expression="{{mass}} > 20")

    def evaluate(self):
        period = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
        self.api.post(f"/rules/{self.rule['id']}/rule_runs", period).expect(202)
        work(self.account)

    def _save(self, **fields):
        self.api.patch(f"/rules/{self.rule['id']}", {"rule": fields}).expect(200)
        work(self.account)

    @property
    def states(self):
        found = corrections(self.api, self.project, self.event)
        return [one["state"] for one in found if one["rule_id"] == self.rule["id"]]

    @property
    def value(self):
        return self.api.get(self.point).body["value"]


CELLS = {
    "a new one prevails": ([], ["in_force"], 51),
    "one in force that prevails again": (["evaluate"], ["in_force"], 51),
    "one in force that gives way": (["give_way"], ["superseded"], 52),
    "one in force that is undone": (["undo"], ["reverted"], 50),
    "one in force that is reverted": (["revert"], ["reverted"], 50),
    "one in force that is withdrawn": (["withdraw"], ["reverted"], 50),
    "one that waits and prevails": (["give_way", "give_back"], ["in_force"], 51),
    "one that waits and goes on waiting": (["give_way", "evaluate"], ["superseded"], 52),
    "one that waits and is undone": (["give_way", "undo"], ["reverted"], 52),
    "one that waits and is reverted": (["give_way", "revert"], ["reverted"], 50),
    "one that waits and is withdrawn": (["give_way", "withdraw"], ["reverted"], 52),
    "one that waits and is replaced by one that prevails": (
        ["give_way", "prevail"], ["reverted", "in_force"], 51,
    ),
    "one that was undone stays so": (["undo", "evaluate"], ["reverted"], 50),
    "one that was undone is undone again": (["undo", "undo"], ["reverted"], 50),
    "one that was undone gives way to none": (["undo", "give_way"], ["reverted"], 52),
    "one that was undone is no more withdrawn": (["undo", "withdraw"], ["reverted"], 50),
    "one that was reverted stays so": (["revert", "evaluate"], ["reverted"], 50),
    "one that was withdrawn is followed by another": (
        ["withdraw", "say_again"], ["reverted", "in_force"], 51,
    ),
    "one that was undone is followed by one of another version": (
        ["undo", "prevail"], ["reverted", "in_force"], 51,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
def test_a_correction_becomes_what_the_table_says(api, account, name):
    steps, states, value = CELLS[name]
    delivery = Delivery(api, account)

    for step in steps:
        getattr(delivery, step)()

    assert delivery.states == states
    assert delivery.value == value
