"""What was stated of how well values are known when a batch was made: by types of data points and by meters.

A statement may be changed later, and the batches of before are recomputed by what held then. Statements
change only while no generation of the project runs, so generations between the same two changes read the same
ones; they are told apart by the last change before them, a moment as `known_from` has it. What single values
stated is read with the events (`select_event_as_used`), and a static input never changes.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import structs

from weighbridge.accounting.inputs.streams import Catalogue, ResolvedStreams, calibrate
from weighbridge.collection.measurements.uncertainties import read_calibrations
from weighbridge.core.model import Model
from weighbridge.db.engine import Read

NO_CHANGE: Final = 0
"""Before any change; and of a model that does not ask for uncertainty."""

_EVER: Final = datetime.min.replace(tzinfo=UTC)
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


async def read_last_changes(tx: Read, project: int, model: Model, tasks: Sequence[int]) -> Mapping[int, int]:
    """Return, by the task of a generation, the moment of the last change of a statement before it."""
    if model.uncertainty is None:
        return dict.fromkeys(tasks, NO_CHANGE)
    rows = await tx.tuples(_LAST_CHANGES, {"project": project, "tasks": [*tasks]})
    return dict.fromkeys(tasks, NO_CHANGE) | dict(rows)


async def read_catalogue_at(tx: Read, project: int, catalogue: Catalogue, moment: int) -> Catalogue:
    """Return the data point types with what they stated at a moment."""
    statements: dict[int, dict[str, Any] | None] = dict(
        await tx.tuples(_TYPES_AT, {"project": project, "moment": moment})
    )
    return {
        slug: {
            name: structs.replace(entry, uncertainty=statements.get(entry.number))
            for name, entry in entries.items()
        }
        for slug, entries in catalogue.items()
    }


async def calibrate_at(tx: Read, project: int, resolved: ResolvedStreams, moment: int) -> ResolvedStreams:
    """Return the streams with what meters shared by the certificates that were entered at a moment."""
    positions: dict[int, set[int]] = {}
    for stream in resolved.streams:
        positions.setdefault(stream.event_type, set()).update(stream.positions)
    found = [
        await read_calibrations(tx, project, event_type, of_type, _EVER, _NEVER, moment)
        for event_type, of_type in positions.items()
    ]
    return calibrate(resolved, dict(zip(positions, found, strict=True)))


_LAST_CHANGES: Final = """
    WITH change AS (
        SELECT known_from AS moment FROM calibrations WHERE project_id = %(project)s
         UNION SELECT known_from FROM former_calibrations WHERE project_id = %(project)s
         UNION SELECT known_until FROM former_calibrations WHERE project_id = %(project)s
         UNION SELECT known_from FROM data_point_types WHERE project_id = %(project)s
         UNION SELECT known_from FROM former_data_point_types WHERE project_id = %(project)s
    ), generation AS (
        SELECT made.async_task_id, min(made.known_from) AS moment
          FROM (SELECT project_id, async_task_id, known_from FROM batches
                 UNION ALL SELECT project_id, async_task_id, known_from FROM former_batches) AS made
         WHERE made.project_id = %(project)s AND made.async_task_id = ANY (%(tasks)s::integer[])
         GROUP BY made.async_task_id
    )
    SELECT generation.async_task_id, max(change.moment)
      FROM generation JOIN change ON change.moment < generation.moment
     GROUP BY generation.async_task_id
"""
_TYPES_AT: Final = """
    SELECT version.id, version.uncertainty
      FROM (SELECT id, uncertainty, known_from, NULL::bigint AS known_until FROM data_point_types
             WHERE project_id = %(project)s
             UNION ALL SELECT id, uncertainty, known_from, known_until FROM former_data_point_types
             WHERE project_id = %(project)s) AS version
     WHERE (version.known_from IS NULL OR version.known_from <= %(moment)s)
       AND (version.known_until IS NULL OR version.known_until > %(moment)s)
"""
