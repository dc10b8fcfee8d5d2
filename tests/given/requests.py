"""A request for every operation of the service, made from its table of contents and its OpenAPI document.

A body is one that would be taken: the example of the operation, one that is written here, or the least
that the schema asks for. A world is an account with one record of each kind, so that every path leads
somewhere.
"""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given import engagements, footprints, packages
from tests.given import instruments as given_instruments
from tests.given.sealing import seal_rows_of
from tests.server import Account, Answer, Caller, Server

from weighbridge.contents import SLICES
from weighbridge.core import identity
from weighbridge.core.identity import API_PREFIX, Key
from weighbridge.core.platform.permission import LINK
from weighbridge.http.messages.operation import Operation
from weighbridge.http.openapi import document
from weighbridge.http.openapi.parameters import names_in

OPERATIONS: dict[str, Operation] = {
    endpoint.operation.name: endpoint.operation for routes in SLICES for endpoint in routes
}
DOCUMENT = document.document(SLICES, API_PREFIX)
BODIES = {
    operation["operationId"]: operation["requestBody"]["content"]
    for methods in DOCUMENT["paths"].values()
    for operation in methods.values()
    if "requestBody" in operation and OPERATIONS[operation["operationId"]].permission != LINK
}
"""What operations take; those by a link take what those by a token do, and `reporting/engagements/` tries
them.
"""

NO_IDS = {
    "tracking_id", "requires_tracking_id", "request_id", "external_id", "client_id", "event_id",
    "company_ids", "product_ids", "footprint_ids", "preceding_ids",
}  # fmt: skip
"""Fields that are named like ids and hold what the caller likes."""

PATH_KINDS = {
    ("create_instrument", "ledger_id"): "system_ledger",
    ("list_instruments", "ledger_id"): "system_ledger",
}
"""What an id in a path names where only one kind of such records will do."""

FILTER_KINDS = {
    "batches": "batch",
    "nexus_event_type": "event_type",
    "record": "event_type",
    "result": "data_point_result",
    "rolled_up_event": "event",
    "rule_result": "data_point_result",
    "skipped_data_point_type": "data_point_type",
    "supersedes": "report",
}

OF_AN_ACCOUNT = (
    "saved_view", "token", "registry", "methodology", "identity_provider", "methodology_package",
    "installed_package", *footprints.KINDS,
)  # fmt: skip
"""The kinds of records that are of no project."""

CALLERS = 10

YAML = given_accounting.document(given_accounting.MASS).replace("nodes:", "uncertainty: {}\nnodes:")
START = "2025-02-01T00:00:00Z"
TEXTS = {"import_assets": b"name\nShredder\n"}
BAD_ROW = b"start_time\nnever\n"
FORMLESS = {
    "create_upload": {"upload": {"of_upload": 1}},
    "create_evidence": {"evidence": {"type": "url", "url": "https://example.org/a", "name": "A"}},
    "create_methodology_package": {"methodology_package": {"name": "stationary-combustion"}},
}
EVENT = {"event_type": "delivery", "start_time": START, "data_points": [{"slug": "mass", "value": 1}]}
RULE = {"name": "Watch", "expression": "{{mass}} > 1", "effective_from": "2025-01-01T00:00:00Z"}
REGISTRY = {
    "name": "Registry",
    "adapter": "http",
    "address": "https://registry.example/submissions",
}
CERTIFY = REGISTRY | {
    "adapter": "isometric_certify",
    "headers": {"X-Client-Secret": "made-up", "Authorization": "Bearer made-up"},
}
MAPPED = {
    "project": {"id": "prj_1MAPPED0000000000", "name": "Plant"},
    "removal_template": {"id": "rmt_1MAPPED0000000000"},
    "components": [
        {
            "id": "rtc_1MAPPED0000000000",
            "inputs": [{"input_key": "mass", "source": "amount", "unit": "kg", "own_unit": "kg"}],
        }
    ],
}
"""The contents of a mapping to a registry."""

