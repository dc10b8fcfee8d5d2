"""Define the record of agents: what each said of itself last, and the address space that it was asked for."""

from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Final

import msgspec

from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.db.lists.listing import Filter, among
from weighbridge.http.text import Description, Moment, at_most, between, several, told

AGENT_NAME: Final = "^[A-Za-z0-9_-]{1,40}$"
"""The form of an agent's name, as its file has it."""

STATE_TEXT_MAX: Final = 1_000
"""Characters of what an agent says of a source or a variable."""

SOURCES_MAX: Final = 100
"""Sources of one agent that a report names."""

VARIABLES_MAX: Final = 1_000
"""Variables of one agent whose last values a report gives."""

CHILDREN_MAX: Final = 500
"""Nodes below one node that an answer to a question has."""

COUNT_MAX: Final = 2**53
"""The greatest count of a report, which JSON of any reader holds exactly."""

QUIET_SECONDS: Final = (30, 604_800)
"""After how long without a report an agent may count as quiet, at least and at most."""

MAPPING_PROBLEMS_MAX: Final = 100
"""Sentences in which an agent says why it does not read by a mapping."""

StateText = Annotated[str, at_most(STATE_TEXT_MAX)]


class SourceState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a source of an agent fares."""

    name: StateText
    """The name of the source in the agent's file."""
    type: StateText
    """What the source is, such as `opcua`."""
    state: StateText
    """What the agent does with it, such as `reading` or `waiting`."""
    error: StateText | None = None
    """What keeps the agent from reading it; null when nothing does."""
    clock_offset_seconds: Decimal | None = None
    """How far the agent's clock is ahead of the source's; null when the source tells no time."""
    problems: Annotated[dict[str, StateText], told(maxProperties=VARIABLES_MAX)] = {}
    """What is wrong with single variables of it, by their names."""


class LastValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last value that an agent had of a variable since it began."""

    variable: StateText
    """The source and the variable, as client references name it."""
    time: Moment
    """When the source says that the value was."""
    value: StateText
    """The values of the reading as text, such as `temperature 21.1, quality good`."""


class MappingState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an agent deals with the mapping of its variables from the web app."""

    sources: Annotated[list[StateText], several(SOURCES_MAX)]
    """The sources whose variables it takes from there, as its file says: those with `nodes_from_service`."""
    version: Annotated[int, between(1, COUNT_MAX)] | None = None
    """The version by which it reads; null when it reads by its file alone."""
    digest: StateText | None = None
    """The digest of that version, as the service gave it."""
    refused_version: Annotated[int, between(1, COUNT_MAX)] | None = None
    """The newer version that it does not take; null when there is none."""
    problems: Annotated[list[StateText], several(MAPPING_PROBLEMS_MAX)] = []
    """Why that is so, or which variables of `version` it leaves out, a sentence for each."""


class StateOfAgent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an agent says of itself."""

    waiting: Annotated[int, between(0, COUNT_MAX)]
    """Readings in its spool that the service does not have yet."""
    oldest_arrived_at: Moment | None
    """Since when the oldest of them has waited, by the agent's clock; null when none waits."""
    lag_seconds: Decimal
    """For how long the oldest has waited; 0 when none waits."""
    refused: Annotated[int, between(0, COUNT_MAX)]
    """Readings that were set apart."""
    spool_bytes: Annotated[int, between(0, COUNT_MAX)]
    """How much of the spool's file is in use."""
    spool_bytes_max: Annotated[int, between(0, COUNT_MAX)]
    """How large the spool may become."""
    clock_offset_seconds: Decimal | None
    """How far the agent's clock is ahead of the service's; null before the first answer."""
    sources: Annotated[list[SourceState], several(SOURCES_MAX)]
    """How each source fares."""
    last_values: Annotated[list[LastValue], several(VARIABLES_MAX)]
    """The last value of each variable since the agent began, the newest first."""
    mapping: MappingState | None = None
    """How it deals with the mapping from the web app; null from a version that knows none."""


