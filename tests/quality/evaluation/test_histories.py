"""Whatever happens in whatever order, what stands is what evaluating everything afresh finds."""

from datetime import timedelta

from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import collection as given
from tests.given.rule_evaluation import results, rule, work

from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant
from weighbridge.quality.evaluation.period_evaluation import try_version
from weighbridge.quality.evaluation.record_streams import is_answered_by_database
from weighbridge.quality.rule_versions import newest_version, prepared_rule

BEGIN = Instant.fromisoformat("2025-03-01T00:00:00+00:00")
ROLLING = {"kind": "rolling", "duration": {"value": 30, "unit": "hour"}}
MEMBERS = {"kind": "rolling", "members": 2}

RULES = [
    # The database answers these.
    ("{{mass}} > 3", {}),
    ("not ({{mass}} <= 3) or {{ash}} is null and {{site}} contains 'b'", {}),
    ("{{mass}} not in (1, {{ash}}) and {{mass}} != -2", {}),
    ("3 not between {{ash}} and {{mass}}", {}),
    ("{{site}} ends with 'b' or tracking_id = 'T'", {}),
    # These are streamed.
    ("({{mass}} / {{ash}}) > 1", {}),
    ("{{site}} matches '^a+b'", {}),
    ("{{mass}} > avg({{mass}})", {"window": ROLLING}),
    ("{{mass}} = max({{mass}}) or count_same({{site}}) = 1", {"window": MEMBERS}),
    ("{{mass}} < previous({{mass}})", {"window": MEMBERS | {"where": "{{ash}} is not null"}}),
    ("sum({{mass}}) > 6", {"window": {"kind": "calendar", "unit": "day", "value": 2}}),
    (
        "median({{mass}}) < {{mass}}",
        {"window": {"kind": "calendar", "unit": "week", "extent": "whole_period"}},
    ),
    ("missed_slots() > 1", {"data_point": "mass"}),
    # These look at all meters together, or at the meters of one asset or of the whole project.
    ("{{mass}} < previous({{mass}})", {"window": MEMBERS, "window_meters": "all"}),
    ("missed_slots() > 1", {"data_point": "mass", "window_meters": "all"}),
    ("{{mass}} < previous({{mass}})", {"window": MEMBERS, "window_member_scope": "location"}),
    (
        "{{mass}} < previous({{mass}})",
        {"window": MEMBERS, "window_member_scope": "project", "window_meters": "own"},
    ),
    ("{{mass}} > 3", {"asset_id": "East"}),
    ("{{mass}} < previous({{mass}})", {"window": MEMBERS, "asset_id": "East"}),
    ("{{mass}} < previous({{mass}})", {"window": MEMBERS, "asset_id": "East", "window_meters": "all"}),
]

