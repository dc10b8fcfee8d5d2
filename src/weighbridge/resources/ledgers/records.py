"""What a ledger looks like on the wire."""

from decimal import Decimal

import msgspec

from weighbridge.core.instant import Instant
from weighbridge.core.ledger import SCALE_DEFAULT
from weighbridge.core.link import Link


class LedgerModel(msgspec.Struct, frozen=True):
    """The active version of the model that a ledger runs."""

    id: str
    name: str


class Ledger(msgspec.Struct, frozen=True):
    """One ledger."""

    id: str
    project_id: str
    name: str
    unit: str
    scale: int
    balance: Decimal
    system_ledger_type: str | None
    partition_type: str | None
    cadence: str | None
    latest_model: LedgerModel | None
    output: str | None
    asset_category: str | None
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class RequiredInput(msgspec.Struct, frozen=True):
    """One input that a ledger's model needs."""

    id: int
    name: str
    slug: str
    unit: str
    value_type: str
    category: str
    subcategory: str
    is_manual_select: bool
    allocation_groups: list[str]
    output_of_ledgers: list[str]


class NewLedger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a ledger; the project stands here or in the path."""

    name: str
    unit: str
    project_id: str | int | None = None
    model_id: str | None = None
    output: str | None = None
    scale: int = SCALE_DEFAULT


class NewLedgerBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /ledgers and POST /projects/{project_id}/ledgers."""

    ledger: NewLedger
