"""What evidence looks like on the wire."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity.link import ResourceAddress

EvidenceType = Literal["file", "url"]


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file or link of an event; size in bytes, content type and SHA-256 are those of a file."""

    id: int
    type: EvidenceType
    url: ResourceAddress
    name: str
    size: int | UnsetType = UNSET
    content_type: str | UnsetType = UNSET
    sha256: str | UnsetType = UNSET


class EventEvidence(msgspec.Struct, frozen=True):
    """A file or link inside its event."""

    id: int
    type: EvidenceType
    url: ResourceAddress
    name: str


class NewEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A link to attach; its type is url, said as `type` or as `evidence_type`."""

    url: str
    name: str
    type: str | UnsetType = UNSET
    evidence_type: str | UnsetType = UNSET


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
