"""Walking a list meets all of it, whatever is stored and voided on the way; a filter finds what it says.

Design, section 4: `page` from 1; `cursor=` instead of `page` walks a long list by key. The events, the orders
and the filters are made up; what a list answers is held against lists made in Python.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import collection as given
from tests.server import Account, Caller

quickly = settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

SORTS = ("start_time", "end_time", "tracking_id", "created_at", "status", "id")
TRACKING_IDS = (None, "A", "a", "Ä", "B-1")
NAMES = ("one", "other")

hours = st.integers(0, 6)
events = st.fixed_dictionaries(
    {
        "hour": hours,
        "length": st.integers(0, 2),
        "tracking_id": st.sampled_from(TRACKING_IDS),
        "event_type": st.sampled_from(NAMES),
        "location": st.sets(st.sampled_from(NAMES)),
        "feedstock": st.none() | st.sampled_from(NAMES),
        "asset": st.none() | st.sampled_from(NAMES),
    }
)
orders = st.lists(
    st.tuples(st.sampled_from(["", "-"]), st.sampled_from(SORTS)),
    min_size=1,
    max_size=3,
    unique_by=lambda one: one[1],
).map(lambda chosen: ",".join(sign + field for sign, field in chosen))
meanwhile = st.lists(st.tuples(st.lists(events, max_size=3), st.lists(st.integers(0, 30), max_size=3)))


def at(hour: int) -> str:
    return f"2025-03-01T{hour:02d}:00:00Z"


def walk(
    api: Caller, path: str, query: Mapping[str, object], between: Callable[[int], None] = lambda _: None
) -> list[dict[str, Any]]:
    """The records that a walk by cursor meets; `between` is told how many pages were read."""
    met: list[dict[str, Any]] = []
    pages, cursor = 0, None
    while pages == 0 or cursor is not None:
        page = api.get(path, {**query, **({"cursor": cursor} if cursor else {})}).expect(200)
        met += page.data
        cursor = page.info["next_cursor"]
        pages += 1
        between(pages)
    return met


class Plant:
    """A project of its own, with two of everything that events may name."""

    def __init__(self, api: Caller) -> None:
        self.api = api
        self.project = given.project(api)
        self.path = f"/projects/{self.project['id']}/events"
        self.types = {
            name: given.event_type(api, self.project, slug=name, data_point_types=[given.number("mass")])
            for name in NAMES
        }
        self.named = {
            field: {name: make(api, self.project)["id"] for name in NAMES}
            for field, make in (
                ("location", given.location), ("feedstock", given.feedstock), ("asset", given.asset),
            )
        }  # fmt: skip

    def store(self, made_up: list[dict[str, Any]]) -> list[str]:
        """Store events in one request; gives their ids."""
        if not made_up:
            return []
        bodies = [self._body(one) for one in made_up]
        return [receipt["id"] for receipt in given.events(self.api, self.project, bodies)]

    def void(self, event: str) -> None:
        self.api.delete(f"{self.path}/{event}").expect(204)

    def ids(self, **query: object) -> list[str]:
        """The ids of one page."""
        return [one["id"] for one in self.api.get(self.path, query).expect(200).data]

    def walk(self, between: Callable[[int], None] = lambda _: None, **query: object) -> list[str]:
        """The ids that a walk by cursor meets."""
        return [one["id"] for one in walk(self.api, self.path, query, between)]

    def _body(self, one: dict[str, Any]) -> dict[str, Any]:
        tags = {f"{field}_id": self.named[field].get(one[field]) for field in ("feedstock", "asset")}
        return given.event_body(
            event_type=one["event_type"],
            start_time=at(one["hour"]),
            end_time=at(one["hour"] + one["length"]),
            tracking_id=one["tracking_id"],
            locations=[{"id": self.named["location"][name]} for name in sorted(one["location"])],
            **tags,
        )


@pytest.fixture
def plant(account: Account) -> Callable[[], Plant]:
    """Makes a plant of its own for each example, with a token of its own."""
    return lambda: Plant(account.caller())


@quickly
@for_all(made_up=st.lists(events, max_size=25), sort=orders, page_size=st.integers(1, 9))
def test_the_pages_of_a_list_make_up_the_list(plant, made_up, sort, page_size):
    plant = plant()
    stored = plant.store(made_up)
    whole = plant.ids(sort=sort, page_size=200)

    pages = plant.api.get(plant.path, {"sort": sort, "page_size": page_size}).info["total_pages"]
    numbered = [
        event
        for page in range(1, pages + 1)
        for event in plant.ids(sort=sort, page_size=page_size, page=page)
    ]

    assert sorted(whole) == sorted(stored)
    assert numbered == whole
    assert plant.walk(sort=sort, page_size=page_size) == whole


@quickly
@for_all(
    made_up=st.lists(events, min_size=1, max_size=25),
    sort=orders,
    page_size=st.integers(1, 6),
    changes=meanwhile,
)
def test_a_walk_meets_once_what_was_there_throughout_whatever_is_stored_and_voided_meanwhile(
    plant, made_up, sort, page_size, changes
):
    plant = plant()
    stored = plant.store(made_up)
    throughout, later = set(stored), set[str]()

    def change(pages: int) -> None:
        if pages <= len(changes):
            arriving, leaving = changes[pages - 1]
            later.update(plant.store(arriving))
            for event in {stored[place % len(stored)] for place in leaving} & throughout:
                plant.void(event)
                throughout.discard(event)

    met = plant.walk(change, sort=sort, page_size=page_size)

    assert len(met) == len(set(met))
    assert throughout <= set(met) <= set(stored) | later


conditions = st.fixed_dictionaries(
    {},
    optional={
        "slug": st.sampled_from(NAMES),
        "event_type_id": st.sampled_from(NAMES),
        "nexus_event_type_id": st.sampled_from(NAMES),
        "location_id": st.sampled_from(NAMES),
        "feedstock_id": st.sampled_from(NAMES),
        "asset_id": st.sampled_from(NAMES),
        "tracking_id": st.sampled_from(TRACKING_IDS[1:]),
        "start_time": st.tuples(st.sampled_from(["eq", "geq", "leq"]), hours),
        "end_time": st.tuples(st.sampled_from(["eq", "geq", "leq"]), hours),
    },
)


def parameters(plant: Plant, asked: dict[str, Any]) -> dict[str, object]:
    """The filters as a query."""
    query: dict[str, object] = {"page_size": 200}
    for field, value in asked.items():
        if field in {"start_time", "end_time"}:
            query[f"filter[{field}][{value[0]}]"] = at(value[1])
        elif field == "event_type_id":
            query["filter[event_type_id]"] = plant.types[value]["id"]
        elif field == "nexus_event_type_id":
            number = plant.types[value]["data_point_types"][0]["nexus_event_type_id"]
            query["filter[nexus_event_type_id][eq]"] = number
        elif field in {"location_id", "feedstock_id", "asset_id"}:
            query[f"filter[{field}]"] = plant.named[field.removesuffix("_id")][value]
        else:
            query[f"filter[{field}]"] = value
    return query


def fits(one: dict[str, Any], asked: dict[str, Any]) -> bool:
    """Whether a made-up event is one that the filters ask for, by comparing one after the other."""
    held = {
        "slug": {one["event_type"]},
        "event_type_id": {one["event_type"]},
        "nexus_event_type_id": {one["event_type"]},
        "location_id": one["location"],
        "feedstock_id": {one["feedstock"]},
        "asset_id": {one["asset"]},
        "tracking_id": {one["tracking_id"]},
    }
    times = {"start_time": one["hour"], "end_time": one["hour"] + one["length"]}
    return all(
        value in held[field] if field in held else compared(times[field], *value)
        for field, value in asked.items()
    )


def compared(hour: int, comparator: str, bound: int) -> bool:
    return {"eq": hour == bound, "geq": hour >= bound, "leq": hour <= bound}[comparator]


@quickly
@for_all(made_up=st.lists(events, max_size=25), questions=st.lists(conditions, min_size=1, max_size=6))
def test_filters_find_what_comparing_one_by_one_finds(plant, made_up, questions):
    plant = plant()
    stored = plant.store(made_up)

    for asked in questions:
        found = plant.ids(**parameters(plant, asked))

        expected = [event for event, one in zip(stored, made_up, strict=True) if fits(one, asked)]
        assert sorted(found) == sorted(expected), asked


@quickly
@for_all(
    masses=st.lists(st.tuples(hours, st.none() | st.integers(-3, 3)), max_size=20),
    slug=st.none() | st.sampled_from(["mass", "ash"]),
    bounds=st.tuples(st.none() | hours, st.none() | hours),
    page_size=st.integers(1, 7),
)
def test_data_points_are_walked_whole_between_plain_bounds(account, masses, slug, bounds, page_size):
    api = account.caller()
    project = given.measuring(api, given.number("mass", required=False), given.number("ash", required=False))
    bodies = [
        given.event_body(start_time=at(hour), values={} if mass is None else {"mass": mass, "ash": hour})
        for hour, mass in masses
    ]
    if bodies:
        given.events(api, project, bodies)
    begin, end = bounds
    asked = {"slug": slug, "start_time": begin, "end_time": end}
    query = {
        name: value if isinstance(value, str) else at(value)
        for name, value in asked.items()
        if value is not None
    }

    met = walk(api, f"/projects/{project['id']}/data_points", query | {"page_size": page_size})

    found = [(one["event"]["start_time"][11:13], one["slug"], one["value"]) for one in met]
    expected = [
        (f"{hour:02d}", name, value)
        for hour, mass in masses
        if mass is not None and (begin is None or hour >= begin) and (end is None or hour <= end)
        for name, value in (("mass", mass), ("ash", hour))
        if slug in {None, name}
    ]
    assert sorted(found) == sorted(expected)
