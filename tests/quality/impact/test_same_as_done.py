"""Whatever is planned, a dry run leaves nothing, and the change and a generation come to what it said."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import HealthCheck, Phase, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.examples import examples
from tests.given.accounting import QUARTER
from tests.given.chain import PRODUCED, WEIGHED, drawing, inventory, link, produce, upstream
from tests.given.reports import Claims

from weighbridge.accounting.books.runs import RUN_TAGS
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.time.calendar import Instant
from weighbridge.platform.staleness import IS_NEWEST

DRY = {"dry_run": "true"}
FEEDSTOCKS = ("Wood", "Straw")
SETTINGS = [
    {"cadence": "monthly", "partition_type": "time"},
    {"cadence": "monthly", "partition_type": "feedstock"},
    {"cadence": "weekly", "partition_type": "feedstock"},
    {"cadence": "event", "partition_type": "time"},
    {"cadence": "event", "partition_type": "tracking_id"},
    {"cadence": "event", "partition_type": "feedstock"},
]
"""How the deliveries are accounted for; what is produced and sold of them is by month."""

MADE = drawing(", attributes: [intensity]").replace("sum(drawn)", "sum(drawn * drawn.intensity)")
"""What is made of deliveries comes to more the more was delivered with them."""

SOLD = (
    PRODUCED.replace("made", "sold").replace("production", "sale")
    + upstream("amount: sold, attributes: [made]", ledger="Production")
    + """
  - slug: worth
    formula: sum(drawn * value(drawn.made, 't'))
    unit: t
    output: true
