"""The real service as a process of its own, for as long as the demonstration lasts.

Invariants: whatever ends the demonstration, the service it started has stopped before; settings of the
environment do not reach it, so it can only ever touch the data directory that it is given.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

from weighbridge.db.embedded.location import find_location, make_folder
from weighbridge.errors import Refusal
from weighbridge.settings import PREFIX

LOG: Final = "service.log"
LOG_TAIL_LINES: Final = 20
STOP_SECONDS: Final = 10
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def folder(data_dir: Path | None, *, keep: bool) -> Iterator[Path]:
    """The data directory: the one that is named, or a fresh one that goes away unless it is to be kept."""
    if data_dir is not None:
        make_folder(data_dir)
        yield data_dir
        return
    made = Path(tempfile.mkdtemp(prefix="weighbridge-demo-"))
    try:
        yield made
    finally:
        if not keep:
            _remove(made)


@contextmanager
def serve(data_dir: Path, *options: str) -> Iterator[str]:
    """Serve the data directory on a free port; gives the address. A failure prints the end of the log."""
    arguments = ("serve", "--data-dir", str(data_dir), "--host", "127.0.0.1", "--port", "0", *options)
    try:
        with (
            (data_dir / LOG).open("a", encoding="utf-8") as log,
            # Ctrl-C reaches only the demonstration, which stops the service in order
            _start(_stop, *arguments, stderr=log, start_new_session=True) as service,
        ):
            yield _address(service)
    except BaseException:
        sys.stderr.write(f"The end of {data_dir / LOG}:\n{_tail(data_dir / LOG)}")
        raise


def weighbridge(*arguments: str) -> str:
    """Run another command of this program and give what it printed."""
    with _start(subprocess.Popen.kill, *arguments, stderr=subprocess.PIPE) as command:
        printed, complaint = command.communicate()
    if command.returncode:
        raise Refusal(f"`weighbridge {' '.join(arguments)}` failed:\n{printed}{complaint}".rstrip())
    return printed.strip()


@contextmanager
def _start(
    end: Callable[[subprocess.Popen[str]], None], *arguments: str, **options: Any
) -> Iterator[subprocess.Popen[str]]:
    """Run a command of this program, and end it with the block, however that goes.

    A signal that comes during the start is held back until there is a process to end: a start that is cut
    short would leave one behind that nobody knows.
    """
    came: list[int] = []
    _on_signals(lambda number, _frame: came.append(number))
    command = [sys.executable, "-m", "weighbridge", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with subprocess.Popen(  # noqa: S603 - a command of our own
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options
    ) as process:
        try:
            unwind_on_signals()
            if came:
                raise SystemExit(128 + came[0])
            yield process
        finally:
            end(process)


def unwind_on_signals() -> None:
    """Have every signal that asks for an end stop the service first."""
    _on_signals(_unwind)


def await_signal() -> None:
    """Wait until a signal asks for an end, and then leave the block in order, without a failure."""
    with suppress(SystemExit):
        signal.pause()


def _unwind(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _on_signals(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in SIGNALS:
        signal.signal(number, handler)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None, "it was started with a pipe"  # noqa: S101
    word, _, address = process.stdout.readline().strip().partition(" ")
    if word != "ready":
        raise Refusal("The service did not start.")
    return address


def _stop(process: subprocess.Popen[str]) -> None:
    _on_signals(signal.SIG_IGN)  # a stop that was cut short would leave processes behind
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()  # the second signal hurries
        process.wait()
    finally:
        unwind_on_signals()


def _tail(log: Path) -> str:
    return "".join(log.read_text(encoding="utf-8").splitlines(keepends=True)[-LOG_TAIL_LINES:])


def _remove(made: Path) -> None:
    """Remove a data directory with all that its database keeps elsewhere."""
    with suppress(Refusal):
        location = find_location(made)
        for outside in (location.home, location.sockets):
            shutil.rmtree(outside, ignore_errors=True)
    shutil.rmtree(made, ignore_errors=True)
