"""What a bundle has of uncertainty, as the database has it: statements as batches were made of them.

Former versions of records name the moments between which they were known, and a batch the moment at which it
was posted; statements change only while no generation runs.

Invariants: of one thing at most one version names a batch; equal statements are one version.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from weighbridge.accounting.inputs.filled_values import SOURCES
from weighbridge.core import identity
from weighbridge.core.bundle.rows import CalibrationRow, SourceRow, StatementRow
from weighbridge.core.bundle.tables import write_ranges
from weighbridge.core.bundle.uncertainty import (
    OF_CORRECTION,
    OF_STATIC_INPUT,
    OF_TYPE,
    OF_VALUE,
    BatchUncertainties,
    write_drawn,
    write_output,
    write_statement,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.core.uncertainty.effects import read_uncertainty
from weighbridge.db.engine import Read

BATCHES_AT_ONCE: Final = 200
"""Batches whose uncertainties are in memory at a time."""

Moments = Mapping[int, int]
"""By batch the moment at which it was posted."""


async def list_asking_batches(
    tx: Read, project: int, batches: Sequence[int], models: Iterable[int]
) -> list[int]:
    """Those of some batches that versions made which ask for uncertainty."""
    rows = await tx.tuples(
        "SELECT id FROM batches WHERE project_id = %s AND id = ANY (%s) AND model_id = ANY (%s) ORDER BY id",
        (project, list(batches), list(models)),
    )
    return [number for (number,) in rows]


async def has_stated_values(tx: Read, project: int, batches: Sequence[int], late: Sequence[int]) -> bool:
    """Whether an event of a bundle states how well single values are known."""
    return bool(await tx.value(_STATING, {"project": project, "batches": list(batches), "late": list(late)}))


async def read_moments(tx: Read, project: int, batches: Sequence[int]) -> Moments:
    """When batches were posted."""
    return dict(await tx.tuples(_MOMENTS, {"project": project, "batches": list(batches)}))


async def read_statements(
    tx: Read, project: int, batches: Sequence[int], asking: Sequence[int]
) -> list[StatementRow]:
    """What was stated of the types, values and static inputs that batches were made of."""
    moments = await read_moments(tx, project, batches)
    values = {"project": project, "batches": list(asking)}
    found: dict[tuple[str, str, str], dict[str, list[int]]] = {}
    types = await tx.tuples(_TYPES, values)
    for event_type, point, known_from, known_until, stated in types:
        of = found.setdefault((OF_TYPE, event_type, point), {})
        _add_version(of, stated, _list_known(moments, asking, known_from, known_until))
    for static, slug, stated, readers in await tx.tuples(_STATIC_INPUTS, values):
        _add_version(found.setdefault((OF_STATIC_INPUT, str(static), slug), {}), stated, readers)
    for correction, point, stated, readers in await tx.tuples(_CORRECTIONS, values):
        _add_version(found.setdefault((OF_CORRECTION, str(correction), point), {}), stated, readers)
    of_values = await tx.tuples(_VALUES, {"project": project, "batches": list(batches)})
    for event, point, known_from, known_until, stated, readers in of_values:
        of = found.setdefault((OF_VALUE, str(event), point), {})
        _add_version(of, stated, _list_known(moments, readers, known_from, known_until))
    return sorted(
        StatementRow(kind, name, point, version, statement, write_ranges(sorted(set(named))))
        for (kind, name, point), versions in found.items()
        for version, (statement, named) in enumerate(_sort_versions(versions))
    )


async def read_calibrations(tx: Read, project: int, asking: Sequence[int]) -> list[CalibrationRow]:
    """The calibrations of the meters of batches, as they were entered then."""
    moments = await read_moments(tx, project, asking)
    rows = await tx.tuples(_CALIBRATIONS, {"project": project, "batches": list(asking)})
    found: dict[int, dict[tuple[Any, ...], list[int]]] = {}
    for number, known_from, known_until, name, event_type, point, asset, start, end, stated, evidence in rows:
        row = (
            name, event_type, point, asset, Instant.of(start), None if end is None else Instant.of(end),
            write_statement(stated), evidence,
        )  # fmt: skip
        known = _list_known(moments, asking, known_from, known_until)
        if known:
            found.setdefault(number, {}).setdefault(row, []).extend(known)
    return [
        CalibrationRow._make(
            (number, version, identity.of("calibration", project, number), *row, write_ranges(sorted(named)))
        )
        for number, versions in sorted(found.items())
        for version, (row, named) in enumerate(_sort_versions(versions))
    ]


async def read_sources(tx: Read, project: int, asking: Sequence[int]) -> list[SourceRow]:
    """The readings that values of batches rest on which rules put in, as they were then."""
    moments = await read_moments(tx, project, asking)
    found: dict[tuple[int, int], dict[tuple[Any, ...], list[int]]] = {}
    rows = await tx.tuples(_SOURCES, {"project": project, "batches": list(asking)})
    for correction, event, weight, value, known_from, known_until, start, asset, stated, readers in rows:
        state = (
            weight, value, None if start is None else Instant.of(start), asset,
            None if stated is None else write_statement(stated),
        )  # fmt: skip
        known = _list_known(moments, readers, known_from, known_until)
        if known:
            found.setdefault((correction, event), {}).setdefault(state, []).extend(known)
    return [
        SourceRow._make((correction, event, version, *state, write_ranges(sorted(set(named)))))
        for (correction, event), states in sorted(found.items())
        for version, (state, named) in enumerate(_sort_versions(states))
    ]


async def read_batch_uncertainties(
    tx: Read, project: int, asking: Sequence[int]
) -> AsyncIterator[BatchUncertainties]:
    """What batches whose models ask carry, and what their draws took."""
    for first in range(0, len(asking), BATCHES_AT_ONCE):
        some = list(asking[first : first + BATCHES_AT_ONCE])
        outputs = await tx.tuples(_OUTPUTS, (project, some))
        draws = await tx.tuples(_DRAWS, (project, some))
        for batch in some:
            yield BatchUncertainties(
                batch,
                [
                    [write_drawn(read_uncertainty(one)) for one in taken or ()]
                    for of, taken in draws
                    if of == batch
                ],
                {
                    slug: write_output(
                        read_uncertainty(kept),
                        Decimal(kept["coverage_probability"]),
                        Decimal(kept["coverage_factor"]),
                    )
                    for of, slug, kept in outputs
                    if of == batch
                },
            )


def _add_version(versions: dict[str, list[int]], stated: Any, batches: Iterable[int]) -> None:
    named = list(batches)
    if stated is not None and named:
        versions.setdefault(write_statement(stated), []).extend(named)


def _sort_versions(versions: Mapping[Any, list[int]]) -> list[tuple[Any, list[int]]]:
    """Versions by the first batch that was made of each."""
    return sorted(versions.items(), key=lambda version: min(version[1]))


def _list_known(
    moments: Moments, batches: Iterable[int], known_from: int | None, known_until: int | None
) -> list[int]:
    """Those of some batches that were posted while a version was known."""
    return [
        batch
        for batch in batches
        if (known_from is None or known_from <= moments.get(batch, 0))
        and (known_until is None or moments.get(batch, 0) < known_until)
    ]


_MOMENTS: Final = """
    SELECT made.id, min(made.known_from)
      FROM (SELECT project_id, id, known_from FROM batches
             UNION ALL SELECT project_id, id, known_from FROM former_batches) AS made
     WHERE made.project_id = %(project)s AND made.id = ANY (%(batches)s::bigint[])
     GROUP BY made.id
