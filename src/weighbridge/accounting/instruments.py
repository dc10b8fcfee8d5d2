"""Instruments: what credits a system ledger, entered by hand: certificates, fuel, embodied emissions.

An instrument is a batch without a run: it is listed, drawn from and deleted as batches are, and stands
in their lineage. Permission: production accounting.
"""

from decimal import Decimal
from functools import partial
from typing import Final

from msgspec import Struct
from psycopg.sql import SQL, Composable

from weighbridge.accounting.books.balances import hold_ledger
from weighbridge.accounting.ledgers_queries import find_ledger
from weighbridge.accounting.records.ledgers import (
    INSTRUMENT_BODIES,
    Instrument,
)
from weighbridge.core import identity
from weighbridge.core.ledger.instrument import AMOUNT, PRESETS, Preset, check_instrument
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Filter, Listing, ListRequest, Page, list_request, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, key_named

# Read instruments.


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
    Column("id", ("b.project_id", "b.id"), partial(identity.of, "batch")),
    Column("project_id", "b.project_id", partial(identity.of, "project")),
    Column("ledger_id", ("b.project_id", "b.ledger_id"), partial(identity.of, "ledger")),
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


async def select_instruments(tx: Read, ledger: identity.Key, request: ListRequest) -> Page[Instrument]:
    """The instruments of one ledger; those that were deleted are left out."""
    return await read_page(
        tx, INSTRUMENT, INSTRUMENTS, request, source=_SOURCE, where=[_match_ledger(ledger)]
    )


async def get_instrument(tx: Read, ledger: identity.Key, number: int) -> Instrument:
    """One instrument that is known to be there."""
    numbered = SQL("{} AND b.id = %s").format(_match_ledger(ledger))
    return await find(tx, INSTRUMENT, _SOURCE, numbered, (number,))


def _match_ledger(ledger: identity.Key) -> Composable:
    return SQL("b.project_id = {} AND b.ledger_id = {} AND b.deleted_at IS NULL").format(
        Literal(ledger.project), Literal(ledger.key)
    )


# Credit system ledgers with instruments.
#
# An instrument is entered while no generation works with its ledger, and one after the other, so what is
# read of the ledger as of a time does not change later.


async def _check_external_id(tx: Write, ledger: identity.Key, external_id: str) -> list[Problem]:
    is_taken = await tx.value(
        """
        SELECT true FROM batches
         WHERE project_id = %s AND ledger_id = %s AND tracking_id = %s AND deleted_at IS NULL
        """,
        (ledger.project, ledger.key, external_id),
    )
    if not is_taken:
        return []
    message = f"The ledger has an instrument with the external_id {external_id!r} already."
    return [Problem(message, "instrument.external_id", "taken")]


async def _insert_outputs(
    tx: Write, project: int, batch: int, preset: Preset, given: dict[str, Decimal]
) -> None:
    """Write down the amount and the figures, which nodes that draw can read."""
    rows = [(AMOUNT, preset.name, preset.unit, given[AMOUNT])] + [
        (slug, figure.name, figure.unit, given[slug])
        for slug, figure in preset.figures.items()
        if given.get(slug) is not None
    ]
    await tx.execute(
        """
        INSERT INTO batch_calculations (project_id, batch_id, position, slug, name, unit, value, is_output,
                                        is_primary)
        SELECT %s, %s, place, slug, name, unit, value, true, place = 1
          FROM unnest(%s::text[], %s::text[], %s::text[], %s::numeric[])
               WITH ORDINALITY AS asked (slug, name, unit, value, place)
        """,
        (project, batch, *(list(column) for column in zip(*rows, strict=True))),
    )


_INSERT_BATCH = """
    WITH made AS MATERIALIZED (
        SELECT p.id, %(ledger)s::integer, %(external_id)s::text,
               day::timestamp AT TIME ZONE p.time_zone AS first,
               (day + 1)::timestamp AT TIME ZONE p.time_zone AS last, %(amount)s::numeric AS total,
               %(amount)s::numeric AS credited
          FROM projects p
          CROSS JOIN LATERAL (
               SELECT coalesce(%(issued_on)s::date, (now() AT TIME ZONE p.time_zone)::date) AS day) AS counted
         WHERE p.id = %(project)s)
    INSERT INTO batches (project_id, ledger_id, tracking_id, start_time, end_time, total, credited)
    SELECT * FROM made
    RETURNING id
"""
_INSERT_INSTRUMENT = """
    INSERT INTO instruments (project_id, batch_id, name, geography, generation_tech, issued_on, purchased_on)
    VALUES (%(project)s, %(batch)s, nullif(trim(%(name)s), ''), nullif(trim(%(geography)s), ''),
            %(generation_tech)s, %(issued_on)s, %(purchased_on)s)
"""
_INSERT_ENTRY = """
    WITH made AS MATERIALIZED (
        SELECT project_id, ledger_id, id, 'credit', credited, end_time, id AS posted_by, clock_timestamp()
          FROM batches WHERE project_id = %(project)s AND id = %(batch)s)
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                posted_at)
    SELECT * FROM made
"""


# Paths of instruments: below the system ledger that they credit.


_PATH = "/ledgers/{ledger_id}/instruments"


@get(
    _PATH,
    permission="production_accounting:read",
    returns=Page[Instrument],
    listing=INSTRUMENTS,
)
async def list_instruments(call: ReadCall) -> Page[Instrument]:
    """List the instruments of a system ledger; other ledgers have none."""
    await find_ledger(call.tx, call.actor, call.path["ledger_id"])
    key = key_named("ledger", call.path["ledger_id"])
    return await select_instruments(call.tx, key, list_request(call.query, INSTRUMENTS))


@post(
    _PATH,
    permission="production_accounting:write",
    body=INSTRUMENT_BODIES.new_body,
    returns=Instrument,
    example={
        "instrument": {
            "external_id": "REC-2025-000417",
            "amount": 1000,
            "geography": "US-TX",
            "generation_tech": "wind",
            "issued_on": "2025-01-31",
        }
    },
)
async def create_instrument(call: WriteCall, body: Struct) -> Instrument:
    """Enter an instrument of a system ledger, which it credits with its amount."""
    tx, actor, friendly = call.tx, call.actor, call.path["ledger_id"]
    ledger = await find_ledger(tx, actor, friendly)
    preset = PRESETS.get(ledger.system_ledger_type or "")
    if preset is None:
        message = f"{ledger.name!r} is credited by its model; only system ledgers take instruments."
        raise Invalid([Problem(message, "ledger_id", "no_system_ledger")])
    key = key_named("ledger", friendly)
    await hold_ledger(tx, key.project, key.key)
    given = INSTRUMENT_BODIES.written(body)
    problems = check_instrument(preset, ledger.scale, given) + await _check_external_id(
        tx, key, given["external_id"]
    )
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(_INSERT_BATCH, {"project": key.project, "ledger": key.key, **given})
    await _insert_outputs(tx, key.project, number, preset, given)
    await tx.execute(_INSERT_INSTRUMENT, {"project": key.project, "batch": number, **given})
    # Dated while the ledger is held, so entries are posted in the order of their times.
    await tx.execute(_INSERT_ENTRY, {"project": key.project, "batch": number})
    made = await get_instrument(tx, key, number)
    changes.record(tx, actor, action="instrument.create", target=made.id, project_id=key.project, after=made)
    return made


ROUTES = [list_instruments, create_instrument]
