"""What the interface says of all that is stored, by path: figures, states and words that no upgrade changes.

Later versions may add fields; they never take one away, and never change what it says.
"""

from typing import Any, Final

from weighbridge.client import Client
from weighbridge.client.calls import call

Answers = dict[str, Any]

_PERIOD: Final = "start_time=2025-01-01T00:00:00Z&end_time=2025-12-01T00:00:00Z"
_EVERYWHERE: Final = ("methodologies", "registries", "reports", "webhooks", "feature_flags")
_OF_PROJECT: Final = (
    *("locations", "feedstocks", "assets", "asset_custom_fields", "event_types", "static_inputs", "outages"),
    *("models", "rules", "data_feeds", "rule_results?sort=id&page_size=50", "events?sort=id&page_size=50"),
)
_OF_LEDGER: Final = ("", "/batches?sort=id&page_size=100", f"/statement?{_PERIOD}", "/deficits")


def answers(client: Client, paths: Answers | None = None) -> Answers:
    """What the service says now: of every record that there is, or of the paths of earlier answers."""
    if paths is not None:
        return {path: _ask(client, path) for path in paths}
    said = {f"/{name}": _ask(client, f"/{name}") for name in ("projects", *_EVERYWHERE)}
    for project in said["/projects"]["data"]:
        home = f"/projects/{project['id']}"
        said |= {path: _ask(client, path) for path in (home, *(f"{home}/{name}" for name in _OF_PROJECT))}
        for ledger in _ask(client, f"{home}/ledgers")["data"]:
            of_ledger = [f"/ledgers/{ledger['id']}{rest}" for rest in _OF_LEDGER]
            said |= {path: _ask(client, path) for path in of_ledger}
            batches = said[of_ledger[1]]["data"]
            lineages = [f"/batches/{batch['id']}/lineage" for batch in batches[:1]]
            said |= {path: _ask(client, path) for path in lineages}
    return said


def _ask(client: Client, path: str) -> Any:
    answer = client.carry(call("GET", path, Any))
    return _apart_from_place(answer)


def _apart_from_place(value: Any) -> Any:
    """The answer without addresses, which name the host that was asked, with numbers as their digits."""
    if isinstance(value, dict):
        return {name: _apart_from_place(one) for name, one in value.items() if not name.endswith("url")}
    if isinstance(value, list):
        return [_apart_from_place(one) for one in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)
