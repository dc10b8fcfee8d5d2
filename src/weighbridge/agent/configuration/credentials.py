"""Tokens and passwords, read from where they are kept; they stand in no message and in no log."""

import os
from pathlib import Path

from weighbridge.agent.configuration.records import AgentService, MqttBroker, OpcUaServer
from weighbridge.errors import Refusal

TOKEN_VARIABLE = "WEIGHBRIDGE_TOKEN"  # noqa: S105 - the name of a variable, no secret
TOKEN_FILE_VARIABLE = "WEIGHBRIDGE_TOKEN_FILE"  # noqa: S105 - as above


def token_of(service: AgentService) -> str:
    """The token for the service. Raises Refusal where there is none."""
    if service.token is not None:
        return service.token
    if service.token_file is not None:
        return _held_by(service.token_file)
    if token := os.environ.get(TOKEN_VARIABLE, "").strip():
        return token
    if named := os.environ.get(TOKEN_FILE_VARIABLE):
        return _held_by(Path(named))
    raise Refusal(
        f"There is no token: name a file in service.token_file or {TOKEN_FILE_VARIABLE}, "
        f"or set {TOKEN_VARIABLE}."
    )


def password_of(source: OpcUaServer | MqttBroker) -> str | None:
    """The password for a source, None where it needs none. Raises Refusal where it is not to be had."""
    if source.password_file is not None:
        return _held_by(source.password_file)
    if source.password_variable is not None:
        password = os.environ.get(source.password_variable)
        if not password:
            raise Refusal(
                f"The variable {source.password_variable}, with the password of {source.name}, is unset."
            )
        return password
    return source.password


def _held_by(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"The file {path} cannot be read: {error}.") from None
    if not text:
        raise Refusal(f"The file {path} is empty.")
    return text
