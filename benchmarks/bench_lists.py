"""Lists of events and data points of 10,000, a million and ten million events, before and after ANALYZE.

Each filter with the default sort, each sort alone, and what pages combine: the first page, one by number at
row 10,000, one by cursor in the middle of the list. The figure is the median time of a request over one
connection; the baseline is that of the same list of 10,000 events, asked in turns with it.

    python benchmarks/bench_lists.py [SIZE ...]
"""

import sys
from collections.abc import Mapping
from http.client import HTTPConnection
from urllib.parse import urlencode

from loaded import Loaded, analyse, load
from service import Service, median, now, send, service

SIZES = (10_000, 1_000_000, 10_000_000)
TIMES = 15
GOAL = 1.3


def main() -> None:
    sizes = [int(one) for one in sys.argv[1:]] or list(SIZES)
    with service(api_processes=1) as running:
        projects = [load(running, f"{size:,}", size, 10**9 * (index + 1)) for index, size in enumerate(sizes)]
        _compared(running, projects, "without statistics")
        analyse(running)
        _compared(running, projects, "with statistics")


def _compared(running: Service, projects: list[Loaded], when: str) -> None:
    connection = running.connect()
    worst = 0.0
    for name, make in QUESTIONS.items():
        targets = [target for one in projects if (target := make(running, one)) is not None]
        taken: list[list[float]] = [[] for _ in targets]
        for turn in range(TIMES + 6):
            for of_target, target in zip(taken, targets, strict=True):
                seconds = _asked(connection, running, target)
                if turn >= 6:
                    of_target.append(seconds)
        medians = [median(one) * 1000 for one in taken]
        ratio = medians[-1] / medians[0]
        worst = max(worst, ratio)
        shown = ", ".join(f"{one:.2f}" for one in medians)
        print(f"{when}: {name}: {shown} ms, ratio {ratio:.2f}", flush=True)
    print(
        f"{when}: worst ratio of the longest to the shortest {worst:.2f} (goal: at most {GOAL})", flush=True
    )


def _asked(connection: HTTPConnection, running: Service, target: str) -> float:
    started = now()
    status, answer = send(connection, running.token, "GET", target, None)
    assert status == 200, (target, answer)
    return now() - started


def _path(project: Loaded, noun: str, query: Mapping[str, object]) -> str:
    return f"/projects/{project.id}/{noun}?{urlencode(query)}"


def _plain(noun: str, query: Mapping[str, str]):
    """A first page."""

    def make(_: Service, project: Loaded) -> str:
        middle = project.events // 2
        values = {
            **project.tags,
            "day": _moment(middle),
            "next": _moment(middle + 1440),
            "track": middle // 20,
        }
        return _path(project, noun, {name: value.format_map(values) for name, value in query.items()})

    return make


def _numbered(noun: str, query: Mapping[str, str]):
    """The page at row 10,000, or the last of a shorter list."""

    def make(running: Service, project: Loaded) -> str:
        return _plain(noun, {**query, "page": "499"})(running, project)

    return make


def _behind(noun: str, query: Mapping[str, str]):
    """A page by cursor from the middle of the list, where the ids of events are in order of their times."""

    def make(running: Service, project: Loaded) -> str:
        middle = f"{_moment(project.events // 2)}"
        bounds = {"filter[start_time][leq]": middle, "sort": "-start_time", "page_size": "1"}
        found = running.call("GET", _path(project, noun, {**bounds, **query}))
        return _path(project, noun, {**query, "sort": "-start_time", "cursor": found["info"]["next_cursor"]})

    return make


def _moment(minutes: int) -> str:
    days, rest = divmod(minutes, 1440)
    year, day = 2000, days
    while day >= (length := 366 if year % 4 == 0 else 365):
        year, day = year + 1, day - length
    lengths = [31, 29 if year % 4 == 0 else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    month = 0
    while day >= lengths[month]:
        day, month = day - lengths[month], month + 1
    return f"{year}-{month + 1:02d}-{day + 1:02d}T{rest // 60:02d}:{rest % 60:02d}:00Z"


_FILTERS: Mapping[str, Mapping[str, str]] = {
    "all": {},
    "type": {"filter[event_type_id]": "{type}"},
    "slug": {"filter[slug]": "reading"},
    "location": {"filter[location_id]": "{location}"},
    "second location": {"filter[location_id]": "{second}"},
    "feedstock": {"filter[feedstock_id]": "{feedstock}"},
    "asset": {"filter[asset_id]": "{asset}"},
    "tracking id": {"filter[tracking_id]": "T-{track}"},
    "from a time": {"filter[start_time][geq]": "{day}"},
    "until a time": {"filter[start_time][leq]": "{day}"},
    "end from": {"filter[end_time][geq]": "{day}"},
    "end until": {"filter[end_time][leq]": "{day}"},
    "type and time": {"filter[slug]": "reading", "filter[start_time][geq]": "{day}"},
    "type and tracking id": {"filter[slug]": "reading", "filter[tracking_id]": "T-{track}"},
    "type and location": {"filter[slug]": "reading", "filter[location_id]": "{location}"},
    "location and time": {"filter[location_id]": "{location}", "filter[start_time][geq]": "{day}"},
    "newest": {"sort": "-start_time"},
    "by id": {"sort": "id"},
    "by change": {"sort": "-updated_at"},
    "by end of a day": {
        "sort": "end_time", "filter[start_time][geq]": "{day}", "filter[start_time][leq]": "{next}",
    },
}  # fmt: skip
_POINTS: Mapping[str, Mapping[str, str]] = {
    "all": {},
    "slug": {"slug": "flow"},
    "from a time": {"start_time": "{day}"},
    "until a time": {"end_time": "{day}"},
    "slug and time": {"slug": "flow", "start_time": "{day}", "end_time": "{next}"},
    "newest": {"sort": "-start_time"},
    "by id": {"sort": "id"},
    "by change": {"sort": "-updated_at"},
    "by value of a day": {"sort": "value", "slug": "flow", "start_time": "{day}", "end_time": "{next}"},
}
QUESTIONS = {
    **{f"events, {name}": _plain("events", query) for name, query in _FILTERS.items()},
    "events, page at row 10,000": _numbered("events", {}),
    "events, page by cursor": _behind("events", {}),
    "events of a type by cursor": _behind("events", {"filter[slug]": "reading"}),
    **{f"data points, {name}": _plain("data_points", query) for name, query in _POINTS.items()},
    "data points, page at row 10,000": _numbered("data_points", {}),
    "data points, page by cursor": _behind("data_points", {}),
}


if __name__ == "__main__":
    main()
