"""What a path takes, told to whoever asks it with OPTIONS: each method, its permission, query and body.

It is read from the OpenAPI document, so that the two cannot disagree. No token is needed: the document is
public as well.

Invariants: `Allow` has every method that the path answers, HEAD and OPTIONS included, and the body those
that are operations. A path outside of the interface has no body.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from litestar import Response
from litestar.handlers import HTTPRouteHandler

from weighbridge.http.caller import WebRequest
from weighbridge.http.openapi import document as openapi
from weighbridge.http.openapi.made_once import MadeOnce

OPERATION: Final = "options"
"""Under which such requests are counted."""


class MethodTaken(msgspec.Struct, frozen=True):
    """One method of a path; `query` names the parameters, `body` the media types that are taken."""

    method: str
    operation: str
    summary: str
    permission: str
    query: list[str]
    body: list[str]


class PathTaken(msgspec.Struct, frozen=True):
    """A path with the names of its parameters in braces, and the methods that it takes."""

    path: str
    methods: list[MethodTaken]


def handler(slices: openapi.Slices, prefix: str) -> HTTPRouteHandler:
    """The one handler of OPTIONS, for the paths of the slices and for every other that it is given to."""

    def of_all_paths() -> Mapping[str, tuple[str, bytes]]:
        document = openapi.document(slices, prefix)
        return {path: _answer(path, document) for path in document["paths"]}

    answers = MadeOnce(of_all_paths)

    async def what_the_path_takes(request: WebRequest) -> Response[bytes | None]:
        path, answer_of = request.scope["path_template"], await answers.get()
        if path not in answer_of:
            [route] = [one for one in request.app.routes if one.path_format == path]
            return Response(None, status_code=204, headers={"Allow": ", ".join(sorted(route.methods))})
        request.scope["state"]["operation"] = OPERATION
        allow, body = answer_of[path]
        return Response(body, status_code=200, media_type="application/json", headers={"Allow": allow})

    taken = HTTPRouteHandler(http_method="OPTIONS", status_code=200, include_in_schema=False)
    return taken(what_the_path_takes)


def _answer(path: str, document: Mapping[str, Any]) -> tuple[str, bytes]:
    shared = document["components"]["parameters"]
    methods = [_method(name, one, shared) for name, one in document["paths"][path].items()]
    names = {one.method for one in methods}
    allow = sorted(names | {"OPTIONS"} | ({"HEAD"} if "GET" in names else set()))
    return ", ".join(allow), msgspec.json.encode(PathTaken(path, methods))


def _method(name: str, operation: Mapping[str, Any], shared: Mapping[str, Any]) -> MethodTaken:
    parameters = [
        shared[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
        for one in operation.get("parameters", [])
    ]
    return MethodTaken(
        name.upper(),
        operation["operationId"],
        operation["summary"],
        operation["x-permission"],
        [one["name"] for one in parameters if one["in"] == "query"],
        [*operation.get("requestBody", {}).get("content", {})],
    )