PROVIDER = {
    "name": "Plant directory",
    "issuer": "https://id.plant.example",
    "client_id": "weighbridge",
    "client_secret": "word-of-the-provider",
    "domains": ["plant.example"],
    "roles": [{"group": "operators", "role": "collector"}],
}
"""An identity provider."""
METHODOLOGY = {"name": "Removal", "version": "1", "report_type": "quarterly"}
CALIBRATION = {
    "name": "D-K-1", "event_type_id": "et_0", "data_point_type": "mass", "valid_from": START,
    "valid_until": "2025-02-02T00:00:00Z", "uncertainty": {"standard": 1},
}  # fmt: skip
AGENT = {
    "name": "kiln-house", "version": "1.1.0",
    "state": {
        "waiting": 0, "oldest_arrived_at": None, "lag_seconds": 0, "refused": 0, "spool_bytes": 4096,
        "spool_bytes_max": 1_024_000_000, "clock_offset_seconds": None, "last_values": [],
        "sources": [{"name": "plc", "type": "opcua", "state": "reading"}],
    },
}  # fmt: skip
OUTAGE = {"reason": "Calibration", "start_time": START, "end_time": "2025-02-02T00:00:00Z"}
WHOLE: dict[str, Any] = {
    "create_events": {"event": EVENT},
    "update_event": {"event": {"notes": "seen", "data_points": [{"slug": "mass", "value": 5}]}},
    "create_static_input": {"static_input": {"slug": "factor", "value": 1, "effective_from": START}},
    "create_outage": {"outage": OUTAGE},
    "report_agent": {"agent": AGENT},
    "update_agent": {"agent": {"description": "In the kiln house"}},
    "browse_agent": {"browsing": {"source": "plc"}},
    "create_agent_mapping": {"mapping": {"replaces": 0, "variables": []}},
    "create_calibration": {"calibration": CALIBRATION},
    "create_registry_mapping": {
        "registry_mapping": {"registry_id": 1, "ledger_id": "lgr_0", "contents": MAPPED}
    },
    "update_registry_mapping": {"registry_mapping": {"contents": MAPPED}},
    "read_registry_catalogue": {},
    "update_calibration": {"calibration": {"notes": "seen"}},
    "create_data_feed": {"data_feed": {"name": "Other", "event_type_id": "et_0"}},
    "update_data_feed": {"data_feed": {"missing": ["n/a"]}},
    "suggest_columns": {"event_type_id": "et_0", "header": ["mass"]},
    "update_outage": {"outage": {"reason": "Repair"}},
    "create_model": {"model": {"yaml": YAML}},
    "validate_yaml": {"yaml": YAML},
    "create_model_version": {"yaml": YAML},
    "validate_model_yaml": {"yaml": YAML},
    "create_model_run": {
        "model_run": {"start_time": "2025-01-01T00:00:00Z", "end_time": START, "data_point_ids": []}
    },
    "create_ledger": {"ledger": {"name": "Other", "unit": "t", "project_id": "prj_0"}},
    "create_ledger_of_project": {"ledger": {"name": "Other", "unit": "t"}},
    "create_event_type": {"event_type": {"name": "Bill", "data_point_types": []}},
    "create_rule": {"rule": RULE | {"name": "Other"}},
    "create_report": {"report": {"name": "Other", "report_type": "quarterly", "project_id": "prj_0"}},
    "update_rule": {"rule": {"message": "Look at it"}},
    "create_webhook": {"webhook": {"url": "https://partner.example/hooks", "change_types": ["async_task"]}},
    "update_webhook": {"webhook": {"description": "Look at it"}},
    "preview_rule": {"rule": RULE, "start_time": START, "end_time": "2025-03-01T00:00:00Z"},
    "create_footprint_product": {"footprint_product": footprints.PRODUCT | {"name": "Other"}},
    "update_footprint_product": {"footprint_product": {"valid_months": 12}},
    "create_footprint": {"footprint": {"product_id": 1, "batch_id": "bat_0"}},
    "create_footprint_client": {"footprint_client": {"name": "Other"}},
    "update_footprint_client": {"footprint_client": {"name": "Other trader"}},
    "create_footprint_partner": {"footprint_partner": footprints.PARTNER | {"name": "Other"}},
    "update_footprint_partner": {"footprint_partner": {"is_notified": False}},
    "create_identity_provider": {"identity_provider": PROVIDER | {"name": "Other", "roles": []}},
    "update_identity_provider": {"identity_provider": {"domains": ["lab.example"]}},
    "create_footprint_call": {"footprint_call": {"partner_id": 1, "kind": "read"}},
    **FORMLESS,
}
"""Bodies that would be taken; those of the other operations are made from their schemas."""


