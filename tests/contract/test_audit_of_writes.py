"""Design, Audit: every operation that writes leaves its row in the audit log, in the same transaction.

The operations are those of the service's table of contents; one that is new fails here until it is said how
its row is called, and its request can be made up.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import count, repeat
from typing import Any

import pytest
from tests.architecture.test_endpoints import ASKS_WITHOUT_WRITING
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given import collection as given
from tests.given import engagements, packages
from tests.given.footprints import PARTNER, PRODUCT
from tests.given.requests import (
    CERTIFY,
    MAPPED,
    OPERATIONS,
    PROVIDER,
    START,
    WHOLE,
    YAML,
    World,
    content_of,
    sent,
    world_of,
)
from tests.server import Server

from weighbridge.core.engagement.opinion import NAMESPACE
from weighbridge.core.platform.permission import LINK
from weighbridge.core.signing import SigningKey, write_ssh_public_key, write_ssh_signature

ROWS = {
    "create_project": "project.create",
    "update_project": "project.update",
    "create_event_type": "event_type.create",
    "update_event_type": "event_type.update",
    "delete_event_type": "event_type.delete",
    "create_location": "location.create",
    "update_location": "location.update",
    "delete_location": "location.delete",
    "create_feedstock": "feedstock.create",
    "update_feedstock": "feedstock.update",
    "delete_feedstock": "feedstock.delete",
    "create_asset": "asset.create",
    "import_assets": "asset.import",
    "update_asset": "asset.update",
    "delete_asset": "asset.delete",
    "create_asset_custom_field": "asset_custom_field.create",
    "delete_asset_custom_field": "asset_custom_field.delete",
    "create_static_input": "static_input.create",
    "create_outage": "outage.create",
    "update_outage": "outage.update",
    "delete_outage": "outage.delete",
    "report_agent": "agent.register",
    "update_agent": "agent.update",
    "browse_agent": "agent.browse",
    "create_agent_mapping": "agent.map",
    "delete_agent": "agent.delete",
    "create_calibration": "calibration.create",
    "update_calibration": "calibration.update",
    "delete_calibration": "calibration.delete",
    "create_data_feed": "data_feed.create",
    "update_data_feed": "data_feed.update",
    "delete_data_feed": "data_feed.delete",
    "create_upload": "data_feed_upload.create",
    "create_events": "event.create",
    "update_event": "event.update",
    "void_event": "event.void",
    "correct_data_point": "data_point.correct",
    "correct_event_data_point": "data_point.correct",
    "revert_data_point": "data_point.revert",
    "create_evidence": "evidence.create",
    "create_model": "model.create",
    "update_model": "model.update",
    "set_version_label": "model.set_version_label",
    "create_model_version": "model.create_version",
    "activate_model": "model.activate",
    "create_model_run": "model_run.create",
    "delete_model_run": "model_run.delete",
    "create_ledger": "ledger.create",
    "create_ledger_of_project": "ledger.create",
    "update_ledger": "ledger.update",
    "delete_ledger": "ledger.delete",
    "create_instrument": "instrument.create",
    "create_batch_generation": "batch_generation.start",
    "start_batch_uncertainty_run": "uncertainty_run.start",
    "start_report_uncertainty_run": "uncertainty_run.start",
    "update_inputs": "batch.update_inputs",
    "cancel_async_task": "async_task.cancel",
    "create_batch_deletion": "batch_deletion.start",
    "delete_batch": "batch_deletion.start",
    "create_rule": "rule.create",
    "update_rule": "rule.update",
    "delete_rule": "rule.delete",
    "undo_corrections": "rule.undo_corrections",
    "start_rule_run": "rule_run.start",
    "reverse_rule_run": "rule_run.reverse",
    "dismiss": "rule_result.dismiss",
    "bulk_dismiss": "rule_result.bulk_dismiss",
    "approve": "rule_result.approve",
    "bulk_approve": "rule_result.bulk_approve",
    "reject": "rule_result.reject",
    "bulk_reject": "rule_result.bulk_reject",
    "create_registry": "registry.create",
    "create_footprint_product": "footprint_product.create",
    "update_footprint_product": "footprint_product.update",
    "create_footprint": "footprint.create",
    "deprecate_footprint": "footprint.deprecate",
    "create_footprint_client": "footprint_client.create",
    "revoke_footprint_client": "footprint_client.revoke",
    "update_footprint_client": "footprint_client.update",
    "create_footprint_partner": "footprint_partner.create",
    "update_footprint_partner": "footprint_partner.update",
    "create_identity_provider": "identity_provider.create",
    "update_identity_provider": "identity_provider.update",
    "delete_identity_provider": "identity_provider.delete",
    "create_footprint_call": "footprint_call.create",
    "update_registry": "registry.update",
    "read_registry_catalogue": "registry.read_catalogue",
    "create_registry_mapping": "registry_mapping.create",
    "update_registry_mapping": "registry_mapping.update",
    "delete_registry_mapping": "registry_mapping.delete",
    "update_feature_flags": "feature_flag.switch",
    "create_methodology": "methodology.create",
    "create_methodology_package": "methodology_package.create",
    "delete_methodology_package": "methodology_package.delete",
    "create_package_installation": "package_installation.create",
    "upgrade_package_installation": "package_installation.upgrade",
    "delete_package_installation": "package_installation.delete",
    "create_report": "report.create",
    "update_report": "report.update",
    "delete_report": "report.delete",
    "submit_report": "report.submit",
    "make_report_bundle": "report.start_bundle",
    "accept_report": "report.accept",
    "reject_report": "report.reject",
    "withdraw_report": "report.withdraw",
    "merge_reports": "report.merge",
    "split_report": "report.split",
    "create_webhook": "webhook.create",
    "update_webhook": "webhook.update",
    "delete_webhook": "webhook.delete",
    "roll_secret": "webhook.roll_secret",
    "try_webhook": "webhook.test",
    "redeliver": "webhook.redeliver",
    "create_report_link": "report_link.create",
    "revoke_report_link": "report_link.revoke",
    "create_saved_view": "saved_view.create",
    "update_saved_view": "saved_view.update",
    "delete_saved_view": "saved_view.delete",
    "create_api_token": "api_token.create",
    "revoke_api_token": "api_token.revoke",
    "reassign_api_token": "api_token.reassign",
    "reassign_report_link": "report_link.reassign",
    "create_engagement": "engagement.create",
    "draw_engagement_sample": "engagement.draw",
    "create_finding": "finding.create",
    "answer_engagement_finding": "finding.answer",
    "decide_engagement_finding": "finding.decide",
    "conclude_with_opinion": "engagement.conclude",
    "withdraw_open_engagement": "engagement.withdraw",
}
"""What the row of each operation says was done."""

_numbers = count(1)


@pytest.fixture(scope="module")
def world(server: Server) -> World:
    return world_of(server)


def named(noun: str, **fields: Any) -> dict[str, Any]:
    """A body with a name that nothing has."""
    return {noun: {"name": f"Other {next(_numbers)}", **fields}}


def run_of(world: World) -> dict[str, Any]:
    start, end = given_accounting.JANUARY
    return {"model_run": {"start_time": start, "end_time": end, "data_point_ids": [world.ids["data_point"]]}}


def corrected_to(world: World, value: int) -> None:
    """Give the world's data point another value."""
    path = f"/projects/{world.ids['project']}/data_points/{world.ids['data_point']}"
    world.account.caller().patch(path, {"data_point": {"value": value}}).expect(200)


