"""A chart of a million points: what the server takes for it, and what the browser does while it is zoomed.

A meter with a value a minute is put straight into the tables. Asked for are what the chart draws of all of
it and of ranges inside, the page with its table, and the strip of slots below it; then Chromium opens the
page and zooms by drawing over the chart, again and again, and its own clock (the long tasks of the
Performance API) says how long it was busy at a stretch. Goals: below 1 s at the server, no task above 50 ms
in the browser.

    python benchmarks/bench_chart.py [EVENTS]
"""

import asyncio
import http.client
import os
import shutil
import sys
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import psycopg
from loaded import analyse
from playwright.sync_api import Page, sync_playwright
from service import Service, median, now, service

from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor
from weighbridge.db.engine import Database
from weighbridge.platform.authentication import begin_session, hash_password
from weighbridge.platform.users import add_user

EVENTS = 1_000_000
TIMES = 5
ZOOMS = 5
SERVER_SECONDS_MAX = 1.0
TASK_MS_MAX = 50
BEGIN = datetime(2014, 1, 1, tzinfo=UTC)
PORTION = 250_000

_LOAD = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
    SELECT %(project)s, %(first)s + n, %(type)s, moment, moment,
           ARRAY[round((100 + 40 * sin(n / 700.0) + n %% 17 / 4.0)::numeric, 3)], true
      FROM (SELECT n, %(begin)s::timestamptz + n * interval '1 minute' AS moment
              FROM generate_series(%(from)s, %(to)s - 1) AS n) AS made
"""
_WATCH = """
    window.busy = [];
    new PerformanceObserver((list) => window.busy.push(...list.getEntries().map((one) => one.duration)))
      .observe({ type: "longtask", buffered: true });
"""


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with service(api_processes=1) as running:
        path = _loaded(running, events)
        analyse(running)
        secret = asyncio.run(_session(running))
        spans = {"all": events, "a quarter": 131_040, "a month": 44_640, "a day": 1_440}
        for name, minutes in spans.items():
            if minutes <= events:
                _asked(running, secret, path, name, minutes)
        _zoomed(running, secret, path)


def _asked(running: Service, secret: str, path: str, name: str, minutes: int) -> None:
    """What the server takes for so many of the first minutes."""
    end = BEGIN + timedelta(minutes=minutes)
    texts = {key: f"{moment:%Y-%m-%dT%H:%M}" for key, moment in (("from", BEGIN), ("until", end))}
    query = urlencode({"of": "meter/power", **texts})
    series = [_seconds(running, secret, f"{path}/series.json?{query}") for _ in range(TIMES)]
    page = [_seconds(running, secret, f"{path}?{query}") for _ in range(TIMES)]
    strips = _seconds(running, secret, f"{path}/strips?{query}")
    goal = f" (goal: below {SERVER_SECONDS_MAX:.0f} s)" if name == "all" else ""
    print(
        f"{name}, {minutes:,} points: chart {median(series) * 1000:.0f} ms{goal}, "
        f"page {median(page) * 1000:.0f} ms, "
        f"strip by itself {strips * 1000:.0f} ms"
    )


def _zoomed(running: Service, secret: str, path: str) -> None:
    """The longest tasks of the browser while a chart of everything is zoomed."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        print("there is no Chromium here, so nothing is zoomed")
        return
    address = f"http://{running.host}:{running.port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--headless", "--no-sandbox"])
        context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 900})
        context.add_cookies([{"name": "weighbridge_session", "value": secret, "url": address}])
        page = context.new_page()
        page.add_init_script(_WATCH)
        page.set_default_timeout(30_000)
        page.goto(f"{path}?of=meter/power&span=all")
        page.locator("#chart .u-over").wait_for()
        busy = [_zoom(page) for _ in range(ZOOMS)]
        browser.close()
    said = ", ".join(f"{one:.0f}" for one in busy)
    print(f"zooming: the longest task of each zoom took {said} ms (goal: none above {TASK_MS_MAX})")


def _zoom(page: Page) -> float:
    """Draw over the middle of the chart; the longest task until chart and table are there, 0 below 50 ms."""
    page.evaluate("window.busy.length = 0")
    over = page.locator("#chart .u-over").bounding_box()
    assert over is not None
    x, y, width = over["x"], over["y"], over["width"]
    page.mouse.move(x + width * 0.2, y + 50)
    page.mouse.down()
    page.mouse.move(x + width * 0.75, y + 60, steps=10)
    with page.expect_response("**/series.json?*"), page.expect_response("**/data_points?*"):
        page.mouse.up()
    page.wait_for_load_state("networkidle")
    return float(page.evaluate("Math.max(0, ...window.busy)"))


def _seconds(running: Service, secret: str, path: str) -> float:
    connection = http.client.HTTPConnection(running.host, running.port, timeout=300)
    started = now()
    connection.request("GET", path, headers={"Cookie": f"weighbridge_session={secret}"})
    answer = connection.getresponse()
    content = answer.read()
    taken = now() - started
    connection.close()
    assert answer.status == 200, content[:500]
    return taken


def _loaded(running: Service, events: int) -> str:
    """Make a meter with so many values, a minute apart; the path of its chart."""
    project = running.call("POST", "/projects", {"project": {"name": "Charted"}})
    point = {"name": "Power", "slug": "power", "value_type": "number", "unit": "kW"}
    body = {
        "name": "Meter", "slug": "meter", "cadence_amount": 1, "cadence_unit": "minute",
        "expected_locations": "none", "data_point_types": [point],
    }  # fmt: skip
    made = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    values = {
        "project": project["numeric_id"], "first": 10**9, "begin": BEGIN,
        "type": made["data_point_types"][0]["nexus_event_type_id"],
    }  # fmt: skip
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        for begin in range(0, events, PORTION):
            connection.execute(_LOAD, values | {"from": begin, "to": min(events, begin + PORTION)})
    return f"/projects/{project['id']}/data_points"


async def _session(running: Service) -> str:
    """The secret of a person who has signed in."""
    email = "bench@plant.example"
    async with Database(running.database_url, connections_max=1) as database:
        async with database.read() as tx:
            [(account, user)] = await tx.tuples("SELECT account_id, min(id) FROM users GROUP BY 1 LIMIT 1")
        owner = Actor(account, user, None, frozenset(ALL_PERMISSIONS), "bench")
        password_hash = await hash_password("a password of the benchmark")
        async with database.write() as tx:
            await add_user(
                tx, owner, email=email, name="Bench", permissions=ALL_PERMISSIONS,
                password_hash=password_hash,
            )  # fmt: skip
        async with database.write() as tx:
            number = await tx.value("SELECT id FROM users WHERE email = %s", (email,))
            actor = Actor(account, number, None, frozenset(ALL_PERMISSIONS), "bench")
            return await begin_session(tx, actor, "a benchmark")


if __name__ == "__main__":
    main()
