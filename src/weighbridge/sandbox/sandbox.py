"""A sandbox as the process sees it that has something read: calls that are answered, or refused.

Invariants: an account has at most half of the sandboxes; when the block of `run_sandboxed` is left, its
process has ended or its template ends it; a process that a limit has ended is a refusal, and one that
somebody else has ended is not.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from weighbridge.concurrency import FairPlaces
from weighbridge.errors import Invalid, Refusal
from weighbridge.sandbox.fork_server import REQUEST, STATUS
from weighbridge.sandbox.work import (
    ANSWER_BYTES_MAX,
    EXHAUSTED,
    HEAD,
    REFUSED,
    SANDBOXES_MAX,
    VALUE,
    SandboxCall,
    SandboxLimitError,
    SandboxLimits,
    pack,
    unpack,
)

Result = TypeVar("Result")

END_SECONDS: Final = 10.0
"""How long it may take until the template tells how a sandbox ended."""

PREPARED_AFTER_SECONDS: Final = 5.0
"""How long after a process began to serve its template of sandboxes is started."""

_OF_FILE: Final = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE})
"""Signals by which a process ends of what it does itself."""

PASSED_ON: Final = (
    "PATH",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "LANG",
    "LD_LIBRARY_PATH",
    "TMPDIR",
    "TZ",
)
"""What a template of sandboxes has of the environment: nothing that is secret."""

_places: WeakKeyDictionary[asyncio.AbstractEventLoop, FairPlaces] = WeakKeyDictionary()


class SandboxLostError(RuntimeError):
    """A sandbox ended for no reason of what it read, or made a mistake; the message says what is known."""


class Sandbox:
    """A process that answers calls, in their order."""

    def __init__(
        self, said: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, told: socket.socket
    ) -> None:
        self._said = said
        self._reader, self._writer, self._told = reader, writer, told

    async def call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """What comes of a function there. Raises what it refuses, or SandboxLimitError."""
        value: Result = await self._ask(SandboxCall(function, arguments))
        return value

    async def keep(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Have what comes of a function stay there, to be asked by `of_kept`."""
        await self._ask(SandboxCall(function, arguments, is_kept=True))

    async def of_kept(self, method: str, *arguments: Any) -> Any:
        """What comes of a method of what was kept."""
        return await self._ask(SandboxCall(method, arguments))

    async def _ask(self, call: SandboxCall) -> Any:
        message = await asyncio.to_thread(pack, call)
        try:
            self._writer.write(message)
            await self._writer.drain()
            (length,) = HEAD.unpack(await self._reader.readexactly(HEAD.size))
            if length > ANSWER_BYTES_MAX:
                raise SandboxLimitError(self._said, "what was made of it is longer than is taken")
            content = await self._reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise await self._ended() from None
        kind, value = await asyncio.to_thread(unpack, content)
        if kind == VALUE:
            return value
        if kind == REFUSED:
            is_invalid, problems = value
            raise (Invalid if is_invalid else Refusal)(problems)
        if kind == EXHAUSTED:
            raise SandboxLimitError(self._said, "it takes more memory than reading it may take")
        raise SandboxLostError(value)

    async def _ended(self) -> Exception:
        """What the end of the process means."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(END_SECONDS):
                content = await loop.sock_recv(self._told, STATUS.size)
        except (TimeoutError, OSError):
            content = b""
        if len(content) != STATUS.size:
            return SandboxLostError("The template of sandboxes has ended.")
        (status,) = STATUS.unpack(content)
        ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        if ended_by == signal.SIGXCPU:
            return SandboxLimitError(self._said, "it takes more time than reading it may take")
        if ended_by in _OF_FILE:
            return SandboxLimitError(self._said, "it ends the process that reads it")
        return SandboxLostError(f"A sandbox ended with the status {status}.")


@asynccontextmanager
async def run_sandboxed(account: int, said: str, limits: SandboxLimits) -> AsyncIterator[Sandbox]:
    """A sandbox for an account; `said` is what is read there, as a message begins: "The file log.xlsx"."""
    loop = asyncio.get_running_loop()
    async with _places.setdefault(loop, FairPlaces(SANDBOXES_MAX)).of(account):
        work, told = await asyncio.to_thread(_TEMPLATE.fork)
        with told:
            reader, writer = await asyncio.open_connection(sock=work)
            try:
                writer.write(pack(limits))
                yield Sandbox(said, reader, writer, told)
            finally:
                writer.close()


async def read_apart(
    account: int, said: str, limits: SandboxLimits, function: Callable[..., Result], *arguments: Any
) -> Result:
    """What comes of a function that reads something from outside, called in a sandbox."""
    async with run_sandboxed(account, said, limits) as sandbox:
        return await sandbox.call(function, *arguments)


class _TemplateHandle:
    """The template of this process, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asking: socket.socket | None = None

    def adopt(self, requests: socket.socket) -> None:
        """Ask a template that runs already, as long as it does."""
        self._asking = requests

    def fork(self) -> tuple[socket.socket, socket.socket]:
        """The sockets of a new sandbox: the one to ask it on, and the one that tells how it ended."""
        with self._lock:
            work, of_work = socket.socketpair()
            told, of_told = socket.socketpair()
            with of_work, of_told:
                for is_last in (False, True):
                    self._asking = self._asking or _started()
                    try:
                        socket.send_fds(self._asking, [REQUEST], [of_work.fileno(), of_told.fileno()])
                        break
                    except OSError:  # it has ended, as it does when nobody has asked it for long
                        self._asking.close()
                        self._asking = None
                        if is_last:
                            raise
            work.settimeout(0)
            told.settimeout(0)
            return work, told


def _started() -> socket.socket:
    ours, others = socket.socketpair()
    with others:
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        command = [sys.executable, "-m", "weighbridge.sandbox.fork_server", str(others.fileno())]
        started = subprocess.Popen(  # noqa: S603 - our own module, by the interpreter that runs us
            command, pass_fds=[others.fileno()], stdin=subprocess.DEVNULL, env=environment
        )
    threading.Thread(target=started.wait, name="template of sandboxes", daemon=True).start()
    return ours


_TEMPLATE: Final = _TemplateHandle()


def adopt_template(requests: socket.socket) -> None:
    """Have this process, and those forked from it, ask the template at the other end of a socket."""
    _TEMPLATE.adopt(requests)


@contextmanager
def prepare_sandboxes(*, after_seconds: float = PREPARED_AFTER_SECONDS) -> Iterator[None]:
    """Have the template started meanwhile, so that the first file does not wait for it.

    It is started by a thread and not at once: the start of the process itself comes first.
    """
    thread = threading.Thread(target=_prepare, name="preparing sandboxes", daemon=True)
    timer = asyncio.get_running_loop().call_later(after_seconds, thread.start)
    try:
        yield
    finally:
        timer.cancel()


def _prepare() -> None:
    with suppress(OSError):
        work, told = _TEMPLATE.fork()
        work.close()
        told.close()