class BrowsedNode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A node of a server's address space."""

    node: StateText
    """Its id by the address of its namespace, as the agent's file takes it."""
    name: StateText
    """What the server calls it."""
    is_variable: bool
    """Whether it is a variable, which can be read."""
    data_type: StateText | None = None
    """The type of a variable's value, such as `Float`."""
    value: StateText | None = None
    """A variable's present value as text."""


class BrowsingAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an agent found below a node."""

    number: Annotated[int, between(0, COUNT_MAX)]
    """The number of the question."""
    error: StateText | None = None
    """Why nothing was found; null when the server answered."""
    children: Annotated[list[BrowsedNode], several(CHILDREN_MAX)] = []
    """The nodes below the node, the first 500 as the server orders them."""
    is_cut: bool = False
    """Whether the server has more nodes below it."""


class Browsing(msgspec.Struct, frozen=True):
    """A question about the address space of a server, and its answer."""

    number: int
    """The number of the question."""
    source: str
    """The source whose server is asked."""
    node: str
    """The node whose children are wanted; `i=85` is the folder of the server's objects."""
    asked_at: Moment
    """When it was asked, by the service's clock."""
    answer: BrowsingAnswer | None
    """What the agent found; null until it has answered."""


class MappingOffer(msgspec.Struct, frozen=True):
    """The version of its mapping that an agent is to read by."""

    version: int
    """The number of the version."""
    digest: str
    """The SHA-256 of its variables, by which versions of the same number are told apart."""


class PlantAgent(msgspec.Struct, frozen=True):
    """An agent at a plant, and what it reported last."""

    id: int
    """The number of the agent."""
    project_id: str
    name: str
    """The name of the agent in its file; there is one of it in the project."""
    description: Annotated[str | None, Sent(Description, help="")]
    """What people write about it, such as where the machine stands."""
    quiet_after_seconds: Annotated[
        int,
        Sent(
            Annotated[int, between(*QUIET_SECONDS)], help="after so long without a report it counts as quiet"
        ),
    ]
    """After how long without a report the agent counts as quiet."""
    is_quiet: bool
    """Whether the agent has not reported for so long."""
    reported_at: Instant
    """When its last report came, by the service's clock."""
    version: str
    """The version of the program that it runs."""
    state: StateOfAgent
    """What it said of itself then."""
    browsing: Browsing | None
    """The last question about a server's address space; null before the first."""
    mapping: MappingOffer | None
    """The newest version of the mapping from the web app; null before the first."""
    created_at: Instant
    updated_at: Instant


AGENT_BODIES: Final = RequestBodies(PlantAgent, "agent", "/projects/{project_id}/agents")

IS_QUIET: Final = "(reported_at < now() - quiet_after_seconds * interval '1 second')"
"""SQL: whether an agent has not reported for as long as it may."""

QUIET_FILTER: Final = Filter(f"{IS_QUIET}::text", among(("true", "false")), "true or false")


class AgentReportOfState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an agent reports."""

    name: Annotated[str, told(pattern=AGENT_NAME)]
    """The name of the agent in its file; the first report of a name registers it."""
    version: StateText
    """The version of the program that it runs."""
    state: StateOfAgent
    """What it says of itself."""
    browsed: BrowsingAnswer | None = None
    """The answer to the question that the last response had; left out without one."""


class AgentReportBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/agents."""

    agent: AgentReportOfState


class BrowsingQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of a server's address space is wanted."""

    source: StateText
    """The source of type `opcua` whose server is asked."""
    node: StateText = "i=85"
    """The node whose children are wanted; left out, the folder of the server's objects."""


class BrowsingQuestionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/agents/{agent_id}/browse."""

    browsing: BrowsingQuestion


read_state: Final[Any] = partial(msgspec.convert, type=StateOfAgent)
read_browsing: Final[Any] = partial(msgspec.convert, type=Browsing)
read_offer: Final[Any] = partial(msgspec.convert, type=MappingOffer)
