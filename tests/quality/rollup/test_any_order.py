"""Whatever order readings come, change and go in, the hours are those of the final readings at once."""

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal

from hypothesis import given as made_up
from hypothesis import settings
from hypothesis import strategies as st
from tests.given import collection as given
from tests.given.roll_ups import events_of, hours, minutes, roll_up, values_of

START = datetime(2025, 3, 30, tzinfo=UTC)
HALF_EVEN = Context(prec=34)
VALUES = [("sum", "sum"), ("average", "average"), ("first", "first"), ("last", "last"), ("median", "median"),
          ("n", "count")]  # fmt: skip
SHARE = Decimal("0.05")

amounts = st.decimals(-10, 10, places=2)
times = st.integers(0, 239)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(st.tuples(times, amounts, st.booleans()), min_size=1, max_size=8)),
        st.tuples(st.just("correct"), st.integers(0, 99), amounts),
        st.tuples(st.just("move"), st.integers(0, 99), times),
        st.tuples(st.just("void"), st.integers(0, 99)),
        st.tuples(st.just("roll_up")),
    ),
    min_size=1,
    max_size=14,
)


class Minutes:
    """The readings as they are, and the calls that made them so."""

    def __init__(self, api, project):
        self.api, self.path = api, f"/projects/{project['id']}"
        self.there = {}

    def add(self, readings):
        bodies = [
            given.event_body(
                event_type="stack-minute",
                start_time=at(time).isoformat(),
                values={"co2": value, "quality": "good" if good else "bad"},
            )
            for time, value, good in readings
        ]
        body = {"event": bodies[0]} if len(bodies) == 1 else {"events": bodies}
        answer = self.api.post(f"{self.path}/events", body).expect(201).body
        receipts = [answer] if len(bodies) == 1 else answer["data"]
        self.there |= {one["id"]: reading for one, reading in zip(receipts, readings, strict=True)}

    def correct(self, which, value):
        if event := self._one(which):
            change = {"data_points": [{"slug": "co2", "value": value}]}
            self.api.patch(f"{self.path}/events/{event}", {"event": change}).expect(200)
            self.there[event] = (self.there[event][0], value, self.there[event][2])

    def move(self, which, time):
        if event := self._one(which):
            change = {"start_time": at(time).isoformat(), "end_time": at(time).isoformat()}
            self.api.patch(f"{self.path}/events/{event}", {"event": change}).expect(200)
            self.there[event] = (time, *self.there[event][1:])

    def void(self, which):
        if event := self._one(which):
            self.api.delete(f"{self.path}/events/{event}").expect(204)
            del self.there[event]

    def _one(self, which):
        return [*self.there][which % len(self.there)] if self.there else None


def at(minute):
    return START + timedelta(minutes=minute)


def computed(readings):
    """Start, status and values of each hour, minute by minute as a person would."""
    slots = defaultdict(list)
    for time, value, good in readings:
        slots[time // 60].append((time, value, good))
    return {
        at(hour * 60).isoformat(timespec="milliseconds").replace("+00:00", "Z"): one_hour(of_hour)
        for hour, of_hour in slots.items()
    }


def one_hour(readings):
    valid = sorted((time, value) for time, value, good in readings if good)
    values = [value for _, value in valid]
    made = {"n": len(values)}
    if len({time for time, _ in valid}) < SHARE * 60:
        return "incomplete", made
    made["sum"] = sum(values)
    made["average"] = HALF_EVEN.divide(sum(values), len(values))
    made["first"], made["last"] = values[0], values[-1]
    middle = sorted(values)[(len(values) - 1) // 2 : len(values) // 2 + 1]
    made["median"] = HALF_EVEN.divide(sum(middle), len(middle))
    return "complete", made


@settings(max_examples=15)
@made_up(steps)
def test_any_order_of_readings_and_changes_gives_the_same_hours(server, history):
    account = server.account()
    api = account.caller()
    project = given.project(api)
    minutes(api, project, valid_when="quality = 'good'")
    kind = hours(api, project, [(slug, how, "co2") for slug, how in VALUES], valid_share_min=SHARE)
    readings = Minutes(api, project)

    for step, *arguments in history:
        if step == "roll_up":
            roll_up(account)
        else:
            getattr(readings, step)(*arguments)
    roll_up(account)

    made = events_of(api, project, kind)
    assert {one["start_time"]: (one["status"], values_of(one)) for one in made} == computed(
        readings.there.values()
    )
