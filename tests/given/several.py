"""Several records of every kind in a world: for each list some that are alike, and some that lack something.

Their values are of every type, and in every list there are two that share what the list can be sorted by.
"""

from dataclasses import replace
from typing import Any

from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given import footprints, packages
from tests.given import instruments as given_instruments
from tests.given.requests import (
    AGENT,
    CERTIFY,
    FORMLESS,
    MAPPED,
    METHODOLOGY,
    PROVIDER,
    RULE,
    WHOLE,
    YAML,
    World,
    world_of,
)
from tests.given.rule_evaluation import work
from tests.server import Caller, Server

from weighbridge.core import identity

TYPES = [
    given.number("mass"),
    given.number("ash", required=False),
    given.text("note"),
    given.boolean("dry"),
]
MOMENTS = ("2025-01-05T00:00:00Z", "2025-01-05T00:00:00.001Z", "2025-02-05T00:00:00Z", "2025-03-05T00:00:00Z")
RUN = {"start_time": given_accounting.JANUARY[0], "end_time": given_accounting.JANUARY[1]}


def several_of(server: Server) -> World:
    """A world with several of each kind of record."""
    world = world_of(server)
    api = next(world.callers)
    project = {"id": world.ids["project"]}
    for _ in range(3):
        given.project(api, name="Alike")
    tags = _described(api, project)
    event = _measured(api, project, tags)
    for one in (event, world.ids["event"]):
        _attached(api, one)
    _accounted(api, world, project)
    _watched(api, world, project)
    _reported(api, world, project)
    _called(world)
    _exchanged(api, world)
    api.post("/webhooks", WHOLE["create_webhook"]).expect(201)
    for list_name in ("batches", "reports"):
        api.post(
            "/saved_views", {"saved_view": {"list_name": list_name, "name": "Mine", "query": ""}}
        ).expect(201)
    packages.install(api, project, {"id": world.ids["package"]}).expect(201)
    for _ in range(2):
        api.post(f"/webhooks/{world.ids['webhook']}/test", {}).expect(201)
    _fed(api, world, project)
    _repeated(api, world)
    inside = f"/projects/{project['id']}"
    point = api.get(f"{inside}/events/{event}").body["data_points"][0]["id"]
    kind = _filled(api, world, project)
    for value in (6, 7, 8):
        corrected = {"data_point": {"value": value, "reason": "Recalibrated"}}
        api.patch(f"{inside}/data_points/{point}", corrected).expect(200)
    world.account.drain()
    return replace(world, ids={**world.ids, "event": event, "data_point": point, "event_type": kind})


def _described(api: Caller, project: dict[str, Any]) -> dict[str, Any]:
    sample = given.event_type(api, project, slug="sample", data_point_types=TYPES)
    given.event_type(api, project, slug="visit", data_point_types=[given.text("note")])
    for label in ("Bay", "Row"):
        given.custom_field(api, project, f"{label} number")
    for moment in MOMENTS:
        given.static_input(api, project, slug="factor-b", effective_from=moment, value=2)
    for fields in ({"end_time": None}, {"end_time": MOMENTS[3]}, {"end_time": MOMENTS[3]}):
        given.outage(api, project, start_time=MOMENTS[0], **fields)
    for asset in (given.asset(api, project), given.asset(api, project)):
        for moment, end in ((MOMENTS[0], MOMENTS[2]), (MOMENTS[3], None)):
            given.calibration(
                api, project, sample["id"], asset_id=asset["id"], valid_from=moment, valid_until=end
            )
    given.feedstock(api, project)
    for name in ("kiln-house", "scale-house"):
        agents = f"/projects/{project['id']}/agents"
        agent = api.post(agents, {"agent": AGENT | {"name": name}}).expect(201).body
        _mapped(api, f"{agents}/{agent['id']}/mappings", (agent["mapping"] or {"version": 0})["version"])
    return {
        "locations": [given.location(api, project)],
        "feedstock_id": given.feedstock(api, project)["id"],
        "asset_id": given.asset(api, project)["id"],
    }


