"""The meters of events as SQL, and which slots are expected of each, as `core.time` defines both."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple

from psycopg.sql import SQL

from weighbridge.collection.measurements.event_row import METER_ASSET, METER_LOCATION
from weighbridge.core.time.cadence_slots import LAST, CadenceSlots
from weighbridge.core.time.expectation import Expectation, ExpectedCadence, joined
from weighbridge.core.time.meter import ALWAYS, Service
from weighbridge.db.engine import Read

ASSET: Final = SQL(METER_ASSET)
LOCATION: Final = SQL(METER_LOCATION)

_Times = tuple[datetime, datetime | None]


class MeterKey(NamedTuple):
    """A meter of an event type by its numbers; 0 for an asset or location that it does not have."""

    event_type: int
    asset: int
    location: int


class Expected:
    """Which slots are expected of the meters of a project."""

    def __init__(
        self, outages: Iterable[tuple[MeterKey, _Times]], services: Iterable[tuple[tuple[int, int], Service]]
    ) -> None:
        self._outages: dict[MeterKey, list[_Times]] = {}
        for meter, times in outages:
            self._outages.setdefault(meter, []).append(times)
        self._services = dict(services)
        self._known: dict[MeterKey, ExpectedCadence] = {}

    def slots_of(self, meter: MeterKey, cadence: CadenceSlots) -> ExpectedCadence:
        """The slots of a meter, whose event type has this cadence."""
        known = self._known.get(meter)
        if known is None:
            known = self._known[meter] = ExpectedCadence(cadence, self._expectation(meter))
        return known

    def _expectation(self, meter: MeterKey) -> Expectation:
        keys = {
            MeterKey(kind, *place)
            for kind in (0, meter.event_type)
            for place in ((0, 0), (meter.asset, meter.location))
        }
        times = [one for key in keys for one in self._outages.get(key, ())]
        service = self._services.get((meter.asset, meter.location), ALWAYS)
        return Expectation(service, joined(times, LAST))


async def expected_of(tx: Read, project: int) -> Expected:
    """Which slots are expected of the meters of a project."""
    outages, services = await tx.several((_OUTAGES, (project,)), (_SERVICES, (project, project)))
    return Expected(
        ((MeterKey(*key), (start, end)) for *key, start, end in outages),
        (((asset, location), Service(start, end)) for asset, location, start, end in services),
    )


_OUTAGES: Final = """
    SELECT coalesce(event_type_id, 0), coalesce(asset_id, 0), coalesce(location_id, 0), start_time, end_time
      FROM outages WHERE project_id = %s
"""
_SERVICES: Final = """
    SELECT id, 0, in_service_from, in_service_until FROM assets
     WHERE project_id = %s AND num_nonnulls(in_service_from, in_service_until) > 0
    UNION ALL
    SELECT 0, id, in_service_from, in_service_until FROM locations
     WHERE project_id = %s AND num_nonnulls(in_service_from, in_service_until) > 0
"""
