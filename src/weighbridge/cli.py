"""The command line: `weighbridge COMMAND`, each command a file of `weighbridge.commands`.

Commands that work over HTTP, one for each kind of record, are made by `commands/record_commands.py` when they
are called.

Invariants: a failure that was to be expected prints its sentences on standard error, without a trace, and
exits with 1; a signal unwinds the command, so that the embedded database stops when its last user leaves; a
command whose output nobody reads any more ends without a word, with 141 as if SIGPIPE had ended it.
"""

import os
import select
import signal
import sys
from typing import Final, NoReturn

from cyclopts import App

import weighbridge
from weighbridge.errors import Refusal

COMMANDS = {
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
    "bundle": ("bundle:bundle", "The proof bundle of a report: made, checked without a service, compared."),
    "openapi": ("model:openapi", "Print the OpenAPI document that the service answers at /openapi.json."),
    "model": ("model:model", "Models: the documents that say how measurements become results."),
    "demo": ("demo:demo", "Run a biochar plant through the service, and open it in a browser or end."),
    "rehearse-registry": (
        "demo:rehearse_registry",
        "Run a registry that takes reports and does what it is told, until interrupted.",
    ),
}
"""Where each command is defined, which is imported when it is called, and its line in the list of all."""

STANDARD_STREAMS = (1, 2)
"""Standard output and standard error."""

HELP_FLAGS = {"--help", "-h"}


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


def _register_record_commands(app: App) -> None:
    """Add a command for each kind, each made when it is asked for."""
    for kind in KINDS:
        name = RENAMED.get(kind, kind).replace("_", "-")
        told = f"{name.replace('-', ' ').capitalize()}, over HTTP."
        app.command(f"{RECORD_COMMANDS}:{kind}", name=name, help=told)
    app.command(f"{RECORD_COMMANDS}:generate", name="generate", help="Generate the batches of a period.")


def build_app(*, is_overview: bool = False) -> App:
    """Register all commands.

    The overview shows the lines of the table and imports no command. Elsewhere the help of a command is its
    docstring.
    """
    made = App(
        name="weighbridge",
        help="Measurements in, defensible tonnes out.",
        version=lambda: weighbridge.__version__,
        help_format="plaintext" if is_overview else "markdown",  # what reads markdown is slow to import
    )
    for name, (place, summary) in COMMANDS.items():
        made.command(f"weighbridge.commands.{place}", name=name, help=summary if is_overview else None)
    _register_record_commands(made)
    made.register_install_completion_command()
    return made


app = build_app()


def main() -> None:
    """Run the command that the arguments name."""
    signal.signal(signal.SIGTERM, _unwind)
    # What shows help points standard output elsewhere once its reader has gone, and exits with 1.
    streams = [os.dup(number) for number in STANDARD_STREAMS]
    try:
        _carry_out()
    except (BrokenPipeError, SystemExit) as ending:
        is_of_pipe = isinstance(ending, BrokenPipeError) or ending.code == 1
        if not is_of_pipe or not any(map(_is_unread, streams)):
            raise
        _end_unread()


def _carry_out() -> None:
    """Run the command, and have all that it said leave this process."""
    is_overview = not set(sys.argv[1:]) - HELP_FLAGS
    try:
        (build_app(is_overview=True) if is_overview else app)()
    except Refusal as refusal:
        for problem in refusal.problems:
            sys.stderr.write(f"{problem.message}\n")
        sys.exit(1)
    finally:
        sys.stdout.flush()


def _is_unread(stream: int) -> bool:
    """Whether a stream is a pipe that nobody reads any more."""
    looking = select.poll()
    looking.register(stream, select.POLLOUT)
    return any(found & (select.POLLERR | select.POLLHUP) for _, found in looking.poll(0))


def _end_unread() -> NoReturn:
    """End as a program does whose reader has gone, such as `head`; the interpreter would still write."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in filter(_is_unread, STANDARD_STREAMS):
        os.dup2(nowhere, number)
    sys.exit(128 + signal.SIGPIPE)


def _unwind(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)
