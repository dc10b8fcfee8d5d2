"""The feed of changes: every operation that writes is told of, as far as the feed has what it writes.

The operations are those of the service's table of contents; one that is new fails here until it is said what
the feed tells of it. What machinery writes beside requests stands in `tests/exchange/changes`.
"""

import pytest
from tests.contract.test_audit_of_writes import BODIES_OF_THEIR_OWN, WRITING, prepared
from tests.given.requests import OPERATIONS, World, content_of, sent, world_of
from tests.server import Server

ONE_EVENT_CORRECTED = {("correction", "create"), ("event", "update")}
TAKEN_BACK = {("correction", "revert"), ("event", "update")}
STALE = {("batch", "update")}
STARTED = {("async_task", "create")}
SUBMITTED = {("report", "update"), ("batch", "update")}

TOLD: dict[str, set[tuple[str, str]]] = {
    "create_events": {("event", "create")},
    "update_event": {("event", "update")},
    "void_event": {("event", "void")},
    "correct_data_point": ONE_EVENT_CORRECTED | STALE,
    "correct_event_data_point": ONE_EVENT_CORRECTED | STALE,
    "revert_data_point": TAKEN_BACK | STALE,
    "create_instrument": {("batch", "create")},
    "create_batch_generation": STARTED,
    "update_inputs": STARTED | {("batch", "update")},
    "create_batch_deletion": STARTED,
    "delete_batch": STARTED,
    "create_upload": STARTED,
    "create_rule": STARTED,
    "start_rule_run": STARTED,
    "undo_corrections": TAKEN_BACK,
    "dismiss": {("rule_result", "update")},
    "bulk_dismiss": {("rule_result", "update")},
    "approve": ONE_EVENT_CORRECTED | {("rule_result", "update")},
    "bulk_approve": ONE_EVENT_CORRECTED | {("rule_result", "update")},
    "reject": {("rule_result", "update")},
    "bulk_reject": {("rule_result", "update")},
    "create_report": {("report", "create")},
    "update_report": {("report", "update")},
    "delete_report": {("report", "delete")},
    "submit_report": STARTED | SUBMITTED,
    "make_report_bundle": STARTED,
    "start_batch_uncertainty_run": STARTED,
    "start_report_uncertainty_run": STARTED,
    "accept_report": SUBMITTED,
    "reject_report": SUBMITTED,
    "withdraw_report": SUBMITTED,
    "merge_reports": SUBMITTED | {("report", "create")},
    "split_report": SUBMITTED | {("report", "create")},
    "cancel_async_task": {("async_task", "fail")},
    "read_registry_catalogue": STARTED,
    "create_footprint": {("footprint", "create")},
    "deprecate_footprint": {("footprint", "update")},
}
"""What the feed tells of an operation; of the others nothing."""

OF_REPORTS = {
    "submit_report",
    "accept_report",
    "reject_report",
    "withdraw_report",
    "merge_reports",
    "split_report",
}


@pytest.fixture(scope="module")
def world(server: Server) -> World:
    return world_of(server)


@pytest.mark.parametrize("name", WRITING)
def test_a_write_is_told_in_the_feed(server, world, name):
    operation = OPERATIONS[name]
    # What a report takes may not be stale, as the operations before leave it.
    there = prepared(server, world_of(server) if name in OF_REPORTS else world, name)
    own = BODIES_OF_THEIR_OWN.get(name)
    body = own(there) if own else content_of(operation) if operation.body is not None else None
    api = there.account.caller()
    cursor = api.get("/changes", {"after": "latest"}).expect(200).body["cursor"]

    answer = sent(operation, there.path(operation), next(there.callers), body)

    assert answer.status in {200, 201, 202, 204}, answer.text
    changes = api.get("/changes", {"after": cursor}).expect(200).data
    assert {(change["kind"], change["action"]) for change in changes} == TOLD.get(name, set())


def test_what_is_told_is_of_operations_that_write():
    assert TOLD.keys() <= set(WRITING)
