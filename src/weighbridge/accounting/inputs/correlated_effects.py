"""Check that the effects exist that a model's correlations name, where the model itself does not state them.

A data point type, a single value of an event, a static input and a calibration may name an effect; a
calibration is also one by its id.

Invariant: values of events are looked through for a name that nothing else has, and for no other.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.core import identity
from weighbridge.core.identity import list_briefly
from weighbridge.core.model import Model
from weighbridge.core.model.uncertainty import list_effects
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid


async def check_correlated_effects(tx: Read, project: int, model: Model) -> None:
    """Raise Invalid for each name in a model's correlations that neither it nor the project's data have."""
    if model.uncertainty is None:
        return
    pairs = model.uncertainty.correlations
    names = dict.fromkeys(name for one, other, _ in pairs for name in (one, other))
    unknown = [name for name in names if name not in list_effects(model)]
    if not unknown:
        return
    named = {name for (name,) in await tx.tuples(_NAMED, {"project": project, "names": unknown})}
    calibrations = [identity.number("calibration", name, project) for name in unknown]
    rows = await tx.tuples(
        "SELECT id FROM calibrations WHERE project_id = %s AND id = ANY (%s)", (project, calibrations)
    )
    named |= {identity.of("calibration", project, number) for (number,) in rows}
    left = [name for name in unknown if name not in named]
    if left:
        of_values = await tx.tuples(_NAMED_BY_VALUES, {"project": project, "names": left})
        named |= {name for (name,) in of_values}
    problems = [*_list_problems([name for name in left if name not in named], sorted(named))]
    if problems:
        raise Invalid(problems)


def _list_problems(names: Sequence[str], named: Sequence[str]) -> Sequence[Problem]:
    has = f"; of those that are named, {list_briefly(named)} exist" if named else ""
    return [
        Problem(
            f"The correlations of the model name {name!r}, which is no node or effect of the model; no data"
            f" point type, value, static input or calibration of the project names it either{has}.",
            "uncertainty.correlations",
            "unknown",
        )
        for name in names
    ]


_NAMED: Final = """
    SELECT uncertainty ->> 'effect' FROM data_point_types
     WHERE project_id = %(project)s AND uncertainty ->> 'effect' = ANY (%(names)s::text[])
    UNION
    SELECT uncertainty ->> 'effect' FROM static_inputs
     WHERE project_id = %(project)s AND uncertainty ->> 'effect' = ANY (%(names)s::text[])
    UNION
    SELECT uncertainty ->> 'effect' FROM calibrations
     WHERE project_id = %(project)s AND uncertainty ->> 'effect' = ANY (%(names)s::text[])
"""
_NAMED_BY_VALUES: Final = """
    SELECT DISTINCT stated.value ->> 'effect'
      FROM events e CROSS JOIN LATERAL jsonb_each(e.uncertainties) AS stated
     WHERE e.project_id = %(project)s AND e.uncertainties IS NOT NULL AND e.voided_at IS NULL
       AND stated.value ->> 'effect' = ANY (%(names)s::text[])
"""