def signed_opinion(world: World) -> Any:
    """A signed disclaimer of the world's engagement."""
    path = f"/reports/{world.ids['report']}/engagements/{world.ids['engagement']}/statement"
    draft = {"conclusion": "disclaimer", "reasons": "Nothing was shown."}
    statement = next(world.callers).post(path, draft).expect(200).body["statement"]
    key = SigningKey.made()
    return {
        "statement": statement,
        "signature": write_ssh_signature(statement.encode(), key, NAMESPACE),
        "public_key": write_ssh_public_key(key.public),
    }


def uploaded(world: World, name: str, version: str) -> Any:
    """A version of a new package."""
    files = packages.small(name, package=("0.1.0", version))
    return packages.upload(next(world.callers), files)["id"]


def installation_of_equals(world: World) -> Any:
    """A package all of whose records the world has: with it goes no other record."""
    return {"package_installation": {"package_id": uploaded(world, "equal", "0.1.0")}}


def begun(world: World) -> Any:
    """An engagement with a request."""
    api, path = next(world.callers), f"/reports/{world.ids['report']}/engagements"
    engagement = api.post(path, engagements.agreed()).expect(201).body["id"]
    finding = {"finding": {"kind": "request", "text": "Show the slip."}}
    api.post(f"{path}/{engagement}/findings", finding).expect(201)
    return engagement


