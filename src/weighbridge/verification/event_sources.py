"""Event sources: where recomputation reads the events that batches were made of.

What a batch was made of stands in its lineage, which names events; their rows come of the database, or of
whatever else holds them, such as an archive. Corrections, models and postings are the database's.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from psycopg.sql import Composable

from weighbridge.accounting.inputs.used_corrections import STORED_EVENTS


@dataclass(frozen=True, slots=True)
class MissingEvents:
    """How many of the events that a batch names a source does not have."""

    missing: int
    events: int


class EventSource(Protocol):
    """Holds events ready, portion by portion."""

    @property
    def events(self) -> Composable:
        """What stands behind the columns of an event: `FROM …` with the row `e` of `slot.event_id`."""

    async def hold(self, project: int, batches: Sequence[int]) -> Mapping[int, MissingEvents]:
        """Have the events of some batches ready; gives the batches some of whose events are not there."""

    async def outdated(self, project: int, batches: Collection[int]) -> Collection[int]:
        """Those of some batches that saw their events in a later state than this source has."""


class DatabaseEvents:
    """The events of the database itself."""

    events: Composable = STORED_EVENTS

    async def hold(self, _project: int, _batches: Sequence[int]) -> Mapping[int, MissingEvents]:
        return {}

    async def outdated(self, _project: int, _batches: Collection[int]) -> Collection[int]:
        return ()


STORED: Final = DatabaseEvents()
