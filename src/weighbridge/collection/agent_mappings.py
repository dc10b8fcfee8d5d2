"""Mappings of agents: which variables of a plant's OPC UA servers people chose in the web app, and for what.

A mapping is saved as a whole, as the next version of its agent; no version changes. The response to an
agent's report names the newest one, and the agent fetches it, checks it as it checks its file, and reports
by which version it reads (`state.mapping` of the agent). A mapping names sources of the agent's file and
nodes of their servers; addresses, passwords and certificates stay in that file. The audit log has the
variables before and after each version. Permission: data collection.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import to_builtins
from psycopg.sql import SQL

from weighbridge.collection.agents import AGENTS
from weighbridge.collection.records.agent_mappings import (
    AgentMapping,
    AgentMappingVersion,
    MappedVariable,
    NewAgentMapping,
    NewAgentMappingBody,
    read_variables,
)
from weighbridge.collection.records.agents import STATE_TEXT_MAX, PlantAgent
from weighbridge.collection.records.events import LOCATIONS_MAX, REFERENCE_LENGTH_MAX
from weighbridge.core import identity
from weighbridge.core.collection.node_id import MAPPED_VARIABLES_MAX, NODE_ID_FORM, is_node_id
from weighbridge.core.identity import SLUG_LENGTH_MAX
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.signing import write_canonical_json
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import INT4_LARGEST, Listing, Page, list_request, read_page
from weighbridge.db.row import Column, Record, Row, row_of
from weighbridge.db.statements import Literal, jsonb
from weighbridge.errors import Conflict, Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import number_named, project_of, project_to_read

_POINTS: Final = ("data_point", "quality", "status", "arrived_at")
"""The fields of a variable that name data points of its event type."""

_SOURCE: Final = "agent_mappings m JOIN users u ON u.id = m.created_by"

_SHARED: Final = (
    Column("version", "m.version"),
    Column("digest", "m.digest"),
    Column("created_by", "m.created_by"),
    Column("created_at", "m.created_at"),
)
MAPPING: Final = row_of(AgentMapping, *_SHARED, Column("variables", "m.variables", read_variables))
MAPPING_VERSION: Final = row_of(
    AgentMappingVersion,
    *_SHARED,
    Column("user_name", "u.name"),
    Column("variable_count", "jsonb_array_length(m.variables)"),
)
MAPPING_VERSIONS: Final = Listing(
    sorts={"version": "m.version", "created_at": "m.created_at"}, default_sort="-version", key=("m.version",)
)

_PATH: Final = "/projects/{project_id}/agents/{agent_id}/mappings"
_ONE: Final = _PATH + "/{agent_mapping_id}"


@get(_PATH, permission="data_collection:read", returns=Page[AgentMappingVersion], listing=MAPPING_VERSIONS)
async def list_agent_mappings(call: ReadCall) -> Page[AgentMappingVersion]:
    """List the versions of an agent's mapping, newest first: who saved each, and when."""
    tx, project = call.tx, project_to_read(call)
    agent = await AGENTS.read(tx, project, call.path["agent_id"])
    of_agent = SQL("(m.project_id, m.agent_id) = ({}, {})").format(Literal(project), Literal(agent.id))
    request = list_request(call.query, MAPPING_VERSIONS)
    return await read_page(tx, MAPPING_VERSION, MAPPING_VERSIONS, request, source=_SOURCE, where=[of_agent])


@get(_ONE, permission="data_collection:read", returns=AgentMapping)
async def get_agent_mapping(call: ReadCall) -> AgentMapping:
    """Read one version of an agent's mapping, by its number, with its variables."""
    tx, project, named = call.tx, project_to_read(call), call.path["agent_mapping_id"]
    agent = await AGENTS.read(tx, project, call.path["agent_id"])
    found = await _read_version(MAPPING, tx, project, agent.id, number_named("agent_mapping", named))
    if found is None:
        raise NotFound("agent_mapping", named)
    return found


async def _read_version(row: Row[Record], tx: Read, project: int, agent: int, version: int) -> Record | None:
    statement = f"""
        SELECT {row.columns} FROM {_SOURCE}
         WHERE m.project_id = %s AND m.agent_id = %s AND m.version = %s
    """
    return await tx.row(row.make, statement, (project, agent, version))


# The next version: made from the newest, and checked against the agent's last report and the project.


