"""What the plant of the demonstration lacks: rules with proposals, reports, webhooks; and a project of edges.

The project of edges has names that run over, zero, and numbers of 34 digits; another one has nothing yet.
"""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from weighbridge.demo.plant import REMOVAL
from weighbridge.demo.story import Client, Plant

Record = dict[str, Any]

WAIT_SECONDS: Final = 60

LONG: Final = "Biochar of forest residues and rice husk from the northern and the southern valley, dried"
DIGITS: Final = "1234567890123456789012345678.901234"
"""A number of 34 digits."""

_MODEL: Final = f"""
name: {LONG}
cadence: monthly
partition_type: time
primary_output: mass
nodes:
  - slug: mass
    input: {{event_type: weighing, data_point_type: mass, aggregate: sum}}
    unit: t
    output: true
"""


def all_that_lacks(client: Client, plant: Plant) -> dict[str, dict[str, Any]]:
    """Make it; gives by project (`plant`, `edges`, `empty`) the ids by kind."""
    found = _of_plant(client, plant)
    edges = _edges(client)
    empty = client.post("/projects", {"project": {"name": "Nothing yet", "time_zone": "Europe/Berlin"}})
    return {"plant": found, "edges": edges, "empty": {"project": empty["id"]}}


def _of_plant(client: Client, plant: Plant) -> dict[str, Any]:
    home = f"/projects/{plant.project['id']}"
    found: dict[str, Any] = {"project": plant.project["id"]}
    _rules(client, home, found)
    outage = {
        "reason": "Kiln relined",
        "start_time": "2025-02-10T00:00:00Z",
        "end_time": "2025-02-12T00:00:00Z",
    }
    found["outage"] = client.post(f"{home}/outages", {"outage": outage})["id"]
    hook = {
        "url": "https://partner.example/hooks/weighbridge",
        "description": "Registry partner",
        "change_types": ["batch", "report", "event.create", "event.void"],
        "project_id": found["project"],
    }
    found["webhook"] = client.post("/webhooks", {"webhook": hook})["id"]
    found["delivery"] = client.post(f"/webhooks/{found['webhook']}/test", {})["id"]
    _reports(client, plant, found)
    listed = {
        "event": f"{home}/events?filter[slug]=feedstock-delivery",
        "event_type": f"{home}/event_types",
        "feedstock": f"{home}/feedstocks",
        "ledger": f"{home}/ledgers",
        "model": f"{home}/models",
        "task": "/async_tasks",
        "token": "/api_tokens",
        "data_point_result": f"{home}/rule_results",
        "data_feed": f"{home}/data_feeds",
    }
    for kind, path in listed.items():
        found |= _first(client, kind, path)
    found["data_point"] = client.get(f"{home}/events/{found['event']}")["data_points"][0]["id"]
    batches = client.get(f"/ledgers/{plant.ledgers[REMOVAL]['id']}/batches?sort=start_time")["data"]
    found |= {"ledger": plant.ledgers[REMOVAL]["id"], "batch": batches[0]["id"]}
    return found


def _first(client: Client, kind: str, path: str) -> dict[str, Any]:
    rows = client.get(path)["data"]
    return {kind: rows[0]["id"]} if rows else {}


def _rules(client: Client, home: str, found: dict[str, Any]) -> None:
    """A rule that proposes corrections, and one that alerts."""
    types = {one["slug"]: one["id"] for one in client.get(f"{home}/event_types")["data"]}
    of_deliveries = {
        "event_type_id": types["feedstock-delivery"],
        "effective_from": "2024-01-01T00:00:00Z",
    }
    corrects = {
        "name": "Scale reads two percent low above 12 t",
        "expression": "{{wet-mass}} > 12",
        "purpose": "adjust",
        "correction": {"method": "expression", "expression": "{{wet-mass}} * 1.02"},
        "requires_approval": True,
    }
    alerts = {
        "name": "Wetter than the kiln takes",
        "expression": "{{moisture}} > 30",
    }
    rules = [client.post(f"{home}/rules", {"rule": one | of_deliveries}) for one in (corrects, alerts)]
    found["rule"] = rules[0]["id"]
    _until(lambda: client.get(f"{home}/rule_results?filter[approval_state]=pending")["data"])
    found |= _first(client, "rule_run", f"/rules/{found['rule']}/rule_runs")


def _reports(client: Client, plant: Plant, found: dict[str, Any]) -> None:
    """A report that was sent off, and a draft over batches of which something waits for approval."""
    methodology = {"name": "Biochar storage in soil", "version": "1.2", "report_type": "quarterly"}
    found["methodology"] = client.post("/methodologies", {"methodology": methodology})["id"]
    ledger = plant.ledgers[REMOVAL]["id"]
    listed = client.get(f"/ledgers/{ledger}/batches?sort=start_time")["data"]
    batches = [one["id"] for one in listed if one["ledger_balance"]]
    named = {
        "report_type": "quarterly",
        "project_id": found["project"],
        "methodology_id": found["methodology"],
    }
    draft = {"name": "First quarter of 2025", "batch_ids": batches, **named}
    found["report"] = client.post("/reports", {"report": draft})["id"]
    link = {"link": {"name": "Verifier, first review"}}
    found["link"] = client.post(f"/reports/{found['report']}/links", link)["id"]


def _edges(client: Client) -> dict[str, Any]:
    project = client.post(
        "/projects", {"project": {"name": LONG, "time_zone": "America/Argentina/Buenos_Aires"}}
    )
    home = f"/projects/{project['id']}"
    point = {"name": "Mass", "value_type": "number", "unit": "t"}
    kind = {"name": "Weighing", "expected_locations": "none", "data_point_types": [point]}
    client.post(f"{home}/event_types", {"event_type": kind})
    for month, value in (("01", DIGITS), ("02", "0"), ("03", "0.000001"), ("04", "42")):
        event = {
            "event_type": "weighing",
            "start_time": f"2025-{month}-10T12:00:00Z",
            "tracking_id": f"{LONG}-{month}".replace(" ", "-")[:120],
            "data_points": [{"slug": "mass", "value": Decimal(value)}],
        }
        client.post(f"{home}/events", {"event": event})
    model = client.post("/models", {"model": {"project_id": project["id"], "yaml": _MODEL}})
    named = {"name": LONG, "unit": "t", "model_id": model["id"]}
    ledger = client.post(f"{home}/ledgers", {"ledger": named})
    times = {"start_time": "2025-01-01T00:00:00-03:00", "end_time": "2025-05-01T00:00:00-03:00"}
    task = client.post(f"/ledgers/{ledger['id']}/batch_generations", times)
    _until(lambda: client.get(f"/async_tasks/{task['id']}")["state"] in {"complete", "failed"})
    batches = client.get(f"/ledgers/{ledger['id']}/batches?sort=start_time")["data"]
    draft = {
        "name": LONG, "report_type": "quarterly", "project_id": project["id"],
        "batch_ids": [one["id"] for one in batches if one["ledger_balance"]],
    }  # fmt: skip
    report = client.post("/reports", {"report": draft})
    event = client.get(f"{home}/events")["data"][0]
    return {
        "project": project["id"], "ledger": ledger["id"], "batch": batches[0]["id"], "report": report["id"],
        "event": event["id"], "data_point": event["data_points"][0]["id"], "model": model["id"],
    }  # fmt: skip


def _until(holds: Callable[[], Any]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"It did not come to be within {WAIT_SECONDS} seconds.")
        time.sleep(0.2)
