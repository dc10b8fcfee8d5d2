"""Endpoints as the handlers of the framework, which is loaded only where endpoints are served."""

from typing import Any, Final

from litestar import Request
from litestar.datastructures import State
from litestar.handlers import HTTPRouteHandler

from weighbridge.http import wire
from weighbridge.http.messages.operation import Endpoint, Operation, Reply, framework_path

ServedRequest = Request[Any, Any, State]
"""A request, as functions name it that the framework itself calls."""

_ANNOTATIONS: Final = {"request": ServedRequest, "return": Reply}
"""What the framework reads of the function of each endpoint."""


def build_handler(endpoint: Endpoint, body_bytes_max: int) -> HTTPRouteHandler:
    """The handler of an endpoint, in a service that reads so many bytes of any body at most."""
    operation, function = endpoint.operation, endpoint.handler
    function.__annotations__ = _ANNOTATIONS
    return HTTPRouteHandler(
        framework_path(operation.path),
        http_method=operation.method,
        status_code=200,  # each response says its own; the framework allows no 204 with a response class
        media_type=wire.MEDIA_TYPE,
        operation_id=operation.name,
        include_in_schema=False,
        request_max_body_size=_body_bytes_max(operation, body_bytes_max),
        opt={"operation": operation},
    )(function)


def _body_bytes_max(operation: Operation, most: int) -> int:
    """The longest body of an operation; a form has its own bound."""
    if operation.form is not None:
        return operation.form.body_bytes_max
    return most if operation.body_bytes_max is None else min(operation.body_bytes_max, most)
