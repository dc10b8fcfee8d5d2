"""Isometric Certify from here: what the registry has, and what became of a report there, call by call.

Permission: production accounting.
"""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import AdapterName
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.db.lists.listing import Filter, Listing, Page, among, list_request, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import Answer, ReadCall, WriteCall, get, post
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import poll, queue_task
from weighbridge.reporting.isometric.records import (
    CATALOGUE_KINDS,
    CatalogueReading,
    CatalogueRecord,
    CatalogueResult,
    RegistryCall,
    RegistryStatement,
    StartedCatalogue,
)
from weighbridge.reporting.isometric.states import read_statement
from weighbridge.reporting.registries import read_registry
from weighbridge.reporting.reports_queries import find_report_key

TASK: Final = "registry_catalogue"

CATALOGUE: Final = Listing(
    sorts={"name": "c.name", "kind": "c.kind"},
    default_sort="name",
    key=("c.kind", "c.parent", "c.record_id"),
    filters={
        "kind": Filter("c.kind", among(CATALOGUE_KINDS), ", ".join(CATALOGUE_KINDS)),
        "parent": Filter("c.parent", str, "the registry's id of a project"),
    },
)
CATALOGUE_RECORD: Final = row_of(
    CatalogueRecord,
    Column("kind", "c.kind"),
    Column("record_id", "c.record_id"),
    Column("parent", "c.parent"),
    Column("name", "c.name"),
    Column("contents", "c.contents"),
    Column("read_at", "c.read_at"),
)

CALLS: Final = Listing(
    sorts={"id": "c.id"},
    default_sort="id",
    key=("c.id",),
    filters={"method": Filter("c.method", str, "a method such as `POST`")},
)
CALL: Final = row_of(
    RegistryCall,
    Column("id", "c.id"),
    Column("report_id", ("c.project_id", "c.report_id"), partial(identity.of, "report")),
    Column("async_task_id", "c.async_task_id"),
    Column("reference", "c.reference"),
    Column("method", "c.method"),
    Column("path", "c.path"),
    Column("body", "c.body"),
    Column("sent_at", "c.sent_at"),
    Column("answered_at", "c.answered_at"),
    Column("http_status", "c.http_status"),
    Column("answer", "c.answer"),
)


async def queue_catalogue(tx: Write, actor: Actor, named: str) -> StartedCatalogue:
    """Queue the reading of what a registry has; Invalid for one with another adapter."""
    registry = await read_registry(tx, actor, named)
    if registry.adapter != AdapterName.ISOMETRIC_CERTIFY:
        message = f"Registry {registry.id} has the adapter {registry.adapter}, and no records to choose from."
        raise Invalid([Problem(message, "registry_id", "invalid")])
    task = await queue_task(
        tx, actor, kind=TASK, project_id=None, args={"registry_id": registry.id},
        lock=locks.jobs_of_registry(registry.id),
    )  # fmt: skip
    changes.record(
        tx, actor, action="registry.read_catalogue", target=str(registry.id), project_id=None, after=task
    )
    return StartedCatalogue(registry.id, task.id, task)


@post(
    "/registries/{registry_id}/catalogue",
    permission="production_accounting:write",
    body=CatalogueReading,
    returns=StartedCatalogue,
    status=202,
    task_results={TASK: CatalogueResult},
)
async def read_registry_catalogue(call: WriteCall, _: CatalogueReading) -> Answer:
    """Read anew what a registry with the adapter `isometric_certify` has, for mappings to choose from."""
    started = await queue_catalogue(call.tx, call.actor, call.path["registry_id"])
    return Answer(started, poll(started.async_task))


@get(
    "/registries/{registry_id}/catalogue",
    permission="production_accounting:read",
    returns=Page[CatalogueRecord],
    listing=CATALOGUE,
    spans_projects=True,
)
async def list_registry_catalogue(call: ReadCall) -> Page[CatalogueRecord]:
    """List what a registry had when it was read last: projects, removal templates, blueprints and places."""
    registry = await read_registry(call.tx, call.actor, call.path["registry_id"])
    owned = SQL("c.account_id = {} AND c.registry_id = {}").format(
        Literal(call.actor.account_id), Literal(registry.id)
    )
    request = list_request(call.query, CATALOGUE)
    return await read_page(
        call.tx, CATALOGUE_RECORD, CATALOGUE, request, source="registry_catalogue c", where=[owned]
    )


@get(
    "/reports/{report_id}/registry_statement",
    permission="production_accounting:read",
    returns=RegistryStatement,
)
async def get_registry_statement(call: ReadCall) -> RegistryStatement:
    """Read what became of a report at Isometric Certify: its statement, its records there, and findings."""
    key = await find_report_key(call.tx, call.actor, call.path["report_id"])
    return await read_statement(call.tx, key, call.path["report_id"])


@get(
    "/reports/{report_id}/registry_calls",
    permission="production_accounting:read",
    returns=Page[RegistryCall],
    listing=CALLS,
)
async def list_registry_calls(call: ReadCall) -> Page[RegistryCall]:
    """List the calls of Isometric Certify on behalf of a report: what was sent, and what came back."""
    key = await find_report_key(call.tx, call.actor, call.path["report_id"])
    owned = SQL("c.project_id = {} AND c.report_id = {}").format(Literal(key.project), Literal(key.key))
    request = list_request(call.query, CALLS)
    return await read_page(call.tx, CALL, CALLS, request, source="registry_calls c", where=[owned])


ROUTES = [read_registry_catalogue, list_registry_catalogue, get_registry_statement, list_registry_calls]
