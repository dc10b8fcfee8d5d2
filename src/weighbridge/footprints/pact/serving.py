"""The paths below `/pact`: tokens, footprints and events, with the errors that PACT has.

    POST /pact/auth/token            a token for a client id and secret (OAuth 2.0 client credentials)
    GET  /pact/3/footprints          footprints by criteria, page by page
    GET  /pact/3/footprints/{id}     one footprint
    POST /pact/3/events              an event of CloudEvents
    GET  /pact/.well-known/openid-configuration

Invariants: where people reach the service by https, nothing here is answered over http; a request is answered
in the cell of its account; an unknown token or secret counts as a failure of the client's address.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import ip_address
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs, urlencode

import structlog
from litestar import Request, Response, get, post
from litestar.datastructures import State
from psycopg import OperationalError
from psycopg_pool import PoolTimeout

from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import account_of_token, is_well_formed
from weighbridge.db.engine import Database
from weighbridge.errors import Refusal
from weighbridge.footprints.pact.access import (
    TOKEN_SECONDS,
    PactClient,
    account_of_client,
    find_client,
    issue_access_token,
    read_basic,
)
from weighbridge.footprints.pact.events import MEDIA_TYPE, EventError, read_event, take_in
from weighbridge.footprints.pact.stored import (
    CRITERIA,
    LIMIT_DEFAULT,
    LIMIT_MAX,
    PATH,
    CriteriaError,
    find_footprint,
    read_criteria,
    read_page,
)
from weighbridge.footprints.records import read_uuid
from weighbridge.http.caller import ask_in_cell, database, read_token, shares
from weighbridge.http.limits import FailedAuthentications, client_address, seconds_left
from weighbridge.settings import Settings

log = structlog.get_logger()

PactRequest = Request[Any, Any, State]
Result = TypeVar("Result")

TOKEN_BYTES_MAX: Final = 10_000
"""Bytes of the body of a request for a token, which anybody may send."""

FIELDS_MAX: Final = 20
"""Fields of a request for a token that are looked at."""

_JSON: Final = "application/json"
_CURSOR_DIGITS_MAX: Final = 18
_LIMIT_DIGITS_MAX: Final = 9


class PactError(Exception):
    """A request is refused, in the words of PACT."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}
        self.content: dict[str, str] = {"code": code, "message": message}


class TokenError(PactError):
    """A token is refused, in the words of OAuth 2.0 (RFC 6749, 5.2)."""

    def __init__(
        self, status: int, error: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, error, message, headers)
        self.content = {"error": error, "error_description": message}


Work = Callable[[PactRequest], Awaitable[Response[str]]]


async def _answer(request: PactRequest, name: str, work: Work) -> Response[str]:
    """What a request is answered, errors in the form of PACT."""
    request.scope["state"]["operation"] = name
    try:
        _refuse_plain(request)
        return await work(request)
    except PactError as error:
        return _respond(json.dumps(error.content), error.status, error.headers)
    except Refusal as refusal:
        message = " ".join(problem.message for problem in refusal.problems)
        wait = (
            {} if refusal.retry_after_seconds is None else {"Retry-After": str(refusal.retry_after_seconds)}
        )
        content = {"code": _CODES.get(refusal.status, "BadRequest"), "message": message}
        return _respond(json.dumps(content), refusal.status, wait)
    except (OperationalError, PoolTimeout) as error:
        log.warning("pact_unavailable", operation=name, error=str(error))
        content = {"code": "InternalError", "message": "The service is not available; ask again."}
        return _respond(json.dumps(content), 503, {"Retry-After": "2"})


_CODES: Final = {401: "TokenExpired", 403: "AccessDenied", 404: "NotFound", 500: "InternalError"}