def _mapped(api: Caller, mappings: str, current: int) -> None:
    """Several versions of an agent's mapping, after the current one."""
    named = {"source": "plc", "event_type": "sample", "data_point": "mass", "quality": "note"}
    for version in range(current, current + 3):
        variables = [named | {"node": f"i={version}"}]
        api.post(mappings, {"mapping": {"replaces": version, "variables": variables}}).expect(201)


def _measured(api: Caller, project: dict[str, Any], tags: dict[str, Any]) -> str:
    """Events of every shape; gives one with a value of each type."""
    bodies = [
        given.event_body(event_type="sample", start_time=moment, values=values, **fields)
        for moment in MOMENTS
        for values in ({"mass": 1.5}, {"mass": 10, "ash": -3}, {"ash": 0}, {"note": "wet", "dry": False})
        for fields in ({}, tags | {"tracking_id": "T-1"})
    ]
    bodies += [given.event_body(start_time=moment, values={"mass": 2}) for moment in MOMENTS]
    bodies.append(given.event_body(event_type="visit", end_time="2025-01-09T00:00:00Z"))
    bodies[0]["client_reference"] = "first"
    given.events(api, project, bodies)
    every = {"mass": 5, "ash": 0, "note": "a", "dry": True}
    return str(given.event(api, project, event_type="sample", values=every)["id"])


def _fed(api: Caller, world: World, project: dict[str, Any]) -> None:
    feeds = f"/projects/{project['id']}/data_feeds"
    for name in ("Scale 2", "Scale 3"):
        body = {"name": name, "event_type_id": world.ids["event_type"]}
        api.post(feeds, {"data_feed": body}).expect(201)
    for _ in range(2):
        uploads = f"{feeds}/{world.ids['data_feed']}/uploads"
        api.post(uploads, {"upload": {"of_upload": world.ids["upload"]}}).expect(202)


def _filled(api: Caller, world: World, project: dict[str, Any]) -> str:
    """An event type of which rules have filled what is negative and never came, before the outages begin."""
    kind = given.event_type(
        api, project, slug="hour", data_point_types=[given.number("level")], cadence_amount=1,
        cadence_unit="hour",
    )  # fmt: skip
    bodies = [
        given.event_body(
            event_type="hour", start_time=f"2025-01-02T{hour:02}:00:00Z", values={"level": value}
        )
        for hour, value in ((0, 1), (1, -1), (2, 2), (4, 3), (5, -2), (6, 4), (8, 5))
    ]
    given.events(api, project, bodies)
    for purpose in ("substitute", "impute"):
        gap_rule = {
            "name": f"To {purpose}", "expression": "{{level}} < 0", "effective_from": RULE["effective_from"],
            "purpose": purpose, "data_point": "level", "correction": {"method": "constant", "value": 2},
        }  # fmt: skip
        api.post(f"/projects/{project['id']}/rules", {"rule": gap_rule}).expect(201)
    work(world.account)
    return str(kind["id"])


def _attached(api: Caller, event: str) -> None:
    for name in ("B", "A", "A"):
        link = FORMLESS["create_evidence"]["evidence"] | {"name": name}
        api.post(f"/events/{event}/evidence", {"evidence": link}).expect(201)


def _accounted(api: Caller, world: World, project: dict[str, Any]) -> None:
    model = {"id": world.ids["model"]}
    given_accounting.version(api, model, YAML.replace("Deliveries", "Deliveries again"))
    given_accounting.model(api, project, YAML.replace("Deliveries", "Other"))
    for name in ("Sold", "Stored"):
        given_accounting.ledger(api, project, name=name)
    certificates = {"id": world.ids["system_ledger"]}
    for external in ("REC-1", "REC-2", "REC-3"):
        given_instruments.enter(api, certificates, external).expect(201)
    for _ in range(3):
        body = {"model_run": RUN | {"data_point_ids": [world.ids["data_point"]]}}
        api.post(f"/models/{model['id']}/model_runs", body).expect(201)
    generation = given_accounting.range_of(given_accounting.QUARTER)
    api.post(f"/ledgers/{world.ids['ledger']}/batch_generations", generation).expect(202)
    world.account.drain()


