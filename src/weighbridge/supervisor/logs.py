"""Log lines: how they are written, and the table of all of them with what each means.

Lines are structured, to standard error, for people on a terminal and as JSON elsewhere. Lines of
libraries that use `logging` take the same form. A test checks the calls in the code against
`LOG_EVENTS`, and the reference page is made from it.
"""

import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import structlog

from weighbridge.settings import Settings

SHARED: tuple[structlog.typing.Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)

CHATTY: tuple[str, ...] = ("alembic", "httpcore2", "httpx2", "procrastinate")
"""Libraries whose everyday lines tell an operator nothing that ours do not, or which addresses they call."""


def configure(settings: Settings) -> None:
    """Send the log lines of this process to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(settings.log_format))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    for chatty in CHATTY:
        logging.getLogger(chatty).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def keep_off_output() -> None:
    """Send the log lines of a command to standard error, for its output is what it tells."""
    if not structlog.is_configured():
        structlog.configure(logger_factory=structlog.stdlib.LoggerFactory())


def formatter(log_format: str) -> logging.Formatter:
    """Make the formatter of one form; auto looks at standard error."""
    for_people = sys.stderr.isatty() if log_format == "auto" else log_format == "console"
    renderer: Any = structlog.dev.ConsoleRenderer() if for_people else structlog.processors.JSONRenderer()
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=SHARED,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )


def server_logging(log_format: str) -> dict[str, Any]:
    """Describe the same form to the HTTP server, which configures `logging` by a table of its own."""
    handler = {"class": "logging.StreamHandler", "stream": "ext://sys.stderr", "formatter": "lines"}
    loggers = ("_granian", "granian.access")
    return {
        "formatters": {"lines": {"()": "weighbridge.supervisor.logs.formatter", "log_format": log_format}},
        "handlers": {"lines": handler},
        "loggers": {name: {"handlers": ["lines"], "propagate": False} for name in loggers},
    }


NOTHING: Final = "Nothing."
REPORT: Final = "Report it with the lines below it, which are the trace; the work is tried again by itself."


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One name that the field `event` of a line may have."""

    level: Literal["info", "warning", "error"]
    fields: tuple[str, ...]
    means: str
    remedy: str = NOTHING


OF_REQUESTS: Final[Mapping[str, LogEvent]] = {
    "request": LogEvent(
        "info",
        ("method", "path", "status", "milliseconds", "request_id"),
        "A request was answered.",
        "`WEIGHBRIDGE_LOG_LEVEL=warning` leaves these lines out.",
    ),
    "request_failed": LogEvent(
        "error",
        ("request_id",),
        "A request was answered 500: the service made a mistake.",
        "Report it with the trace; the caller knows the `request_id`. The request had no effect.",
    ),
    "request_refused": LogEvent(
        "error",
        ("reason", "cause", "request_id"),
        "A refusal whose cause the caller does not see: stored data are damaged, or a store or a key fails.",
        "Read `cause`. Of damaged data run `weighbridge verify`, and restore what it names from a backup.",
    ),
    "authentication_failed": LogEvent(
        "warning",
        ("client", "reason", "request_id"),
        "A token was refused.",
        "A program whose token has expired needs a new one. Many of one address are guesses: they are slowed "
        "down by themselves; block the address at the proxy.",
    ),
    "refusal_not_told": LogEvent(
        "warning",
        ("operation", "error"),
        "A refused write could not be counted for the audit log: the database did not answer.",
        "See `database_unavailable`.",
    ),
    "database_unavailable": LogEvent(
        "warning",
        ("error",),
        "A request was answered 503, for the database did not answer or had no connection left.",
        "While the database restarts, wait. Otherwise read its log; if it reports too many connections, "
        "lower `WEIGHBRIDGE_API_CONNECTIONS` or raise `max_connections`.",
    ),
    "cell_lost": LogEvent(
        "warning",
        ("cell", "node", "remedy"),
        "The service started while the node of a cell could not be reached.",
        "Accounts of the cell are answered 503 until the node is back; the service needs no restart.",
    ),
    "cell_not_reached": LogEvent(
        "warning",
        ("schema", "reason"),
        "A worker cannot reach the host of a cell, and tries again every second.",
        "Bring the node back. Tasks and rounds of the other cells go on, those of this one do then.",
    ),
    "watch_waits": LogEvent(
        "warning",
        ("cell", "reason"),
        "Whoever waits for changes of a cell is not told of any: its host did not answer in time.",
        "See `database_unavailable`.",
    ),
    "disk_full": LogEvent(
        "warning",
        ("error",),
        "A request was answered 503, for the disk for files that arrive is full.",
        "Make room. Reading and deleting still work.",
    ),
    "answer_stalled": LogEvent(
        "warning",
        ("path",),
        "A client took nothing of a file for `WEIGHBRIDGE_ANSWER_STALLED_SECONDS`, and was cut off.",
        "The client asks again. Where slow networks are usual, raise the setting.",
    ),
    "computing_process_lost": LogEvent(
        "warning",
        ("request_id",),
        "The process to which a request was handed over ended before it answered.",
        "A question is asked again by itself. See `process_too_large` and `process_frozen` near it.",
    ),
    "traces_not_sent": LogEvent(
        "warning",
        ("lost", "error"),
        "Spans did not reach the collector, and so many were let go since the last such line.",
        "See whether the collector answers at its address. No request waits for it.",
    ),
    "traces_unavailable": LogEvent(
        "warning",
        ("error",),
        "The process is configured to send spans, but OpenTelemetry is not installed.",
        "Install `weighbridge[traces]`, or unset what names the collector.",
    ),
    "watch_failed": LogEvent(
        "error", (), "Looking for changes for waiting requests failed.", REPORT
    ),
}  # fmt: skip
"""The events that API and computing processes log."""