def calibration_of(world: World) -> Any:
    """A calibration of a meter of its own: of one only one holds at a time."""
    api = next(world.callers)
    meter = api.post(f"/projects/{world.ids['project']}/assets", named("asset")).expect(201).body
    of_meter = {"event_type_id": world.ids["delivery_type"], "asset_id": meter["id"]}
    return {"calibration": WHOLE["create_calibration"]["calibration"] | of_meter}


def type_there() -> Any:
    """A feedstock type of a registry that none was before."""
    return {"id": f"fst_1MAPPED{next(_numbers):09d}"}


def mapping_of(world: World) -> Any:
    """A mapping to a registry of its own: a ledger has one to each registry."""
    api = next(world.callers)
    registry = api.post("/registries", {"registry": CERTIFY | named("registry")["registry"]}).expect(201).body
    of_ledger = {"registry_id": registry["id"], "ledger_id": world.ids["ledger"], "contents": MAPPED}
    return {"registry_mapping": of_ledger}


def _nameless(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "name"}


BODIES_OF_THEIR_OWN: dict[str, Callable[[World], Any]] = {
    "conclude_with_opinion": signed_opinion,
    "create_event_type": lambda _: named("event_type", data_point_types=[]),
    "update_location": lambda _: named("location"),
    "update_feedstock": lambda _: named("feedstock"),
    "create_asset": lambda _: named("asset"),
    "import_assets": lambda _: f"name\nOther {next(_numbers)}\n".encode(),
    "create_static_input": lambda _: {"static_input": {"slug": "other", "value": 1, "effective_from": START}},
    "create_calibration": calibration_of,
    "update_calibration": lambda _: named("calibration"),
    "create_data_feed": lambda world: named("data_feed", event_type_id=world.ids["event_type"]),
    "update_data_feed": lambda _: {"data_feed": {"missing": [f"n/a {next(_numbers)}"]}},
    "create_upload": lambda world: {"upload": {"of_upload": world.ids["upload"]}},
    "create_model_run": run_of,
    "create_ledger": lambda world: named("ledger", unit="t", project_id=world.ids["project"]),
    "create_batch_deletion": lambda world: {"batch_ids": [world.ids["batch"]]},
    "create_rule": lambda _: {"rule": WHOLE["create_rule"]["rule"] | {"name": f"Other {next(_numbers)}"}},
    "bulk_dismiss": lambda world: {"result_ids": [world.ids["data_point_result"]], "reason": "known"},
    "bulk_approve": lambda world: {"result_ids": [world.ids["data_point_result"]]},
    "bulk_reject": lambda world: {"result_ids": [world.ids["data_point_result"]], "reason": "known"},
    "create_registry": lambda _: named("registry", adapter="file"),
    "create_footprint_product": lambda _: named("footprint_product", **_nameless(PRODUCT)),
    "create_footprint": lambda world: {
        "footprint": {
            "product_id": world.ids["product"],
            "batch_id": world.ids["batch"],
            "replaces": [],
        }
    },
    "create_footprint_partner": lambda _: named("footprint_partner", **_nameless(PARTNER)),
    "create_identity_provider": lambda _: named("identity_provider", **_nameless(PROVIDER)),
    "create_footprint_call": lambda world: {
        "footprint_call": {"partner_id": world.ids["partner"], "kind": "read"}
    },
    "update_registry": lambda _: named("registry"),
    "read_registry_catalogue": lambda _: {},
    "create_registry_mapping": mapping_of,
    "update_registry_mapping": lambda _: {
        "registry_mapping": {
            "contents": MAPPED | {"feedstock_type": {"id": f"fst_1MAPPED{next(_numbers):09d}"}}
        }
    },
    "update_feature_flags": lambda _: {"feature_flags": {"data_capture_rate": False}},
    "create_methodology": lambda _: named("methodology", version="1", report_type="quarterly"),
    "create_package_installation": lambda world: {
        "package_installation": {"package_id": world.ids["methodology_package"]}
    },
    "upgrade_package_installation": lambda world: {
        "upgrade": {"package_id": uploaded(world, "soda-ash", "0.2.0")}
    },
    "create_report": lambda world: named("report", report_type="quarterly", project_id=world.ids["project"]),
    "create_api_token": lambda _: named("api_token", permissions=["data_collection:read"]),
    "reassign_api_token": lambda _: {"api_token": {"user_email": "administrator"}},
    "reassign_report_link": lambda _: {"link": {"user_email": "administrator"}},
    "merge_reports": lambda world: {
        "report_ids": [world.ids["other_report"]],
        "name": "Both",
        "reason": "One claim",
    },
    "split_report": lambda _: {
        "parts": [{"name": "A", "amount": 0.125}, {"name": "B"}],
        "reason": "Two buyers",
    },
}
"""Bodies that change something in the world; those of the other operations do as they are."""