def _reported(api: Caller, world: World, project: dict[str, Any]) -> None:
    for version in ("2", "3"):
        methodology = METHODOLOGY | {"version": version}
        api.post("/methodologies", {"methodology": methodology}).expect(201)
        registry = {"name": f"Registry {version}", "adapter": "file"}
        api.post("/registries", {"registry": registry}).expect(201)
        provider = {"identity_provider": PROVIDER | {"name": f"Directory {version}"}}
        api.post("/identity_providers", provider).expect(201)
    for name in ("Year", "Year"):
        taken = [{"batch_id": world.ids["batch"], "amount": 1}]
        report = {"name": name, "report_type": "annual", "project_id": project["id"], "batches": taken}
        made = api.post("/reports", {"report": report}).expect(201).body["id"]
    api.post(f"/reports/{made}/submit", {}).expect(202)
    for registry in ("Certify 2", "Certify 3"):
        number = api.post("/registries", {"registry": CERTIFY | {"name": registry}}).expect(201).body["id"]
        mapping = {"registry_id": number, "ledger_id": world.ids["ledger"], "contents": MAPPED}
        path = f"/projects/{project['id']}/registry_mappings"
        api.post(path, {"registry_mapping": mapping}).expect(201)
    for _ in range(2):
        api.post(f"/reports/{world.ids['report']}/links", {"link": {"name": "Verifier"}}).expect(201)


def _exchanged(api: Caller, world: World) -> None:
    """Footprints and whom they are exchanged with; what partners send stands in each list three times."""
    for name in ("Second", "Third"):
        product = footprints.PRODUCT | {"name": name, "quantity": "amount", "amounts": footprints.OF_AMOUNT}
        made = api.post("/footprint_products", {"footprint_product": product}).expect(201).body
        footprint = {"product_id": made["id"], "batch_id": world.ids["batch"]}
        content = api.post("/footprints", {"footprint": footprint}).expect(201).body["content"]
        partner = api.post("/footprint_partners", {"footprint_partner": footprints.PARTNER | {"name": name}})
        named = {"name": name, "partner_id": partner.expect(201).body["id"]}
        client = api.post("/footprint_clients", {"footprint_client": named}).expect(201).body
        token = footprints.token_of(world.account, client).expect(200).body["access_token"]
        sent = footprints.event("RequestFulfilled", {"requestEventId": "r", "pfs": [content]}, id=name)
        footprints.PactCaller(world.account, token).send(sent).expect(200)


def _called(world: World) -> None:
    """What a registry has, and calls of it: no registry is called here."""
    world.account.sql(
        """
        INSERT INTO registry_catalogue (account_id, registry_id, kind, record_id, name)
        SELECT %s, %s, 'project', name, name FROM unnest(ARRAY['a', 'b', 'c']) AS name RETURNING record_id
        """,
        world.account.id, world.ids["registry"],
    )  # fmt: skip
    report = identity.number("report", world.ids["report"])
    world.account.sql(
        """
        INSERT INTO registry_calls (project_id, report_id, method, path)
        SELECT project_id, id, 'GET', path FROM reports, unnest(ARRAY['/a', '/b', '/c']) AS path
         WHERE id = %s RETURNING path
        """,
        report,
    )


def _repeated(api: Caller, world: World) -> None:
    for path in (f"/batches/{world.ids['batch']}", f"/reports/{world.ids['report']}"):
        for seed in (1, 1):
            trials = {"uncertainty_run": {"trials": 100, "seed": seed}}
            api.post(f"{path}/uncertainty_runs", trials).expect(202)
        world.account.drain()


def _watched(api: Caller, world: World, project: dict[str, Any]) -> None:
    for name in ("Zeal", "Care"):
        api.post(f"/projects/{project['id']}/rules", {"rule": RULE | {"name": name}}).expect(201)
    for limit in (2, 3, 4):
        changed = {"rule": {"expression": f"{{{{mass}}}} > {limit}"}}
        api.patch(f"/rules/{world.ids['rule']}", changed).expect(200)
    world.account.drain()