"""
)

days = st.integers(0, 80)
measured = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["delivery", "delivery", "production", "sale"]),
        "mass": st.integers(1, 40),
        "day": days,
        "feedstock": st.integers(0, 1),
        "tracking_id": st.sampled_from(["LOT-1", "LOT-2"]),
    }
)
STOCK = [
    {"kind": "delivery", "mass": mass, "day": day, "feedstock": place, "tracking_id": f"LOT-{place + 1}"}
    for mass, day, place in ((40, 0, 0), (36, 0, 1), (30, 2, 0))
]
"""What there is to be made something of, whatever else is delivered."""
planned = st.one_of(
    st.tuples(st.just("value"), st.integers(0, 9), st.integers(0, 60)),
    st.tuples(st.just("move"), st.integers(0, 9), days),
    st.tuples(st.just("stretch"), st.integers(0, 9), st.integers(0, 40)),
    st.tuples(st.just("feedstock"), st.integers(0, 9), st.integers(0, 1)),
    st.tuples(st.just("tracking_id"), st.integers(0, 9), st.sampled_from(["LOT-1", "LOT-2", "LOT-3", None])),
)


def at(day):
    return Instant.of(datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=day)).text


class Works:
    """Deliveries, what is produced of them and sold, and what is planned for all."""

    def __init__(self, account, accounting):
        self.account = account
        self.server = account.server
        self.api = account.caller()
        self.deliveries = inventory(self.api, account.drain, WEIGHED, **accounting)
        self.production = link(self.deliveries, MADE, output="used")
        self.sales = link(self.deliveries, SOLD, name="Sales", output="worth")
        self.links = self.deliveries, self.production, self.sales
        self.project = self.deliveries.project["numeric_id"]
        self.feedstocks = [self.deliveries.feedstock(name) for name in FEEDSTOCKS]
        self.events = []
        self.path = f"/projects/{self.deliveries.project['id']}"

    def measure(self, one):
        fields = {"feedstock_id": self.feedstocks[one["feedstock"]], "tracking_id": one["tracking_id"]}
        if one["kind"] == "delivery":
            self.events.append(self.deliveries.deliver(one["mass"], at(one["day"]), **fields))
        elif one["kind"] == "sale":
            mass = Decimal(one["mass"]) / 8
            self.events.append(self.sales.measure("sale", {"mass": mass}, at(one["day"]), **fields))
        else:
            self.events.append(produce(self.production, Decimal(one["mass"]) / 8, at(one["day"]), **fields))

    def request(self, what, index, how):
        """The path and the body of a planned change."""
        event = self.events[index % len(self.events)]
        if what == "value":
            point = self.api.get(f"{self.path}/events/{event}").body["data_points"][0]["id"]
            return f"{self.path}/data_points/{point}", {"data_point": {"value": how}}
        change = {
            "move": lambda: {"start_time": at(how), "end_time": at(how)},
            "stretch": lambda: {"end_time": at(how)},
            "feedstock": lambda: {"feedstock_id": self.feedstocks[how]},
            "tracking_id": lambda: {"tracking_id": how},
        }[what]()
        return f"{self.path}/events/{event}", {"event": change}

    def report(self):
        """Send off a report of half of each batch that something of is left, of each ledger that has any."""
        for plant in self.links:
            batches = [
                {"batch_id": one["id"], "amount": one["ledger_balance"] / 2}
                for one in plant.batches()
                if one["ledger_balance"] > 0
            ]
            claims = Claims(plant)
            if batches:
                made = claims.ask(batches=batches, name=plant.ledger["name"])
                if made.status == 201:
                    claims.plant.api.post(f"/reports/{made.body['id']}/submit", {})
        self.account.drain()

    def generate(self):
        """Generate every link; gives why each of those failed that did."""
        failures = []
        for plant in self.links:
            started = plant.start(QUARTER)
            if started.status == 422 and started.error["code"] == "no_slot":
                continue  # no event makes a slot
            task = started.expect(202).body
            plant.drain()
            ended = self.api.get(f"/async_tasks/{task['id']}").body
            failures += [ended["error_message"]] if ended["state"] == "failed" else []
        return failures

    def runs(self):
        """What every run comes to on its ledger, by the number of the run, and where it is."""
        rows = self.server.sql(
            f"""
            SELECT b.ledger_id, r.id, b.start_time, b.end_time, r.by_event, r.event_id, r.tracking_id, f.name,
                   a.name, b.total
              FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) {RUN_TAGS}
             WHERE b.project_id = %s AND {IS_NEWEST}
            """,
            self.project,
        )
        return {
            (ledger, run): {
                "slot": (event or name) if by_event else (start, end),
                "place": (
                    identity.of("ledger", self.project, ledger),
                    Instant.of(start).text,
                    Instant.of(end).text,
                    Partition(name, feedstock, asset).label or None,
                ),
                "total": total,
            }
            for ledger, run, start, end, by_event, event, name, feedstock, asset, total in rows
        }

    def stale(self):
        """Why each batch is stale."""
        return {
            one["id"]: {(why["reason"], why["record"]) for why in one["stale_reasons"]}
            for plant in self.links
            for one in plant.batches()
        }

    def open_deficits(self):
        found = [
            one
            for plant in self.links
            for one in self.api.get(f"/ledgers/{plant.ledger['id']}/deficits").data
            if one["settled_at"] is None
        ]
        return {(one["ledger"], one["partition"], one["end_time"]): one["amount"] for one in found}

    def counts(self):
        """How many rows every table holds, and what every balance and event of the project says."""
        names = self.server.sql(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() "
            "AND table_type = 'BASE TABLE' AND table_name <> 'request_counts'"  # of the minute
        )
        numbers = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM \"{name}\"" for (name,) in names)
        return (
            dict(self.server.sql(numbers)),
            self.server.sql("SELECT id, balance FROM batches WHERE project_id = %s ORDER BY 1", self.project),
            self.server.sql("SELECT e.* FROM events e WHERE e.project_id = %s ORDER BY id", self.project),
        )


def changed(before, after):
    """What runs come to afterwards whose totals are others, in slots that there were before."""
    known = {(ledger, one["slot"]) for (ledger, _), one in before.items()}
    nothing = {"total": Decimal(0)}
    return {
        one["place"]: one["total"]
        for key, one in after.items()
        if (key[0], one["slot"]) in known and one["total"] != before.get(key, nothing)["total"]
    }


@settings(
    max_examples=examples(40),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@for_all(
    st.sampled_from(SETTINGS),
    st.lists(measured, min_size=2, max_size=6),
    st.lists(planned, min_size=1, max_size=4),
    st.booleans(),
)
def test_a_dry_run_leaves_nothing_and_comes_to_what_is_done(account, accounting, events, changes, reported):
    works = Works(account, accounting)
    for one in [*STOCK, *events]:
        works.measure(one)
    works.generate()
    if reported:
        works.report()

    for change in changes:
        path, body = works.request(*change)
        if works.generate():
            return  # what fails without the change is no matter of it
        counts, runs, stale, deficits = works.counts(), works.runs(), works.stale(), works.open_deficits()

        said = works.api.patch(path, body, query=DRY)

        assert works.counts() == counts
        done = works.api.patch(path, body)
        if done.status != 200:
            assert (said.status, said.errors) == (done.status, done.errors)
            continue
        told = said.expect(200).body
        assert {one["batch_id"] for one in told["stale_batches"]} == {
            batch for batch, reasons in works.stale().items() if reasons - stale[batch]
        }
        if failures := works.generate():
            # A slot that was never generated is no matter of the change, whatever would fail in it.
            generated = {f"{one['place'][1]:.7}" for one in runs.values()}
            assert told["problems"] or not {failure[:7] for failure in failures} & generated, failures
            return
        places = {
            (one["ledger_id"], one["start_time"], one["end_time"], one["partition"]): one[
                "primary_output_after"
            ]
            for one in told["batches"]
        }
        assert places == changed(runs, works.runs())
        if slots(works.runs()) <= slots(runs):  # else what came of new slots may settle deficits
            assert {
                (one["ledger"], one["partition"], one["end_time"]): one["amount"] for one in told["deficits"]
            } == {
                key: amount for key, amount in works.open_deficits().items() if amount > deficits.get(key, 0)
            }
        check_reports(works, told, runs)


def slots(runs):
    """The slots of each ledger that have runs."""
    return {(ledger, one["slot"]) for (ledger, _), one in runs.items()}


def check_reports(works, told, before):
    """Reports are those that include amounts of changed runs, with what these come to now."""
    after = works.runs()
    changed_runs = {
        key for key, one in after.items() if key in before and one["total"] != before[key]["total"]
    }
    rows = works.server.sql(
        """
        SELECT r.id, b.ledger_id, b.run_id, sum(i.amount) FROM reports r
          JOIN report_batches i ON (i.project_id, i.report_id) = (r.project_id, r.id)
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE r.project_id = %s GROUP BY 1, 2, 3 ORDER BY 1
        """,
        works.project,
    )
    expected = {}
    for report, ledger, run, amount in rows:
        if (ledger, run) in changed_runs:
            name = identity.of("report", works.project, report)
            included, comes_to, uncovered = expected.get(name, (0, 0, 0))
            total = after[ledger, run]["total"]
            expected[name] = included + amount, comes_to + total, uncovered + max(0, amount - max(0, total))
    assert {
        one["report_id"]: (one["included"], one["primary_output_after"], one["uncovered"])
        for one in told["reports"]
    } == expected
