"""Whatever order hours arrive in, gaps are filled the same in the end, as a first evaluation fills them."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import collection as given
from tests.given.gaps import body, filling, hours, stack
from tests.given.rule_evaluation import change, correct, results, work

MEAN = {"method": "mean_before_after", "without_after": "before", "without_before": "first_after"}
LAST = {"kind": "rolling", "members": 3}
FILLINGS = {
    "borders": {"method": "linear"},
    "counted": {
        "tiers": [
            {"when": "availability() >= 0.6 and gap_slots() <= 2", "code": "06", **MEAN},
            {"method": "median", "window": LAST | {"where": "{{so2}} > 10"}},
        ],
        "availability_slots": 6,
        "operating_where": "{{load}} > 0",
    },
    "all so far": {
        "tiers": [{"when": "valid_slots() > 2", "method": "maximum", "window": LAST}, {"code": "07", **MEAN}]
    },
    "by the clock": {
        "method": "mean", "border_where": "{{so2}} < 40",
        "window": {"kind": "rolling", "duration": {"value": 4, "unit": "hour"}},
    },
    "whole days": {
        "method": "maximum", "window": {"kind": "calendar", "unit": "day", "extent": "whole_period"},
    },
    "around by the clock": {
        "method": "confidence_limit", "confidence": 90, "border_where": "{{so2}} < 45",
        "window": {
            "kind": "around_gap", "where": "{{so2}} > 10",
            "before": {"duration": {"value": 2, "unit": "hour"}},
            "after": {"duration": {"value": 3, "unit": "hour"}},
        },
        "without_members": {"method": "constant", "value": 1},
    },
    "around by count": {
        "method": "mean",
        "window": {
            "kind": "around_gap", "where": "{{so2}} < 45", "before": {"members": 2}, "after": {"members": 2},
        },
    },
    "alike": {"method": "mean", "window": LAST | {"same": "{{so2}} > 25"}},
    "to the end": {
        "method": "mean_before_after", "without_after": "before", "without_before": "first_after",
        "fill_to_end": True,
    },
    "share of the day": {
        "tiers": [
            {
                "when": "availability(day) >= 0.6", "method": "next", "after_within": "day",
                "without_after": "before",
            },
            {"when": "availability(day) >= 0.3", "code": "low", "method": "maximum", "window": LAST},
        ],
    },
}  # fmt: skip
ENDS = {"to the end": {"effective_to": "2025-01-01T09:00:00Z"}}
"""The times of rules that have an end, with events before and after it."""

WORDS = st.sampled_from(["-", "!7", "~5", "10", "20", "30.5", "40", "50"])
WEST = 40
"""Hours from this one on are another meter's."""

