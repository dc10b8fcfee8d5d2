"""The variables that people choose in the web app: checked like the agent's file, kept on its disk, applied.

The file stays the master. It says to which servers the agent connects, and by `nodes_from_service` of which
of them it reads variables that the service names. A mapping has node ids, slugs and ids of records, and
nothing else: its types have no place for an address, a file or a password.

Invariants: a mapping is in force when it is on the disk, and the one before it until then; one with a mistake
is never in force. A variable of the file is read as the file says, whatever a mapping says of it.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Final

import msgspec

from weighbridge.agent.configuration import (
    FILLED,
    NAME,
    NODE_ID,
    SLUG,
    OpcUaNode,
    OpcUaServer,
    SourceConfiguration,
    TaggedPlace,
    WholeRange,
)
from weighbridge.agent.configuration_reading import (
    ConfigurationError,
    find_equal_slugs,
    read_record_of_json,
)
from weighbridge.agent.readings import name_variable
from weighbridge.agent.spool import Spool, StoredMapping
from weighbridge.core.collection.node_id import MAPPED_VARIABLES_MAX
from weighbridge.core.problem import Problem

VERSION_MAX: Final = 2**31 - 1
"""The greatest number of a version."""

MAPPING_FACT: Final = "mapping"
log: Final = logging.getLogger("weighbridge.agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenVariable(TaggedPlace):
    """A variable that was chosen in the web app."""

    source: Annotated[str, "The name of the source in the agent's file.", NAME]
    node: Annotated[str, "The id of the variable.", NODE_ID]
    data_point: Annotated[str, "The slug of the data point that gets the value.", SLUG]
    quality: Annotated[str, "The slug of the text data point that gets the quality.", SLUG]
    status: Annotated[str | None, "The slug of the text data point that gets the status code.", SLUG] = None

    @property
    def as_node(self) -> OpcUaNode:
        """The variable as the file would have it."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "source"}
        return OpcUaNode(**own)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenMapping:
    """A version of the mapping."""

    version: Annotated[int, "The number of the version.", WholeRange(1, VERSION_MAX)]
    digest: Annotated[str, "By which versions of one number are told apart.", FILLED]
    variables: Annotated[list[ChosenVariable], "The variables."] = field(default_factory=list)


def read_mapping(content: bytes) -> TakenMapping:
    """The mapping that an answer of the service has. Raises ConfigurationError with every problem."""
    try:
        answer = msgspec.json.decode(content)
        said = {name: answer[name] for name in ("version", "digest", "variables")}
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ConfigurationError(f"The answer of the service has no mapping: {error}.") from None
    mapping: TakenMapping = read_record_of_json(TakenMapping, said, "mapping")
    if len(mapping.variables) > MAPPED_VARIABLES_MAX:
        sentence = f"has {len(mapping.variables):,} items; it takes at most {MAPPED_VARIABLES_MAX:,}."
        raise ConfigurationError([Problem(f"mapping.variables {sentence}", "mapping.variables", "too_many")])
    return mapping


def list_open_servers(sources: Sequence[SourceConfiguration]) -> list[OpcUaServer]:
    """The servers whose variables may be chosen in the web app, as the file says."""
    return [source for source in sources if isinstance(source, OpcUaServer) and source.nodes_from_service]


def find_problems(
    sources: Sequence[SourceConfiguration], variables: Sequence[ChosenVariable]
) -> Iterator[tuple[int, str]]:
    """What keeps variables from being read with those of the file: the place of each, and why."""
    servers = {source.name: source for source in sources if isinstance(source, OpcUaServer)}
    seen = {
        (server.name, node.node): "the agent's file" for server in servers.values() for node in server.nodes
    }
    for place, variable in enumerate(variables):
        path = f"mapping.variables[{place}]"
        server = servers.get(variable.source)
        if server is None:
            why = f"which is no OPC UA server of the file; it has {' and '.join(servers) or 'none'}."
            yield place, f"{path}.source is {variable.source!r}, {why}"
        elif not server.nodes_from_service:
            why = "whose variables the file keeps to itself: nodes_from_service is false."
            yield place, f"{path}.source is {variable.source!r}, {why}"
        elif other := seen.get((variable.source, variable.node)):
            yield place, f"{path}.node is {variable.node!r} of {variable.source}, which {other} has, too."
        else:
            seen[variable.source, variable.node] = f"mapping.variables[{place}]"
        for problem in find_equal_slugs(variable, f"{path}.data_point"):
            yield place, problem.message


