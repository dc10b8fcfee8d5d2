"""What tests of approvals start from: results that propose, and what people do with them over HTTP."""

from typing import Any

from tests.given.rule_evaluation import Record, results
from tests.server import Account, Answer, Caller

WHY = "The scale was right"


def of_event(caller: Caller, rule: Record, event: Record) -> str:
    """The id of the one result of a rule in an event."""
    [found] = [one["id"] for one in results(caller, rule) if one["event_id"] == event["id"]]
    return str(found)


def path(project: Record, result: str, verb: str = "") -> str:
    """Where a result stands, or what is done to it."""
    return f"/projects/{project['id']}/rule_results/{result}{verb and '/' + verb}"


def shown(caller: Caller, project: Record, result: str) -> Record:
    """A result as it is now."""
    return dict(caller.get(path(project, result)).expect(200).body)


def approve(caller: Caller, project: Record, result: str, **comment: str) -> Answer:
    """Approve what a result proposes."""
    return caller.post(path(project, result, "approve"), comment)


def reject(caller: Caller, project: Record, result: str, reason: str = WHY) -> Answer:
    """Reject what a result proposes."""
    return caller.post(path(project, result, "reject"), {"reason": reason})


def dismiss(caller: Caller, project: Record, result: str, reason: str = WHY) -> Answer:
    """Dismiss a result."""
    return caller.post(path(project, result, "dismiss"), {"reason": reason})


def bulk_approve(caller: Caller, project: Record, *named: str, **comment: str) -> Answer:
    """Approve what many results propose."""
    body = {"result_ids": [*named], **comment}
    return caller.post(f"/projects/{project['id']}/rule_results/bulk_approve", body)


def bulk_reject(caller: Caller, project: Record, *named: str, reason: str = WHY) -> Answer:
    """Reject what many results propose."""
    body = {"result_ids": [*named], "reason": reason}
    return caller.post(f"/projects/{project['id']}/rule_results/bulk_reject", body)


def pending(caller: Caller, rule: Record) -> int:
    """How many proposals of a rule wait."""
    count: int = caller.get(f"/rules/{rule['id']}").body["pending_count"]
    return count


def audited(account: Account, action: str) -> list[tuple[Any, ...]]:
    """Object, before and after of an account's rows of an action in the audit log, oldest first."""
    return account.server.sql(
        "SELECT object, before, after FROM audit_log WHERE account_id = %s AND action = %s ORDER BY id",
        account.id,
        action,
    )
