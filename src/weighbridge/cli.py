"""The command line: `weighbridge COMMAND`, each command a file of `weighbridge.commands`.

Invariants: a failure that was to be expected prints its sentences on standard error, without a trace, and
exits with 1; a signal unwinds the command, so that the embedded database stops when its last user leaves; a
command whose output nobody reads any more ends without a word, with 141 as if SIGPIPE had ended it.
"""

import os
import select
import signal
import sys
from typing import NoReturn

from cyclopts import App

from weighbridge import __version__
from weighbridge.commands import (
    accounts,
    agent,
    archive,
    audit,
    backup,
    bundle,
    demo,
    importing,
    model,
    over_http,
    processes,
    users,
    verify,
)
from weighbridge.errors import Refusal

REGISTRATIONS = (
    processes.register_serve,
    processes.register_worker,
    processes.register_migrate,
    accounts.register_account,
    accounts.register_flag,
    verify.register_outdated_rules,
    users.register_token,
    users.register_user,
    importing.register,
    agent.register,
    verify.register_verify,
    archive.register,
    backup.register,
    audit.register,
    bundle.register,
    model.register_openapi,
    model.register_model,
    demo.register,
    over_http.register,
)
"""What adds the commands, in the order of the help."""

STANDARD_STREAMS = (1, 2)
"""Standard output and standard error."""

app = App(
    name="weighbridge",
    help="Measurements in, defensible tonnes out.",
    version=__version__,
    help_format="markdown",
)
for register in REGISTRATIONS:
    register(app)
app.register_install_completion_command()


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
    try:
        app()
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
