"""Record and read the corrections that were in force on the values of a batch, so that it can be
recomputed.

A batch names its events, not their values. Captured values never change; together with the recorded
corrections they determine the values that the batch used, whatever is corrected or completed later.

Invariants: a batch records at most one correction of each value. It also records corrections of times
and tags, and completions, so that a value added later is not taken for one that the batch used.
"""

from collections.abc import Sequence
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.core.collection.correction import CorrectionOrigin, value_source
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.db.engine import Write
from weighbridge.db.literal import Literal


def record_used_corrections(tx: Write, project: int, batches: Sequence[int]) -> None:
    """Write down what is in force on the values that some new batches used; their lineage is written."""
    # Most projects have few corrections, and many none: there the server looks no further.
    tx.later(
        """
        INSERT INTO batch_corrections (project_id, batch_id, correction_id)
        SELECT DISTINCT i.project_id, i.batch_id, c.id
          FROM batch_inputs i
          JOIN batch_input_sets s
            ON (s.project_id, s.batch_id, s.set_number) = (i.project_id, i.batch_id, i.set_number)
         CROSS JOIN unnest(i.event_ids) AS used (event_id)
          JOIN corrections c ON c.project_id = i.project_id AND c.event_id = used.event_id
           AND c.state = 'in_force' AND (c.position = 0 OR c.position = ANY (s.positions))
         WHERE i.project_id = %s AND i.batch_id = ANY (%s)
           AND EXISTS (SELECT FROM corrections WHERE project_id = %s AND state = 'in_force')
        """,
        (project, list(batches), project),
    )


STORED_EVENTS: Final = SQL("FROM events e WHERE e.project_id = %(project)s AND e.id = slot.event_id")
"""The event of `slot` as the database has it."""

_EVENT_AS_USED: Final = """
    LATERAL (
        SELECT e.project_id, e.id, e.event_type_id, e.client_reference, e.location_ids, e.is_revised,
               e.is_imputed, e.readings, NULL::timestamptz AS voided_at,
               e.is_complete OR e.is_imputed OR e.readings IS NOT NULL AS is_complete,
               CASE WHEN e.captured ? 'start_time'
                    THEN field_as_used(e, slot.batch_id, 'start_time')::timestamptz(3)
                    ELSE e.start_time END AS start_time,
               CASE WHEN e.captured ? 'end_time'
                    THEN field_as_used(e, slot.batch_id, 'end_time')::timestamptz(3)
                    ELSE e.end_time END AS end_time,
               CASE WHEN e.captured ? 'tracking_id' THEN field_as_used(e, slot.batch_id, 'tracking_id')
                    ELSE e.tracking_id END AS tracking_id,
               CASE WHEN e.captured ? 'feedstock_id'
                    THEN field_as_used(e, slot.batch_id, 'feedstock_id')::integer
                    ELSE e.feedstock_id END AS feedstock_id,
               CASE WHEN e.captured ? 'asset_id' THEN field_as_used(e, slot.batch_id, 'asset_id')::integer
                    ELSE e.asset_id END AS asset_id,
               CASE WHEN e.is_revised THEN numbers_as_used(e, slot.batch_id) ELSE e.numbers END AS numbers,
               CASE WHEN e.is_revised THEN texts_as_used(e, slot.batch_id) ELSE e.texts END AS texts,
               CASE WHEN e.is_revised THEN booleans_as_used(e, slot.batch_id) ELSE e.booleans END AS booleans,
               NULL::numeric[] AS corrected_numbers, NULL::text[] AS corrected_texts,
               NULL::boolean[] AS corrected_booleans
          {events}
    ) AS e
"""


def event_as_used(events: Composable) -> Composable:
    """The event `e` as a batch saw it, of a table `slot` with event_id and batch_id; takes the project.

    `events` is what stands behind the columns, such as `STORED_EVENTS`: a row `e` of the type of the table.
    It has the columns of events, so that whatever reads a value of `e` reads what the batch saw. An event
    that a batch was made of was not voided then, though an imputed one may have been withdrawn since.
    """
    return SQL(_EVENT_AS_USED).format(events=events)


EVENT_AS_USED: Final = event_as_used(STORED_EVENTS)
"""The same of the database's own events."""


def revision(positions: Sequence[int]) -> Composable:
    """A number that differs when other corrections are in force on these values, the times or the tags.

    It belongs into the digest of events: corrections that leave a total as it was change it too.
    """
    return _REVISION.format(positions=Literal(list(positions)), batch=SQL("NULL"))


def revision_as_used(positions: Sequence[int]) -> Composable:
    """The same number as it was when the batch of `slot` was made."""
    return _REVISION.format(positions=Literal(list(positions)), batch=SQL("slot.batch_id"))


def origins(positions: Sequence[int]) -> Composable:
    """The origins of the corrections in force on these values of an event, as an array of their names."""
    return _ORIGINS.format(positions=Literal(list(positions)), batch=SQL("NULL"))


def origins_as_used(positions: Sequence[int]) -> Composable:
    """The same as it was when the batch of `slot` was made."""
    return _ORIGINS.format(positions=Literal(list(positions)), batch=SQL("slot.batch_id"))


def value_sources(named: Sequence[str | None] | None, count: int, *, is_imputed: bool) -> list[ValueSource]:
    """Where some values of an event come from, by the origins of what is in force on them."""
    origins = [None if name is None else CorrectionOrigin(name) for name in named or [None] * count]
    return [value_source(origin, is_imputed=is_imputed) for origin in origins]


_ORIGINS: Final = SQL("""
    CASE WHEN e.is_revised
         THEN correction_sources_of(e.project_id, e.id, {positions}::smallint[], {batch}::bigint) END
""")
"""NULL of an event of which no value was ever corrected."""

# A function and no subquery: inside an aggregate that would keep PostgreSQL from summing in parallel.
_REVISION: Final = SQL("""
    CASE WHEN e.is_revised THEN revision_of(e.project_id, e.id, {positions}::smallint[], {batch}::bigint)
    ELSE 0 END
""")
