"""What evidence looks like on the wire."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.collection.evidence import LINK_LENGTH_MAX
from weighbridge.core.identity.link import ResourceAddress
from weighbridge.http.text import Name, at_most, one_of

EvidenceType = Literal["file", "url"]
LINKED: Final[tuple[EvidenceType, ...]] = ("url",)
"""The types that come as JSON."""


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file or link of an event; size in bytes, content type and SHA-256 are those of a file."""

    id: int
    """The number of the file or link."""
    type: EvidenceType
    """Whether it is a file that is kept here, or a link."""
    url: ResourceAddress
    name: str
    """What people call it: of a file its file name, such as `ticket-4711.pdf`."""
    size: int | UnsetType = UNSET
    """How many bytes the file has; left out for a link."""
    content_type: str | UnsetType = UNSET
    """The media type of the file, such as `application/pdf`; left out for a link."""
    sha256: str | UnsetType = UNSET
    """The SHA-256 of the file, as 64 hexadecimal digits; left out for a link."""


class EventEvidence(msgspec.Struct, frozen=True):
    """A file or link inside its event."""

    id: int
    """The number of the file or link."""
    type: EvidenceType
    """Whether it is a file that is kept here, or a link."""
    url: ResourceAddress
    name: str
    """What people call it: of a file its file name, such as `ticket-4711.pdf`."""


class NewEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A link to attach; its type is url, said as `type` or as `evidence_type`."""

    url: Annotated[str, at_most(LINK_LENGTH_MAX)]
    """Where the link leads, beginning with `https://` or `http://`."""
    name: Name
    """What people call it, such as `Laboratory report`."""
    type: Annotated[str, one_of(LINKED)] | UnsetType = UNSET
    """Always `url`; a file comes as `multipart/form-data`."""
    evidence_type: Annotated[str, one_of(LINKED)] | UnsetType = UNSET
    """Another name for `type`, which clients of the public interface send."""


class NewEvidenceBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /events/{event_id}/evidence for a link; a file comes as multipart/form-data."""

    evidence: NewEvidence


class StoredFile(msgspec.Struct, frozen=True):
    """A file in the store, and what is written down of it."""

    key: str
    name: str
    size: int
    content_type: str
    sha256: bytes
