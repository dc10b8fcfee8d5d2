"""Names of the commands that work over HTTP, each made by `record_commands` when it is called."""

from typing import Final

from cyclopts import App

RECORD_COMMANDS: Final = "weighbridge.commands.record_commands"
"""What is imported when one of the commands is called."""

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
        app.command(f"{RECORD_COMMANDS}:{kind}", name=name, help=told)
    app.command(f"{RECORD_COMMANDS}:generate", name="generate", help="Generate the batches of a period.")