def made(world: World, path: str, body: Any) -> Any:
    return world.account.caller().post(path.format_map(world.ids), body).expect(201).body["id"]


def inactive(world: World) -> str:
    """A version beside the active one of a model of its own."""
    model = made(world, "/models", {"model": {"yaml": YAML}})
    return made(world, f"/models/{model}/versions", {"yaml": YAML})


def reverted(world: World) -> str:
    """The world's data point, with something to revert."""
    corrected_to(world, 7)
    return world.ids["data_point"]


def queued(world: World) -> str:
    """A task that nobody has taken up."""
    body = dict(zip(("start_time", "end_time"), given_accounting.JANUARY, strict=True))
    path = "/ledgers/{ledger}/batch_generations".format_map(world.ids)
    return str(world.account.caller().post(path, body).expect(202).body["id"])


UNCERTAIN = """
name: Uncertain
cadence: monthly
partition_type: time
primary_output: mass
uncertainty: {coverage_probability: 0.95}
nodes:
  - slug: stated
    constant: 10
    unit: t
    uncertainty: {standard: 1}
  - slug: mass
    formula: stated
    unit: t
    output: true
"""


def uncertain_batch(world: World) -> str:
    """A batch of a model that asks for uncertainty."""
    api = world.account.caller()
    model = made(world, "/models", {"model": {"yaml": UNCERTAIN, "project_id": world.ids["project"]}})
    ledger = made(world, "/projects/{project}/ledgers", named("ledger", unit="t", model_id=model))
    period = dict(zip(("start_time", "end_time"), given_accounting.JANUARY, strict=True))
    api.post(f"/ledgers/{ledger}/batch_generations", period).expect(202)
    world.account.drain()
    return str(api.get(f"/ledgers/{ledger}/batches").data[0]["id"])


def uncertain_report(world: World) -> str:
    """A draft that holds something of such a batch."""
    batches = [{"batch_id": uncertain_batch(world), "amount": 1}]
    fields = {"report_type": "quarterly", "project_id": world.ids["project"], "batches": batches}
    return made(world, "/reports", named("report", **fields))


