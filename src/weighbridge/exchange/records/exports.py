"""What an export looks like on the wire."""

from typing import Annotated

import msgspec

from weighbridge.core.identity import ResourceAddress
from weighbridge.core.platform.tasks import ExportFormat, ExportStatus
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import one_of


class Export(msgspec.Struct, frozen=True):
    """A list as a file."""

    id: str
    """The friendly id of the export: exp_ and 24 hexadecimal digits."""
    status: Annotated[str, one_of(ExportStatus)]
    """Where it stands: `completed` is when the file can be downloaded, for 24 hours."""
    format: Annotated[str, one_of(ExportFormat)]
    """What the file is written as."""
    download_url: ResourceAddress | None
    """Where the file is, for whoever has this address, without a token; null while there is none."""
    file_size_bytes: int | None
    """How long the file is, in bytes; null before it is made."""
    rows: int | None
    """How many rows stand in it; null before it is made."""
    sha256: str | None
    """The SHA-256 of the file, in hexadecimal digits; null before it is made."""
    expires_at: Instant | None
    """Until when the file can be downloaded; null before it is made."""
    async_task_id: int
    """The task that makes the file."""
    created_at: Instant
    """When it was asked for."""


class ExportResult(msgspec.Struct, frozen=True):
    """What the task of an export says it came to."""

    export_id: str
    """The export, which `/exports/{export_id}` shows."""
    rows: int
    """Rows that stand in the file."""