"""
_READ_TYPES: Final = """
    SELECT event_type_id FROM batch_input_sets
     WHERE project_id = %(project)s AND batch_id = ANY (%(batches)s::bigint[])
"""
_TYPES: Final = f"""
    SELECT t.slug, p.slug, version.known_from, version.known_until, version.uncertainty
      FROM (SELECT project_id, id, known_from, NULL::bigint AS known_until, uncertainty FROM data_point_types
             UNION ALL SELECT project_id, id, known_from, known_until, uncertainty
                         FROM former_data_point_types) AS version
      JOIN data_point_types p ON (p.project_id, p.id) = (version.project_id, version.id)
      JOIN event_types t ON (t.project_id, t.id) = (p.project_id, p.event_type_id)
     WHERE version.project_id = %(project)s AND version.uncertainty IS NOT NULL
       AND p.event_type_id IN ({_READ_TYPES})
     ORDER BY t.slug COLLATE "C", p.slug COLLATE "C", version.known_from NULLS FIRST
"""
_STATIC_INPUTS: Final = """
    SELECT s.id, s.slug, s.uncertainty, array_agg(DISTINCT used.batch_id)
      FROM batch_static_inputs used
      JOIN static_inputs s ON (s.project_id, s.id) = (used.project_id, used.static_input_id)
     WHERE used.project_id = %(project)s AND used.batch_id = ANY (%(batches)s::bigint[])
       AND s.uncertainty IS NOT NULL
     GROUP BY s.id, s.slug, s.uncertainty ORDER BY s.id
