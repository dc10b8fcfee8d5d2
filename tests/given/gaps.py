"""What tests of filled gaps start from: hours of a meter as words, and rules that fill its gaps.

A word stands for an hour: `10` for a captured value, `!10` for one that is not valid, `~10` for an hour in
which the meter was not operating, `-` for no event at all.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.given import collection as given
from tests.given import rule_evaluation
from tests.given.collection import Record
from tests.server import Caller

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)

WRONG = "{{so2}} < 0 or {{quality}} = 'bad'"


def stack(caller: Caller, **fields: Any) -> Record:
    """A project whose stacks report once an hour: a concentration, how good it is, and the load."""
    return given.measuring(
        caller,
        given.number("so2"),
        given.text("quality"),
        given.number("load", required=False),
        slug="hour",
        **({"cadence_amount": 1, "cadence_unit": "hour"} | fields),
    )


def body(number: int, word: str, **fields: Any) -> Record:
    """The event of an hour, counted from 1."""
    start = (BEGIN + timedelta(hours=number - 1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    values: Record = {"so2": Decimal(word.lstrip("!~") or 0), "load": 0 if word.startswith("~") else 50}
    if word.startswith("!"):
        values["quality"] = "bad"
    return given.event_body(event_type="hour", start_time=start, values=values, **fields)


def report(caller: Caller, project: Record, words: str, first: int = 1, **fields: Any) -> dict[int, str]:
    """Store hours, the first with this number; gives the ids of their events by hour."""
    named = {number: word for number, word in enumerate(words.split(), start=first) if word != "-"}
    receipts = given.events(caller, project, [body(number, word, **fields) for number, word in named.items()])
    return {number: receipt["id"] for number, receipt in zip(named, receipts, strict=True)}


def filling(caller: Caller, project: Record, correction: Mapping[str, Any], **fields: Any) -> Record:
    """A rule that substitutes what is wrong of the stack."""
    name = f"Fill {correction.get('method', 'tiers')}"
    usual = {"purpose": "substitute", "data_point": "so2", "name": name}
    return rule_evaluation.rule(
        caller, project, fields.pop("expression", WRONG), correction=dict(correction), **(usual | fields)
    )


def hours(caller: Caller, project: Record, **query: str) -> dict[int, Record]:
    """What the service holds of each hour now: the concentration, with all that is said of it."""
    asked = {"page_size": "200", "sort": "start_time"} | query
    events: Sequence[Record] = caller.get(f"/projects/{project['id']}/events", asked).expect(200).data
    found = {}
    for event in events:
        start = datetime.fromisoformat(event["start_time"])
        point = next(one for one in event["data_points"] if one["slug"] == "so2")
        found[int((start - BEGIN) / timedelta(hours=1)) + 1] = point | {"event": event}
    return found


def values(caller: Caller, project: Record, **query: str) -> dict[int, Decimal]:
    """The value in force of each hour."""
    return {number: point["value"] for number, point in hours(caller, project, **query).items()}
