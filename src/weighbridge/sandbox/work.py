"""The inside of a sandbox: its limits, the messages that go in and out, and the calls that it answers.

The first message has the limits; every other is a call of a function with its arguments, or of a method
of a value that stayed in the sandbox.

Invariants: of what a sandbox answers only values of the service's types and of plain ones are made;
nothing in an answer can have a function called.
"""

import copyreg
import io
import pickle
import resource
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from msgspec import UnsetType

from weighbridge.errors import Invalid, Refusal

# What a sandbox may take, and the refusal of what takes more.


SANDBOXES_MAX: Final = 4
"""Sandboxes that one event loop has at a time; what comes beyond that waits for a place of its account."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """How much memory a sandbox may take, and how many seconds of a processor each of its answers."""

    memory_bytes: int = 1_073_741_824
    cpu_seconds: int = 30


class SandboxLimitError(Refusal):
    """What was read apart took more memory or time than it may, or ended its process."""

    def __init__(self, said: str, more_than: str) -> None:
        super().__init__(
            f"{said} cannot be read: {more_than}. It is refused, and reading it is not tried again."
        )


# What goes to a sandbox and back: lengths and pickles.
#
# Invariant: of what a sandbox answers only values are made, of types of the service and of plain ones;
# nothing in an answer can have a function called.


HEAD: Final = struct.Struct("!Q")
"""The length of the message behind it, in bytes."""

ANSWER_BYTES_MAX: Final = 536_870_912
"""The longest answer of a sandbox, in bytes."""

_PLAIN: Final = frozenset(
    {
        ("datetime", "datetime"),
        ("datetime", "date"),
        ("datetime", "time"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
        ("decimal", "Decimal"),
        ("fractions", "Fraction"),
        ("msgspec", "UnsetType"),
        ("builtins", "frozenset"),
        ("builtins", "set"),
    }
)

_REDUCTIONS: Final = copyreg.dispatch_table | {UnsetType: lambda _: (UnsetType, ())}
"""How values are written: UNSET as the only value of its public type, for its module is private."""


class _Answers(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """A type of the service, or a plain one."""
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        if module.startswith("weighbridge.") and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"An answer of a sandbox names {module}.{name}.")


def pack(message: Any) -> bytes:
    """A message with its length."""
    stream = io.BytesIO()
    pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCTIONS
    pickler.dump(message)
    content = stream.getbuffer()
    return b"".join((HEAD.pack(len(content)), content))


def unpack(content: bytes) -> Any:
    """The value of an answer."""
    return _Answers(io.BytesIO(content)).load()


# The inside of a sandbox: it answers one call after the other, each within limits, until nobody asks.
#
# The first message is the limits; every other is a call of a function with its arguments. What a function
# gives may stay in the sandbox, to be asked by the names of its methods.


VALUE, REFUSED, EXHAUSTED, FAILED = "value", "refused", "exhausted", "failed"
"""What an answer is: a value, problems, that memory was exhausted, or the trace of a mistake of ours."""


@dataclass(frozen=True, slots=True)
class SandboxCall:
    """What a sandbox is to do: call a function, or a method of what it has kept."""

    function: Callable[..., Any] | str
    arguments: tuple[Any, ...]
    is_kept: bool = False
    """Whether what comes of it stays in the sandbox."""


def carry_out(asked: socket.socket) -> None:
    """Answer until the other side closes."""
    stream = asked.makefile("rwb")
    limits: SandboxLimits = _next(stream)
    _bound_memory(limits.memory_bytes)
    kept: Any = None
    while (call := _next(stream)) is not None:
        _bound_time(limits.cpu_seconds)
        kind, value = _answer(call, kept)
        if call.is_kept and kind == VALUE:
            kept, value = value, None
        stream.write(pack((kind, value)))
        stream.flush()


def _answer(call: SandboxCall, kept: Any) -> tuple[str, Any]:
    try:
        function = getattr(kept, call.function) if isinstance(call.function, str) else call.function
        return VALUE, function(*call.arguments)
    except Refusal as refusal:
        return REFUSED, (isinstance(refusal, Invalid), [*refusal.problems])
    except MemoryError:
        return EXHAUSTED, None
    except Exception:  # noqa: BLE001 - whoever asked logs it
        return FAILED, traceback.format_exc()


def _next(stream: Any) -> Any:
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (length,) = HEAD.unpack(head)
    return pickle.loads(stream.read(length))  # noqa: S301 - of the process that started this one


def _bound_memory(more_bytes: int) -> None:
    """Bound what is taken beyond that which the process has already."""
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + more_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _bound_time(seconds: int) -> None:
    """Bound the processor's time from now on; the kernel ends the process that takes more."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))
