"""Read instruments."""

from datetime import date
from decimal import Decimal
from typing import Final

from psycopg.sql import SQL, Composable, Literal

from weighbridge.accounting.instruments.records import Instrument
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, page_of

INSTRUMENTS: Final = Listing(
    sorts={
        "id": "b.id",
        "external_id": "b.tracking_id",
        "start_time": "b.start_time",
        "created_at": "b.created_at",
    },
    default_sort="start_time",
    key=("b.id",),
    filters={"external_id": Filter("b.tracking_id", str, "an external id")},
)

_SOURCE: Final = """
    instruments i
    JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
    JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
    LEFT JOIN LATERAL (
        SELECT max(value) FILTER (WHERE slug = 'mass') AS mass,
               max(value) FILTER (WHERE slug = 'energy_intensity') AS energy_intensity,
               max(value) FILTER (WHERE slug = 'lower_heating_value') AS lower_heating_value
          FROM batch_calculations c WHERE (c.project_id, c.batch_id) = (b.project_id, b.id)) AS figure ON true
"""
_COLUMNS: Final = """
    b.project_id, b.id, b.ledger_id, b.tracking_id, i.name, b.credited, l.unit, b.balance, i.geography,
    i.generation_tech, i.issued_on, i.purchased_on, figure.mass, figure.energy_intensity,
    figure.lower_heating_value, b.start_time, b.end_time, b.created_at, b.updated_at
"""


async def list_instruments(tx: Read, ledger: ids.Key, request: ListRequest) -> Page[Instrument]:
    """The instruments of one ledger; those that were deleted are left out."""
    return await page_of(
        tx, _instrument, INSTRUMENTS, request, columns=_COLUMNS, source=_SOURCE, where=[_of_ledger(ledger)]
    )


async def get_instrument(tx: Read, ledger: ids.Key, number: int) -> Instrument:
    """One instrument that is known to be there."""
    found = await tx.row(
        _instrument,
        SQL("SELECT {} FROM {} WHERE {} AND b.id = %s").format(
            SQL(_COLUMNS), SQL(_SOURCE), _of_ledger(ledger)
        ),
        (number,),
    )
    assert found is not None, "the caller made it"  # noqa: S101
    return found


def _of_ledger(ledger: ids.Key) -> Composable:
    return SQL("b.project_id = {} AND b.ledger_id = {} AND b.deleted_at IS NULL").format(
        Literal(ledger.project), Literal(ledger.key)
    )


def _instrument(
    project: int, number: int, ledger: int, external_id: str, name: str | None, amount: Decimal, unit: str,
    balance: Decimal, geography: str | None, generation_tech: str | None, issued_on: date | None,
    purchased_on: date | None, mass: Decimal | None, energy_intensity: Decimal | None,
    lower_heating_value: Decimal | None, start: Instant, end: Instant, created: Instant, updated: Instant,
) -> Instrument:  # fmt: skip
    return Instrument(
        id=ids.of("batch", project, number),
        project_id=ids.of("project", project),
        ledger_id=ids.of("ledger", project, ledger),
        external_id=external_id,
        name=name,
        amount=amount,
        unit=unit,
        balance=balance,
        geography=geography,
        generation_tech=generation_tech,
        issued_on=issued_on,
        purchased_on=purchased_on,
        mass=mass,
        energy_intensity=energy_intensity,
        lower_heating_value=lower_heating_value,
        start_time=start,
        end_time=end,
        created_at=created,
        updated_at=updated,
    )
