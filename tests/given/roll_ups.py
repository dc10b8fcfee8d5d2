"""What tests of roll-ups start from: a stack that is measured every minute, and its hours."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.given import collection as given
from tests.server import Account, Caller

from weighbridge.quality.evaluation.incremental import evaluate_changes

Record = dict[str, Any]


def minutes(caller: Caller, project: Record, **fields: Any) -> Record:
    """The event type of the readings: a concentration every minute, and what the analyser says of it."""
    points = [given.number("co2", unit="kg"), given.text("quality")]
    shape = {
        "slug": "stack-minute",
        "cadence_amount": 1,
        "cadence_unit": "minute",
        "data_point_types": points,
    }
    return given.event_type(caller, project, **(shape | fields))


def rolled_up(
    values: Sequence[tuple[str, str, str]], *, source: str = "stack-minute", **fields: Any
) -> Record:
    """A roll-up of values, each a slug, an aggregate and the slug of what is read."""
    made = [{"data_point": slug, "aggregate": how, "source": read} for slug, how, read in values]
    return {"event_type": source, "data_points": made} | fields


def hours(
    caller: Caller,
    project: Record,
    values: Sequence[tuple[str, str, str]] = (("co2", "average", "co2"),),
    *,
    slug: str = "stack-hour",
    unit: str = "hour",
    amount: int = 1,
    source: str = "stack-minute",
    points: Sequence[Record] | None = None,
    **fields: Any,
) -> Record:
    """An event type that is rolled up; plain counts, and numbers in kg otherwise, unless points are given."""
    measures = points or [given.number(one, unit=None if how == "count" else "kg") for one, how, _ in values]
    return given.event_type(
        caller,
        project,
        slug=slug,
        cadence_amount=amount,
        cadence_unit=unit,
        data_point_types=measures,
        rolled_up_from=rolled_up(values, source=source, **fields),
    )


def read(caller: Caller, project: Record, values: Mapping[str, Any], **fields: Any) -> list[Record]:
    """Readings of 1 January 2025 by their times, such as `10:07`."""
    bodies = [
        given.event_body(
            event_type="stack-minute",
            start_time=f"2025-01-01T{time}:00Z",
            values={"co2": value} if not isinstance(value, dict) else value,
            **fields,
        )
        for time, value in values.items()
    ]
    return given.events(caller, project, bodies)


def minutes_of(hour: int, values: Sequence[Any]) -> dict[str, Any]:
    """Values of an hour's minutes, from its first on."""
    return {f"{hour:02}:{minute:02}": value for minute, value in enumerate(values)}


def roll_up(account: Account) -> None:
    """Let the worker roll up, and evaluate, what was written."""
    account.server.run(evaluate_changes(account.server.database))


def events_of(caller: Caller, project: Record, kind: Record) -> list[Record]:
    """The events of a type, in time."""
    asked = {"filter[event_type_id][eq]": kind["id"], "page_size": "200", "sort": "start_time"}
    return list(caller.get(f"/projects/{project['id']}/events", asked).expect(200).data)


def values_of(event: Record) -> dict[str, Any]:
    """The values of an event by their slugs."""
    return {point["slug"]: point["value"] for point in event["data_points"]}


def shown(caller: Caller, project: Record, kind: Record) -> list[tuple[str, str, dict[str, Any]]]:
    """Start, status and values of each event of a type."""
    events = events_of(caller, project, kind)
    return [(one["start_time"][:16], one["status"], values_of(one)) for one in events]
