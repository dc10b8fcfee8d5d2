"""The command line: `weighbridge COMMAND`, each command a file of `weighbridge.commands`.

Invariants: a failure that was to be expected prints its sentences on standard error, without a trace, and
exits with 1; a signal unwinds the command, so that the embedded database stops when its last user leaves.
"""

import signal
import sys
from typing import NoReturn

from cyclopts import App

from weighbridge import __version__
from weighbridge.commands import (
    account,
    agent,
    archive,
    audit,
    backup,
    bundle,
    demo,
    flag,
    importing,
    migrate,
    model,
    openapi,
    over_http,
    serve,
    token,
    user,
    verify,
    worker,
)
from weighbridge.errors import Refusal

COMMANDS = (
    serve,
    worker,
    migrate,
    account,
    flag,
    token,
    user,
    importing,
    agent,
    verify,
    archive,
    backup,
    audit,
    bundle,
    openapi,
    model,
    demo,
    over_http,
)

app = App(
    name="weighbridge",
    help="Measurements in, defensible tonnes out.",
    version=__version__,
    help_format="markdown",
)
for command in COMMANDS:
    command.register(app)
app.register_install_completion_command()


def main() -> None:
    """Run the command that the arguments name."""
    signal.signal(signal.SIGTERM, _unwind)
    try:
        app()
    except Refusal as refusal:
        for problem in refusal.problems:
            sys.stderr.write(f"{problem.message}\n")
        sys.exit(1)


def _unwind(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)
