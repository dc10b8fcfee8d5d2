"""A child that must not outlive its parent, however the parent dies.

Invariants: after `die_with_parent` returns, the death of the parent ends this process too, so the port and
the database connections of a killed service are free at once.
"""

import ctypes
import os
import signal
import sys
import threading
import time

import structlog

from weighbridge.errors import Refusal
from weighbridge.settings import Settings

log = structlog.get_logger("weighbridge.supervisor")

PARENT_VARIABLE = "SUPERVISED_BY_PROCESS"
SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
WATCH_SECONDS = 0.2


def look_at_root(settings: Settings) -> None:
    """Warn of a service that runs as root, or refuse it, as the settings say."""
    if os.geteuid() != 0:
        return
    if settings.root == "refuse":
        raise Refusal(
            "The service was started as root, which WEIGHBRIDGE_ROOT=refuse does not allow; start it as a"
            " user of its own."
        )
    log.warning("running_as_root", remedy="start the service as a user of its own that owns the data folder")


def die_with_supervisor() -> None:
    """Tie this process to the supervisor that started it; without one, do nothing."""
    parent = os.environ.get(PARENT_VARIABLE)
    if parent is not None:
        die_with_parent(int(parent))


def die_with_parent(parent: int) -> None:
    """Tie this process to its parent, and end at once when the parent is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)
