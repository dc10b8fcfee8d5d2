"""What an instrument looks like on the wire."""

from datetime import date
from decimal import Decimal
from typing import Annotated

import msgspec

from weighbridge.core.ledger.instrument import GENERATION_TECHS
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line, one_of


class Instrument(msgspec.Struct, frozen=True):
    """One instrument, and what is left of it; its id is that of its batch."""

    id: str
    """The friendly id of its batch: bat_ and 24 hexadecimal digits."""
    project_id: str
    ledger_id: str
    external_id: str
    """The number that its registry gave it, once in the ledger."""
    name: str | None
    """What people call it; null when not said."""
    amount: Decimal
    """What it credits its ledger with, in `unit`."""
    unit: str
    """The unit of its ledger, such as `kWh`."""
    balance: Decimal
    """What is left of it, in `unit`."""
    geography: str | None
    """Where the energy or fuel was made, such as `US-CA`; null when not said."""
    generation_tech: Annotated[str, one_of(GENERATION_TECHS)] | None
    """How the energy behind a renewable energy credit was made; null when not said."""
    issued_on: date | None
    """The day on which the registry issued it, such as `2025-01-31`; null when not said."""
    purchased_on: date | None
    """The day on which it was bought, such as `2025-02-14`; null when not said."""
    mass: Decimal | None
    """The mass of the fuel, in t; null when not said."""
    energy_intensity: Decimal | None
    """The emissions of the fuel by its energy, in g{CO2e}/MJ; null when not said."""
    lower_heating_value: Decimal | None
    """The lower heating value of the fuel, in MJ/kg; null when not said."""
    start_time: Instant
    """The day that it counts from: that of issue, or else that of its entry, in the project's time zone."""
    end_time: Instant
    """The end of that day."""
    created_at: Instant
    updated_at: Instant


class NewInstrument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to credit a system ledger; which fields it takes depends on the ledger's kind."""

    external_id: Line
    amount: Decimal
    """What it credits its ledger with, in the ledger's unit; above zero, with no more decimals than the
    ledger's `scale`.
    """
    name: Line | None = None
    geography: Line | None = None
    generation_tech: Annotated[Line, one_of(GENERATION_TECHS)] | None = None
    issued_on: date | None = None
    purchased_on: date | None = None
    mass: Decimal | None = None
    energy_intensity: Decimal | None = None
    lower_heating_value: Decimal | None = None


class NewInstrumentBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /ledgers/{ledger_id}/instruments."""

    instrument: NewInstrument
