"""What tests of data rules start from: rules over HTTP, and the evaluation that a worker would do."""

from collections.abc import Mapping
from typing import Any

from tests.server import Account, Caller

from weighbridge.resources.rules.working_off import work_off

Record = dict[str, Any]

LONG_AGO = "2020-01-01T00:00:00Z"


def rule(caller: Caller, project: Record, expression: str, **fields: Any) -> Record:
    """A rule as it was saved; automatic, and effective for all time that tests speak of."""
    body = {"name": expression[:60], "expression": expression, "effective_from": LONG_AGO} | fields
    return dict(caller.post(f"/projects/{project['id']}/rules", {"rule": body}).expect(201).body)


def work(account: Account) -> None:
    """Carry out what is queued, and let automatic rules look at what was written."""
    account.drain()
    account.server.run(work_off(account.server.database))


def results(caller: Caller, rule: Mapping[str, Any], **query: str) -> list[Record]:
    """The results of a rule, oldest first."""
    asked = {"sort": "id", "page_size": "200"} | query
    return list(caller.get(f"/rules/{rule['id']}/rule_results", asked).expect(200).data)


def statuses(caller: Caller, rule: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Status and value of a rule's results, oldest first."""
    return [(result["status"], result["entered_value"]) for result in results(caller, rule)]


def runs(caller: Caller, rule: Mapping[str, Any]) -> list[Record]:
    """The runs of a rule, oldest first."""
    asked = {"sort": "id", "page_size": "200"}
    return list(caller.get(f"/rules/{rule['id']}/rule_runs", asked).expect(200).data)