OF_A_PROJECT = {"create_ledger": "ledger", "create_report": "report"}
"""Operations whose bodies name the project that the record is made in, and the record's name there."""

NOWHERE = Key(2**31 - 2, 2**47)
"""The key of records that no test ever makes."""

NUMBER_OF_NONE = 2_147_483_646

QUERY_KINDS = {("compare_models", "to"): "model"}
"""What the id in a parameter that must stand in the query names."""

QUERY_VALUES = {
    ("list_balance_steps", "since"): "0",
    ("get_statement", "start_time"): "2025-01-01T00:00:00Z",
    ("get_statement", "end_time"): "2025-04-01T00:00:00Z",
    ("get_capture_rate", "start_time"): "2025-01-01T00:00:00Z",
    ("get_capture_rate", "end_time"): "2025-04-01T00:00:00Z",
    ("get_capture_rate", "period"): "month",
    ("list_gaps", "start_time"): "2025-01-01T00:00:00Z",
    ("list_gaps", "end_time"): "2025-04-01T00:00:00Z",
    ("list_substitutions", "start_time"): "2025-01-01T00:00:00Z",
    ("list_substitutions", "end_time"): "2025-04-01T00:00:00Z",
    ("download_export", "key"): "0" * 32,
    ("open_report", "key"): "1." + "0" * 64,
    ("get_materiality_by_link", "key"): "1." + "0" * 64,
    ("get_materiality_by_link", "threshold"): "5",
    ("download_bundle_by_link", "key"): "1." + "0" * 64,
    ("get_report_uncertainty_by_link", "key"): "1." + "0" * 64,
    ("get_materiality", "threshold"): "0.05",
    ("get_audit_proof", "number"): "1",
    ("get_audit_proof", "size"): "1",
    ("get_audit_consistency", "from"): "0",
    ("get_audit_consistency", "to"): "0",
    ("get_cosigned_head", "cosignatures"): "1",
    **{
        (f"{name}_by_link", "key"): "1." + "0" * 64
        for name in (
            "get_audit_key",
            "get_audit_keys",
            "get_audit_head",
            "get_cosigned_head",
            "get_audit_proof",
            "get_audit_consistency",
        )
    },
    **{
        (name, "key"): "1." + "0" * 64
        for name in (
            "list_engagements_by_link",
            "create_engagement_by_link",
            "get_engagement_by_link",
            "draw_sample_by_link",
            "get_sample_by_link",
            "create_finding_by_link",
            "decide_finding_by_link",
            "propose_opinion_by_link",
            "conclude_by_link",
            "withdraw_by_link",
        )
    },
    ("get_audit_proof_by_link", "number"): "1",
    ("get_audit_proof_by_link", "size"): "1",
    ("get_audit_consistency_by_link", "from"): "0",
    ("get_audit_consistency_by_link", "to"): "0",
    ("get_cosigned_head_by_link", "cosignatures"): "1",
}
"""What else must stand in the query."""

NEEDED = {
    "[slug][eq]": "mass",
    "[start_time][geq]": "2024-01-01T00:00:00Z",
    "[start_time][leq]": "2027-01-01T00:00:00Z",
}
"""What the filters are given without which a list refuses an order."""


@dataclass(frozen=True, slots=True)
class World:
    """An account with one record of each kind: its caller, and the ids by kind."""

    account: Account
    ids: Mapping[str, Any]
    callers: Iterator[Caller]
    """Who may do everything, in turn: no token comes to the end of its requests of a minute."""

    def path(self, operation: Operation) -> str:
        """The path of an operation, with the ids of the world's own records."""
        kinds = {
            name: PATH_KINDS.get((operation.name, name), kind_of(name)) for name in names_in(operation.path)
        }
        return operation.path.format_map({name: self.ids[kind] for name, kind in kinds.items()})


