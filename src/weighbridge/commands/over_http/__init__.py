"""What operators do on a running service: list, show and act on all that the interface has.

`weighbridge events list PROJECT --since yesterday`: a command for each kind of record, with one below it for
each operation, made of the Python client's functions. In: words. Out: tables for people, `--json` and `--csv`
for pipes. Read `operation.py` (how a function becomes a command), `arguments.py` and `showing.py`.
"""

from typing import Final

from cyclopts import App

RENAMED: Final = {"api_tokens": "tokens", "async_tasks": "tasks"}
"""Kinds that people call otherwise than the interface does."""

KINDS: Final = (
    "api_tokens",
    "asset_custom_fields",
    "assets",
    "async_tasks",
    "audit_log",
    "batch_generations",
    "batches",
    "capture_rates",
    "changes",
    "data_feed_uploads",
    "data_feeds",
    "data_points",
    "event_types",
    "events",
    "evidence",
    "exports",
    "feature_flags",
    "feedstocks",
    "gaps",
    "instruments",
    "ledgers",
    "locations",
    "methodologies",
    "model_runs",
    "models",
    "outages",
    "projects",
    "registries",
    "report_links",
    "reports",
    "rule_results",
    "rule_runs",
    "rules",
    "statements",
    "static_inputs",
    "substitutions",
    "version_comparisons",
    "webhooks",
)
"""The kinds of records, which stand here so that other commands start without the client."""


def register(app: App) -> None:
    """Add a command for each kind, each made when it is asked for."""
    for kind in KINDS:
        name = RENAMED.get(kind, kind).replace("_", "-")
        told = f"{name.replace('-', ' ').capitalize()}, over HTTP."
        app.command(f"{__name__}.kinds:{kind}", name=name, help=told)
    app.command(f"{__name__}.generating:generate", name="generate", help="Generate the batches of a period.")