OF_WORKERS: Final[Mapping[str, LogEvent]] = {
    "attempt_failed": LogEvent(
        "error",
        ("task_id", "attempt", "reference"),
        "An attempt at a task failed unexpectedly; it is tried again, five times in all.",
        "Report it with the trace. The task's error message has the `reference`.",
    ),
    "attempt_overtaken": LogEvent(
        "warning",
        ("task_id", "attempt"),
        "An attempt ended without effect, for another one has begun or the task was cancelled.",
        "Where it is frequent, workers are too busy to give signs of life: raise "
        "`WEIGHBRIDGE_LEASE_SECONDS`.",
    ),
    "task_recovered": LogEvent(
        "warning",
        ("task_id",),
        "A task whose worker died was queued again.",
        "Find why the worker died: `process_died` of its host, or its machine.",
    ),
    "recovery_failed": LogEvent("error", (), "Looking for tasks of dead workers failed.", REPORT),
    "sealing_failed": LogEvent("error", (), "Sealing the audit log failed.", REPORT),
    "witness_failed": LogEvent(
        "warning",
        ("account", "witness", "reason"),
        "A witness cosigned no head of an account's audit log; it is asked again, and nothing waits for it.",
        "Where it knows more rows than the database has, the database was restored or changed: see "
        "`docs/howto/witness-each-other.md`. Otherwise ask who runs it.",
    ),
    "witness_recovered": LogEvent(
        "info", ("account", "witness"), "A witness that failed cosigns heads of an audit log again.", NOTHING
    ),
    "registry_decision_refused": LogEvent(
        "warning",
        ("report", "reason"),
        "A registry accepted an amount that cannot be accepted of its report; the report stays submitted.",
        "Ask the registry what it means. It is asked again; or write its decision down by hand.",
    ),
    "identity_provider_failed": LogEvent(
        "warning",
        ("account", "provider", "reason"),
        "An identity provider could not be asked about people who sign in there; it is asked again, and "
        "their sessions stay for an hour.",
        "See `docs/howto/sign-in-by-your-provider.md`.",
    ),
    "confirmation_failed": LogEvent("error", (), "Asking identity providers about people failed.", REPORT),
    "witnessing_failed": LogEvent("error", (), "Asking witnesses to cosign heads failed.", REPORT),
    "numbering_failed": LogEvent("error", (), "Numbering changes for the feed failed.", REPORT),
    "round_gave_way": LogEvent(
        "info",
        ("reason",),
        "A round ended because an account is about to move to another cell, or the host of its cell is lost.",
        NOTHING,
    ),
    "waiting_failed": LogEvent("error", (), "Counting the events that wait for a generation failed.", REPORT),
    "rules_failed": LogEvent("error", (), "Looking for data to evaluate rules over failed.", REPORT),
    "rule_failed": LogEvent(
        "error",
        ("rule", "reference"),
        "A rule could not be evaluated; its page shows this with the reference.",
        "Report it with the trace; the rule's data stay marked and are evaluated later.",
    ),
    "roll_up_failed": LogEvent(
        "error",
        ("reference",),
        "Readings could not be rolled up.",
        "Report it with the trace; they stay marked and are rolled up later.",
    ),
    "delivering_failed": LogEvent("error", (), "Sending messages to webhooks failed.", REPORT),
    "exchange_failed": LogEvent("error", (), "Exchanging footprints with partners failed.", REPORT),
    "pact_unavailable": LogEvent(
        "warning",
        ("operation", "error"),
        "A request below `/pact` was answered 503, for the database did not answer.",
        "See `database_unavailable`.",
    ),
    "review_failed": LogEvent("error", (), "Asking registries for their decisions failed.", REPORT),
    "watching_failed": LogEvent(
        "error",
        (),
        "Looking for files of data feeds failed.",
        "Where the trace names a folder or store that cannot be read, see its permissions; else report it.",
    ),
    "files_taken_up": LogEvent("info", ("files",), "So many files of data feeds were taken."),
    "tidied": LogEvent(
        "info",
        ("answers", "changes", "deliveries", "files", "exports"),
        "Expired records were removed: so many of each kind.",
    ),
    "tidying_failed": LogEvent("error", (), "Removing expired records failed.", REPORT),
}
"""The events that workers log."""

