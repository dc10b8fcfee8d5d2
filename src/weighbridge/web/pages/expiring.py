"""Calibrations that somebody has to renew: expired, or soon to, of meters whose data still arrive."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from weighbridge.collection.calibrations import list_calibrations
from weighbridge.collection.events import list_events
from weighbridge.core.time.calendar import Instant
from weighbridge.web.display.figures import SOON, to_instant
from weighbridge.web.framework.visit import Visit

LIVE: Final = timedelta(days=30)
"""For how long after their last reading the data of a meter count as arriving."""

CALIBRATIONS_READ: Final = "200"
"""The newest calibrations of a project that are looked at."""

EXPIRING_MAX: Final = 10
"""Calibrations whose meters are asked for their newest reading."""


@dataclass(frozen=True, slots=True)
class ExpiringCalibration:
    """The last calibration of a meter that reads on, and until when it holds."""

    calibration: Any
    until: Instant
    is_expired: bool


async def list_expiring(visit: Visit) -> list[ExpiringCalibration]:
    """The calibrations that ended or end soon, without another one after them; the first to end first."""
    now = visit.frame.now
    query = (("page_size", CALIBRATIONS_READ), ("sort", "-valid_from"))
    listed = await visit.ask(list_calibrations, query)
    ending = sorted(_list_ending(listed.data, now + SOON), key=lambda one: to_instant(one.valid_until))
    expiring = []
    for calibration in ending[:EXPIRING_MAX]:
        until = to_instant(calibration.valid_until)
        if await _is_read_since(visit, calibration, min(until, Instant.of(now - LIVE))):
            expiring.append(ExpiringCalibration(calibration, until, until <= now))
    return expiring


def _list_ending(calibrations: list[Any], moment: Instant) -> Iterator[Any]:
    """The last calibration of each meter, where it ends by a moment; they come newest first."""
    seen: set[tuple[str | None, str, str]] = set()
    for one in calibrations:
        meter = one.asset_id, one.event_type_id, one.data_point_type
        if meter not in seen and one.valid_until is not None and to_instant(one.valid_until) <= moment:
            yield one
        seen.add(meter)


async def _is_read_since(visit: Visit, calibration: Any, moment: Instant) -> bool:
    """Whether the meter of a calibration has an event that starts at a moment or later."""
    query = [
        ("filter[event_type_id]", calibration.event_type_id),
        ("filter[start_time][geq]", moment.text),
        ("page_size", "1"),
    ]
    if calibration.asset_id is not None:
        query.append(("filter[asset_id]", calibration.asset_id))
    return bool((await visit.ask(list_events, tuple(query))).data)
