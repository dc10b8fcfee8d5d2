"""What a sandbox may take, and the refusal of what takes more."""

from dataclasses import dataclass
from typing import Final

from weighbridge.errors import Refusal

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