OF_ENGAGEMENTS = (
    "draw_engagement_sample",
    "answer_engagement_finding",
    "decide_engagement_finding",
    "conclude_with_opinion",
    "withdraw_open_engagement",
)
"""What moves an engagement or a finding, each from its beginning."""

RECORDS_OF_THEIR_OWN: dict[str, tuple[str, Callable[[World], str]]] = {
    **dict.fromkeys(OF_ENGAGEMENTS, ("engagement", begun)),
    "start_batch_uncertainty_run": ("batch", uncertain_batch),
    "start_report_uncertainty_run": ("report", uncertain_report),
    "delete_event_type": (
        "event_type",
        lambda one: made(one, "/projects/{project}/event_types", named("event_type", data_point_types=[])),
    ),
    "delete_location": (
        "location", lambda one: made(one, "/projects/{project}/locations", named("location"))
    ),
    "delete_feedstock": (
        "feedstock", lambda one: made(one, "/projects/{project}/feedstocks", named("feedstock"))
    ),
    "delete_asset": ("asset", lambda one: made(one, "/projects/{project}/assets", named("asset"))),
    "delete_outage": (
        "outage", lambda one: made(one, "/projects/{project}/outages", WHOLE["create_outage"])
    ),
    "create_agent_mapping": (
        "agent", lambda one: made(one, "/projects/{project}/agents", WHOLE["report_agent"])
    ),
    "delete_agent": (
        "agent", lambda one: made(one, "/projects/{project}/agents", WHOLE["report_agent"])
    ),
    "delete_identity_provider": (
        "identity_provider",
        lambda one: made(one, "/identity_providers", named("identity_provider", **_nameless(PROVIDER))),
    ),
    "delete_registry_mapping": (
        "registry_mapping",
        lambda one: made(one, "/projects/{project}/registry_mappings", mapping_of(one)),
    ),
    "delete_calibration": (
        "calibration",
        lambda one: made(one, "/projects/{project}/calibrations", calibration_of(one)),
    ),
    "delete_data_feed": (
        "data_feed",
        lambda one: made(
            one, "/projects/{project}/data_feeds", BODIES_OF_THEIR_OWN["create_data_feed"](one)
        ),
    ),
    "void_event": (
        "event", lambda one: made(one, "/projects/{project}/events", WHOLE["create_events"])
    ),
    "revert_data_point": ("data_point", reverted),
    "activate_model": ("model", inactive),
    "cancel_async_task": ("task", queued),
    "delete_model_run": ("model_run", lambda one: made(one, "/models/{model}/model_runs", run_of(one))),
    "delete_package_installation": (
        "package_installation",
        lambda one: made(one, "/projects/{project}/package_installations", installation_of_equals(one)),
    ),
    "delete_methodology_package": (
        "methodology_package", lambda one: uploaded(one, "removed", "0.1.0")
    ),
    "delete_ledger": (
        "ledger",
        lambda one: made(one, "/projects/{project}/ledgers", named("ledger", unit="t")),
    ),
    "delete_webhook": ("webhook", lambda one: made(one, "/webhooks", WHOLE["create_webhook"])),
    "delete_rule": (
        "rule",
        lambda one: made(one, "/projects/{project}/rules", BODIES_OF_THEIR_OWN["create_rule"](one)),
    ),
}  # fmt: skip
"""Records that are made to be changed or removed, so that the tests need no order."""


def reported(server: Server, status: str) -> World:
    """An account with a draft that takes a little of a batch, or with a report that was received; or with two
    that were accepted.
    """
    account = server.account()
    api = account.caller()
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(5)
    taken = {
        "batches": [{"batch_id": plant.generate()["batches"][0], "amount": 0.25}],
        "project_id": plant.project["id"],
    }
    ids = {}
    for kind in ("report", "other_report") if status == "complete" else ("report",):
        body = named("report", report_type="quarterly", **taken)
        ids[kind] = number = api.post("/reports", body).expect(201).body["id"]
        if status != "draft":
            api.post(f"/reports/{number}/submit", {}).expect(202)
            account.drain()
        if status == "complete":
            api.post(f"/reports/{number}/accept", {}).expect(200)
    return World(account, ids, repeat(api))


