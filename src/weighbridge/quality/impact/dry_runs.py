"""Dry runs: what a planned change of a data point or an event would come to, asked with the change itself.

Collection knows nothing of ledgers, so the requests that change events are given their dry runs where the
service is put together.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.identity import ids
from weighbridge.http.computing.trial import DryRun
from weighbridge.http.endpoint import WriteCall
from weighbridge.quality.impact.answer import Impact
from weighbridge.quality.impact.comparison import impact_of
from weighbridge.quality.impact.slots import ChangedEvent

_Change = Callable[[], Awaitable[Any]]


async def _of_data_point(call: WriteCall, change: _Change) -> Impact:
    key = ids.parse("data_point", call.path["data_point_id"])
    return await _look(call, change, None if key is None else ChangedEvent(key.key, key.position))


async def _of_event(call: WriteCall, change: _Change) -> Impact:
    key = ids.parse("event", call.path["event_id"])
    return await _look(call, change, None if key is None else ChangedEvent(key.key))


async def _look(call: WriteCall, change: _Change, changed: ChangedEvent | None) -> Impact:
    """What comes of a change; of a record that there is not, the change itself says so."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    events = [changed] if changed else []

    async def carry_out() -> list[ChangedEvent]:
        await change()
        return events

    return await impact_of(call.tx, call.actor, project, events, carry_out)


_PERMISSION: Final = "production_accounting:read"
_OF_DATA_POINT: Final = DryRun(_PERMISSION, Impact, _of_data_point)
_OF_EVENT: Final = DryRun(_PERMISSION, Impact, _of_event)

DRY_RUNS: Final[Mapping[str, DryRun]] = {
    "correct_data_point": _OF_DATA_POINT,
    "correct_event_data_point": _OF_DATA_POINT,
    "update_event": _OF_EVENT,
}
"""The dry runs that there are, by the names of their operations."""
