"""One record of each kind that neither the demonstration nor its screenshots have."""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from weighbridge.client import Client
from weighbridge.client.calls import Method, call

Record = dict[str, Any]

_START: Final = "2025-02-01T00:00:00Z"
_WAIT_SECONDS: Final = 60
_FILE: Final = b"ticket 4711\n"


def add_records(client: Client, plant: Record, edges: Record) -> None:
    """Add them to the project of the plant, and a report that was sent off to that of the edges."""

    def send(method: Method, path: str, body: Record) -> Any:
        return client.carry(call(method, path, Any, body=body))

    def post(path: str, body: Record) -> Any:
        return send("POST", path, body)

    home = f"/projects/{plant['project']}"
    post(f"{home}/asset_custom_fields", {"asset_custom_field": {"label": "Bay", "value_type": "text"}})
    post(f"{home}/assets", {"asset": {"name": "Shredder"}})
    post(f"{home}/locations", {"location": {"name": "Yard"}})
    factor = {"slug": "factor", "value": 1, "effective_from": _START}
    post(f"{home}/static_inputs", {"static_input": factor})
    client.attach_file(plant["event"], "ticket.txt", _FILE)
    change = {"value": Decimal("12.25"), "reason": "The ticket says so."}
    send("PATCH", f"{home}/data_points/{plant['data_point']}", {"data_point": change})
    registry = {"name": "Registry", "adapter": "http", "address": "https://registry.example/submissions"}
    post("/registries", {"registry": registry})
    certificates = {"name": "Certificates", "system_ledger_type": "renewable_energy_credits"}
    ledger = post(f"{home}/ledgers", {"ledger": certificates})
    issued = {"external_id": "REC-1", "amount": 1000, "geography": "US-TX", "issued_on": "2025-01-10"}
    post(f"/ledgers/{ledger['id']}/instruments", {"instrument": issued})
    feed = {"name": "Scale", "event_type_id": plant["event_type"], "bad_rows": "skip"}
    post(f"{home}/data_feeds", {"data_feed": feed})
    run = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-12-01T00:00:00Z"}
    named = {"data_point_ids": [edges["data_point"]]}
    post(f"/models/{edges['model']}/model_runs", {"model_run": run | named})
    client.carry(call("GET", "/projects", Any, query={"response_mode": "summary_with_export"}))
    post(f"/reports/{plant['report']}/bundle", {})
    _quarters_and_hours(post, f"/projects/{edges['project']}")
    post(f"/reports/{edges['report']}/submit", {})
    _wait_until_done(client)
    post(f"/reports/{edges['report']}/accept", {"reference": "ISS-7"})
    _wait_until_done(client)


def _quarters_and_hours(post: Callable[[str, Record], Any], home: str) -> None:
    """Quarters of an hour, one of which is missing and imputed, and the hours that they are rolled up to."""
    mass = {"name": "Mass", "slug": "mass", "value_type": "number", "unit": "t"}
    each: Record = {"data_point_types": [mass], "expected_locations": "none"}
    quarter = {"name": "Quarter", "cadence_amount": 15, "cadence_unit": "minute"}
    kind = post(f"{home}/event_types", {"event_type": each | quarter})
    rolled_up = {"event_type": "quarter", "data_points": [{"data_point": "mass", "aggregate": "sum"}]}
    hour = {"name": "Hour", "cadence_amount": 1, "cadence_unit": "hour", "rolled_up_from": rolled_up}
    post(f"{home}/event_types", {"event_type": each | hour})
    fills = {
        "name": "Fill lost quarters",
        "expression": "{{mass}} IS NULL",
        "data_point": "mass",
        "purpose": "impute",
        "correction": {"method": "mean_before_after", "without_after": "wait"},
        "event_type_id": kind["id"],
        "effective_from": "2024-01-01T00:00:00Z",
    }
    post(f"{home}/rules", {"rule": fills})
    events = [
        {
            "event_type": "quarter",
            "start_time": f"2025-06-01T00:{minute}:00Z",
            "data_points": [{"slug": "mass", "value": 1}],
        }
        for minute in ("00", "15", "45")
    ]
    post(f"{home}/events", {"events": events})


def _wait_until_done(client: Client) -> None:
    """Wait until no task waits or runs: what they change is what is kept."""
    deadline = time.monotonic() + _WAIT_SECONDS
    for state in ("pending", "running"):
        unfinished = call("GET", f"/async_tasks?filter[state]={state}", Any)
        while client.carry(unfinished)["data"]:
            if time.monotonic() > deadline:
                raise TimeoutError(f"Tasks were not done within {_WAIT_SECONDS} seconds.")
            time.sleep(0.2)
