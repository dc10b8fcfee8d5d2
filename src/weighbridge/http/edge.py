"""The outermost layer: a request id and a log line for each request, whatever becomes of it."""

import re
import time
from collections.abc import Awaitable, Callable, MutableMapping
from secrets import token_hex
from typing import Any

import structlog

log = structlog.get_logger()

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_ACCEPTABLE_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")


def edge(inner: Application) -> Application:
    """Wrap an ASGI application."""

    async def outer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 0

        async def send_named(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", []), (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            await inner(scope, receive, send_named)
        finally:
            log.info(
                "request",
                method=scope["method"],
                path=scope["path"],
                status=status,
                milliseconds=round((time.perf_counter() - started) * 1000, 1),
                request_id=request_id,
            )

    return outer


def _request_id(scope: Scope) -> str:
    """Keep the caller's id when it is harmless, so that logs of both sides meet; else make one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _ACCEPTABLE_ID.fullmatch(value):
            return bytes(value).decode()
    return f"req_{token_hex(12)}"
