"""Registry mappings: which records of Isometric Certify those of a project become, ledger by ledger.

A mapping is data: it names projects, templates and components of the registry by the ids that were chosen
from what the registry answered, and nodes, static inputs and event types of ours. Permission: production
accounting.

Invariant: a project has one mapping for each ledger and registry, and what it names of ours is there.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from weighbridge.collection.named_records.noun import ProjectNoun
from weighbridge.core import identity
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.report import AdapterName
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Page
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import project_of
from weighbridge.reporting.isometric.mapping import FIELD, CertifyMapping, read_mapping
from weighbridge.reporting.isometric.records import REGISTRY_MAPPING_BODIES, RegistryMapping

MAPPINGS: Final = ProjectNoun(REGISTRY_MAPPING_BODIES, "registry_mappings")

PROBLEMS_MAX: Final = 100
"""Problems of a mapping that one refusal names."""


async def _check_mapping(
    tx: Read, actor: Actor, project: int, wanted: RegistryMapping, own: int | None
) -> None:
    """Raise Invalid with everything that is wrong with a mapping."""
    problems = await _list_problems_of_keys(tx, actor, project, wanted, own)
    mapping, flaws = read_mapping(wanted.contents)
    problems += flaws
    if mapping is not None:
        problems += await _list_unknown(tx, project, mapping)
    if problems:
        raise Invalid(limit_problems(problems, PROBLEMS_MAX))


async def _list_problems_of_keys(
    tx: Read, actor: Actor, project: int, wanted: RegistryMapping, own: int | None
) -> list[Problem]:
    ledger = identity.number("ledger", wanted.ledger_id, project)
    [(adapter, is_ledger, is_taken)] = await tx.tuples(
        """
        SELECT (SELECT adapter FROM registries WHERE account_id = %(account)s AND id::bigint = %(registry)s),
               EXISTS (SELECT FROM ledgers WHERE project_id = %(project)s AND id = %(ledger)s),
               EXISTS (SELECT FROM registry_mappings
                        WHERE project_id = %(project)s AND registry_id::bigint = %(registry)s
                          AND ledger_id = %(ledger)s AND id IS DISTINCT FROM %(own)s)
        """,
        {
            "account": actor.account_id, "registry": wanted.registry_id, "project": project, "ledger": ledger,
            "own": own,
        },
    )  # fmt: skip
    noun = REGISTRY_MAPPING_BODIES.noun
    problems = []
    if adapter != AdapterName.ISOMETRIC_CERTIFY:
        message = (
            f"registry_id is {wanted.registry_id}, which is no registry of the account with the adapter"
            f" {AdapterName.ISOMETRIC_CERTIFY}."
        )
        problems.append(Problem(message, f"{noun}.registry_id", "unknown"))
    if not is_ledger:
        message = f"ledger_id is {shorten(wanted.ledger_id)!r}, which is no ledger of the project."
        problems.append(Problem(message, f"{noun}.ledger_id", "unknown"))
    if is_taken:
        message = f"The project has a mapping of ledger {wanted.ledger_id} to registry {wanted.registry_id}."
        problems.append(Problem(message, f"{noun}.ledger_id", "taken"))
    return problems


async def _list_unknown(tx: Read, project: int, mapping: CertifyMapping) -> list[Problem]:
    """What a mapping names of ours that the project does not have."""
    types: dict[str, set[str]] = {}
    for slug, point in await tx.tuples(_POINTS, (project,)):
        types.setdefault(slug, set()).add(point)
    problems = []
    for place, event_type, points in _list_event_types(mapping):
        if event_type not in types:
            message = (
                f"{FIELD}.{place} names event type {shorten(event_type)!r}, which the project does not have."
            )
            problems.append(Problem(message, f"{FIELD}.{place}", "unknown"))
            continue
        for point in sorted(points - types[event_type]):
            message = (
                f"{FIELD}.{place} names {shorten(point)!r}, which is no number of event type {event_type}."
            )
            problems.append(Problem(message, f"{FIELD}.{place}", "unknown"))
    for place, kind, table, friendly in _list_records(mapping):
        number = identity.number(kind, friendly, project)
        known = await tx.value(_RECORDS[table], (project, number))
        if not known:
            message = f"{FIELD}.{place} names {shorten(friendly)!r}, which is no {kind} of the project."
            problems.append(Problem(message, f"{FIELD}.{place}", "unknown"))
    named = {
        number for component in mapping.components for one in component.inputs for number in one.evidence_ids
    }
    known_evidence = {number for (number,) in await tx.tuples(_RECORDS["evidence"], (project, sorted(named)))}
    for number in sorted(named - known_evidence):
        message = f"{FIELD}.components names evidence {number}, which the project does not have."
        problems.append(Problem(message, f"{FIELD}.components", "unknown"))
    slugs = {one.slug for component in mapping.project_components for one in component.inputs}
    known_slugs = {slug for (slug,) in await tx.tuples(_RECORDS["static_inputs"], (project, sorted(slugs)))}
    for slug in sorted(slugs - known_slugs):
        place = f"{FIELD}.project_components"
        message = f"{place} names static input {shorten(slug)!r}, which the project does not have."
        problems.append(Problem(message, place, "unknown"))
    return problems


def _list_event_types(mapping: CertifyMapping) -> Iterator[tuple[str, str, set[str]]]:
    """The event types that a mapping names, each with its place and the data points of it."""
    if (batches := mapping.feedstock_batches) is not None:
        yield "feedstock_batches", batches.event_type, {batches.mass}
    if (of := mapping.applications) is not None:
        points = {of.arrival.data_point, of.departure.data_point, of.rate.data_point}
        yield "applications", of.event_type, points
    for at, sample in enumerate(mapping.samples):
        yield f"samples[{at}]", sample.event_type, {value.data_point for value in sample.values}
    for at, sensor in enumerate(mapping.sensors):
        yield f"sensors[{at}]", sensor.event_type, {sensor.value.data_point}
    for at, series in enumerate(mapping.series):
        yield f"series[{at}]", series.event_type, {column.data_point for column in series.columns}


def _list_records(mapping: CertifyMapping) -> Iterator[tuple[str, str, str, str]]:
    """The records that a mapping names by their ids: place, kind, table and id."""
    for at, feedstock in enumerate(mapping.feedstocks):
        yield f"feedstocks[{at}].feedstock_id", "feedstock", "feedstocks", feedstock.feedstock_id
    for at, location in enumerate(mapping.locations):
        yield f"locations[{at}].location_id", "location", "locations", location.location_id
    if (production := mapping.production_batches) is not None:
        yield "production_batches.ledger_id", "ledger", "ledgers", production.ledger_id


_POINTS: Final = """
    SELECT t.slug, p.slug FROM event_types t
      JOIN data_point_types p ON (p.project_id, p.event_type_id) = (t.project_id, t.id)
     WHERE t.project_id = %s AND p.value_type = 'number'
