"""Read instruments."""

from functools import partial
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.accounting.instruments.records import Instrument
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, read_page
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of
from weighbridge.platform.tenancy.scope import find

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
INSTRUMENT: Final = row_of(
    Instrument,
    Column("id", ("b.project_id", "b.id"), partial(ids.of, "batch")),
    Column("project_id", "b.project_id", partial(ids.of, "project")),
    Column("ledger_id", ("b.project_id", "b.ledger_id"), partial(ids.of, "ledger")),
    Column("external_id", "b.tracking_id"),
    Column("name", "i.name"),
    Column("amount", "b.credited"),
    Column("unit", "l.unit"),
    Column("balance", "b.balance"),
    Column("geography", "i.geography"),
    Column("generation_tech", "i.generation_tech"),
    Column("issued_on", "i.issued_on"),
    Column("purchased_on", "i.purchased_on"),
    Column("mass", "figure.mass"),
    Column("energy_intensity", "figure.energy_intensity"),
    Column("lower_heating_value", "figure.lower_heating_value"),
    Column("start_time", "b.start_time"),
    Column("end_time", "b.end_time"),
    Column("created_at", "b.created_at"),
    Column("updated_at", "b.updated_at"),
)


async def list_instruments(tx: Read, ledger: ids.Key, request: ListRequest) -> Page[Instrument]:
    """The instruments of one ledger; those that were deleted are left out."""
    return await read_page(tx, INSTRUMENT, INSTRUMENTS, request, source=_SOURCE, where=[_of_ledger(ledger)])


async def get_instrument(tx: Read, ledger: ids.Key, number: int) -> Instrument:
    """One instrument that is known to be there."""
    numbered = SQL("{} AND b.id = %s").format(_of_ledger(ledger))
    return await find(tx, INSTRUMENT, _SOURCE, numbered, (number,))


def _of_ledger(ledger: ids.Key) -> Composable:
    return SQL("b.project_id = {} AND b.ledger_id = {} AND b.deleted_at IS NULL").format(
        Literal(ledger.project), Literal(ledger.key)
    )