"""
_VALUES: Final = """
    WITH used AS MATERIALIZED (
        SELECT one.event_id, array_agg(DISTINCT i.batch_id) AS batches
          FROM batch_inputs i CROSS JOIN unnest(i.event_ids) AS one (event_id)
         WHERE i.project_id = %(project)s AND i.batch_id = ANY (%(batches)s::bigint[])
         GROUP BY one.event_id
    )
    SELECT version.id, p.slug, version.known_from, version.known_until, stated.value, used.batches
      FROM used
      JOIN (SELECT project_id, id, event_type_id, known_from, NULL::bigint AS known_until, uncertainties
              FROM events
             UNION ALL SELECT project_id, id, event_type_id, known_from, known_until, uncertainties
                         FROM former_events) AS version
        ON version.project_id = %(project)s AND version.id = used.event_id
     CROSS JOIN jsonb_each(version.uncertainties) AS stated (position, value)
      JOIN data_point_types p ON (p.project_id, p.event_type_id) = (version.project_id, version.event_type_id)
       AND p.position = stated.position::integer
     WHERE version.uncertainties IS NOT NULL
     ORDER BY version.id, p.slug COLLATE "C", version.known_from NULLS FIRST
"""
_FILLED: Final = """
    SELECT c.project_id, c.id, c.event_id, c.position, c.substitution, array_agg(used.batch_id) AS batches
      FROM batch_corrections used
      JOIN corrections c ON (c.project_id, c.id) = (used.project_id, used.correction_id)
     WHERE used.project_id = %(project)s AND used.batch_id = ANY (%(batches)s::bigint[])
       AND c.substitution ?| ARRAY['uncertainty', 'sources']
     GROUP BY c.project_id, c.id, c.event_id, c.position, c.substitution
"""
_CORRECTIONS: Final = f"""
    SELECT f.id, p.slug, f.substitution -> 'uncertainty', f.batches
      FROM ({_FILLED}) AS f
      JOIN events e ON (e.project_id, e.id) = (f.project_id, f.event_id)
      JOIN data_point_types p ON (p.project_id, p.event_type_id, p.position)
                               = (e.project_id, e.event_type_id, f.position)
     WHERE f.substitution ? 'uncertainty'
     ORDER BY f.id
"""
_SOURCES: Final = f"""
    SELECT f.id, source.event, source.weight, source.value, known.known_from, known.known_until,
           known.start_time, a.name, known.uncertainties -> f.position::text, f.batches
      FROM ({_FILLED}) AS f CROSS JOIN LATERAL {SOURCES} AS source
      LEFT JOIN (SELECT project_id, id, known_from, NULL::bigint AS known_until, start_time, asset_id,
                        uncertainties FROM events
                  UNION ALL SELECT project_id, id, known_from, known_until, start_time, asset_id,
                                   uncertainties FROM former_events) AS known
        ON (known.project_id, known.id) = (f.project_id, source.event)
      LEFT JOIN assets a ON (a.project_id, a.id) = (known.project_id, known.asset_id)
     WHERE NOT f.substitution ? 'uncertainty'
     ORDER BY f.id, source.event, known.known_from NULLS FIRST
"""
_CALIBRATIONS: Final = f"""
    SELECT version.id, version.known_from, version.known_until, version.name, t.slug, p.slug, a.name,
           version.valid_from, version.valid_until, version.uncertainty, version.evidence_id
      FROM (SELECT NULL::bigint AS known_until, * FROM calibrations
             UNION ALL SELECT * FROM former_calibrations) AS version
      JOIN data_point_types p ON (p.project_id, p.id) = (version.project_id, version.data_point_type_id)
      JOIN event_types t ON (t.project_id, t.id) = (p.project_id, p.event_type_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (version.project_id, version.asset_id)
     WHERE version.project_id = %(project)s AND p.event_type_id IN ({_READ_TYPES})
     ORDER BY version.id, version.known_from NULLS FIRST
"""
_OUTPUTS: Final = """
    SELECT batch_id, slug, uncertainty FROM batch_calculations
     WHERE project_id = %s AND batch_id = ANY (%s) AND uncertainty IS NOT NULL ORDER BY batch_id, position
"""
_DRAWS: Final = """
    SELECT batch_id, uncertainties FROM batch_draws
     WHERE project_id = %s AND batch_id = ANY (%s) ORDER BY batch_id, node, place
"""
_STATING: Final = """
    SELECT EXISTS (
        SELECT FROM batch_inputs i CROSS JOIN unnest(i.event_ids) AS used (event_id)
          JOIN events e ON (e.project_id, e.id) = (i.project_id, used.event_id)
           AND e.uncertainties IS NOT NULL
         WHERE i.project_id = %(project)s AND i.batch_id = ANY (%(batches)s::bigint[]))
        OR EXISTS (
        SELECT FROM events e
         WHERE e.project_id = %(project)s AND e.id = ANY (%(late)s::bigint[]) AND e.uncertainties IS NOT NULL)
"""
