"""How the supervisor starts a process: forked from the template of the service, or started directly.

A fork takes milliseconds, and shares the memory of what the template has loaded. Where it cannot be had, the
same module runs as a program of its own: on systems other than Linux, and while a template is dead.

Invariants: the template is a child of the thread that runs the supervisor, and ends with the block of
`process_template`.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import MappingProxyType
from typing import Final, Protocol

import structlog

from weighbridge.sandbox.fork_server import REQUEST, STATUS
from weighbridge.sandbox.sandbox import PASSED_ON
from weighbridge.supervisor.process import PARENT_VARIABLE

STANDARD_ERROR: Final = 2  # standard output is the supervisor's own

FORK_SECONDS: Final = 60.0
"""How long a fork may take; the first one waits for the template, which takes seconds to load."""

TITLE_BYTES: Final = 512
"""Room in the command line of the template for those that its children show in its place."""

_PID_BYTES: Final = 32

_OF_START: Final = ("PYTHON", "LC_", "LD_", "MALLOC_")
"""How variables begin that an interpreter reads when it starts."""

log = structlog.get_logger("weighbridge.supervisor")


class ChildProcess(Protocol):
    """A process that was started here, forked or directly."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    async def wait(self) -> int: ...
    def send_signal(self, signal: int) -> None: ...


async def start_anew(command: Sequence[str], environment: Mapping[str, str]) -> ChildProcess:
    """Start a program in a session of its own."""
    return await asyncio.create_subprocess_exec(
        *command, stdin=DEVNULL, stdout=STANDARD_ERROR, env=environment, start_new_session=True
    )


class ForkedProcess:
    """A process whose parent is the template, which sends the status with which it ended."""

    def __init__(self, pid: int, status_socket: socket.socket) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._status_socket = status_socket
        self._end = asyncio.ensure_future(self._receive_status())

    async def wait(self) -> int:
        """Wait until it has ended; returns its exit code, or the negative number of a signal."""
        return await asyncio.shield(self._end)

    def send_signal(self, number: int) -> None:
        """Send a signal; nothing where it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    async def _receive_status(self) -> int:
        with self._status_socket as status_socket:
            content = await asyncio.get_running_loop().sock_recv(status_socket, STATUS.size)
        # Without a status the template has died, and the kernel kills its children.
        ended = len(content) == STATUS.size
        self.returncode = os.waitstatus_to_exitcode(STATUS.unpack(content)[0]) if ended else -signal.SIGKILL
        return self.returncode


class ProcessTemplate:
    """The template of a service: started at once, and again when it has died."""

    def __init__(self, targets: Sequence[str], environment: Mapping[str, str]) -> None:
        """Take the applications that it makes, as `module:function`, and its first environment."""
        self._targets = targets
        self._environment = environment
        self._prepared: bytes | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def start(self) -> None:
        """Start it; it imports, and waits to be prepared."""
        self._requests, of_template = socket.socketpair()
        module = "weighbridge.supervisor.template"
        room = " " * TITLE_BYTES
        with of_template:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, by the interpreter that runs us
                [sys.executable, "-m", module, str(of_template.fileno()), room, *self._targets],
                pass_fds=[of_template.fileno()],
                stdin=subprocess.PIPE,
                stdout=STANDARD_ERROR,
                env={**self._environment, PARENT_VARIABLE: str(os.getpid())},
                start_new_session=True,
            )
        if self._prepared is not None:
            self._send_environment()

    def prepare(self, environment: Mapping[str, str]) -> None:
        """Have it make the applications in the environment of the service."""
        self._prepared = json.dumps(dict(environment)).encode()
        self._send_environment()

    async def fork(self, command: Sequence[str], environment: Mapping[str, str]) -> ForkedProcess | None:
        """Fork a process that runs `python -m MODULE …`; None when the template has died, or is silent."""
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self.start()
        try:
            async with asyncio.timeout(FORK_SECONDS):
                return await self._fork(command, environment)
        except (OSError, ValueError, TimeoutError) as error:
            log.warning("template_lost", error=str(error) or type(error).__name__)
            return None

    async def _fork(self, command: Sequence[str], environment: Mapping[str, str]) -> ForkedProcess:
        assert self._requests is not None, "it has been started"  # noqa: S101
        loop = asyncio.get_running_loop()
        work, of_child = socket.socketpair()
        status_socket, of_template = socket.socketpair()
        with work, ExitStack() as closing:
            closing.push(status_socket)
            with of_child, of_template:
                socket.send_fds(self._requests, [REQUEST], [of_child.fileno(), of_template.fileno()])
            work.settimeout(0)
            status_socket.settimeout(0)
            request = {"command": command, "environment": dict(environment)}
            await loop.sock_sendall(work, json.dumps(request).encode())
            work.shutdown(socket.SHUT_WR)
            pid = int(await loop.sock_recv(work, _PID_BYTES))
            closing.pop_all()
        return ForkedProcess(pid, status_socket)

    def _send_environment(self) -> None:
        if self._process is not None and self._process.stdin is not None and self._prepared is not None:
            with suppress(BrokenPipeError), self._process.stdin as stdin:  # where it has died, a fork says so
                stdin.write(self._prepared)

    def stop(self) -> None:
        """End it, with what it has forked."""
        if self._requests is not None:
            self._requests.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = self._requests = None


@contextmanager
def process_template(
    targets: Sequence[str], variables: Mapping[str, str] = MappingProxyType({})
) -> Iterator[ProcessTemplate | None]:
    """Start a template, for as long as the block lasts; None where the system does not fork well.

    Of the environment it has what the interpreter and its libraries read at their start, and the variables
    that are given: the rest, in which there are secrets, comes when it is prepared.
    """
    if sys.platform != "linux":  # libraries of macOS have threads that a fork lacks
        yield None
        return
    inherited = {
        name: os.environ[name] for name in os.environ if name in PASSED_ON or name.startswith(_OF_START)
    }
    template = ProcessTemplate(targets, {**inherited, **variables})
    try:
        template.start()
        yield template
    finally:
        template.stop()
