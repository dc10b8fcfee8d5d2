"""The command line: `weighbridge COMMAND`, each command a file of `weighbridge.commands`.

The list of all commands is printed without what reads arguments, which takes ten times as long to load as the
list to print.

Invariants: a failure that was to be expected prints its sentences on standard error, without a trace, and
exits with 1; a signal unwinds the command, so that the embedded database stops when its last user leaves; a
command whose output nobody reads any more ends without a word, with 141 as if SIGPIPE had ended it.
"""

import os
import select
import signal
import sys
from collections.abc import Iterator
from textwrap import wrap
from typing import Final, NoReturn

from weighbridge.commands.contents import COMMANDS, record_commands
from weighbridge.garbage import look_after_many

STANDARD_STREAMS = (1, 2)
"""Standard output and standard error."""

HELP_FLAGS: Final = {"--help", "-h"}

OPTIONS: Final = {
    "--help (-h)": "Display this message and exit.",
    "--install-completion": "Install shell completion for this application.",
    "--show-completion": "Print the completion script of a shell: bash, fish, powershell or zsh.",
    "--version": "Display application version.",
}
COLUMNS: Final = 80
"""Columns of an output that is no terminal."""
SUMMARY_COLUMNS_MIN: Final = 30
"""Columns of the summaries on a narrow terminal."""


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
        if set(sys.argv[1:]) - HELP_FLAGS:
            _run_command()
        else:
            sys.stdout.writelines(f"{line}\n" for line in _list_commands(_columns()))
    finally:
        sys.stdout.flush()


def _run_command() -> None:
    look_after_many()
    from weighbridge.commands.app import app  # noqa: PLC0415 - see above
    from weighbridge.errors import Refusal  # noqa: PLC0415 - see above

    try:
        app()
    except Refusal as refusal:
        for problem in refusal.problems:
            sys.stderr.write(f"{problem.message}\n")
        sys.exit(1)
    except Exception as error:
        if not _is_of_lost_server(error):
            raise
        sys.stderr.write(f"The database, or the node of a cell, cannot be reached: {str(error).strip()}\n")
        sys.exit(1)


def _is_of_lost_server(error: Exception) -> bool:
    """Whether a command ended because a server was lost; most commands never load what talks to one."""
    if "psycopg" not in sys.modules:
        return False
    from psycopg import OperationalError  # noqa: PLC0415 - see above

    from weighbridge.db.engine import is_lost  # noqa: PLC0415 - see above

    return isinstance(error, OperationalError) and is_lost(error)


def _list_commands(columns: int) -> Iterator[str]:
    """The lines of the list of all commands."""
    yield from ("Usage: weighbridge COMMAND", "", "Measurements in, defensible tonnes out.", "", "Commands:")
    commands = {name: summary for name, (_, summary) in {**COMMANDS, **record_commands()}.items()}
    width = max(map(len, [*commands, *OPTIONS])) + 2
    for name, summary in [*sorted(commands.items()), *OPTIONS.items()]:
        first, *others = wrap(summary, max(columns - width - 2, SUMMARY_COLUMNS_MIN))
        yield f"  {name.ljust(width)}{first}"
        yield from (" " * (width + 2) + other for other in others)


def _columns() -> int:
    """How wide the terminal is."""
    try:
        return os.get_terminal_size().columns
    except OSError:
        return COLUMNS


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
