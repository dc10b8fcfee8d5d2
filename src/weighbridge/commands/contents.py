"""The commands: where each is defined, and its line in the list of all."""

from typing import Final

COMMANDS: Final = {
    "serve": (
        "processes:serve",
        "Start the database, the API and a worker, and keep them running until interrupted.",
    ),
    "worker": ("processes:worker", "Work on tasks until interrupted."),
    "migrate": ("processes:migrate", "Bring the database to the form that this version needs."),
    "account": ("accounts:account", "Accounts: each sees its own projects and nothing of any other."),
    "cells": ("cells:cells", "Cells: schemas of the database that each hold everything of some accounts."),
    "flag": ("accounts:flag", "Feature flags: parts of the service that an account may do without."),
    "outdated-rules": (
        "verify:list_outdated",
        "List the rules with windows or fillings of which an evaluation would change something.",
    ),
    "token": ("users:token", "Tokens: what requests over HTTP carry."),
    "user": ("users:user", "People: who signs in at the pages, and links that let them in."),
    "import": ("importing.command:import_", "Import a CSV file or a workbook, each row as one event."),
    "agent": (
        "agent:agent",
        "The edge agent: from OPC UA and MQTT to the service, through days without network.",
    ),
    "verify": (
        "verify:verify",
        (
            "Check every ledger, compute every batch anew and read every evidence file; exits with 1 when"
            " anything does not hold."
        ),
    ),
    "archive": (
        "archive:archive",
        "Old months of events as Parquet: written, listed, compared, computed with.",
    ),
    "backup": (
        "backup:backup",
        "Back up the embedded database with the evidence files, while the service works.",
    ),
    "restore": (
        "backup:restore",
        (
            "Make a data folder from a backup, as it was at the end or at a moment; exits with 1 when"
            " evidence files are missing."
        ),
    ),
    "audit": ("audit:audit", "The audit log: its signed head, its proofs, and the check of a head kept."),
    "secrets": ("secrets:secrets", "Secrets of others, which are stored encrypted: their keys."),
    "bundle": ("bundle:bundle", "The proof bundle of a report: made, checked without a service, compared."),
    "witness": ("witness:witness", "A witness: cosigns the heads of other logs, and needs no database."),
    "openapi": ("model:openapi", "Print the OpenAPI document that the service answers at /openapi.json."),
    "model": ("model:model", "Models: the documents that say how measurements become results."),
    "package": (
        "package:package",
        "Methodology packages: what a project begins with, as its standard says it.",
    ),
    "demo": ("demo:demo", "Run a biochar plant through the service, and open it in a browser or end."),
    "rehearse-registry": (
        "demo:rehearse_registry",
        "Run a registry that takes reports and does what it is told, until interrupted.",
    ),
}
"""Where each command is defined below `weighbridge.commands`, and its line in the list of all."""

RECORD_COMMANDS: Final = "record_commands"
"""The file of the commands that work over HTTP, one for each kind of record."""

RENAMED: Final = {"api_tokens": "tokens", "async_tasks": "tasks"}
"""Kinds that people call otherwise than the interface does."""

KINDS: Final = (
    "agent_mappings",
    "agents",
    "api_tokens",
    "asset_custom_fields",
    "assets",
    "async_tasks",
    "audit_log",
    "balance_steps",
    "batch_generations",
    "batches",
    "calibrations",
    "capture_rates",
    "changes",
    "data_feed_uploads",
    "data_feeds",
    "data_points",
    "event_types",
    "engagements",
    "events",
    "evidence",
    "exports",
    "feature_flags",
    "feedstocks",
    "footprint_calls",
    "footprint_clients",
    "footprint_events",
    "footprint_partners",
    "footprint_products",
    "footprints",
    "gaps",
    "identity_providers",
    "instruments",
    "ledgers",
    "locations",
    "methodologies",
    "methodology_packages",
    "model_runs",
    "models",
    "outages",
    "package_installations",
    "projects",
    "received_footprints",
    "registries",
    "registry_mappings",
    "registry_statements",
    "report_links",
    "report_previews",
    "report_uncertainty",
    "reports",
    "rule_results",
    "rule_runs",
    "rules",
    "saved_views",
    "statements",
    "static_inputs",
    "substitutions",
    "uncertainty_runs",
    "uncertainty_savings",
    "version_comparisons",
    "webhooks",
)
"""The kinds of records, which are here so that other commands start without the client."""


def record_commands() -> dict[str, tuple[str, str]]:
    """The commands for each kind of record and the one that generates batches, as in the table above."""
    listed = {}
    for kind in KINDS:
        name = RENAMED.get(kind, kind).replace("_", "-")
        listed[name] = (f"{RECORD_COMMANDS}:{kind}", f"{name.replace('-', ' ').capitalize()}, over HTTP.")
    listed["generate"] = (f"{RECORD_COMMANDS}:generate", "Generate the batches of a period.")
    return listed
