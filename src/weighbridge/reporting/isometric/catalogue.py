"""Read what a registry has, so that a mapping is chosen from it: projects, templates, blueprints and places.

Facilities have no list of their own there; those are taken that production batches and time series name.

Invariant: the whole of what was read replaces the whole of what was kept, in one transaction.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, NamedTuple

from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database
from weighbridge.db.statements import jsonb
from weighbridge.errors import Invalid
from weighbridge.http.outgoing import CallReach, OutgoingClient, Pause, pause_seconds
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform.async_tasks import Attempt
from weighbridge.reporting.isometric.calls import CertifyClient, RefusedCallError, UncertainCallError
from weighbridge.reporting.isometric.records import CatalogueResult
from weighbridge.reporting.submission.sending import CalledRegistry, read_called_registry

RECORDS_MAX: Final = 20_000
"""Records that are kept of one registry."""


class CatalogueRow(NamedTuple):
    """A record of the registry, as it is kept."""

    kind: str
    parent: str
    record_id: str
    name: str
    contents: dict[str, Any]


async def read_catalogue(client: CertifyClient) -> AsyncIterator[CatalogueRow]:
    """Everything that a mapping may name, as the registry has it now."""
    projects = [node async for node in client.list("/projects")]
    for project in projects:
        yield CatalogueRow("project", "", project["id"], project["name"], _take(project, "country_code"))
    async for node in client.list("/component_blueprints"):
        inputs = [
            _take(one, "input_key", "data_shape", "compatible_unit", "quantity_kind", "description")
            for one in node["inputs"]
        ]
        yield CatalogueRow("component_blueprint", "", node["key"], node["display_name"], {"inputs": inputs})
    async for node in client.list("/feedstock_types"):
        yield CatalogueRow("feedstock_type", "", node["id"], node["name"], {})
    for facility in sorted(await _list_facilities(client)):
        yield CatalogueRow("facility", "", facility, facility, {})
    for project in projects:
        async for row in _read_project(client, project["id"]):
            yield row


async def _read_project(client: CertifyClient, project: str) -> AsyncIterator[CatalogueRow]:
    path = f"/projects/{project}"
    async for node in client.list(f"{path}/removal_templates"):
        contents = {"components": [*_list_components(node)]}
        yield CatalogueRow("removal_template", project, node["id"], node["display_name"], contents)
    async for node in client.list(f"{path}/storage_locations"):
        yield CatalogueRow(
            "storage_location", project, node["id"], node["name"], _take(node, "storage_method")
        )
    async for node in client.list(f"{path}/monitoring_requirements"):
        yield CatalogueRow(
            "monitoring_requirement", project, node["id"], node["display_name"],
            _take(node, "frequency", "storage_location_id"),
        )  # fmt: skip


def _list_components(template: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **_take(component, "id", "display_name", "blueprint_key"),
            "group": group["display_name"],
            "inputs": [
                _take(one, "input_key", "display_name", "quantity_kind", "type")
                for one in component["inputs"]
            ],
        }
        for group in template["groups"]
        for component in group["components"]
    ]


async def _list_facilities(client: CertifyClient) -> set[str]:
    found = {node["facility_id"] async for node in client.list("/production_batches")}
    found |= {node["facility_id"] async for node in client.list("/data-upload-submissions")}
    return {one for one in found if one}


def _take(node: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: node.get(name) for name in names}


class CatalogueReader:
    """Reads what registries have; a worker has one."""

    def __init__(self, reach: CallReach, pause: Pause) -> None:
        self._reach = reach
        self._pause = pause

    async def read(self, database: Database, attempt: Attempt) -> None:
        """Read what the registry of a task has, in place of what was kept; Invalid where it is silent."""
        number = attempt.args["registry_id"]
        async with database.read() as tx:
            registry = await read_called_registry(tx, number)
        if registry is None:
            raise Invalid([Problem(f"Registry {number} is not called any more.")])
        async with OutgoingClient(self._reach) as client:
            rows = await self._try(CertifyClient(client, registry), registry)
        async with database.write() as tx:
            await tasks.lock_current_attempt(tx, attempt)
            key = (attempt.actor.account_id, number)
            await tx.execute("DELETE FROM registry_catalogue WHERE account_id = %s AND registry_id = %s", key)
            await tx.execute(
                """
                INSERT INTO registry_catalogue (account_id, registry_id, kind, parent, record_id, name,
                                                contents)
                SELECT %s, %s, one ->> 0, one ->> 1, one ->> 2, one ->> 3, one -> 4
                  FROM jsonb_array_elements(%s) AS given (one) ON CONFLICT DO NOTHING
                """,
                (*key, jsonb([[*row] for row in rows])),
            )
            await tasks.complete_task(tx, attempt, CatalogueResult(number, len(rows)))

    async def _try(self, client: CertifyClient, registry: CalledRegistry) -> list[CatalogueRow]:
        for count in range(1, registry.tries + 1):
            try:
                rows = [row async for row in read_catalogue(client)]
            except RefusedCallError as refusal:
                raise Invalid([Problem(str(refusal))]) from None
            except UncertainCallError as error:
                if count == registry.tries:
                    raise Invalid([Problem(str(error))]) from None
                await self._pause(pause_seconds(count, error.retry_after))
                continue
            if len(rows) > RECORDS_MAX:
                message = f"{registry.name} has {len(rows):,} records; {RECORDS_MAX:,} are kept at most."
                raise Invalid([Problem(message)])
            return rows
        raise AssertionError("a registry is tried once at least")
