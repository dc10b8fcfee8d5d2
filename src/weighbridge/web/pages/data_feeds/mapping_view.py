"""What pages show of the mapping of an agent: the chosen variables, and how the agent takes them.

Invariant: which version is in force is the agent's own word; pages say it as such.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from weighbridge.collection.agent_mappings import get_agent_mapping
from weighbridge.collection.records.agent_mappings import MappedVariable
from weighbridge.collection.records.agents import PlantAgent
from weighbridge.collection.records.data_points import EventType
from weighbridge.web.framework.visit import Visit

QUALITY: Final = "quality"
"""The slug of the data point that gets the quality where an event type has several texts."""


@dataclass(frozen=True, slots=True)
class ShownVariable:
    """A variable of the newest version, and what is wrong with it at the server."""

    variable: MappedVariable
    problem: str


@dataclass(frozen=True, slots=True)
class MappingView:
    """The newest version of an agent's mapping, and what the agent says of it."""

    version: int
    variables: Sequence[ShownVariable]
    words: str
    tone: str
    is_awaited: bool
    """Whether the agent is still to say something of this version."""
    problems: Sequence[str]
    closed_servers: Sequence[str]
    """Servers whose variables the agent's file keeps to itself."""

    def find(self, source: str, node: str) -> MappedVariable | None:
        """The variable, if it is chosen."""
        found = (one.variable for one in self.variables)
        return next((one for one in found if (one.source, one.node) == (source, node)), None)


async def read_mapping(visit: Visit, version: int) -> Sequence[MappedVariable]:
    """The variables of a version of the agent's mapping; none of version 0."""
    if version == 0:
        return []
    found: Sequence[MappedVariable] = (
        await visit.ask(get_agent_mapping, agent_mapping_id=str(version))
    ).variables
    return found


async def view_mapping(visit: Visit, agent: PlantAgent) -> MappingView:
    """The mapping of an agent as its page shows it."""
    version = 0 if agent.mapping is None else agent.mapping.version
    problems = {source.name: source.problems for source in agent.state.sources}
    state = agent.state.mapping
    variables = [
        ShownVariable(one, problems.get(one.source, {}).get(one.node, ""))
        for one in await read_mapping(visit, version)
    ]
    words, tone, is_awaited = describe_mapping(agent)
    servers = list_servers(agent)
    return MappingView(
        version, variables, words, tone, is_awaited,
        [] if state is None else state.problems,
        [] if state is None else [server for server in servers if server not in state.sources],
    )  # fmt: skip


def describe_mapping(agent: PlantAgent) -> tuple[str, str, bool]:
    """How an agent deals with its mapping, in words and a tone, and whether more is to come of it."""
    offer, state = agent.mapping, agent.state.mapping
    if offer is None:
        return "", "quiet", False
    if state is None:
        words = f"The agent runs version {agent.version}, which does not know mappings. Update the agent."
        return words, "short", False
    if (state.version, state.digest) == (offer.version, offer.digest):
        return f"The agent reads by version {offer.version}.", "good", False
    now = "by its file alone" if state.version is None else f"by version {state.version}"
    if state.refused_version == offer.version:
        return f"The agent refuses version {offer.version} and goes on {now}.", "short", False
    words = f"The agent still reads {now}. It takes version {offer.version} with its next report."
    return words, "waits", True


def list_servers(agent: PlantAgent) -> list[str]:
    """The OPC UA servers of an agent."""
    return [source.name for source in agent.state.sources if source.type == "opcua"]


def list_texts(event_type: EventType) -> list[str]:
    """The slugs of the text data points of an event type."""
    return [point.slug for point in event_type.data_point_types if point.value_type == "string"]


def find_quality(event_type: EventType) -> str:
    """The data point that gets the quality unless another is chosen; empty where none or several fit."""
    texts = list_texts(event_type)
    if QUALITY in texts:
        return QUALITY
    return texts[0] if len(texts) == 1 else ""
