"""What the rows of a file say something about, and the problems of rows that differ from what is stored.

Invariant: a field about which neither a column nor the mapping says anything is in no row's power: it is not
compared, and never corrected.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weighbridge.collection.intake.client_references import NOT_CORRECTED, Discrepancy, FieldKey
from weighbridge.collection.records.events import EventChange, NewEvent
from weighbridge.exchange.tabular.columns import LOCATION_FIELD
from weighbridge.exchange.tabular.row import BadRow, RowMapping, RowProblem

_FIELDS: Final = {"feedstock": "feedstock_id", "asset": "asset_id", LOCATION_FIELD: "locations"}
"""What events call the things that columns give, where that is another word."""


_TAKING_AWAY: Final = (
    "a file takes no value away and replaces no notes or locations; mend it, or change the event {event}"
)
_CORRECTED: Final = "the event {event} is corrected to what the file says"
_WOULD_BE_CORRECTED: Final = "the event {event} would be corrected to what the file says"

GivenFields = Mapping[FieldKey, str | None]
"""What rows give, each with its column; what is said of every row has none."""


def fields_given(mapping: RowMapping) -> GivenFields:
    """The fields of events and the data points that rows give."""
    columns, clock = mapping.columns, mapping.clock
    of_every_row = {
        "start_time": clock.start, "end_time": clock.every, "feedstock": mapping.feedstock,
        "asset": mapping.asset, LOCATION_FIELD: mapping.locations or None,
    }  # fmt: skip
    named: dict[str, str | None] = {name: None for name, value in of_every_row.items() if value is not None}
    for name, indexes in columns.fields.items():
        named[name] = ", ".join(columns.header[index] for index in indexes)
    values = {(point.slug, True): columns.header[point.index] for point in columns.points}
    return {(_FIELDS.get(name, name), False): column for name, column in named.items()} | values


def differing_row(line: int, found: Sequence[Discrepancy], given: GivenFields, said: str) -> BadRow:
    """A row as it is told of when its event has other values; `said` is what that comes to."""
    return BadRow(
        line,
        tuple(
            RowProblem(f"{one.said('the file')}; {said}", given.get(one.key), one.sent, one.field, one.stored)
            for one in found
        ),
    )


def outcome_said(
    event: str, stays: str, *, is_correcting: bool, is_correctable: bool, is_dry_run: bool = False
) -> str:
    """What becomes of an event that a row differs from, as the end of a sentence.

    `stays` is what to do where events are not corrected, with the place {event}.
    """
    if not is_correcting:
        return stays.format(event=event)
    if not is_correctable:
        return _TAKING_AWAY.format(event=event)
    return (_WOULD_BE_CORRECTED if is_dry_run else _CORRECTED).format(event=event)


def is_correctable(found: Sequence[Discrepancy]) -> bool:
    """Whether all that differs can be corrected: nothing is taken away, nothing replaced without a trace."""
    return all(one.sent is not None and (one.is_value or one.field not in NOT_CORRECTED) for one in found)


def change_of(event: NewEvent, found: Sequence[Discrepancy], reason: str) -> EventChange:
    """The change that makes an event say what its row says; raises nothing, for the row was judged before."""
    own = {one.field for one in found if not one.is_value}
    slugs = {one.field for one in found if one.is_value}
    fields: dict[str, Any] = {name: getattr(event, name) for name in own}
    if "end_time" in fields and event.end_time is None:
        fields["end_time"] = event.start_time
    points = [point for point in event.data_points if point.slug in slugs]
    return EventChange(**fields, data_points=points, reason=reason)