OF_SUPERVISORS: Final[Mapping[str, LogEvent]] = {
    "process_started": LogEvent("info", ("process", "pid"), "A process was started."),
    "process_died": LogEvent(
        "error",
        ("process", "exit_code", "restart_seconds"),
        "A process ended by itself; it is started again after so many seconds.",
        "Read the lines before it. An exit code of -9 without `process_frozen` or `process_too_large` before "
        "it is the system's: the machine has too little memory.",
    ),
    "template_lost": LogEvent(
        "warning",
        ("error",),
        "The process from which others are forked did not answer; a process was started by itself instead.",
        "Read the lines before it. Where memory runs short the system ends it, and what it has forked ends "
        "with it; the next start of a process starts it again.",
    ),
    "process_frozen": LogEvent(
        "error",
        ("process", "pid", "silent_seconds"),
        "A process gave no sign of life, and was ended.",
        "Report it, unless the machine was suspended or is overloaded.",
    ),
    "process_too_large": LogEvent(
        "error",
        ("process", "pid", "bytes"),
        "A computing process held more than `WEIGHBRIDGE_COMPUTING_MEGABYTES`, and was ended.",
        "Where the work is wanted and the machine has the memory, raise the setting.",
    ),
    "process_killed": LogEvent(
        "warning",
        ("process", "after_seconds"),
        "A process did not finish within its time when the service stopped, and was ended.",
        "Nothing is lost. Where tasks are long, raise `WEIGHBRIDGE_SHUTDOWN_SECONDS`.",
    ),
    "service_stopping": LogEvent("info", (), "A signal came, and the service stops in order."),
    "database_died": LogEvent(
        "error", (), "The embedded database ended; it is started again.", "Read its log in the data folder."
    ),
    "database_started": LogEvent("info", (), "The embedded database runs again."),
    "database_start_failed": LogEvent(
        "error",
        ("reason",),
        "The embedded database could not be started; that is tried again every two seconds.",
        "Follow `reason`; most often the disk is full.",
    ),
    "reserve_released": LogEvent(
        "warning",
        (),
        "The reserve of the disk was given free, so that the database can start.",
        "Make room on the disk; the reserve is taken again by itself.",
    ),
    "database_role_owns_tables": LogEvent(
        "warning",
        ("remedy",),
        "The role that runs the service may switch off what keeps books and audit rows as they are.",
        "Use two roles: `WEIGHBRIDGE_MIGRATION_DATABASE_URL` for the owner of the tables.",
    ),
    "audit_key_missing": LogEvent(
        "error",
        ("reason", "file", "remedy"),
        "This host has no key of the audit log, and signs no heads.",
        "Let `WEIGHBRIDGE_AUDIT_KEY_FILE` name a copy of the key that another host has.",
    ),
    "secret_keys_missing": LogEvent(
        "error",
        ("keys",),
        "Secrets of others are encrypted by keys that this host does not have, and cannot be used.",
        "Copy `secret-keys` from another host, or state the secrets anew that `weighbridge verify` names.",
    ),
    "secrets_encrypted": LogEvent(
        "info", ("secrets",), "Secrets that a version before had left readable are encrypted now."
    ),
    "running_as_root": LogEvent(
        "warning",
        ("remedy",),
        "The service runs with all power over the machine.",
        "Start it as a user of its own that owns the data folder.",
    ),
    "setting_unknown": LogEvent(
        "warning",
        ("variable",),
        "A variable is named like a setting but is not one.",
        "Correct its name; see [Settings](settings.md).",
    ),
    "gauges_not_read": LogEvent(
        "warning",
        ("error", "node"),
        "The database, or a node of its cluster, did not answer the page of counters, which then lacks what "
        "only it knows.",
        "See `database_unavailable`.",
    ),
}
"""The events that `weighbridge serve` itself logs."""

OF_BACKUPS: Final[Mapping[str, LogEvent]] = {
    "backup_taken": LogEvent("info", ("target", "backup", "bytes"), "A whole backup was taken."),
    "backup_failed": LogEvent(
        "error",
        ("target", "reason"),
        "A backup was not taken, or the log of the database not shipped; it is tried again by itself.",
        "Read `reason`: the place is full, away, or may not be written to. Until it is mended the database "
        "keeps up to 4 GB of its log, and begins a new backup when that was not enough.",
    ),
    "backup_overdue": LogEvent(
        "warning",
        ("reason", "remedy"),
        "Nothing newer than `WEIGHBRIDGE_BACKUP_WARNING_HOURS` could be restored.",
        "Take a backup, or name a place in `WEIGHBRIDGE_BACKUP_URL` so that the service takes them.",
    ),
}
"""The events that backups log."""

LOG_EVENTS: Final[Mapping[str, Mapping[str, LogEvent]]] = {
    "Requests": OF_REQUESTS,
    "Workers": OF_WORKERS,
    "The supervisor": OF_SUPERVISORS,
    "Backups": OF_BACKUPS,
}
"""All of them, by who writes them."""