@post(
    _PATH,
    permission="data_collection:write",
    body=NewAgentMappingBody,
    returns=AgentMapping,
    example={
        "mapping": {
            "replaces": 0,
            "variables": [
                {
                    "source": "plc",
                    "node": "nsu=urn:plant;s=Kiln.Temperature",
                    "event_type": "kiln-temperature",
                    "data_point": "temperature",
                    "quality": "quality",
                }
            ],
        }
    },
)
async def create_agent_mapping(call: WriteCall, body: NewAgentMappingBody) -> AgentMapping:
    """Save the next version of an agent's mapping: all variables that it reads in addition to its file.

    The agent takes it with its next report and says by which version it reads. The same variables as those of
    the newest version make none.
    """
    tx, project, named = call.tx, await project_of(call), call.path["agent_id"]
    new = body.mapping
    agent = await AGENTS.read(tx, project, named, locks=True)
    current = 0 if agent.mapping is None else agent.mapping.version
    problems = [*_problems_of_form(new), *_problems_of_sources(new, agent)]
    if problems := [*problems, *await _problems_of_names(tx, project, new.variables)]:
        raise Invalid(problems)
    if new.replaces != current:
        newest = await _read_version(MAPPING_VERSION, tx, project, agent.id, current)
        raise Conflict([_explain_newer(new, newest)])
    variables = to_builtins(new.variables)
    before = await _read_version(MAPPING, tx, project, agent.id, current)
    digest = hashlib.sha256(write_canonical_json(variables)).hexdigest()
    if before is not None and before.digest == digest:
        return before
    await tx.execute(
        """
        INSERT INTO agent_mappings (project_id, agent_id, version, variables, digest, created_by)
        VALUES (%s, %s, %s, %s, %s, %s)
        """,
        (project, agent.id, current + 1, jsonb(variables), digest, call.actor.user_id),
    )
    after = await _read_version(MAPPING, tx, project, agent.id, current + 1)
    assert after is not None, "it was stored"  # noqa: S101
    changes.record(
        tx, call.actor, action="agent.map", target=named, project_id=project, before=before, after=after
    )
    return after


def _explain_newer(new: NewAgentMapping, newest: AgentMappingVersion | None) -> Problem:
    if newest is None:
        sentence = f"mapping.replaces is {new.replaces:,}, but the agent has no mapping yet; send 0."
    else:
        sentence = (
            f"mapping.replaces is {new.replaces:,}, but {newest.user_name} saved version {newest.version:,} "
            f"at {newest.created_at.text}. Read that version and choose again."
        )
    return Problem(sentence, "mapping.replaces", "overtaken")


def _each(new: NewAgentMapping) -> Iterator[tuple[str, MappedVariable]]:
    """Each variable with its place in the body."""
    return ((f"mapping.variables[{place}]", variable) for place, variable in enumerate(new.variables))


def _problems_of_form(new: NewAgentMapping) -> Iterator[Problem]:
    """What is wrong with the body by itself."""
    if not 0 <= new.replaces <= INT4_LARGEST:
        sentence = f"mapping.replaces is {shorten(str(new.replaces))}; it takes 0 to {INT4_LARGEST:,}."
        yield Problem(sentence, "mapping.replaces", "invalid")
    if len(new.variables) > MAPPED_VARIABLES_MAX:
        sentence = f"has {len(new.variables):,} items; it takes at most {MAPPED_VARIABLES_MAX:,}."
        yield Problem(f"mapping.variables {sentence}", "mapping.variables", "too_many")
    seen: set[tuple[str, str]] = set()
    for path, variable in _each(new):
        if len(variable.node) > STATE_TEXT_MAX or not is_node_id(variable.node):
            form = f"it takes {NODE_ID_FORM}, up to {STATE_TEXT_MAX:,} characters."
            yield Problem(f"{path}.node is {shorten(variable.node)!r}; {form}", f"{path}.node", "invalid")
        elif (variable.source, variable.node) in seen:
            sentence = f"is {shorten(variable.node)!r} of {shorten(variable.source)} a second time."
            yield Problem(f"{path}.node {sentence}", f"{path}.node", "taken")
        seen.add((variable.source, variable.node))
        yield from _problems_of_texts(variable, path)


def _problems_of_texts(variable: MappedVariable, path: str) -> Iterator[Problem]:
    """What is wrong with the slugs and the tags of a variable by themselves."""
    slugs = {name: slug for name in _POINTS if (slug := getattr(variable, name)) is not None}
    for name, slug in slugs.items():
        if len(slug) > SLUG_LENGTH_MAX:
            sentence = f"has {len(slug):,} characters; it takes at most {SLUG_LENGTH_MAX}."
            yield Problem(f"{path}.{name} {sentence}", f"{path}.{name}", "invalid")
    if len({*slugs.values()}) < len(slugs):
        sentence = "and the other data points must each be another one."
        yield Problem(f"{path}.data_point {sentence}", f"{path}.data_point", "invalid")
    if len(variable.locations) > LOCATIONS_MAX:
        sentence = f"has {len(variable.locations):,} items; it takes at most {LOCATIONS_MAX}."
        yield Problem(f"{path}.locations {sentence}", f"{path}.locations", "too_many")
    text = variable.tracking_id
    if text is not None and not 0 < len(text.strip()) == len(text) <= REFERENCE_LENGTH_MAX:
        sentence = f"it takes a text without blanks around it, up to {REFERENCE_LENGTH_MAX} characters."
        yield Problem(
            f"{path}.tracking_id is {shorten(text)!r}; {sentence}", f"{path}.tracking_id", "invalid"
        )


