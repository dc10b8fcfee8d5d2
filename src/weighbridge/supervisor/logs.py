"""Log lines: structured, to standard error, for people on a terminal and as JSON elsewhere.

Lines of libraries that use `logging` take the same form.
"""

import logging
import sys
from typing import Any

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
