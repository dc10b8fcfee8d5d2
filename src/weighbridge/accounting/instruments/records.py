"""What an instrument looks like on the wire."""

from datetime import date
from decimal import Decimal

import msgspec

from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line


class Instrument(msgspec.Struct, frozen=True):
    """One instrument, and what is left of it; its id is that of its batch."""

    id: str
    project_id: str
    ledger_id: str
    external_id: str
    name: str | None
    amount: Decimal
    unit: str
    balance: Decimal
    geography: str | None
    generation_tech: str | None
    issued_on: date | None
    purchased_on: date | None
    mass: Decimal | None
    """In t."""
    energy_intensity: Decimal | None
    """In g{CO2e}/MJ."""
    lower_heating_value: Decimal | None
    """In MJ/kg."""
    start_time: Instant
    """The day that it counts from: that of issue, or else that of its entry, in the project's time zone."""
    end_time: Instant
    created_at: Instant
    updated_at: Instant


class NewInstrument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to credit a system ledger; which fields it takes depends on the ledger's kind."""

    external_id: Line
    amount: Decimal
    name: Line | None = None
    geography: Line | None = None
    generation_tech: Line | None = None
    issued_on: date | None = None
    purchased_on: date | None = None
    mass: Decimal | None = None
    energy_intensity: Decimal | None = None
    lower_heating_value: Decimal | None = None


class NewInstrumentBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /ledgers/{ledger_id}/instruments."""

    instrument: NewInstrument
