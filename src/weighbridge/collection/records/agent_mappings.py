"""Define the records of the mappings of agents: which variables are read, and where their values belong."""

from functools import partial
from typing import Annotated, Any, Final

import msgspec

from weighbridge.collection.records.agents import StateText
from weighbridge.collection.records.events import LOCATIONS_MAX, REFERENCE_LENGTH_MAX
from weighbridge.core.collection.node_id import MAPPED_VARIABLES_MAX
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.listing import INT4_LARGEST
from weighbridge.http.text import Slug, at_most, between, several


class MappedVariable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A variable of a plant's server, and where its values belong."""

    source: StateText
    """The source of type `opcua` of the agent's file whose server has the variable."""
    node: StateText
    """Its id, as browsing gives it."""
    event_type: Slug
    """The slug of the event type of its readings."""
    data_point: Slug
    """The slug of the data point that gets the value; its unit is that of the data point type."""
    quality: Slug
    """The slug of a text data point that gets `good`, `uncertain`, `bad` or `substituted`."""
    status: Slug | None = None
    """The slug of a text data point that gets the status code; null for none."""
    arrived_at: Slug | None = None
    """The slug of a text data point that says when the agent had the reading; null for none."""
    asset_id: str | None = None
    """The asset of the events, `ast_…`; null for none."""
    feedstock_id: str | None = None
    """The feedstock of the events, `fs_…`; null for none."""
    locations: Annotated[list[str], several(LOCATIONS_MAX)] = []
    """The locations of the events, each `loc_…`."""
    tracking_id: Annotated[str, at_most(REFERENCE_LENGTH_MAX)] | None = None
    """The tracking id of the events; null for none."""


class AgentMappingVersion(msgspec.Struct, frozen=True):
    """One version of the mapping of an agent, without its variables."""

    version: int
    """The number of the version; the first is 1."""
    variable_count: int
    """How many variables it has."""
    digest: str
    """The SHA-256 of its variables in canonical JSON."""
    created_by: int
    """The number of the user who saved it."""
    user_name: str
    """What that user is called now."""
    created_at: Instant
    """When it was saved."""


class AgentMapping(msgspec.Struct, frozen=True):
    """One version of the mapping of an agent: the variables that it reads beside those of its file."""

    version: int
    """The number of the version; the first is 1."""
    variables: list[MappedVariable]
    """The variables, in the order in which they were sent."""
    digest: str
    """The SHA-256 of its variables in canonical JSON."""
    created_by: int
    """The number of the user who saved it."""
    created_at: Instant
    """When it was saved."""


class NewAgentMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The next version of the mapping of an agent."""

    replaces: Annotated[int, between(0, INT4_LARGEST)]
    """The version that it was made from, 0 before the first; 409 when there is a newer one."""
    variables: Annotated[list[MappedVariable], several(MAPPED_VARIABLES_MAX)]
    """All variables that the agent is to read in addition to those of its file; none for its file alone."""


class NewAgentMappingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/agents/{agent_id}/mappings."""

    mapping: NewAgentMapping


read_variables: Final[Any] = partial(msgspec.convert, type=list[MappedVariable])
