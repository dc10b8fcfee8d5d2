"""Lists of footprints below /pact, of 1,000 of them, beside the list of 1,000 events of the same service.

A page of twenty and pages by each criterion, asked in turns with a page of twenty events over one connection
each. The figures are the median and the 99th percentile of the time of a request.

    python benchmarks/bench_footprints.py [TIMES]
"""

import json
import sys
from base64 import b64encode
from http.client import HTTPConnection

import psycopg
from service import Service, now, service

SIZE = 1_000
TIMES = 300
GOAL = 1.0

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
            taken: dict[str, list[float]] = {"footprints": [], "events": []}
            for turn in range(times + 20):
                seconds = _asked(connections[0], f"/pact/3/footprints?{query}", token)
                beside = _asked(connections[1], events, running.token)
                if turn >= 20:
                    taken["footprints"].append(seconds)
                    taken["events"].append(beside)
            shown = ", ".join(
                f"{what} {_at(values, 0.5):.2f} ms, p99 {_at(values, 0.99):.2f} ms"
                for what, values in taken.items()
            )
            ratio = _at(taken["footprints"], 0.99) / _at(taken["events"], 0.99)
            print(f"{name}: {shown}, ratio {ratio:.2f} (goal: at most {GOAL})", flush=True)


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