def world_of(server: Server, beside: World | None = None) -> World:
    """Make an account and one record of each kind in it.

    Beside another world it is a project more of the same account, which shares what is of no project.
    """
    account = server.account() if beside is None else beside.account
    shared = {} if beside is None else {kind: beside.ids[kind] for kind in OF_AN_ACCOUNT}
    api = account.caller()
    plant = given_accounting.plant(api, account.drain)
    asking = given_accounting.version(api, plant.model, YAML, activate=True)
    event = plant.deliver(5)
    made = plant.generate()
    server.run(seal_rows_of(server.database, account.id))
    inside = f"/projects/{plant.project['id']}"
    types = api.get(f"{inside}/event_types").data
    found = {
        "project": plant.project["id"],
        "project_number": plant.project["numeric_id"],
        "event_type": given.event_type(
            api, plant.project, slug="reading", cadence_amount=1, cadence_unit="day"
        )["id"],
        "delivery_type": types[0]["id"],
        "event_type_number": types[0]["data_point_types"][0]["nexus_event_type_id"],
        "data_point_type": types[0]["data_point_types"][0]["id"],
        "location": given.location(api, plant.project)["id"],
        "feedstock": given.feedstock(api, plant.project)["id"],
        "event": event,
        "data_point": api.get(f"{inside}/events/{event}").body["data_points"][0]["id"],
        "model": asking["id"],
        "ledger": plant.ledger["id"],
        "system_ledger": given_instruments.system_ledger(api, plant.project)["id"],
        "batch": made["batches"][0],
        "task": api.get("/async_tasks").data[0]["id"],
        "user": account.actor.user_id,
        "user_number": account.actor.user_id,
    }
    posts = {
        "asset": (f"{inside}/assets", {"asset": {"name": "Shredder"}}),
        "asset_custom_field": (
            f"{inside}/asset_custom_fields",
            {"asset_custom_field": {"label": "Bay", "value_type": "text"}},
        ),
        "static_input": (f"{inside}/static_inputs", WHOLE["create_static_input"]),
        "outage": (f"{inside}/outages", WHOLE["create_outage"]),
        "agent": (f"{inside}/agents", {"agent": AGENT | {"name": "scale-house"}}),
        "evidence": (f"/events/{event}/evidence", FORMLESS["create_evidence"]),
        "saved_view": (
            "/saved_views",
            {"saved_view": {"list_name": "events", "name": "Deliveries", "query": "group=day"}},
        ),
        "token": ("/api_tokens", {"api_token": {"name": "A", "permissions": ["data_collection:read"]}}),
    }
    taken = {"project_id": plant.project["id"], "batches": [{"batch_id": found["batch"], "amount": 1}]}
    posts |= {
        "registry": ("/registries", {"registry": CERTIFY}),
        "methodology": ("/methodologies", {"methodology": METHODOLOGY}),
        "identity_provider": ("/identity_providers", {"identity_provider": PROVIDER}),
        "report": ("/reports", {"report": WHOLE["create_report"]["report"] | taken}),
    }
    run = {"start_time": given_accounting.JANUARY[0], "end_time": given_accounting.JANUARY[1]}
    posts["model_run"] = (
        f"/models/{found['model']}/model_runs",
        {"model_run": run | {"data_point_ids": [found["data_point"]]}},
    )
    posts["data_feed"] = (
        f"{inside}/data_feeds",
        {"data_feed": {"name": "Scale", "event_type_id": found["event_type"], "bad_rows": "skip"}},
    )
    of_type = {"calibration": CALIBRATION | {"event_type_id": found["delivery_type"]}}
    posts["calibration"] = (f"{inside}/calibrations", of_type)
    for kind, name in (("methodology_package", "energy"), ("installed_package", "")):
        found[kind] = shared.get(kind) or packages.upload(api, packages.small(*filter(None, [name])))["id"]
    found["package"] = found["methodology_package"]
    installed = {"package_id": found["installed_package"]}
    posts["package_installation"] = (f"{inside}/package_installations", {"package_installation": installed})
    for kind, (path, body) in posts.items():
        found[kind] = shared.get(kind) or api.post(path, body).expect(201).body["id"]
    found["agent_mapping"] = mapped_agent(api, f"{inside}/agents/{found['agent']}")
    mapping = {"registry_id": found["registry"], "ledger_id": found["ledger"], "contents": MAPPED}
    path = f"{inside}/registry_mappings"
    mapped = api.post(path, {"registry_mapping": mapping}).expect(201).body
    found["registry_mapping"] = mapped["id"]
    hook = {"webhook": WHOLE["create_webhook"]["webhook"] | {"project_id": found["project"]}}
    found["webhook"] = api.post("/webhooks", hook).expect(201).body["id"]
    found["delivery"] = api.post(f"/webhooks/{found['webhook']}/test", {}).expect(201).body["id"]
    found |= shared or footprints.one_of_each(account, api, found["batch"])
    link = {"link": {"name": "Verifier"}}
    found["link"] = api.post(f"/reports/{found['report']}/links", link).expect(201).body["id"]
    path = f"/reports/{found['report']}/engagements"
    found["engagement"] = api.post(path, engagements.agreed()).expect(201).body["id"]
    finding = {"finding": {"kind": "request", "text": "Show the slip."}}
    engagement = api.post(f"{path}/{found['engagement']}/findings", finding).expect(201).body
    found["finding"] = engagement["findings"][0]["number"]
    trials = api.post(f"/batches/{found['batch']}/uncertainty_runs", {"uncertainty_run": {"trials": 100}})
    found["uncertainty_run"] = trials.expect(202).body["uncertainty_run"]["id"]
    feed = f"{inside}/data_feeds/{found['data_feed']}/uploads"
    found["upload"] = api.upload(feed, "log.csv", BAD_ROW).expect(202).body["id"]
    asked = {"response_mode": "summary_with_export"}
    found["export"] = api.get("/projects", asked).expect(200).body["export"]["id"]
    found["methodology_number"] = found["methodology"]
    api.post(f"/reports/{found['report']}/bundle", {}).expect(202)
    found |= _rule_of(account, api, inside)
    return World(account, found, cycle([account.caller() for _ in range(CALLERS)]))


