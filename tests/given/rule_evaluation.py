"""What tests of data rules start from: rules over HTTP, and the evaluation that a worker would do."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.server import Account, Caller

from weighbridge.quality.evaluation.incremental import evaluate_changes

Record = dict[str, Any]

LONG_AGO = "2020-01-01T00:00:00Z"


def rule(caller: Caller, project: Record, expression: str, **fields: Any) -> Record:
    """A rule as it was saved; automatic, and effective for all time that tests speak of."""
    body = {"name": expression[:60], "expression": expression, "effective_from": LONG_AGO} | fields
    return dict(caller.post(f"/projects/{project['id']}/rules", {"rule": body}).expect(201).body)


def calibration(
    caller: Caller, project: Record, expression: str = "{{mass}} > 20", becomes: str = "{{mass}} * 1.02",
    **fields: Any,
) -> Record:  # fmt: skip
    """A rule that adjusts the values that its expression is true for, by two percent unless it is said."""
    correction = {"method": "expression", "expression": becomes}
    return rule(caller, project, expression, purpose="adjust", correction=correction, **fields)


def work(account: Account) -> None:
    """Carry out what is queued, and let automatic rules look at what was written."""
    account.drain()
    account.server.run(evaluate_changes(account.server.database))


def results(caller: Caller, rule: Mapping[str, Any], **query: str) -> list[Record]:
    """The results of a rule, oldest first."""
    asked = {"sort": "id", "page_size": "200"} | query
    return list(caller.get(f"/rules/{rule['id']}/rule_results", asked).expect(200).data)


def statuses(caller: Caller, rule: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Status and value of a rule's results, oldest first."""
    return [(result["status"], result["entered_value"]) for result in results(caller, rule)]


def corrections(caller: Caller, project: Record, event: Record, place: int = 0) -> list[Record]:
    """The corrections of a data point of an event, oldest first."""
    point = event["data_points"][place]["id"]
    path = f"/projects/{project['id']}/data_points/{point}/corrections"
    return list(caller.get(path, {"page_size": "200"}).expect(200).data)


def states(caller: Caller, project: Record, event: Record) -> list[tuple[Any, str]]:
    """What each correction of an event's first data point says and where it stands, oldest first."""
    return [(one["to_value"], one["state"]) for one in corrections(caller, project, event)]


def held(caller: Caller, project: Record, event: Record) -> tuple[Any, Any]:
    """The value of an event's first data point, and the captured one."""
    point = caller.get(f"/projects/{project['id']}/data_points/{event['data_points'][0]['id']}").body
    return point["value"], point["raw_value"]


def runs(caller: Caller, rule: Mapping[str, Any]) -> list[Record]:
    """The runs of a rule, oldest first."""
    asked = {"sort": "id", "page_size": "200"}
    return list(caller.get(f"/rules/{rule['id']}/rule_runs", asked).expect(200).data)


def correct(caller: Caller, project: Record, event: Record, value: Any, place: int = 0) -> None:
    """Correct a data point of an event by hand."""
    path = f"/projects/{project['id']}/data_points/{event['data_points'][place]['id']}"
    caller.patch(path, {"data_point": {"value": value, "reason": "Read again"}}).expect(200)


def revert(caller: Caller, project: Record, event: Record) -> None:
    """Take back the correction that is in force on an event's first data point."""
    path = f"/projects/{project['id']}/data_points/{event['data_points'][0]['id']}/revert"
    caller.post(path, {}).expect(200)


def change(caller: Caller, rule: Mapping[str, Any], **fields: Any) -> Record:
    """Change a rule; gives it as it was saved."""
    return dict(caller.patch(f"/rules/{rule['id']}", {"rule": fields}).expect(200).body)


def evaluate(caller: Caller, account: Account, rule: Mapping[str, Any]) -> Record:
    """Have January 2025 evaluated again; gives the run."""
    period = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
    task = caller.post(f"/rules/{rule['id']}/rule_runs", period).expect(202).body
    work(account)
    return dict(caller.get(f"/rule_runs/{task['args']['rule_run_id']}").expect(200).body)


def counts(run: Record) -> Record:
    """What a run came to."""
    return {name: run[name] for name in ("alerts", "corrections", "withdrawn", "proposals")}


def days(caller: Caller, project: Record, results: Iterable[Record]) -> list[int]:
    """On which days of its month the event of each result starts."""
    events = [caller.get(f"/projects/{project['id']}/events/{one['event_id']}").body for one in results]
    return [int(event["start_time"][8:10]) for event in events]
