"""Agents at plants: each reports what it does, and is asked for the address spaces of its servers.

An agent registers by its first report, with the token by which it sends events. A response to a report has
the question that waits for an answer; the next report has the answer. It also has the newest version of the
agent's mapping (`agent_mappings.py`), which the agent fetches. What an agent reports is its own word:
no calculation reads it. The audit log has a row when an agent registers, is asked, changed or removed;
reports themselves, of which there are thousands a day, leave none. Permission: data collection.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, to_builtins

from weighbridge.collection.named_records.noun import ProjectNoun
from weighbridge.collection.records.agents import (
    AGENT_BODIES,
    AGENT_NAME,
    CHILDREN_MAX,
    COUNT_MAX,
    IS_QUIET,
    MAPPING_PROBLEMS_MAX,
    QUIET_FILTER,
    QUIET_SECONDS,
    SOURCES_MAX,
    STATE_TEXT_MAX,
    VARIABLES_MAX,
    AgentReportBody,
    AgentReportOfState,
    BrowsingQuestionBody,
    PlantAgent,
    read_browsing,
    read_offer,
    read_state,
)
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.db.lists.listing import Filter, Page
from weighbridge.db.row import Column, unless_null
from weighbridge.db.statements import jsonb
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.http.text import outside_calendar
from weighbridge.platform import changes
from weighbridge.platform.tenancy import project_of

_OFFER: Final = """
    (SELECT jsonb_build_object('version', m.version, 'digest', m.digest) FROM agent_mappings m
      WHERE (m.project_id, m.agent_id) = (agents.project_id, agents.id) ORDER BY m.version DESC LIMIT 1)
"""

AGENTS: Final = ProjectNoun(
    AGENT_BODIES,
    "agents",
    own=(
        Column("is_quiet", IS_QUIET),
        Column("state", "state", read_state),
        Column("browsing", "browsing", unless_null(read_browsing)),
        Column("mapping", _OFFER, unless_null(read_offer)),
    ),
    filters={"name": Filter("name", str, "a name"), "is_quiet": QUIET_FILTER},
)

_PATH: Final = "/projects/{project_id}/agents"
_ONE: Final = _PATH + "/{agent_id}"


@get(_PATH, permission="data_collection:read", returns=Page[PlantAgent], listing=AGENTS.listing)
async def list_agents(call: ReadCall) -> Page[PlantAgent]:
    """List the agents of a project: which is quiet, what each reads, and how far behind it is."""
    return await AGENTS.list_of_project(call)


@get(_ONE, permission="data_collection:read", returns=PlantAgent)
async def get_agent(call: ReadCall) -> PlantAgent:
    """Read one agent."""
    return await AGENTS.get(call)


# Reports: the first of a name makes the agent, every other one replaces what it said before.


_REPORT: Final = f"""
    INSERT INTO agents (project_id, name, version, state, reported_at)
    VALUES (%(project)s, %(name)s, %(version)s, %(state)s, now())
        ON CONFLICT (project_id, name) DO UPDATE
       SET version = excluded.version, state = excluded.state, reported_at = excluded.reported_at,
           browsing = CASE WHEN agents.browsing -> 'number' = %(browsed)s::jsonb -> 'number'
                           THEN agents.browsing || jsonb_build_object('answer', %(browsed)s::jsonb)
                           ELSE agents.browsing END
    RETURNING {AGENTS.table.row.columns}
