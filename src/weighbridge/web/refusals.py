"""Refusals as pages: whatever refuses a request of a browser is shown in the frame, in the same sentences.

The interface's own refusals are made first and then shown, so that both say the same.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from litestar import Response

from weighbridge.core.identity.link import API_PREFIX
from weighbridge.http.caller import WebRequest
from weighbridge.http.refusal import ErrorBody
from weighbridge.web.answer import PAGE_HEADERS
from weighbridge.web.as_data import suffix_of
from weighbridge.web.rendering import text_of_error

Handlers = Mapping[Any, Callable[[WebRequest, Any], Response[bytes]]]

_NOT_PAGES: Final = (f"{API_PREFIX}/", "/docs", "/openapi.json", "/healthz", "/readyz", "/assets/")
"""Paths whose refusals are for programs, whoever asks."""

TITLES: Final = {
    400: "That could not be read",
    401: "Sign in first",
    403: "Not allowed",
    404: "Not found",
    405: "Not found",
    409: "Not possible just now",
    410: "No longer there",
    413: "Too large",
    422: "Not possible",
    429: "Too much at once",
    503: "Not available just now",
}
"""What a refusal is called, by its status."""


def handlers(of_interface: Handlers) -> dict[Any, Callable[[WebRequest, Any], Response[bytes]]]:
    """The handlers of refusals, each of which answers a browser with a page."""
    return {kind: _shown(handler) for kind, handler in of_interface.items()}


def _shown(
    handler: Callable[[WebRequest, Any], Response[bytes]],
) -> Callable[[WebRequest, Any], Response[bytes]]:
    def answer(request: WebRequest, error: Any) -> Response[bytes]:
        response = handler(request, error)
        return _page(request, response) if _is_of_page(request) else response

    return answer


def _is_of_page(request: WebRequest) -> bool:
    route = request.scope.get("route_handler")
    if route is not None and "page" in route.opt:
        return not suffix_of(request.url.path)
    path = request.url.path
    takes_pages = "text/html" in request.headers.get("accept", "")
    return takes_pages and not any(path.startswith(one) for one in _NOT_PAGES)


def _page(request: WebRequest, response: Response[bytes]) -> Response[bytes]:
    body = msgspec.json.decode(response.content, type=ErrorBody)
    title = TITLES.get(response.status_code or 500, "Something went wrong")
    text = text_of_error(request, title, body)
    kept = {name: value for name, value in response.headers.items() if name.lower() == "retry-after"}
    headers = {name: value for name, value in PAGE_HEADERS.items() if name != "Content-Type"}
    return Response(
        text.encode(),
        status_code=response.status_code,
        media_type=PAGE_HEADERS["Content-Type"],
        headers={**headers, **kept},
    )
