"""Properties: approve then reverse restores, whatever was approved, rejected and evaluated before, and of
decisions that are reversed the last one counts.

A rule proposes for deliveries of more than 20 t, while another one adjusts by itself; or a rule proposes what
to fill gaps with. People decide on proposals, correct values and take them back, in any order. Reversing what
was approved leaves each value as the same story without an approval leaves it.
"""

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import collection as given
from tests.given.gaps import filling, report, stack
from tests.given.rule_evaluation import calibration, corrections, held, results, work

MASSES = (50, 30, 10)
STEPS = st.sampled_from(["approve", "reject", "correct", "revert", "evaluate"])
STORIES = st.lists(st.tuples(STEPS, st.integers(0, len(MASSES) - 1), st.integers(15, 60)), max_size=8)


DECIDABLE = ("pending", "approved", "rejected")
DECISIONS = st.lists(
    st.tuples(st.integers(0, len(MASSES) - 1), st.sampled_from(["approve", "reject", "evaluate"])), max_size=8
)


class Yard:
    """Deliveries with a rule that proposes and one that adjusts, beside what people do."""

    def __init__(self, account):
        self.account, self.api = account, account.caller()
        self.project = given.measuring(self.api, given.number("mass"))
        self.events = [
            given.event(
                self.api, self.project, start_time=f"2025-01-{day:02}T00:00:00Z", values={"mass": mass}
            )
            for day, mass in enumerate(MASSES, 1)
        ]
        calibration(self.api, self.project, "{{mass}} > 40", "{{mass}} - 1", name="own", priority=9)
        self.rule = calibration(self.api, self.project, requires_approval=True, name="asks", priority=1)
        work(account)

    def play(self, story, left_out=()):
        for step, place, value in story:
            if step not in left_out:
                getattr(self, step)(place, value)
        work(self.account)

    def approve(self, place, _):
        self._decide(place, "approve", {})

    def reject(self, place, _):
        self._decide(place, "reject", {"reason": "No"})

    def correct(self, place, value):
        body = {"data_point": {"value": value, "reason": "Read again"}}
        self.api.patch(self._point(place), body).expect(200)

    def revert(self, place, _):
        self.api.post(self._point(place) + "/revert", {}).expect(200)

    def evaluate(self, _, __):
        work(self.account)

    def reverse(self):
        """Reverse every run that found what was approved."""
        for run in self.api.get(f"/rules/{self.rule['id']}/rule_runs", {"page_size": "200"}).data:
            if run["state"] == "complete":
                self.api.post(f"/rule_runs/{run['id']}/reverse", {}).expect(200)

    @property
    def values(self):
        return [held(self.api, self.project, event) for event in self.events]

    def decide(self, place, verb):
        """Approve or reject, whatever was decided before."""
        body = {"approve": {}, "reject": {"reason": "No"}}[verb]
        self._decide(place, verb, body, DECIDABLE)

    @property
    def states(self):
        """Where the proposals stand, by delivery."""
        places = {event["id"]: place for place, event in enumerate(self.events)}
        return {places[one["event_id"]]: one["approval_state"] for one in results(self.api, self.rule)}

    def _decide(self, place, verb, body, states=("pending",)):
        for one in results(self.api, self.rule):
            if one["event_id"] == self.events[place]["id"] and one["approval_state"] in states:
                path = f"/projects/{self.project['id']}/rule_results/{one['id']}/{verb}"
                self.api.post(path, body).expect(200)

    def _point(self, place):
        point = self.events[place]["data_points"][0]["id"]
        return f"/projects/{self.project['id']}/data_points/{point}"


class Stack(Yard):
    """Hours of which three are not valid, with a rule that proposes to fill the gaps that they make."""

    def __init__(self, account):
        self.account, self.api = account, account.caller()
        self.project = stack(self.api)
        named = report(self.api, self.project, "10 !99 14 !98 !97 20")
        path = f"/projects/{self.project['id']}/events"
        self.events = [self.api.get(f"{path}/{named[hour]}").expect(200).body for hour in (2, 4, 5)]
        assert [event["data_points"][0]["slug"] for event in self.events] == ["so2"] * 3
        linear = {"method": "linear"}
        self.rule = filling(self.api, self.project, linear, requires_approval=True)
        work(account)


@pytest.mark.parametrize("place", [Yard, Stack])
@settings(max_examples=examples(30), deadline=None)
@for_all(story=STORIES)
def test_approving_and_then_reversing_restores(server, place, story):
    approving, other = place(server.account()), place(server.account())
    approving.play(story)
    other.play(story, left_out=["approve"])

    approving.reverse()

    assert approving.values == other.values
    for event in approving.events:
        of_rule = [
            one["state"]
            for one in corrections(approving.api, approving.project, event)
            if one["rule_id"] == approving.rule["id"]
        ]
        assert set(of_rule) <= {"reverted"}
    assert "approved" not in [one["approval_state"] for one in results(approving.api, approving.rule)]


@settings(max_examples=examples(30), deadline=None)
@for_all(story=STORIES)
def test_the_pending_count_is_that_of_the_pending_results_at_every_moment(server, story):
    yard = Yard(server.account())

    for step in [*story, ("evaluate", 0, 0)]:
        yard.play([step]) if step[0] == "evaluate" else getattr(yard, step[0])(*step[1:])

        states = [one["approval_state"] for one in results(yard.api, yard.rule)]
        assert yard.api.get(f"/rules/{yard.rule['id']}").body["pending_count"] == states.count("pending")


@pytest.mark.parametrize("place", [Yard, Stack])
@settings(max_examples=examples(20), deadline=None)
@for_all(story=DECISIONS)
def test_of_decisions_that_are_reversed_the_last_one_counts(server, place, story):
    reversing, deciding = place(server.account()), place(server.account())
    last = {index: verb for index, verb in story if verb != "evaluate"}

    for index, verb in story:
        reversing.evaluate(index, None) if verb == "evaluate" else reversing.decide(index, verb)
    for index, verb in last.items():
        deciding.decide(index, verb)

    for one in (reversing, deciding, reversing):
        one.evaluate(0, None)
    assert reversing.values == deciding.values
    assert reversing.states == deciding.states
    decided = {"approve": "approved", "reject": "rejected"}
    assert reversing.states == {
        index: decided[last[index]] if index in last else "pending" for index in reversing.states
    }