"""


@post(_PATH, permission="data_collection:write", body=AgentReportBody, returns=PlantAgent)
async def report_agent(call: WriteCall, body: AgentReportBody) -> PlantAgent:
    """Report the state of an agent; the first report of a name registers it.

    The response has the question that waits for an answer, if there is one. Agents send this by themselves.
    """
    tx, project, report = call.tx, await project_of(call), body.agent
    if problems := [*outside_calendar(body), *_problems_of_report(report)]:
        raise Invalid(problems)
    known = await tx.value(
        "SELECT true FROM agents WHERE project_id = %s AND name = %s", (project, report.name)
    )
    values = {
        "project": project,
        "name": report.name,
        "version": report.version,
        "state": jsonb(to_builtins(report.state)),
        "browsed": jsonb(None if report.browsed is None else to_builtins(report.browsed)),
    }
    [after] = await tx.rows(AGENTS.table.row.make, _REPORT, values)
    if not known:
        changes.record(
            tx, call.actor, action="agent.register", target=str(after.id), project_id=project, after=after
        )
    return after


def _problems_of_report(report: AgentReportOfState) -> list[Problem]:
    """What is wrong with a report: its name, and what is longer than it may be."""
    problems = []
    if not re.fullmatch(AGENT_NAME, report.name):
        sentence = f"agent.name is {shorten(report.name)!r}; it takes 1 to 40 letters, digits, - and _."
        problems.append(Problem(sentence, "agent.name", "invalid"))
    answer, mapping = report.browsed, report.state.mapping
    for field, count, most in (
        ("state.sources", len(report.state.sources), SOURCES_MAX),
        ("state.last_values", len(report.state.last_values), VARIABLES_MAX),
        ("state.mapping.sources", 0 if mapping is None else len(mapping.sources), SOURCES_MAX),
        ("state.mapping.problems", 0 if mapping is None else len(mapping.problems), MAPPING_PROBLEMS_MAX),
        ("browsed.children", 0 if answer is None else len(answer.children), CHILDREN_MAX),
    ):
        if count > most:
            sentence = f"agent.{field} has {count:,} items; it takes at most {most:,}."
            problems.append(Problem(sentence, f"agent.{field}", "too_many"))
    return [*problems, *_problems_of_counts(report), *_problems_of_texts("agent", to_builtins(report))]


def _problems_of_counts(report: AgentReportOfState) -> Iterator[Problem]:
    """Counts of a report that are none."""
    counts = {
        f"state.{name}": getattr(report.state, name)
        for name in ("waiting", "refused", "spool_bytes", "spool_bytes_max")
    }
    if report.browsed is not None:
        counts["browsed.number"] = report.browsed.number
    versions = {}
    if (mapping := report.state.mapping) is not None:
        for name in ("version", "refused_version"):
            if (version := getattr(mapping, name)) is not None:
                versions[f"state.mapping.{name}"] = version
    for field, count in (counts | versions).items():
        least = 1 if field in versions else 0
        if not least <= count <= COUNT_MAX:
            sentence = f"agent.{field} is {shorten(str(count))}; it takes {least} to {COUNT_MAX:,}."
            yield Problem(sentence, f"agent.{field}", "invalid")


def _problems_of_texts(path: str, value: object) -> list[Problem]:
    """Texts of a report that are too long."""
    if isinstance(value, dict):
        return [
            problem for name, item in value.items() for problem in _problems_of_texts(f"{path}.{name}", item)
        ]
    if isinstance(value, list):
        return [
            problem
            for place, item in enumerate(value)
            for problem in _problems_of_texts(f"{path}[{place}]", item)
        ]
    if isinstance(value, str) and len(value) > STATE_TEXT_MAX:
        sentence = f"{path} has {len(value):,} characters; it takes at most {STATE_TEXT_MAX:,}."
        return [Problem(sentence, path, "invalid")]
    return []


# What people do: describe an agent, ask it for nodes, and remove one that is gone.


@patch(_ONE, permission="data_collection:write", body=AGENT_BODIES.change_body, returns=PlantAgent)
async def update_agent(call: WriteCall, body: Struct) -> PlantAgent:
    """Change the description of an agent, or after how long without a report it counts as quiet."""
    tx, project, named = call.tx, await project_of(call), call.path["agent_id"]
    before = await AGENTS.read(tx, project, named, locks=True)
    desired = AGENT_BODIES.changed(before, body)
    least, most = QUIET_SECONDS
    if not least <= desired.quiet_after_seconds <= most:
        sentence = (
            f"agent.quiet_after_seconds is {desired.quiet_after_seconds:,}; it takes {least:,} to {most:,}."
        )
        raise Invalid([Problem(sentence, "agent.quiet_after_seconds", "invalid")])
    if desired == before:
        return before
    after = await AGENTS.replace(tx, project, before.id, desired)
    changes.record(
        tx, call.actor, action="agent.update", target=named, project_id=project, before=before, after=after
    )
    return after


@post(_ONE + "/browse", permission="data_collection:write", body=BrowsingQuestionBody, returns=PlantAgent)
async def browse_agent(call: WriteCall, body: BrowsingQuestionBody) -> PlantAgent:
    """Ask an agent for the nodes below a node of an OPC UA server; its answer comes with its next reports.

    A new question replaces the one before it, answered or not.
    """
    tx, project, named = call.tx, await project_of(call), call.path["agent_id"]
    before = await AGENTS.read(tx, project, named, locks=True)
    asked = body.browsing
    if problems := _problems_of_texts("browsing", to_builtins(asked)):
        raise Invalid(problems)
    sources = [source.name for source in before.state.sources if source.type == "opcua"]
    if asked.source not in sources:
        there = f"it has {', '.join(sources)}" if sources else "it has none"
        sentence = (
            f"browsing.source is {shorten(asked.source)!r}, which is no OPC UA server of the agent; {there}."
        )
        raise Invalid([Problem(sentence, "browsing.source", "unknown")])
    [after] = await tx.rows(
        AGENTS.table.row.make,
        f"""
        UPDATE agents
           SET browsing = jsonb_build_object('number', coalesce((browsing ->> 'number')::bigint, 0) + 1,
                   'source', %s::text, 'node', %s::text, 'asked_at', now(), 'answer', NULL),
               updated_at = now()
         WHERE project_id = %s AND id = %s
        RETURNING {AGENTS.table.row.columns}
        """,
        (asked.source, asked.node, project, before.id),
    )
    changes.record(
        tx, call.actor, action="agent.browse", target=named, project_id=project, before=before, after=after
    )
    return after


@delete(_ONE, permission="data_collection:write")
async def delete_agent(call: WriteCall) -> None:
    """Remove an agent that is gone; one that still runs registers again by its next report."""
    project = await project_of(call)
    tx, named = call.tx, call.path["agent_id"]
    before = await AGENTS.read(tx, project, named, locks=True)
    await tx.execute("DELETE FROM agents WHERE project_id = %s AND id = %s", (project, before.id))
    changes.record(tx, call.actor, action="agent.delete", target=named, project_id=project, before=before)


ROUTES = [list_agents, report_agent, get_agent, update_agent, browse_agent, delete_agent]
