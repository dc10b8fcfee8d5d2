"""Credit system ledgers with instruments.

An instrument is entered while no generation works with its ledger, and one after the other, so what is read
of the ledger as of a time does not change later.
"""

from decimal import Decimal

import msgspec

from weighbridge.accounting.books.locks import hold_ledger
from weighbridge.accounting.instruments import queries
from weighbridge.accounting.instruments.records import Instrument, NewInstrument
from weighbridge.accounting.ledgers.queries import get_ledger
from weighbridge.core.identity import ids
from weighbridge.core.ledger.instrument import AMOUNT, PRESETS, Preset, problems_of
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.platform import changes


async def create_instrument(tx: Write, actor: Actor, friendly: str, request: NewInstrument) -> Instrument:
    """Enter an instrument of a system ledger, which it credits with its amount."""
    ledger = await get_ledger(tx, actor, friendly)
    preset = PRESETS.get(ledger.system_ledger_type or "")
    if preset is None:
        message = f"{ledger.name!r} is credited by its model; only system ledgers take instruments."
        raise Invalid([Problem(message, "ledger_id", "no_system_ledger")])
    key = ids.parse("ledger", friendly)
    assert key is not None  # noqa: S101 - the ledger was found by it
    await hold_ledger(tx, key.project, key.key)
    given = msgspec.structs.asdict(request) | {"external_id": request.external_id.strip()}
    problems = problems_of(preset, ledger.scale, given) + await _taken(tx, key, given["external_id"])
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(_INSERT_BATCH, {"project": key.project, "ledger": key.key, **given})
    await _insert_outputs(tx, key.project, number, preset, given)
    await tx.execute(_INSERT_INSTRUMENT, {"project": key.project, "batch": number, **given})
    # Dated while the ledger is held, so entries are posted in the order of their times.
    await tx.execute(_INSERT_ENTRY, {"project": key.project, "batch": number})
    made = await queries.get_instrument(tx, key, number)
    changes.record(tx, actor, action="instrument.create", target=made.id, project_id=key.project, after=made)
    return made


async def _taken(tx: Write, ledger: ids.Key, external_id: str) -> list[Problem]:
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
    INSERT INTO batches (project_id, ledger_id, tracking_id, start_time, end_time, total, credited)
    SELECT p.id, %(ledger)s, %(external_id)s, day::timestamp AT TIME ZONE p.time_zone,
           (day + 1)::timestamp AT TIME ZONE p.time_zone, %(amount)s, %(amount)s
      FROM projects p
      CROSS JOIN LATERAL (
           SELECT coalesce(%(issued_on)s::date, (now() AT TIME ZONE p.time_zone)::date) AS day) AS counted
     WHERE p.id = %(project)s
    RETURNING id
"""
_INSERT_INSTRUMENT = """
    INSERT INTO instruments (project_id, batch_id, name, geography, generation_tech, issued_on, purchased_on)
    VALUES (%(project)s, %(batch)s, nullif(trim(%(name)s), ''), nullif(trim(%(geography)s), ''),
            %(generation_tech)s, %(issued_on)s, %(purchased_on)s)
"""
_INSERT_ENTRY = """
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                posted_at)
    SELECT project_id, ledger_id, id, 'credit', credited, end_time, id, clock_timestamp()
      FROM batches WHERE project_id = %(project)s AND id = %(batch)s
"""