def _rule_of(account: Account, api: Caller, inside: str) -> dict[str, Any]:
    """The ids of a rule, its run and a result; what is queued is carried out."""
    rule = api.post(f"{inside}/rules", {"rule": RULE}).expect(201).body
    account.drain()
    result = api.get(f"/rules/{rule['id']}/rule_results").data[0]["id"]
    return {"rule": rule["id"], "rule_run": rule["rule_run_id"], "data_point_result": result}


def mapped_agent(api: Caller, agent: str) -> int:
    """Save the first version of an agent's mapping; gives its number."""
    saved = api.post(f"{agent}/mappings", WHOLE["create_agent_mapping"]).expect(201)
    return int(saved.body["version"])


def noun_of(name: str) -> str:
    """The noun whose operation it is: the file that has its handler."""
    return OPERATIONS[name].module.removeprefix("weighbridge.")


def kind_of(name: str, owner: str = "") -> str:
    """The kind of record that an id names: `event` for `event_id`, and for an `id` the noun around it."""
    noun = owner.removesuffix("s") if name == "id" else re.sub("_ids?$", "", name)
    return FILTER_KINDS.get(owner if name in {"id", "friendly_id"} else noun, noun)


def is_id(name: str) -> bool:
    return name not in NO_IDS and (name == "id" or name.endswith(("_id", "_ids")))


def content_of(operation: Operation) -> Any:
    """A body of the right shape."""
    if operation.text is not None:
        return TEXTS[operation.name]
    if operation.name in WHOLE:
        return WHOLE[operation.name]
    if operation.name not in BODIES:
        return operation.example or {}
    content = BODIES[operation.name]["application/json"]
    return content.get("example") or least(content["schema"])