numbers = st.integers(-2, 5)
texts = st.sampled_from(["ab", "aab", "b", None])
deliveries = st.fixed_dictionaries(
    {
        "hour": st.integers(0, 100),
        "mass": numbers,
        "ash": st.none() | numbers,
        "site": texts,
        "tracking_id": st.sampled_from(["T", "U", None]),
        "asset": st.sampled_from(["East", "West", None]),
        "location": st.sampled_from(["North", "South"]),
    }
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("deliver"), st.lists(deliveries, min_size=1, max_size=4)),
        st.tuples(st.just("correct"), st.integers(0, 9), numbers),
        st.tuples(st.just("move"), st.integers(0, 9), st.integers(0, 100)),
        st.tuples(st.just("void"), st.integers(0, 9)),
        st.tuples(st.just("belong"), st.integers(0, 9), st.sampled_from(["East", "West", None])),
        st.tuples(st.just("be_out"), st.integers(0, 90), st.integers(1, 30), st.sampled_from(["East", None])),
        st.tuples(st.just("serve"), st.sampled_from(["East", "West"]), st.integers(0, 50)),
        st.tuples(st.just("work")),
    ),
    min_size=2,
    max_size=8,
)
thoroughly = settings(
    max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def at(hour):
    return Instant.of(BEGIN + timedelta(hours=hour)).text


class History:
    """A project in which things happen, and the ids of the events that stand."""

    def __init__(self, account):
        self.account, self.api = account, account.caller()
        self.project = given.project(self.api)
        body = {
            "name": "Delivery", "slug": "delivery", "expected_locations": "one",
            "cadence_amount": 6, "cadence_unit": "hour",
            "data_point_types": [
                given.number("mass"), given.number("ash", required=False), given.text("site"),
            ],
        }  # fmt: skip
        self.path = f"/projects/{self.project['id']}"
        self.assets = {
            name: given.asset(self.api, self.project, name=name)["id"] for name in ("East", "West")
        }
        self.places = {name: given.location(self.api, self.project, name=name) for name in ("North", "South")}
        self.api.post(f"{self.path}/event_types", {"event_type": body}).expect(201)
        self.events = []

    def happen(self, what, *arguments):
        getattr(self, what)(*arguments)

    def deliver(self, wanted):
        bodies = [
            given.event_body(
                start_time=at(one["hour"]),
                tracking_id=one["tracking_id"],
                asset_id=self.assets.get(one["asset"]),
                locations=[self.places[one["location"]]],
                values={name: one[name] for name in ("mass", "ash", "site") if one[name] is not None},
            )
            for one in wanted
        ]
        self.events += [receipt["id"] for receipt in given.events(self.api, self.project, bodies)]

    def correct(self, index, value):
        for event in self.chosen(index):
            body = self.api.get(f"{self.path}/events/{event}").body
            point = next(one for one in body["data_points"] if one["slug"] == "mass")
            self.api.patch(f"{self.path}/data_points/{point['id']}", {"data_point": {"value": value}})

    def move(self, index, hour):
        for event in self.chosen(index):
            times = {"start_time": at(hour), "end_time": at(hour)}
            self.api.patch(f"{self.path}/events/{event}", {"event": times}).expect(200)

    def void(self, index):
        for event in self.chosen(index):
            self.api.delete(f"{self.path}/events/{event}").expect(204)
            self.events.remove(event)

    def belong(self, index, asset):
        for event in self.chosen(index):
            change = {"asset_id": self.assets.get(asset)}
            self.api.patch(f"{self.path}/events/{event}", {"event": change}).expect(200)

    def be_out(self, hour, lasting, asset):
        given.outage(
            self.api,
            self.project,
            start_time=at(hour),
            end_time=at(hour + lasting),
            asset_id=self.assets.get(asset),
        )

    def serve(self, asset, hour):
        change = {"asset": {"in_service_from": at(hour)}}
        self.api.patch(f"{self.path}/assets/{self.assets[asset]}", change).expect(200)

    def rule(self, number, expression, fields):
        named = {"asset_id": self.assets[fields["asset_id"]]} if "asset_id" in fields else {}
        return rule(self.api, self.project, expression, name=f"{number}", **(fields | named))

    def work(self):
        work(self.account)

    def chosen(self, index):
        return self.events[index % len(self.events) :][:1] if self.events else []

    def afresh(self, made):
        """The events that the rule alerts on when all are evaluated in one pass outside the database."""
        return self.account.server.run(self._afresh(made))

    async def _afresh(self, made):
        key = identity.parse("rule", made["id"])
        async with self.account.server.database.read() as tx:
            version = await newest_version(tx, key.project, key.key)
            found = await try_version(tx, version, None, None, 1000)
        return {
            (identity.of("event", key.project, alert.event), alert.value, alert.error)
            for alert in found.first
        }


@thoroughly
@for_all(happening=steps)
def test_what_stands_is_what_evaluating_all_afresh_finds(server, happening):
    history = History(server.account())
    rules = [history.rule(number, *words) for number, words in enumerate(RULES)]

    for step in happening:
        history.happen(*step)
    history.work()

    for made in rules:
        standing = {
            (one["event_id"], one["entered_value"], one["error_message"])
            for one in results(history.api, made)
            if one["status"] in {"fail", "error"}
        }
        assert standing == history.afresh(made), made["expression"]


def test_the_first_rules_are_answered_by_the_database(account):
    history = History(account)

    async def answered(made):
        key = identity.parse("rule", made["id"])
        async with account.server.database.read() as tx:
            return is_answered_by_database(
                await prepared_rule(tx, await newest_version(tx, key.project, key.key))
            )

    found = [account.server.run(answered(history.rule(number, *words))) for number, words in enumerate(RULES)]

    assert found == [True] * 5 + [False] * 12 + [True] + [False] * 2
