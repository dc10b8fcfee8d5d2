"""The rows of the tables of a bundle: one class for each, its fields in the order of the columns.

What is called by a number is called by it everywhere in the bundle: `batch` 12 of lineage is row 12 of
`batches.csv`. Times are UTC; amounts are in the unit that stands beside them or that the row's ledger has.
"""

from decimal import Decimal
from typing import NamedTuple, NewType

from weighbridge.core.time.instant import Instant

Digest = NewType("Digest", str)
"""A SHA-256 as 64 hexadecimal digits."""


class BundledLedgerRow(NamedTuple):
    """A ledger of the bundle's batches."""

    ledger: int
    ledger_id: str
    name: str
    unit: str
    scale: int
    """Decimals that it keeps."""
    rounding: str
    output: str | None
    """The output of its model that it keeps; empty for instruments."""


class ModelRow(NamedTuple):
    """A model version that made batches; its document is `models/<model_id>.yaml`."""

    model: int
    model_id: str
    name: str
    version: int
    sha256: Digest
    """That of the canonical text of the model, in which comments and layout do not count."""


class BatchRow(NamedTuple):
    """A batch."""

    batch: int
    batch_id: str
    ledger: int
    tracking_id: str
    """What people call it."""
    start_time: Instant
    end_time: Instant
    run: int | None
    """Batches of one slot and partition have the same run; empty for an instrument."""
    by_event: bool
    event: int | None
    """The event that the slot is, where it is one."""
    run_tracking_id: str | None
    feedstock: str | None
    asset: str | None
    model: int | None
    share_places: int
    """Decimals at which shared amounts were cut."""
    total: Decimal
    """What the run came to with this batch, in the ledger's unit."""
    credited: Decimal
    """What the batch was credited with, in the ledger's unit."""
    engine_revision: int
    generation: int | None
    """The task that made it."""
    created_at: Instant
    deleted_at: Instant | None


class EntryRow(NamedTuple):
    """An entry of a ledger: on a batch of the bundle, or by one of its runs on another batch."""

    entry: int
    ledger: int
    batch: int
    kind: str
    """`credit`, `fall` and `rise` of runs; `draw` and `return` of nodes; what reports take and give back."""
    amount: Decimal
    """Signed, in the ledger's unit: what takes is below zero."""
    effective_at: Instant
    """From when on it counts."""
    posted_at: Instant
    posted_by: int | None
    """The batch that posted it; empty for reports."""
    run: int | None
    """Whose doing it is."""
    node: str | None
    """The node that draws."""
    reverses: int | None
    """The entry that it undoes, where its batch was deleted."""
    report: int | None
    """The number of the report in whose name it stands."""


class DeficitRow(NamedTuple):
    """A change of what a run of the bundle is short of: what opens is above zero, what settles below."""

    entry: int
    ledger: int
    run: int
    amount: Decimal
    effective_at: Instant
    posted_at: Instant
    posted_by: int
    reverses: int | None
    report: int | None


class NodeValueRow(NamedTuple):
    """What a node of a batch came to, in `unit`."""

    batch: int
    node: str
    name: str
    unit: str | None
    value: Decimal | None
    whole: Decimal | None
    """Of a part that was shared over partitions, the amount that it is a part of."""
    elements: list[str] | None
    """The numbers of an array; empty where they are too many, then their count and digest stand alone."""
    element_count: int | None
    elements_sha256: Digest | None
    """The digest of the numbers, one to a line."""
    is_output: bool
    is_primary: bool
    contributions: list[str] | None
    """What contributes to an output, by where values come from; see the measured share."""


class EventTypeRow(NamedTuple):
    """A data point of an event type, and the table of its events."""

    event_type: str
    data_point: str
    position: int
    value_type: str
    unit: str | None


class BundledEventRow(NamedTuple):
    """The columns of every table of events that stand before the values: an event as batches saw it."""

    event: int
    version: int
    """Counted from 0 where batches saw it in several states, by corrections made between them."""
    start_time: Instant
    end_time: Instant
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    location: str | None
    """The first of its locations."""
    client_reference: str | None
    is_imputed: bool


class MeterRow(NamedTuple):
    """From when and until when an asset or location is in service, where it says so."""

    kind: str
    name: str
    in_service_from: Instant | None
    in_service_until: Instant | None


class CorrectionRow(NamedTuple):
    """A value that stood in the place of another when a batch was made."""

    correction: int
    event: int
    data_point: str
    """Its slug, or the field of the event."""
    origin: str
    from_value: str | None
    to_value: str
    rule: int | None
    rule_version: int | None
    reason: str | None
    user: int
    """The number of the user who made it or who answers for its rule."""
    created_at: Instant


class StaticInputRow(NamedTuple):
    """A value that holds from a moment on."""

    static_input: int
    slug: str
    value: Decimal
    unit: str | None
    effective_from: Instant
    asset: str | None
    feedstock: str | None
    location: str | None


class EvidenceRow(NamedTuple):
    """A file or link that was attached to an event; the file is `evidence/<sha256>` unless left out."""

    evidence: int
    event: int
    type: str
    name: str
    url: str | None
    content_type: str | None
    size: int | None
    sha256: Digest | None
    created_at: Instant
