"""What both clients know of the service: where it is, who calls, and what a call looks like as a request."""

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2 as http

from weighbridge.client.call import Call
from weighbridge.client.carrying import Received

TIMEOUT_SECONDS: Final = 120.0
ADDRESS_VARIABLE: Final = "WEIGHBRIDGE_URL"
TOKEN_VARIABLE: Final = "WEIGHBRIDGE_TOKEN"  # noqa: S105 - the name of a variable
TOKEN_FILE_VARIABLE: Final = "WEIGHBRIDGE_TOKEN_FILE"  # noqa: S105
DEFAULT_ADDRESS: Final = "http://127.0.0.1:8080"


def settings(address: str | None, token: str | None, timeout: float) -> dict[str, Any]:
    """How the HTTP client is made. What is None comes from the environment.

    Raises ValueError when no token is named anywhere, or the address is none.
    """
    address = address or os.environ.get(ADDRESS_VARIABLE) or DEFAULT_ADDRESS
    if not is_address(address):
        message = f"{address!r} is no address of a service, such as {DEFAULT_ADDRESS}."
        raise ValueError(message)
    token = token or os.environ.get(TOKEN_VARIABLE) or _token_of_file()
    if not token:
        message = (
            f"No token: give one as `token`, in the variable {TOKEN_VARIABLE}, or name a file with one in "
            f"{TOKEN_FILE_VARIABLE}."
        )
        raise ValueError(message)
    return {
        "base_url": address.rstrip("/").removesuffix("/api/v1"),
        "headers": {"Authorization": f"Bearer {token.strip()}", "User-Agent": "weighbridge-client"},
        "timeout": timeout,
        "follow_redirects": False,
    }


def is_address(text: str) -> bool:
    """Whether a text is the address of a service: http or https, a host, and a port that there can be."""
    try:
        address = urlsplit(text)
        return address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
    except ValueError:
        return False


def request_of(call: Call[Any]) -> dict[str, Any]:
    """The call as arguments of a request."""
    headers = {}
    if call.content_type is not None:
        headers["Content-Type"] = call.content_type
    if call.key is not None:
        headers["Idempotency-Key"] = call.key
    return {
        "method": call.method,
        "url": call.path,
        "params": call.query or None,
        "content": call.body,
        "headers": headers,
    }


def answer_of(response: http.Response) -> Received:
    """What came back."""
    return Received(response.status_code, response.content, response.headers.get("Retry-After"))


def no_answer(error: http.TransportError) -> Received:
    """Stands for an answer that did not come."""
    return Received(0, f"{type(error).__name__}: {error}".encode())


def _token_of_file() -> str | None:
    path = os.environ.get(TOKEN_FILE_VARIABLE)
    return Path(path).read_text() if path else None