REPORTS: dict[str, str] = {
    "update_report": "draft",
    "delete_report": "draft",
    "submit_report": "draft",
    "make_report_bundle": "draft",
    "accept_report": "submitted",
    "reject_report": "submitted",
    "withdraw_report": "submitted",
    "merge_reports": "complete",
    "split_report": "complete",
}
"""What finds a report of its own, and how far that came."""


def corrections(server: Server, *, requires_approval: bool = False) -> World:
    """An account with a rule that has corrected a value, or proposes to."""
    account = server.account()
    api = account.caller()
    project = given.measuring(api, given.number("mass"))
    rule = given_alerts.calibration(api, project, requires_approval=requires_approval)
    given.event(api, project, values={"mass": 50})
    given_alerts.finished_run(api, account.drain, rule)
    result = api.get(f"/rules/{rule['id']}/rule_results").data[0]["id"]
    ids = {"project": project["id"], "rule": rule["id"], "data_point_result": result}
    return World(account, ids, repeat(api))


DECISIONS = {"dismiss", "approve", "bulk_approve", "reject", "bulk_reject"}
"""What finds a result that proposes a correction."""


def prepared(server: Server, world: World, name: str) -> World:
    """The world in which an operation finds something to change."""
    if name == "undo_corrections":
        return corrections(server)
    if name in DECISIONS:
        return corrections(server, requires_approval=True)
    if name == "update_feature_flags":
        account = server.account()  # everything else that is tried here needs its features
        return World(account, world.ids, repeat(account.caller()))
    if name in REPORTS:
        return reported(server, REPORTS[name])
    if name not in RECORDS_OF_THEIR_OWN:
        return world
    kind, make = RECORDS_OF_THEIR_OWN[name]
    return replace(world, ids={**world.ids, kind: make(world)})


WRITING = [
    name
    for name, operation in OPERATIONS.items()
    if operation.method != "GET"
    and operation.path not in ASKS_WITHOUT_WRITING
    and operation.permission != LINK
]
"""Those by a link leave the rows of those by a token, without a user: `reporting/engagements/` tries them."""


ROWS_EACH = {"split_report": 2}
"""What makes several records that have rows each, and how many here."""


def rows_of(server: Server, request_id: str) -> list[tuple[Any, ...]]:
    return server.sql(
        "SELECT account_id, user_id, action FROM audit_log WHERE request_id = %s ORDER BY id", request_id
    )


@pytest.mark.parametrize("name", WRITING)
def test_a_write_leaves_its_row_in_the_audit_log(server, world, name):
    operation = OPERATIONS[name]
    there = prepared(server, world, name)
    own = BODIES_OF_THEIR_OWN.get(name)
    body = own(there) if own else content_of(operation) if operation.body is not None else None

    answer = sent(operation, there.path(operation), next(there.callers), body)

    assert answer.status in {200, 201, 202, 204}, answer.text
    actor = there.account.actor
    row = (actor.account_id, actor.user_id, ROWS[name])
    assert rows_of(server, answer.headers["x-request-id"]) == [row] * ROWS_EACH.get(name, 1)


def test_many_events_of_one_request_leave_one_row(server, world):
    operation = OPERATIONS["create_events"]
    events = {"events": [WHOLE["create_events"]["event"]] * 3}

    answer = sent(operation, world.path(operation), next(world.callers), events).expect(201)

    actor = world.account.actor
    assert rows_of(server, answer.headers["x-request-id"]) == [
        (actor.account_id, actor.user_id, "event.create_many")
    ]


def test_the_rows_of_all_writes_are_named_and_of_no_others():
    assert set(ROWS) == set(WRITING)