"""
_RECORDS: Final = {
    "feedstocks": "SELECT true FROM feedstocks WHERE project_id = %s AND id = %s",
    "locations": "SELECT true FROM locations WHERE project_id = %s AND id = %s",
    "ledgers": "SELECT true FROM ledgers WHERE project_id = %s AND id = %s",
    "evidence": "SELECT id FROM evidence WHERE project_id = %s AND id = ANY (%s)",
    "static_inputs": "SELECT DISTINCT slug FROM static_inputs WHERE project_id = %s AND slug = ANY (%s)",
}

_PATH: Final = "/projects/{project_id}/registry_mappings"
_ONE: Final = _PATH + "/{registry_mapping_id}"
_EXAMPLE: Final = {
    "registry_mapping": {
        "registry_id": 7,
        "ledger_id": "lgr_9e3779b97f4ae2228a25bf2b",
        "contents": {
            "project": {"id": "prj_1KZ0BYDCGQAWZSYV", "name": "Biochar plant"},
            "removal_template": {"id": "rmt_1KZ0BYDCGQAWZSYV", "name": "Biochar removal"},
            "components": [
                {
                    "id": "rtc_1KZ0BYDCGQAWZSYV",
                    "name": "Carbon stored",
                    "inputs": [
                        {
                            "input_key": "co2e_stored",
                            "source": "node",
                            "slug": "stored",
                            "unit": "kgCO2e",
                            "own_unit": "kg{CO2e}",
                        }
                    ],
                }
            ],
        },
    }
}


@get(_PATH, permission="production_accounting:read", returns=Page[RegistryMapping], listing=MAPPINGS.listing)
async def list_registry_mappings(call: ReadCall) -> Page[RegistryMapping]:
    """List a project's mappings to registries."""
    return await MAPPINGS.list_of_project(call)


@post(
    _PATH,
    permission="production_accounting:write",
    body=REGISTRY_MAPPING_BODIES.new_body,
    returns=RegistryMapping,
    example=_EXAMPLE,
)
async def create_registry_mapping(call: WriteCall, body: Struct) -> RegistryMapping:
    """Map a ledger of a project to a registry with the adapter `isometric_certify`.

    Ids of the registry are those that its catalogue lists.
    """
    tx, project, new = call.tx, await project_of(call), REGISTRY_MAPPING_BODIES.created(body)
    await _check_mapping(tx, call.actor, project, new, None)
    made = await MAPPINGS.insert(tx, project, new)
    changes.record(
        tx, call.actor, action="registry_mapping.create", target=str(made.id), project_id=project, after=made
    )
    return made


@get(_ONE, permission="production_accounting:read", returns=RegistryMapping)
async def get_registry_mapping(call: ReadCall) -> RegistryMapping:
    """Read one mapping to a registry."""
    return await MAPPINGS.get(call)


@patch(
    _ONE,
    permission="production_accounting:write",
    body=REGISTRY_MAPPING_BODIES.change_body,
    returns=RegistryMapping,
    example={"registry_mapping": {"contents": _EXAMPLE["registry_mapping"]["contents"]}},
)
async def update_registry_mapping(call: WriteCall, body: Struct) -> RegistryMapping:
    """Change what a mapping says; reports that were submitted keep the plan that they were sent by."""
    tx, project, named = call.tx, await project_of(call), call.path["registry_mapping_id"]
    before = await MAPPINGS.read(tx, project, named, locks=True)
    wanted = REGISTRY_MAPPING_BODIES.changed(before, body)
    await _check_mapping(tx, call.actor, project, wanted, before.id)
    if wanted == before:
        return before
    after = await MAPPINGS.replace(tx, project, before.id, wanted)
    changes.record(
        tx, call.actor, action="registry_mapping.update", target=str(after.id), project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after


@delete(_ONE, permission="production_accounting:write")
async def delete_registry_mapping(call: WriteCall) -> None:
    """Remove a mapping; reports that were submitted keep the plan that they were sent by."""
    tx, project, named = call.tx, await project_of(call), call.path["registry_mapping_id"]
    before = await MAPPINGS.read(tx, project, named, locks=True)
    await tx.execute("DELETE FROM registry_mappings WHERE project_id = %s AND id = %s", (project, before.id))
    changes.record(
        tx, call.actor, action="registry_mapping.delete", target=str(before.id), project_id=project,
        before=before,
    )  # fmt: skip


ROUTES = [
    list_registry_mappings,
    create_registry_mapping,
    get_registry_mapping,
    update_registry_mapping,
    delete_registry_mapping,
]
