"""Read the calibrations of meters that hold for readings: each is one effect of all readings meanwhile.

The meter is the asset of the event, and `None` for events that name none. A calibration holds for a reading
that starts at or after `valid_from` and before `valid_until`.

Invariant: of a meter, data point type and moment at most one calibration holds, so intervals of one meter and
position never overlap.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec
from psycopg.sql import SQL

from weighbridge.collection.records.uncertainty import build_stated, read_stated
from weighbridge.core import identity
from weighbridge.core.uncertainty.statement import UncertaintyStatement
from weighbridge.db.engine import Read
from weighbridge.errors import Refusal


@dataclass(frozen=True, slots=True)
class CalibrationInForce:
    """A calibration that holds for readings of a meter, at some moment of a span of time."""

    id: str
    name: str
    asset: int | None
    """The number of the asset that is the meter; None for readings of events that name no asset."""
    asset_name: str | None
    position: int
    """The position of the data point type in the events."""
    valid_from: datetime
    valid_until: datetime | None
    statement: UncertaintyStatement

    @property
    def effect(self) -> str:
        """What its readings share: the effect that its statement names, or else itself."""
        return self.statement.effect or self.id


def build_stored(stored: Mapping[str, Any]) -> UncertaintyStatement:
    """Build the statement that a column has; raises Refusal for one that no service stored."""
    try:
        statement, problems = build_stated(read_stated(stored))
    except msgspec.ValidationError as error:
        raise Refusal(f"A statement of uncertainty is stored that is none: {error}.") from error
    if statement is None:
        raise Refusal(problems)
    return statement


async def read_calibrations(
    tx: Read,
    project: int,
    event_type: int,
    positions: Collection[int],
    start: datetime,
    end: datetime,
    moment: int | None = None,
) -> list[CalibrationInForce]:
    """The calibrations that hold for readings that start in a span of time, `end` excluded.

    In the order of meters (events without an asset first), positions and times; one round trip. With a
    `moment`, a number of a writing transaction, those that were known to it.
    """
    rows = await tx.tuples(
        _CALIBRATIONS.format(source=SQL("calibrations" if moment is None else _KNOWN_CALIBRATIONS)),
        {
            "moment": moment,
            "project": project,
            "event_type": event_type,
            "positions": [*positions],
            "start": start,
            "end": end,
        },
    )
    return [
        CalibrationInForce(
            identity.of("calibration", project, number), name, asset, asset_name, position, valid_from,
            valid_until, build_stored(stated),
        )
        for number, name, asset, asset_name, position, valid_from, valid_until, stated in rows
    ]  # fmt: skip


_KNOWN_CALIBRATIONS: Final = """(
        SELECT * FROM (SELECT NULL::bigint AS known_until, * FROM calibrations
                       UNION ALL SELECT * FROM former_calibrations) AS version
         WHERE (version.known_from IS NULL OR version.known_from <= %(moment)s)
           AND (version.known_until IS NULL OR version.known_until > %(moment)s))"""
_CALIBRATIONS: Final = SQL("""
    SELECT c.id, c.name, c.asset_id, a.name, t.position, c.valid_from, c.valid_until, c.uncertainty
      FROM {source} c
      LEFT JOIN assets a ON (a.project_id, a.id) = (c.project_id, c.asset_id)
      JOIN data_point_types t ON (t.project_id, t.id) = (c.project_id, c.data_point_type_id)
     WHERE c.project_id = %(project)s AND c.event_type_id = %(event_type)s
       AND t.position = ANY (%(positions)s::smallint[])
       AND c.valid_from < %(end)s AND (c.valid_until IS NULL OR c.valid_until > %(start)s)
     ORDER BY c.asset_id NULLS FIRST, t.position, c.valid_from
""")
