"""Adapters: who hands a report to its receiver.

A file is made once for each report and kept before it is handed on, so that whoever tries again sends the
same bytes under the same key. An adapter that cannot say whether they were received raises; the report then
fails, and keeps what it has reserved.

Invariant: handing on the same key again is handing on once.
"""

from dataclasses import dataclass
from typing import Final, Protocol

from weighbridge.core.report.adapter import AdapterName
from weighbridge.core.report.delivery import DeliveryStep


@dataclass(frozen=True, slots=True)
class Submission:
    """What is handed on."""

    key: str
    """The key under which a receiver takes it once: a UUID."""
    name: str
    """What the file is called, such as `rpt_….json`."""
    media_type: str
    content: bytes
    sha256: str
    """The digest of the content, as 64 hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the receiver calls it, or where it was put."""

    reference: str


class Journal(Protocol):
    """What is known of how far a submission came, and where each further step is written down."""

    @property
    def may_have_been_received(self) -> bool:
        """Whether an earlier step may have brought it to its receiver."""

    async def note(
        self, step: DeliveryStep, *, http_status: int | None = None, detail: str | None = None
    ) -> None:
        """Write a step down, so that it is known even if nothing follows."""


class Adapter(Protocol):
    """Hands on what it is given."""

    name: AdapterName

    async def hand_on(self, submission: Submission, journal: Journal) -> Receipt:
        """Hand it on; raises Invalid when it is not certain that it was received."""


class FileAdapter:
    """Leaves the file where it is kept, from where people fetch it and hand it on themselves."""

    name = AdapterName.FILE

    async def hand_on(self, submission: Submission, journal: Journal) -> Receipt:  # noqa: ARG002 - as adapters do
        """Nothing is sent: the file is kept already."""
        return Receipt(f"sha256:{submission.sha256}")


FILE: Final = FileAdapter()
