"""Lists of footprints below /pact, of 1,000 of them, beside the list of 1,000 events of the same service.

A page of twenty and pages by each criterion, asked in turns with a page of twenty events over one connection
each. The figures are the median and the 99th percentile of the time of a request, and how much processor time
one takes of the service and of its database, which hardly depends on what else the machine does.

    python benchmarks/bench_footprints.py [TIMES]
"""

import json
import sys
from base64 import b64encode
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

import psycopg
from service import Service, descendants, now, service

SIZE = 1_000
TIMES = 300
GOAL = 1.2
TURN = 20
"""Requests of one list, before the other has its turn."""

PRODUCT = {
    "name": "Bioethanol", "company_name": "Plant One", "company_ids": ["urn:company:example:plant-one"],
    "product_ids": ["urn:gtin:4712345060507"], "declared_unit": "kilogram", "mass_per_declared_unit": 1,
    "quantity": "amount", "amounts": {"fossilGhgEmissions": "amount", "fossilCarbonContent": "0"},
    "properties": {"ipccCharacterizationFactors": ["AR6"], "crossSectoralStandards": ["ISO14067"]},
}  # fmt: skip

QUESTIONS = {
    "page": "limit=20",
    "product": "productId=urn:gtin:500",
    "geography": "geography=DE&limit=20",
    "valid on": "validOn=2026-01-01T00:00:00Z&limit=20",
    "status and company": "status=Active&companyId=urn:company:example:plant-one&limit=20",
}


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TIMES
    with service() as running:
        project = running.call("POST", "/projects", {"project": {"name": "Plant"}})
        _load_events(running, project["id"])
        token = _load_footprints(running)
        events = f"/api/v1/projects/{project['id']}/events?page_size=20"
        connections = running.connect(), running.connect()
        for name, query in QUESTIONS.items():
            footprints = _Asked(connections[0], f"/pact/3/footprints?{query}", token)
            beside = _Asked(connections[1], events, running.token)
            for turn in range(times // TURN + 1):
                for one in (footprints, beside):
                    one.ask(running, is_counted=turn > 0)
            shown = ", ".join(
                f"{what} {_at(one.seconds, 0.5):.2f} ms, p99 {_at(one.seconds, 0.99):.2f} ms,"
                f" processor {one.service_ms:.2f} + {one.database_ms:.2f} ms"
                for what, one in (("footprints", footprints), ("events", beside))
            )
            ratio = _at(footprints.seconds, 0.99) / _at(beside.seconds, 0.99)
            taken = (footprints.service_ms + footprints.database_ms) / (
                beside.service_ms + beside.database_ms
            )
            print(
                f"{name}: {shown}, ratio of p99 {ratio:.2f}, of processor time {taken:.2f} (goal: {GOAL})",
                flush=True,
            )


class _Asked:
    """One list, how long its requests took, and how much processor time."""

    def __init__(self, connection: HTTPConnection, target: str, token: str) -> None:
        self._connection, self._target, self._token = connection, target, token
        self.seconds: list[float] = []
        self._service_ns = self._database_ns = 0

    def ask(self, running: Service, *, is_counted: bool) -> None:
        service_ns, database_ns = _read_processor_time(running)
        seconds = [_asked(self._connection, self._target, self._token) for _ in range(TURN)]
        if is_counted:
            self.seconds += seconds
            service_then, database_then = _read_processor_time(running)
            self._service_ns += service_then - service_ns
            self._database_ns += database_then - database_ns

    @property
    def service_ms(self) -> float:
        return self._service_ns / len(self.seconds) / 1e6

    @property
    def database_ms(self) -> float:
        return self._database_ns / len(self.seconds) / 1e6


def _read_processor_time(running: Service) -> tuple[int, int]:
    """The processor time in ns that the service and its database have had."""
    [known] = running.data_dir.rglob("postmaster.pid")
    database = int(known.read_text().split()[0])
    return _sum_time(running.process.pid), _sum_time(database)


def _sum_time(root: int) -> int:
    """The processor time in ns that the threads of a process and of those below it have had."""
    total = 0
    for process in (root, *descendants(root)):
        for task in Path(f"/proc/{process}/task").glob("*/schedstat"):
            with suppress(OSError):
                total += int(task.read_text().split()[0])
    return total


def _at(values: list[float], part: float) -> float:
    return sorted(values)[int(part * (len(values) - 1))] * 1000


def _asked(connection: HTTPConnection, target: str, token: str) -> float:
    started = now()
    connection.request("GET", target, headers={"Authorization": f"Bearer {token}"})
    response = connection.getresponse()
    answer = response.read()
    assert response.status == 200, (target, answer)
    return now() - started


def _load_events(running: Service, project: str) -> None:
    kind = {
        "name": "Delivery", "slug": "delivery", "expected_locations": "none",
        "data_point_types": [{"name": "Mass", "slug": "mass", "value_type": "number", "unit": "t"}],
    }  # fmt: skip
    running.call("POST", f"/projects/{project}/event_types", {"event_type": kind})
    events = [
        {
            "event_type": "delivery", "start_time": f"2025-01-01T{n // 60:02d}:{n % 60:02d}:00Z",
            "data_points": [{"slug": "mass", "value": 1}],
        }
        for n in range(SIZE)
    ]  # fmt: skip
    running.call("POST", f"/projects/{project}/events", {"events": events})


def _load_footprints(running: Service) -> str:
    """Store footprints of one product; gives a token of a client that reads them."""
    running.call("PATCH", "/feature_flags", {"feature_flags": {"footprint_exchange": True}})
    product = running.call("POST", "/footprint_products", {"footprint_product": PRODUCT})["id"]
    content = {"companyName": "Plant One", "pcf": {f"amount{n}": "0.123456789" for n in range(40)}}
    with psycopg.connect(running.database_url) as connection:
        connection.execute(
            """
            INSERT INTO footprints (account_id, id, product_id, project_id, batch_id, content, preceding,
                                    product_ids, company_ids, classifications, geographies, valid_from,
                                    valid_until, user_id)
            SELECT p.account_id, gen_random_uuid(), p.id, 1, n, %s, '{}', ARRAY['urn:gtin:' || n],
                   ARRAY['urn:company:example:plant-one'], '{}',
                   ARRAY[CASE n %% 2 WHEN 0 THEN 'de' ELSE 'fr' END], '2025-01-01Z', '2028-01-01Z',
                   (SELECT min(u.id) FROM users u WHERE u.account_id = p.account_id)
              FROM footprint_products p CROSS JOIN generate_series(1, %s) AS series (n) WHERE p.id = %s
            """,
            (json.dumps(content), SIZE, product),
        )
    client = running.call("POST", "/footprint_clients", {"footprint_client": {"name": "Bench"}})
    pair = b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
    connection = running.connect()
    headers = {"Authorization": f"Basic {pair}", "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/pact/auth/token", body=b"grant_type=client_credentials", headers=headers)
    token: str = json.loads(connection.getresponse().read())["access_token"]
    return token


main()