def _respond(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[str]:
    return Response(text, status_code=status, media_type=_JSON, headers=dict(headers or {}))


def _settings(request: PactRequest) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


# Plain HTTP: a service that people reach by https answers nothing here without it.


def _refuse_plain(request: PactRequest) -> None:
    if _settings(request).address.startswith("https:") and not _came_by_tls(request):
        raise PactError(403, "AccessDenied", "Footprints are exchanged over https only.")


def _came_by_tls(request: PactRequest) -> bool:
    """Whether the connection is one by TLS, or a trusted proxy says that its own is."""
    if request.scope.get("scheme") == "https":
        return True
    said = request.headers.get("x-forwarded-proto", "").split(",")[0].strip().lower()
    proxies = request.app.state.proxies
    try:
        peer = ip_address((request.scope.get("client") or ("",))[0])
    except ValueError:
        return False
    return said == "https" and any(peer in network for network in proxies)


# Who asks: a client by its secret, and then by its token.


async def _count_failures(
    request: PactRequest, failed: Callable[[], PactError], ask: Awaitable[Result | None]
) -> Result:
    """What a question gives; none counts as a failure of the client's address, which may not go on."""
    app, request_id = request.app.state, request.scope["state"]["request_id"]
    failures: FailedAuthentications = app.failures
    address, now = client_address(request.scope, app.proxies), asyncio.get_running_loop().time()
    found = await ask
    if found is not None:
        return found
    if failures.is_used_up(address, now):
        failures.refuse(address, request_id)
        message = "Too many secrets or tokens of this address were refused in this minute."
        raise PactError(429, "AccessDenied", message, {"Retry-After": str(seconds_left(now))})
    failures.count(address, "token_unknown", request_id, now)
    raise failed()


async def _authenticate(request: PactRequest) -> PactClient:
    """The client behind the token of a request."""
    token = read_token(request)

    async def find(place: Database) -> PactClient | None:
        return await find_client(place, token)

    async def look() -> PactClient | None:
        account = account_of_token(token) if is_well_formed(token) else None
        return None if account is None else await ask_in_cell(request, account, find)

    def failed() -> PactError:
        message = "The token is not one of this host, has expired, or its client was revoked."
        return PactError(401, "BadRequest", message, {"WWW-Authenticate": "Bearer"})

    client = await _count_failures(request, failed, look())
    request.scope["state"]["account"] = client.account
    return client


# The paths.


@get(f"{PATH}/.well-known/openid-configuration", include_in_schema=False)
async def get_configuration(request: PactRequest) -> Response[str]:
    """Where tokens are asked for, as OpenID Connect Discovery has it."""
    return await _answer(request, "pact_configuration", _configure)


async def _configure(request: PactRequest) -> Response[str]:
    base = f"{_settings(request).address}{PATH}"
    content = {
        "issuer": base,
        "token_endpoint": f"{base}/auth/token",
        "grant_types_supported": ["client_credentials"],
        "response_types_supported": ["token"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        "scopes_supported": ["footprint:list", "footprint:read"],
    }
    return _respond(json.dumps(content))


@post(f"{PATH}/auth/token", status_code=200, include_in_schema=False, request_max_body_size=TOKEN_BYTES_MAX)
async def create_token(request: PactRequest) -> Response[str]:
    """A token for a client, by its id and secret."""
    return await _answer(request, "pact_token", _issue)


async def _issue(request: PactRequest) -> Response[str]:
    credentials = read_basic(request.headers.get("authorization", ""))

    def failed() -> PactError:
        return TokenError(
            401, "invalid_client", "Client authentication failed.", {"WWW-Authenticate": 'Basic realm="pact"'}
        )

    async def issue(place: Database) -> str | None:
        assert credentials is not None, "it was asked before"  # noqa: S101
        async with place.write() as tx:
            return await issue_access_token(tx, credentials)

    async def look() -> str | None:
        account = None if credentials is None else account_of_client(credentials.client_id)
        return None if account is None else await ask_in_cell(request, account, issue)

    text = (await request.body()).decode(errors="replace")
    form = parse_qs(text) if text.count("&") <= FIELDS_MAX else {}
    if form.get("grant_type") != ["client_credentials"]:
        raise TokenError(400, "unsupported_grant_type", "grant_type is client_credentials.")
    token = await _count_failures(request, failed, look())
    content = {
        "access_token": token, "token_type": "Bearer", "expires_in": TOKEN_SECONDS,
        "scope": "footprint:list footprint:read",
    }  # fmt: skip
    return _respond(json.dumps(content))


@get(f"{PATH}/3/footprints", include_in_schema=False)
async def list_pact_footprints(request: PactRequest) -> Response[str]:
    """Footprints that meet the criteria, in the order in which they were made, page by page."""
    return await _answer(request, "pact_list_footprints", _list)


async def _list(request: PactRequest) -> Response[str]:
    client = await _authenticate(request)
    query: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        query.setdefault(name, []).append(value)
    try:
        criteria = read_criteria({name: query[name] for name in CRITERIA if name in query})
    except CriteriaError as error:
        raise PactError(400, "BadRequest", str(error)) from None
    limit = min(_read_number(query, "limit", LIMIT_DEFAULT, _LIMIT_DIGITS_MAX), LIMIT_MAX)
    after = _read_number(query, "cursor", 0, _CURSOR_DIGITS_MAX)
    async with shares(request).turn(client.account):
        page = await read_page(database(request), client.account, criteria, after=after, limit=limit)
    headers = {}
    if page.has_more and page.last is not None:
        kept = [(name, value) for name, values in query.items() if name != "cursor" for value in values]
        target = urlencode([*kept, ("cursor", page.last)])
        headers["Link"] = f'<{_origin(request)}{PATH}/3/footprints?{target}>; rel="next"'
    return _respond(f'{{"data":[{page.texts}]}}', headers=headers)


def _read_number(query: Mapping[str, list[str]], name: str, default: int, digits_max: int) -> int:
    values = query.get(name)
    if values is None:
        return default
    text = values[0]
    if len(values) > 1 or not text.isascii() or not text.isdecimal() or len(text) > digits_max:
        raise PactError(400, "BadRequest", f"{name} is {shorten(text)!r}; it is one whole number from 0.")
    return int(text)


def _origin(request: PactRequest) -> str:
    """The host that the request named, below the scheme by which people reach the service."""
    settings = _settings(request)
    scheme = "https" if settings.address.startswith("https:") or _came_by_tls(request) else "http"
    return f"{scheme}://{request.headers.get('host', '')}"


@get(f"{PATH}/3/footprints/{{footprint_id:str}}", include_in_schema=False)
async def get_pact_footprint(request: PactRequest) -> Response[str]:
    """One footprint, deprecated or not."""
    return await _answer(request, "pact_get_footprint", _get)


async def _get(request: PactRequest) -> Response[str]:
    client = await _authenticate(request)
    footprint_id = str(request.path_params["footprint_id"])
    identifier = read_uuid(footprint_id)
    found = None
    if identifier is not None:
        async with shares(request).turn(client.account), database(request).read() as tx:
            found = await find_footprint(tx, client.account, identifier)
    if found is None:
        message = f"There is no footprint {shorten(footprint_id)!r}."
        raise PactError(404, "NotFound", message)
    return _respond(f'{{"data":{found.text}}}')


@post(f"{PATH}/3/events", status_code=200, include_in_schema=False)
async def receive_event(request: PactRequest) -> Response[str]:
    """An event: what was published, asked for, fulfilled or rejected; the answer is empty."""
    return await _answer(request, "pact_receive_event", _receive)


async def _receive(request: PactRequest) -> Response[str]:
    client = await _authenticate(request)
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != MEDIA_TYPE:
        raise PactError(
            400, "BadRequest", f"The content type is {MEDIA_TYPE}, and not {shorten(media_type)!r}."
        )
    body = await request.body()
    state = request.scope["state"]
    try:
        event = await asyncio.to_thread(read_event, body)
        async with shares(request).turn(client.account), database(request).write() as tx:
            await take_in(tx, client, event, _settings(request).address, state["request_id"])
    except EventError as error:
        raise PactError(400, "BadRequest", str(error)) from None
    return Response("", status_code=200, media_type=_JSON)


ROUTES = [get_configuration, create_token, list_pact_footprints, get_pact_footprint, receive_event]
"""Everything below `/pact`."""