class MappingInForce:
    """The mapping by which a running agent reads, and what became of the newest that it was offered."""

    def __init__(self, sources: Sequence[SourceConfiguration], spool: Spool) -> None:
        self._sources = sources
        self._spool = spool
        self._mapping: TakenMapping | None = None
        self._refused: tuple[int, str] | None = None
        """Version and digest of what was not taken."""
        self._problems: list[str] = []
        self._followers: dict[str, Callable[[OpcUaServer], None]] = {}

    async def load(self) -> None:
        """Go on by what is on the disk; a variable that the file by now forbids or has is left out."""
        stored = await self._spool.mapping()
        if stored is None:
            return
        try:
            mapping = read_mapping(stored.content)
        except ConfigurationError as error:  # another version of the agent took it
            self._problems = [problem.message for problem in error.problems]
            await self._note()
            return
        problems = [*find_problems(self._sources, mapping.variables)]
        left_out = {place for place, _ in problems}
        kept = [variable for place, variable in enumerate(mapping.variables) if place not in left_out]
        self._mapping = replace(mapping, variables=kept)
        self._problems = [sentence for _, sentence in problems]
        await self._note()

    def add_nodes(self, server: OpcUaServer) -> OpcUaServer:
        """A server of the file with the variables that were chosen of it, after its own."""
        chosen = [one.as_node for one in self._variables if one.source == server.name]
        return replace(server, nodes=[*server.nodes, *chosen])

    def follow(self, name: str, change: Callable[[OpcUaServer], None]) -> None:
        """Call something with the server of a source whenever what is read of it changes."""
        self._followers[name] = change

    def lacks(self, offer: dict[str, Any]) -> bool:
        """Whether a version that the service offers is neither in force nor refused."""
        offered = (offer["version"], offer["digest"])
        taken = None if self._mapping is None else (self._mapping.version, self._mapping.digest)
        return offered not in {taken, self._refused}

    async def take(self, content: bytes, offer: dict[str, Any]) -> None:
        """Put what the service sent for an offer in force, or note why it is not.

        Raises SpoolFullError when the disk has no room; the mapping before it then stays in force.
        """
        try:
            mapping = self._check(content, offer)
        except ConfigurationError as error:
            self._refused = (offer["version"], offer["digest"])
            self._problems = [problem.message for problem in error.problems]
            log.warning("Version %s of the mapping is not taken: %s", offer["version"], error)
            await self._note()
            return
        before = {(one.source, one.node): one for one in self._variables}
        changed = [one for one in mapping.variables if before.get((one.source, one.node)) != one]
        names = [name for one in changed for name in name_variable(one.source, one.node)]
        await self._spool.store_mapping(StoredMapping(content, names))
        self._mapping, self._refused, self._problems = mapping, None, []
        log.info("The mapping of the web app is in force in version %s.", mapping.version)
        for server in list_open_servers(self._sources):
            if server.name in self._followers:
                self._followers[server.name](self.add_nodes(server))
        await self._note()

    def _check(self, content: bytes, offer: dict[str, Any]) -> TakenMapping:
        """The mapping that the service sent for an offer. Raises ConfigurationError with every problem."""
        mapping = read_mapping(content)
        if (mapping.version, mapping.digest) != (offer["version"], offer["digest"]):
            sentence = f"mapping.version is {mapping.version}, and the service offered {offer['version']}."
            raise ConfigurationError(sentence)
        if problems := [sentence for _, sentence in find_problems(self._sources, mapping.variables)]:
            raise ConfigurationError([Problem(sentence, "mapping", "invalid") for sentence in problems])
        return mapping

    def describe(self) -> dict[str, Any]:
        """How it fares, as a report has it."""
        mapping, refused = self._mapping, self._refused
        return {
            "sources": [server.name for server in list_open_servers(self._sources)],
            "version": None if mapping is None else mapping.version,
            "digest": None if mapping is None else mapping.digest,
            "refused_version": None if refused is None else refused[0],
            "problems": self._problems,
        }

    @property
    def _variables(self) -> list[ChosenVariable]:
        return [] if self._mapping is None else self._mapping.variables

    async def _note(self) -> None:
        in_force = "the file alone" if self._mapping is None else f"version {self._mapping.version}"
        problems = dict(enumerate(self._problems, 1))
        await self._spool.note(MAPPING_FACT, {"state": f"{in_force} is in force", "problems": problems})
