"""Choose variables of a server for an agent to read, leave them out again, and see who changed the mapping.

Each change saves the next version of the whole mapping. It is made from the version that the page showed, so
that of two people who choose at once the second is told.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import to_builtins

from weighbridge.collection.agent_mappings import create_agent_mapping, list_agent_mappings
from weighbridge.collection.agents import get_agent
from weighbridge.collection.assets import list_assets_of_project
from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.feedstocks import list_feedstocks_of_project
from weighbridge.collection.locations import list_locations
from weighbridge.collection.records.agent_mappings import MappedVariable
from weighbridge.collection.records.agents import PlantAgent
from weighbridge.collection.records.data_points import EventType
from weighbridge.core.problem import Problem
from weighbridge.db.lists.listing import read_int4
from weighbridge.errors import Invalid
from weighbridge.web.forms.choices import OFFERED_MAX
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.data_feeds.agents import ONE, agent
from weighbridge.web.pages.data_feeds.mapping_view import (
    find_quality,
    list_servers,
    list_texts,
    read_mapping,
    view_mapping,
)

_FIELDS: Final = ("data_point", "quality", "status", "asset_id", "feedstock_id", "tracking_id")
"""The fields of the form that have one value, but for those that name the variable."""

_OFFERED: Final = (("page_size", str(OFFERED_MAX)), ("sort", "name"))


async def choose(visit: Visit) -> View:
    """Where the values of a variable belong: a form that is filled in already if the variable is chosen."""
    found: PlantAgent = await visit.ask(get_agent)
    mapping = await view_mapping(visit, found)
    servers = [server for server in list_servers(found) if server not in mapping.closed_servers]
    source = visit.text("source") or visit.asked("source") or "".join(servers[:1])
    node = visit.text("node") or visit.asked("node")
    chosen = mapping.find(source, node)
    types = (await visit.ask(list_event_types, _OFFERED)).data
    path = visit.url("agents")
    return view(
        "data/agent_variable.html", "Read a variable", call=f"{path}/{found.id}/mappings",
        crumbs=(("Agents", path), (found.name, f"{path}/{found.id}")),
        agent=found, path=f"{path}/{found.id}", mapping=mapping, servers=servers, source=source, node=node,
        is_chosen=chosen is not None, fields=_fill_in(visit, chosen),
        types=[one for one in types if list_texts(one) and one.rolled_up_from is None],
        assets=(await visit.ask(list_assets_of_project, _OFFERED)).data,
        feedstocks=(await visit.ask(list_feedstocks_of_project, _OFFERED)).data,
        locations=(await visit.ask(list_locations, _OFFERED)).data,
    )  # fmt: skip


def _fill_in(visit: Visit, chosen: MappedVariable | None) -> Mapping[str, Any]:
    """What the fields of the form show: what was typed, else what is chosen."""
    if visit.typed:
        return {name: visit.text(name) for name in _FIELDS} | {"locations": visit.texts("locations")}
    if chosen is None:
        return dict.fromkeys(_FIELDS, "") | {"locations": ()}
    slugs = {
        name: f"{chosen.event_type}/{slug}" if (slug := getattr(chosen, name)) else ""
        for name in ("data_point", "quality", "status")
    }
    return {**to_builtins(chosen), **slugs}


@form(f"{ONE}/choose", permission="data_collection:write", error_page=choose)
async def choose_variable(visit: Visit) -> Redirect:
    """Have an agent read a variable, or read it for something else."""
    source, node = visit.text("source"), visit.text("node")
    types = {one.slug: one for one in (await visit.ask(list_event_types, _OFFERED)).data}
    variable = {"source": source, "node": node, **_read_slugs(visit, types)}
    for name in ("asset_id", "feedstock_id", "tracking_id"):
        variable[name] = visit.text(name) or None
    variable["locations"] = [one for one in visit.texts("locations") if one]
    others = await _read_others(visit, source, node)
    saved = await _save(visit, [*others, variable])
    return Redirect(f"{visit.url('agents/{agent_id}')}#chosen", f"Variable saved in version {saved.version}.")


def _read_slugs(visit: Visit, types: Mapping[str, EventType]) -> dict[str, Any]:
    """The event type and the data points that were chosen; Invalid where they do not belong together."""
    slug, _, point = visit.text("data_point").partition("/")
    event_type = types.get(slug)
    if event_type is None:
        raise Invalid([Problem("Select the data point that gets the value.", "data_point", "required")])
    found: dict[str, Any] = {"event_type": slug, "data_point": point}
    problems = []
    for name in ("quality", "status"):
        of_type, _, text = visit.text(name).partition("/")
        if of_type and of_type != slug:
            sentence = f"{name} is a data point of another event type; select one of {event_type.name}."
            problems.append(Problem(sentence, name, "invalid"))
        found[name] = text or None
    found["quality"] = found["quality"] or find_quality(event_type)
    if not found["quality"] and not problems:
        sentence = f"{event_type.name} has several texts. Select the one that gets the quality."
        problems.append(Problem(sentence, "quality", "required"))
    if problems:
        raise Invalid(problems)
    return found


@form(f"{ONE}/leave_out", permission="data_collection:write", error_page=agent)
async def leave_variable_out(visit: Visit) -> Redirect:
    """Have an agent read a variable no more; its events stay."""
    others = await _read_others(visit, visit.text("source"), visit.text("node"))
    await _save(visit, others)
    return Redirect(f"{visit.url('agents/{agent_id}')}#chosen", "Variable removed.")


async def _read_others(visit: Visit, source: str, node: str) -> list[Any]:
    """The variables of the version that the page showed, without one."""
    shown = await read_mapping(visit, _read_version(visit))
    return [to_builtins(one) for one in shown if (one.source, one.node) != (source, node)]


def _read_version(visit: Visit) -> int:
    try:
        return read_int4(visit.text("replaces"))
    except ValueError:
        sentence = "The form has no version. Reload the page and send the form again."
        raise Invalid([Problem(sentence, "replaces", "invalid")]) from None


async def _save(visit: Visit, variables: Sequence[Any]) -> Any:
    body = {"mapping": {"replaces": _read_version(visit), "variables": variables}}
    return await visit.do(create_agent_mapping, body)


@page(f"{ONE}/mappings", permission="data_collection:read", of=list_agent_mappings, query_of=list_query)
async def agent_mappings(visit: Visit) -> View:
    """The versions of an agent's mapping: who saved each, and when."""
    found: PlantAgent = await visit.ask(get_agent)
    listed = await visit.ask(list_agent_mappings, list_query(visit))
    agents = visit.url("agents")
    path = f"{agents}/{found.id}/mappings"
    return view(
        "data/agent_mappings.html", "Versions of the mapping", call=path, has_csv=True,
        crumbs=(("Agents", agents), (found.name, f"{agents}/{found.id}")),
        path=path, versions=listed.data, list=ListView(path, visit.query, listed.info), agent=found,
    )  # fmt: skip


PAGES = [
    *page(f"{ONE}/choose", permission="data_collection:write")(choose),
    *choose_variable,
    *leave_variable_out,
    *agent_mappings,
]