arrivals = st.tuples(
    st.lists(WORDS, min_size=3, max_size=14),
    st.lists(WORDS, max_size=6),
    st.randoms(use_true_random=False),
    st.sampled_from([1, 3]),
)
thoroughly = settings(
    max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class Stacks:
    """Two stacks of a project whose gaps one rule substitutes, and another imputes."""

    def __init__(self, account, name):
        self.account, self.api = account, account.caller()
        self.project = stack(self.api)
        self.meters = [given.asset(self.api, self.project, name=one)["id"] for one in ("East", "West")]
        self.name = name
        self.rules = []

    def fill(self):
        for purpose in ("substitute", "impute"):
            made = filling(
                self.api, self.project, FILLINGS[self.name], purpose=purpose, name=purpose,
                **ENDS.get(self.name, {}),
            )  # fmt: skip
            self.rules.append(made)

    def report(self, hours_of_meters):
        bodies = [
            body(number, word, asset_id=self.meters[meter])
            for meter, number, word in hours_of_meters
            if word != "-"
        ]
        if bodies:
            given.events(self.api, self.project, bodies)

    def work(self):
        # What is corrected is marked again.
        work(self.account)
        work(self.account)

    @property
    def filled(self):
        """All that is said of each hour of each meter, but for when and by which run."""
        found = {}
        for meter, name in enumerate(self.meters):
            query = {"filter[asset_id][eq]": name}
            for number, point in hours(self.api, self.project, **query).items():
                how = point["substitution"] or {}
                said = {one: how.get(one) for one in ("method", "tier", "code", "members_used", "gap_slots")}
                found[meter, number] = (point["value"], point["value_source"], said, how.get("availability"))
        return found


@pytest.mark.parametrize("name", FILLINGS)
@for_all(arrivals)
@thoroughly
def test_any_order_of_arrival_gives_the_same_values_in_the_end(account, name, drawn):
    east, west, order, portion = drawn
    every = [(0, number, word) for number, word in enumerate(east, start=1)]
    every += [(1, number, word) for number, word in enumerate(west, start=3)]
    at_once, piecemeal = Stacks(account, name), Stacks(account, name)
    at_once.report(every)
    at_once.fill()
    at_once.work()

    piecemeal.fill()
    shuffled = order.sample(every, len(every))
    for first in range(0, len(shuffled), portion):
        piecemeal.report(shuffled[first : first + portion])
        piecemeal.work()

    assert piecemeal.filled == at_once.filled


@for_all(arrivals, st.sampled_from(sorted(FILLINGS)))
@thoroughly
def test_correcting_voiding_and_moving_end_as_a_first_evaluation_does(account, drawn, name):
    east, west, order, _ = drawn
    stacks = Stacks(account, name)
    stacks.fill()
    stacks.report([(0, number, word) for number, word in enumerate(east, start=1)])
    stacks.report([(1, number, word) for number, word in enumerate(west, start=3)])
    stacks.work()
    for _ in range(4):
        standing = [*hours(stacks.api, stacks.project).values()]
        if not standing:
            break
        point = order.choice(standing)
        path = f"/projects/{stacks.project['id']}/events/{point['event']['id']}"
        match order.randrange(4):
            case 0:
                correct(stacks.api, stacks.project, point["event"], 33)
            case 1:
                stacks.api.delete(path).expect(204)
            case 2:
                start = f"2025-01-01T{order.randrange(20):02}:00:00Z"
                stacks.api.patch(path, {"event": {"start_time": start}}).expect(200)
            case 3:
                stacks.api.patch(path, {"event": {"asset_id": stacks.meters[order.randrange(2)]}}).expect(200)
        stacks.work()
    before = stacks.filled

    for rule in stacks.rules:
        # Another version is evaluated over all time.
        change(stacks.api, rule, priority=rule["priority"] + 1)
    stacks.work()

    assert stacks.filled == before


class Decided(Stacks):
    """Two stacks whose gaps are filled with approval alone, and people who decide on proposals."""

    def fill(self):
        for purpose in ("substitute", "impute"):
            made = filling(
                self.api, self.project, FILLINGS[self.name], purpose=purpose, name=purpose,
                requires_approval=True, **ENDS.get(self.name, {}),
            )  # fmt: skip
            self.rules.append(made)

    def pending(self):
        query = {"filter[approval_state][eq]": "pending"}
        found = [one["id"] for rule in self.rules for one in results(self.api, rule, **query)]
        counts = [self.api.get(f"/rules/{rule['id']}").body["pending_count"] for rule in self.rules]
        assert sum(counts) == len(found)
        return found

    def decide(self, verb, named):
        path = f"/projects/{self.project['id']}/rule_results/{verb}"
        body = {"reason": "No"} if verb == "bulk_reject" else {}
        for first in range(0, len(named), 100):
            self.api.post(path, body | {"result_ids": named[first : first + 100]}).expect(200)

    def decide_some(self, order):
        """Approve, reject, reverse or undo something, or nothing."""
        waiting = self.pending()
        some = order.sample(waiting, min(len(waiting), 3))
        match order.randrange(5):
            case 0 | 1 if some:
                self.decide("bulk_approve", some)
            case 2 if some:
                self.decide("bulk_reject", some)
            case 3:
                runs = self.api.get(f"/rules/{order.choice(self.rules)['id']}/rule_runs").data
                done = [run["id"] for run in runs if run["state"] == "complete"]
                if done:
                    self.api.post(f"/rule_runs/{order.choice(done)}/reverse", {}).expect(200)
            case 4:
                self.api.post(f"/rules/{order.choice(self.rules)['id']}/undo_corrections", {}).expect(200)

    def renew(self):
        """Another version of each rule, for which nothing was decided or taken back."""
        for rule in self.rules:
            change(self.api, rule, priority=rule["priority"] + 1)
        self.work()

    def decide_all(self, verb):
        self.renew()
        for _ in range(3):
            if waiting := self.pending():
                self.decide(verb, waiting)
                self.work()
        assert self.pending() == []


@for_all(arrivals, st.sampled_from(sorted(FILLINGS)), st.sampled_from(["bulk_approve", "bulk_reject"]))
@thoroughly
def test_when_all_is_approved_gaps_are_filled_as_without_approval_and_when_all_is_rejected_not_at_all(
    account, drawn, name, verb
):
    east, west, order, portion = drawn
    every = [(0, number, word) for number, word in enumerate(east, start=1)]
    every += [(1, number, word) for number, word in enumerate(west, start=3)]
    at_once, decided = Stacks(account, name), Decided(account, name)
    at_once.report(every)
    if verb == "bulk_approve":
        at_once.fill()
        at_once.work()

    decided.fill()
    shuffled = order.sample(every, len(every))
    for first in range(0, len(shuffled), portion):
        decided.report(shuffled[first : first + portion])
        decided.decide_some(order)
        decided.work()
        decided.decide_some(order)
    decided.decide_all(verb)

    assert decided.filled == at_once.filled
