"""Agents of plants: how each fares, and the address space of a server that a person browses by way of one."""

from datetime import UTC
from typing import Final

from weighbridge.collection.agents import browse_agent, delete_agent, get_agent, list_agents
from weighbridge.collection.records.agents import PlantAgent, StateOfAgent
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import action, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.data_feeds.mapping_view import list_servers, view_mapping

PATH: Final = "/projects/{project_id}/agents"
ONE: Final = PATH + "/{agent_id}"

LAGGING_SECONDS: Final = 600
"""From which lag on an agent is shown as late."""

CLOCK_SECONDS: Final = 60
"""From which difference on an agent's clock is shown as wrong."""


def describe_state(agent: PlantAgent) -> tuple[str, str]:
    """How an agent fares, in a word and the tone of its mark."""
    if agent.is_quiet:
        return "quiet", "short"
    if any(source.error for source in agent.state.sources):
        return "a source fails", "short"
    if agent.state.lag_seconds >= LAGGING_SECONDS:
        return "late", "waits"
    mapping = agent.state.mapping
    if any(source.problems for source in agent.state.sources) or agent.state.refused:
        return "has problems", "waits"
    if mapping is not None and mapping.problems:
        return "has problems", "waits"
    return "reads", "good"


def describe_clock(state: StateOfAgent) -> tuple[str, bool]:
    """How far the agent's clock is off, in words, and whether that is too far."""
    offset = state.clock_offset_seconds
    if offset is None:
        return "unknown", False
    if not offset:
        return "right", False
    return f"{abs(offset)} s {'ahead' if offset > 0 else 'behind'}", abs(offset) >= CLOCK_SECONDS


@page(PATH, permission="data_collection:read", of=list_agents, query_of=list_query)
async def agents(visit: Visit) -> View:
    """The agents of a project, with how each fares."""
    listed = await visit.ask(list_agents, list_query(visit))
    path = visit.url("agents")
    return view(
        "data/agents.html", "Agents", call=path, has_csv=True, path=path,
        agents=[(agent, describe_state(agent), describe_clock(agent.state)) for agent in listed.data],
        list=ListView(path, visit.query, listed.info),
    )  # fmt: skip


async def agent(visit: Visit) -> View:
    """One agent: its sources, the last values, and what it found below a node."""
    found: PlantAgent = await visit.ask(get_agent)
    path = visit.url("agents")
    return view(
        "data/agent.html", found.name, call=f"{path}/{found.id}", crumbs=(("Agents", path),),
        agent=found, path=f"{path}/{found.id}", mark=describe_state(found),
        clock=describe_clock(found.state), servers=list_servers(found),
        mapping=await view_mapping(visit, found),
        variables=[(one, one.time.astimezone(UTC)) for one in found.state.last_values],
    )  # fmt: skip


@form(f"{ONE}/browse", permission="data_collection:write", error_page=agent)
async def ask_for_nodes(visit: Visit) -> Redirect:
    """Ask the agent for the nodes below one."""
    asked = {"source": visit.text("source"), "node": visit.text("node") or "i=85"}
    changed = await visit.do(browse_agent, {"browsing": asked})
    return Redirect(f"{visit.url(f'agents/{changed.id}')}#nodes")


PAGES = [
    *agents,
    *page(ONE, permission="data_collection:read", of=get_agent)(agent),
    *ask_for_nodes,
    *action(
        f"{ONE}/delete", delete_agent, permission="data_collection:write", error_page=agent, back="agents",
        notice="Agent removed.",
    ),
]  # fmt: skip