def _problems_of_sources(new: NewAgentMapping, agent: PlantAgent) -> Iterator[Problem]:
    """Sources that the agent does not have, or of which its file takes no variables from here.

    The agent checks the same by its file. What an agent of an older version takes is not known; it is saved
    for the version that follows.
    """
    servers = [source.name for source in agent.state.sources if source.type == "opcua"]
    state = agent.state.mapping
    for path, variable in _each(new):
        shown = f"{path}.source is {shorten(variable.source)!r}"
        if variable.source not in servers:
            has = f"; it has {' and '.join(servers)}." if servers else "; it has none."
            sentence = f"{shown}, which is no OPC UA server of the agent{has}"
            yield Problem(sentence, f"{path}.source", "unknown")
        elif state is not None and variable.source not in state.sources:
            why = "whose variables the agent's file keeps to itself: nodes_from_service is false."
            yield Problem(f"{shown}, {why}", f"{path}.source", "invalid")


# Records of the project that variables name.


_TYPES: Final = """
    SELECT t.slug, p.slug, p.value_type,
           EXISTS (SELECT FROM roll_ups r WHERE (r.project_id, r.event_type_id) = (t.project_id, t.id))
      FROM event_types t
      LEFT JOIN data_point_types p ON (p.project_id, p.event_type_id) = (t.project_id, t.id)
     WHERE t.project_id = %s AND t.slug = ANY (%s)
"""
_TAGS: Final = """
    SELECT 'asset', id FROM assets WHERE project_id = %(project)s AND id = ANY (%(asset)s)
     UNION ALL
    SELECT 'feedstock', id FROM feedstocks WHERE project_id = %(project)s AND id = ANY (%(feedstock)s)
     UNION ALL
    SELECT 'location', id FROM locations WHERE project_id = %(project)s AND id = ANY (%(location)s)
"""


async def _problems_of_names(tx: Read, project: int, variables: Sequence[MappedVariable]) -> list[Problem]:
    """Event types, data points and tags that variables name, and that the project does not have."""
    numbers: dict[str, set[int]] = {"asset": set(), "feedstock": set(), "location": set()}
    for variable in variables:
        for kind, _, friendly in _tags_of(variable):
            numbers[kind].add(identity.number(kind, friendly, project))
    named = {kind: [*found] for kind, found in numbers.items()}
    types = [*{variable.event_type for variable in variables}]
    type_rows, tag_rows = await tx.several((_TYPES, (project, types)), (_TAGS, {"project": project, **named}))
    points: dict[str, dict[str | None, str | None]] = {}
    rolled_up: set[str] = set()
    for event_type, slug, value_type, is_rolled_up in type_rows:
        points.setdefault(event_type, {})[slug] = value_type
        rolled_up |= {event_type} if is_rolled_up else set()
    tags = {(kind, number) for kind, number in tag_rows}
    problems: list[Problem] = []
    for place, variable in enumerate(variables):
        path = f"mapping.variables[{place}]"
        problems += _problems_of_slugs(variable, path, points, rolled_up)
        problems += [
            Problem(
                f"{path}.{field} is {shorten(friendly)!r}, which is no {kind} of the project.",
                f"{path}.{field}",
                "unknown",
            )
            for kind, field, friendly in _tags_of(variable)
            if (kind, identity.number(kind, friendly, project)) not in tags
        ]
    return problems


def _tags_of(variable: MappedVariable) -> Iterator[tuple[str, str, str]]:
    """The kind, the field and the id of each record by which the events are tagged."""
    if variable.asset_id is not None:
        yield "asset", "asset_id", variable.asset_id
    if variable.feedstock_id is not None:
        yield "feedstock", "feedstock_id", variable.feedstock_id
    for place, location in enumerate(variable.locations):
        yield "location", f"locations[{place}]", location


def _problems_of_slugs(
    variable: MappedVariable,
    path: str,
    points: Mapping[str, Mapping[str | None, Any]],
    rolled_up: set[str],
) -> Iterator[Problem]:
    """What is wrong with the event type and the data points of a variable."""
    event_type = variable.event_type
    shown = f"{path}.event_type is {shorten(event_type)!r}"
    if event_type not in points:
        yield Problem(f"{shown}, which is no event type of the project.", f"{path}.event_type", "unknown")
        return
    if event_type in rolled_up:
        sentence = f"{shown}, whose events the service makes itself from readings; name that of the readings."
        yield Problem(sentence, f"{path}.event_type", "invalid")
    for field in _POINTS:
        slug = getattr(variable, field)
        if slug is None:
            continue
        if slug not in points[event_type]:
            sentence = f"is {shorten(slug)!r}, which the event type {event_type!r} does not have."
            yield Problem(f"{path}.{field} {sentence}", f"{path}.{field}", "unknown")
        elif field != "data_point" and points[event_type][slug] != "string":
            sentence = f"is {shorten(slug)!r}, which is no text; name a data point type of value_type string."
            yield Problem(f"{path}.{field} {sentence}", f"{path}.{field}", "invalid")


ROUTES = [list_agent_mappings, create_agent_mapping, get_agent_mapping]
