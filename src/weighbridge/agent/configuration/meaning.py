"""What no part of the file tells alone: names that stand twice, secrets in clear, fields that need others."""

from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from weighbridge.agent.configuration.reading import ConfigurationError, read_records
from weighbridge.agent.configuration.records import (
    AgentConfiguration,
    AgentService,
    MqttBroker,
    MqttTopic,
    OpcUaServer,
)
from weighbridge.core.problem import Problem

ARRIVAL = "arrival"
"""What stands for the time of messages that have none of their own."""


def read_configuration(path: Path) -> AgentConfiguration:
    """The configuration that a file says. Raises ConfigurationError with every problem and its place."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The file {path} cannot be read: {error}.") from None
    configuration: AgentConfiguration
    configuration, lines = read_records(AgentConfiguration, text)
    if problems := [_placed(problem, lines) for problem in _problems(configuration)]:
        raise ConfigurationError(problems)
    return configuration


def _placed(problem: Problem, lines: dict[str, int]) -> Problem:
    """The problem with its line: that of the field, or of what it should stand in."""
    path = problem.field or ""
    while path not in lines and "." in path:
        path = path.rpartition(".")[0]
    return Problem(f"Line {lines.get(path, 1)}: {problem.message}", problem.field, problem.code)


def _problems(configuration: AgentConfiguration) -> Iterator[Problem]:
    yield from _of_service(configuration.service)
    if configuration.service.token is not None and not configuration.secrets_in_clear:
        yield _in_clear("service.token", "token_file")
    if not configuration.sources:
        yield _problem("sources", "is empty; there is nothing to read.")
    names = [source.name for source in configuration.sources]
    for index, source in enumerate(configuration.sources):
        path = f"sources[{index}]"
        if names.index(source.name) != index or source.name == configuration.agent:
            yield _problem(f"{path}.name", f"is {source.name!r}, which is the name of another part as well.")
        if source.password is not None and not configuration.secrets_in_clear:
            yield _in_clear(f"{path}.password", "password_file")
        kept = [source.password, source.password_file, source.password_variable]
        if sum(one is not None for one in kept) > 1:
            yield _problem(f"{path}.password", "is said in more than one way.")
        if isinstance(source, OpcUaServer):
            yield from _of_server(source, path)
        else:
            yield from _of_broker(source, path)


def _of_service(service: AgentService) -> Iterator[Problem]:
    address = urlsplit(service.url)
    if address.scheme == "http" and not service.plain_http and not _is_loopback(address.hostname or ""):
        yield _problem(
            "service.url",
            f"is {service.url!r}, which would show the token on the way; use https, or say plain_http: true.",
        )
    if service.token is not None and service.token_file is not None:
        yield _problem("service.token", "is said in more than one way.")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _of_server(server: OpcUaServer, path: str) -> Iterator[Problem]:
    if not server.nodes:
        yield _problem(f"{path}.nodes", "is empty; there is nothing to read.")
    named = [node.node for node in server.nodes]
    for index, node in enumerate(server.nodes):
        place = f"{path}.nodes[{index}]"
        if named.index(node.node) != index:
            yield _problem(f"{place}.node", f"is {node.node!r} a second time.")
        slugs = [one for one in (node.data_point, node.quality, node.status, node.arrived_at) if one]
        if len({*slugs}) < len(slugs):
            yield _problem(f"{place}.data_point", "and the other data points are not each another one.")


def _of_broker(broker: MqttBroker, path: str) -> Iterator[Problem]:
    if not broker.topics:
        yield _problem(f"{path}.topics", "is empty; there is nothing to read.")
    for index, topic in enumerate(broker.topics):
        yield from _of_topic(topic, f"{path}.topics[{index}]")


def _of_topic(topic: MqttTopic, path: str) -> Iterator[Problem]:
    if topic.payload == "plain":
        if topic.data_point is None:
            yield _problem(f"{path}.data_point", "is missing; a plain message needs one.", "required")
        if topic.time != ARRIVAL:
            yield _problem(f"{path}.time", f"is {topic.time!r}; a plain message has no time, say arrival.")
        for name in ("each", "key", "quality_from", "data_points"):
            if getattr(topic, name):
                yield _problem(f"{path}.{name}", "is for JSON; a plain message is nothing but its value.")
    elif not topic.data_points:
        yield _problem(f"{path}.data_points", "is missing; a message of JSON needs some.", "required")
    elif topic.data_point is not None:
        yield _problem(f"{path}.data_point", "is for plain messages; of JSON say data_points.")
    if (topic.quality is None) != (topic.quality_from is None):
        yield _problem(f"{path}.quality", "and quality_from need each other.")
    slugs = [*topic.data_points, topic.data_point, topic.quality, topic.arrived_at]
    said = [slug for slug in slugs if slug]
    if len({*said}) < len(said):
        yield _problem(f"{path}.data_points", "and the other data points are not each another one.")


def _in_clear(path: str, rather: str) -> Problem:
    return _problem(path, f"stands in clear; name a {rather}, or say secrets_in_clear: true.")


def _problem(path: str, said: str, code: str = "invalid") -> Problem:
    return Problem(f"{path} {said}", path, code)