def least(schema: Mapping[str, Any], name: str = "") -> Any:
    """The least value that a schema takes."""
    if "$ref" in schema:
        return least(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]], name)
    if "anyOf" in schema:
        return least(schema["anyOf"][0], name)
    if "properties" in schema:
        # a record with nothing required wraps something; its first field says something at least
        needed = schema["required"] or list(schema["properties"])[:1]
        return {field: least(schema["properties"][field], field) for field in needed}
    if known := schema.get("enum") or schema.get("examples"):
        return known[0]
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    return {"string": "x", "integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}[kind]


def sent(operation: Operation, path: str, caller: Caller, body: Any, query: Any = ()) -> Answer:
    """Send the request, with what it needs beside a body."""
    headers = {"content-type": operation.text} if operation.text else {}
    content = None
    if operation.body is not None:
        content = body if isinstance(body, bytes) else json.dumps(body, default=float).encode()
    return caller.send(operation.method, path, query=query, content=content, headers=headers)


def needed_filters(operation: Operation, sort: str) -> dict[str, str]:
    """The filters without which a list refuses an order."""
    groups = [
        group for name in sort.split(",") for group in operation.listing.needs.get(name.lstrip("-"), ())
    ]
    return {f"filter{group[0]}": NEEDED[group[0]] for group in groups}


def required_query(operation: Operation, world: World) -> dict[str, str]:
    return {
        name: QUERY_VALUES.get((operation.name, name)) or str(world.ids[QUERY_KINDS[operation.name, name]])
        for name in operation.query
    }


def unknown(kind: str, like: Any) -> Any:
    """An id of the same form that no record has."""
    if isinstance(like, int):
        return NUMBER_OF_NONE
    if kind not in identity.PREFIXES:
        return "00000000-0000-0000-0000-000000000000"
    return identity.make(kind, Key(NOWHERE.project) if kind == "project" else NOWHERE)


DOCUMENTS_OF_THEIR_OWN = {"GapCorrection"}
"""Records that are read as a whole, each kind of them by its own words, as `test_fillings.py` shows."""


def ways_through(schema: Mapping[str, Any], way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name in DOCUMENTS_OF_THEIR_OWN:
            return
        schema = DOCUMENT["components"]["schemas"][name]
    for option in schema.get("anyOf", ()):
        yield from ways_through(option, way)
    if "items" in schema and not (way and is_id(way[-1])):
        yield from ways_through(schema["items"], (*way, "[]"))
    for field, inner in schema.get("properties", {}).items():
        yield (*way, field)
        yield from ways_through(inner, (*way, field))


def placed_in(world: World, name: str, way: tuple[str, ...], value: Any) -> Any:
    """A body that would be taken, but for the value at the end of the way."""
    body = whole(name, way)
    if name in OF_A_PROJECT and way[-1] != "project_id":
        body[OF_A_PROJECT[name]]["project_id"] = world.ids["project"]
    return placed(BODIES[name]["application/json"]["schema"], body, way, value)


def placed(schema: Mapping[str, Any], body: Any, way: tuple[str, ...], value: Any) -> Any:
    """The body with a value at the end of a way; what is missing on the way is the least there can be."""
    head, *rest = way
    record = record_of(schema, head)
    if head == "[]":
        first = body[0] if body else least(record["items"])
        return [placed(record["items"], first, tuple(rest), value) if rest else value]
    body = body or least(record)
    inner = record["properties"][head]
    if rest:
        return body | {head: placed(inner, body.get(head), tuple(rest), value)}
    return body | {head: [value] if head.endswith("_ids") else value}


def record_of(schema: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    """The schema of a list, or of the first record that has a field, where others may stand in its place."""
    options = [resolved(one) for one in schema.get("anyOf", [schema])]
    return next(one for one in options if field in one.get("properties", {}) or "items" in one)


def resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema that a reference leads to."""
    reference = schema.get("$ref")
    found: Mapping[str, Any] = (
        DOCUMENT["components"]["schemas"][reference.rpartition("/")[2]] if reference else schema
    )
    return found


def whole(name: str, way: tuple[str, ...]) -> Any:
    """A body that would be taken, in the form that the way leads through."""
    if (name, way[0]) == ("create_events", "events"):
        return {"events": [EVENT]}
    body = content_of(OPERATIONS[name])
    return deepcopy(body)
