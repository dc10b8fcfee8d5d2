"""The process from which those of a service are forked: `python -m weighbridge.supervisor.template FD …`.

It imports the package and makes the applications once, in one thread, and opens no socket and no connection
to the database. What it has made stays in memory that its children share (decision 61). The supervisor
writes the environment of the service to its standard input, and asks for each child on the socket.

The first child is the template of sandboxes, which all processes of the service share. It is forked before
any secret is here: the supervisor starts this process with next to no environment.

Invariants: it forks only while it has one thread; it and its children do not outlive the supervisor; a child
has the environment, arguments and exit code that the same module has as a program of its own; nothing that a
sandbox shares with it is secret.
"""

import gc
import json
import logging
import os
import signal
import socket
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Final

from weighbridge.garbage import look_when_started
from weighbridge.sandbox import fork_server as sandbox_template
from weighbridge.sandbox.fork_server import ForkServer
from weighbridge.sandbox.sandbox import PASSED_ON, adopt_template
from weighbridge.supervisor.process import (
    PARENT_VARIABLE,
    die_with_parent,
    die_with_supervisor,
    load_application,
    show_command,
)

LOADED: Final = (
    "weighbridge.app",
    "weighbridge.worker",
    "weighbridge.supervisor.api",
    "weighbridge.supervisor.compute_process",
)
"""The modules that the children need, imported once."""

_THREADS: Final = Path("/proc/self/task")


def main(number: str, room: str, *targets: str) -> None:
    """Import, make the applications, then fork until the supervisor has gone.

    The `room` is blank: it makes the command line long enough for those that children show in its place.
    """
    die_with_supervisor()
    show_command([word for word in sys.orig_argv if word != room])
    # A terminal or a service manager signals every process; the supervisor alone decides who stops.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    look_when_started()
    requests = socket.socket(fileno=int(number))
    for name in (*LOADED, *sandbox_template.LOADED):
        import_module(name)
    _fork_sandbox_template(requests)
    _take_environment(json.load(sys.stdin))
    _read_nothing()
    for target in targets:
        with suppress(Exception):  # the child that needs it fails in the same way, and says so
            load_application(target)
    if len([*_THREADS.iterdir()]) > 1:
        sys.exit("The template of processes has more than one thread, so it does not fork.")
    _share_memory()
    ForkServer(requests, partial(_run_child, os.getpid())).run()


def _fork_sandbox_template(requests: socket.socket) -> None:
    """Fork the template of sandboxes; what it shares with this process it closes first."""
    template = os.getpid()
    asking, template_end = socket.socketpair()
    _share_memory()
    if os.fork():
        template_end.close()
        adopt_template(asking)
        return
    try:
        asking.close()
        requests.close()
        _read_nothing()
        die_with_parent(template)
        _take_environment({name: os.environ[name] for name in PASSED_ON if name in os.environ})
        show_command([sys.executable, "-m", sandbox_template.__name__])
        sandbox_template.serve(template_end)
    finally:
        os._exit(0)


def _share_memory() -> None:
    """Let no look for garbage write to what children share; half of what imports make is garbage."""
    gc.collect()
    gc.freeze()


def _read_nothing() -> None:
    """Have standard input end at once; until then the environment of the service arrives there."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)


def _take_environment(variables: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(variables)


def _run_child(template: int, work: socket.socket) -> int:
    """Run the module that the supervisor asks for; the process ends with the code that this returns."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    with work, work.makefile("rb") as requests:
        request = json.load(requests)
        _take_environment({**request["environment"], PARENT_VARIABLE: str(template)})
        die_with_supervisor()
        command: list[str] = request["command"]
        show_command(command)
        work.sendall(f"{os.getpid()}\n".encode())
    _, _, module, *arguments = command
    sys.argv[:] = [module, *arguments]
    try:
        code = _code_of(module, arguments)
    finally:
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
    return code


def _code_of(module: str, arguments: Sequence[str]) -> int:
    """Call the function `main` of a module, and return the exit code of a program that does only that."""
    try:
        import_module(module).main(*arguments)
    except SystemExit as ending:
        if isinstance(ending.code, str):
            sys.stderr.write(f"{ending.code}\n")
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter does at its end
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    main(*sys.argv[1:])
