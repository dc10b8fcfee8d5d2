"""The inside of a sandbox: it answers one call after the other, each within limits, until nobody asks.

The first message is the limits; every other is a call of a function with its arguments. What a function gives
may stay in the sandbox, to be asked by the names of its methods.
"""

import pickle
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weighbridge.errors import Invalid, Refusal
from weighbridge.sandbox.answers import HEAD, packed
from weighbridge.sandbox.limits import SandboxLimits

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
        kind, value = _answered(call, kept)
        if call.is_kept and kind == VALUE:
            kept, value = value, None
        stream.write(packed((kind, value)))
        stream.flush()


def _answered(call: SandboxCall, kept: Any) -> tuple[str, Any]:
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
