"""What a test of alerts starts from: rules that nobody evaluates, and results past the engine.

They are stored as an evaluation stores them, so a test of what becomes of them needs none.
"""

from collections.abc import Callable
from itertools import count

from tests.given import collection as given
from tests.given.accounting import Sql
from tests.given.collection import Record
from tests.server import Caller

from weighbridge.core import identity

FROM = "2025-01-01T00:00:00Z"

_numbers = count(1)


def rule_body(expression: str = "{{mass}} > 40", **fields: object) -> Record:
    """The body of a rule that is evaluated when it is asked for, unless the test says otherwise."""
    usual: Record = {
        "name": f"Rule {next(_numbers)}",
        "expression": expression,
        "effective_from": FROM,
        "evaluation": "on_demand",
    }
    return {"rule": usual | fields}


def rule(caller: Caller, project: Record, expression: str = "{{mass}} > 40", **fields: object) -> Record:
    """A rule of the project."""
    body = rule_body(expression, **fields)
    made: Record = caller.post(f"/projects/{project['id']}/rules", body).expect(201).body
    return made


TWO_PERCENT: Record = {"method": "expression", "expression": "{{mass}} * 1.02"}


def calibration(
    caller: Caller, project: Record, expression: str = "{{mass}} > 40", **fields: object
) -> Record:
    """A rule of the project that raises masses by two percent."""
    return rule(caller, project, expression, purpose="adjust", correction=TWO_PERCENT, **fields)


def result(sql: Sql, rule: Record, event: str, status: str = "fail", **fields: object) -> str:
    """What a rule found in the first data point of an event; gives the id of the result."""
    values = {"entered_value": "50", "event_id": _key("event", event).key, "position": 1} | fields
    return _stored(sql, "data_point_result", rule, status, values)


def model_run_result(sql: Sql, rule: Record, batch: str, status: str = "fail", **fields: object) -> str:
    """What a rule found in the run behind a batch; gives the id of the result."""
    values = {"checked_value": "50", "batch_id": _key("batch", batch).key, "node_ids": ["mass"]} | fields
    return _stored(sql, "model_run_result", rule, status, values)


def results(sql: Sql, rule: Record, project: Record, caller: Caller, number: int) -> list[str]:
    """So many alerts of a rule, each on an event of its own; gives their ids."""
    bodies = [given.event_body(values={"mass": 50}) for _ in range(number)]
    events = [_key("event", receipt["id"]).key for receipt in given.events(caller, project, bodies)]
    of_rule = _key("rule", rule["id"])
    rows = sql(
        """
        INSERT INTO data_point_results (project_id, rule_id, rule_version, event_id, position, status,
                                        entered_value, evaluated_at)
        SELECT %s, %s, %s, unnest(%s::bigint[]), 1, 'fail', '50', now() RETURNING id
        """,
        of_rule.project, of_rule.key, rule["version"], events,
    )  # fmt: skip
    return [identity.of("data_point_result", of_rule.project, number) for (number,) in rows]


def finished_run(caller: Caller, drain: Callable[[], None], rule: Record) -> int:
    """A complete run of the rule over January 2025; gives its number."""
    body = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
    task = caller.post(f"/rules/{rule['id']}/rule_runs", body).expect(202).body
    drain()
    number: int = task["args"]["rule_run_id"]
    return number


_BESIDE: dict[str, Record] = {
    "pass": {"closed_at": "2025-02-01T00:00:00Z"},
    "error": {"error_message": "division by zero"},
}
"""What a result of a status has beside it."""


def _stored(sql: Sql, kind: str, rule: Record, status: str, values: Record) -> str:
    of_rule = _key("rule", rule["id"])
    row = (
        {"project_id": of_rule.project, "rule_id": of_rule.key, "rule_version": rule["version"]}
        | {"status": status, "evaluated_at": "2025-02-01T00:00:00Z"}
        | _BESIDE.get(status, {})
        | values
    )
    marks = ", ".join(["%s"] * len(row))
    [(number,)] = sql(
        f"INSERT INTO {kind}s ({', '.join(row)}) VALUES ({marks}) RETURNING id",
        *row.values(),
    )
    return identity.make(kind, identity.Key(of_rule.project, number))


def _key(kind: str, friendly: str) -> identity.Key:
    key = identity.parse(kind, friendly)
    assert key is not None
    return key
