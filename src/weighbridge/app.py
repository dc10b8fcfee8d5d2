"""The composition root: the interface of `contents.py` and the pages of `web/`, as one application."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from copy import copy
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

import structlog
from litestar import Litestar
from litestar.datastructures import State
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from litestar.utils import join_paths
from psycopg import OperationalError

from weighbridge import settings as settings_module
from weighbridge.collection.evidence_files import open_store
from weighbridge.concurrency import take_turns_quickly
from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX
from weighbridge.core.platform.cell import Cell
from weighbridge.core.unit import parse_unit
from weighbridge.db.cells import Cells
from weighbridge.db.engine import Database
from weighbridge.db.replica import Replica
from weighbridge.exchange.change_feed import read_newest_numbers
from weighbridge.exchange.exports import start_export
from weighbridge.footprints.pact import serving
from weighbridge.http import health, metrics, wire
from weighbridge.http.caller import Strangers
from weighbridge.http.endpoints.computing import ComputingLoop, ComputingProcesses
from weighbridge.http.endpoints.framework import build_handler
from weighbridge.http.endpoints.long_polling import Watch
from weighbridge.http.health import Disk
from weighbridge.http.idempotency import IdempotencyKeyLocks
from weighbridge.http.limits import (
    FailedAuthentications,
    RateLimiter,
    SharesOfHosts,
    Together,
    networks,
    refusal_pause,
)
from weighbridge.http.messages import edge
from weighbridge.http.messages.asgi import Application
from weighbridge.http.messages.body import places_of_files
from weighbridge.http.messages.operation import Downloads
from weighbridge.http.openapi import page, site
from weighbridge.platform.audit_log import LinkUse, count_refusal, count_uses
from weighbridge.platform.authentication import authenticate, authenticate_ticket, recall_authorization
from weighbridge.platform.known_moments import find_known_then
from weighbridge.platform.secret_keys import SecretKeys
from weighbridge.sandbox.sandbox import prepare_sandboxes
from weighbridge.settings import Settings
from weighbridge.supervisor.child import SOCKETS_VARIABLE
from weighbridge.supervisor.process import beating, known_as, when_told_to_leave
from weighbridge.tracing import trace_process
from weighbridge.web.framework import rendering
from weighbridge.web.framework.rendering import compile_templates
from weighbridge.web.pages import contents

log = structlog.get_logger()

_OF_CALLERS: Final = {
    "authenticate": authenticate,
    "authenticate_ticket": authenticate_ticket,
    "recall_authorization": recall_authorization,
    "count_refusal": count_refusal,
    "find_known_then": find_known_then,
}
"""What is asked about callers, and told of them."""

STATEMENT_TIMEOUT_SECONDS = 15
"""No request waits longer than this for one statement."""

NEWEST_SECONDS: Final = 2.0
"""How long those who wait for changes wait for the answer of a cell, before all are looked at again."""

COMPUTING_PART: Final = 0.4
"""The part of a process's connections that requests have which compute."""


def create() -> Application:
    """Make the application of one API process from the environment's settings."""
    sockets = filter(None, os.environ.get(SOCKETS_VARIABLE, "").split(os.pathsep))
    return build(settings_module.read(), tuple(map(Path, sockets)))


def create_computing() -> Litestar:
    """Make the application of one computing process, which answers what API processes hand over."""
    settings = settings_module.read()
    # It has the places of all API processes, and long bodies as many as these let through.
    per_process = -(-settings.api_processes // max(1, settings.computing_processes))
    return _application(settings, places=_places(settings) * per_process, requests_max=sys.maxsize)


def build(settings: Settings, sockets: tuple[Path, ...] = ()) -> Application:
    """Make the application; it opens its database when it starts and closes it when it stops.

    What computes is handed over to the processes that listen on the sockets, if there are any.
    """
    places = _places(settings)
    processes = ComputingProcesses(sockets, places) if sockets else None
    application = _application(
        settings, places=places, requests_max=settings.account_requests, processes=processes
    )
    compile_templates()
    limiter: RateLimiter = application.state.limiter
    return edge.edge(
        cast("Application", application),
        is_https=settings.address.startswith("https:"),
        body_seconds=settings.request_body_seconds,
        origins=settings.cors_origins,
        idle_counts=lambda: limiter.untouched().headers,
        pause=refusal_pause(networks(settings.trusted_proxies), settings.refusals_per_second),
    )


def _places(settings: Settings) -> int:
    """How many requests of one API process may compute at a time."""
    return max(1, int(settings.api_connections * COMPUTING_PART))


def _application(
    settings: Settings, *, places: int, requests_max: int, processes: ComputingProcesses | None = None
) -> Litestar:
    """All operations; it computes itself unless it has processes for that."""
    if settings.database_url is None:
        raise ValueError("the application needs the URL of a database; `weighbridge serve` gives it one")
    parse_unit("kg")  # the first unit makes the table of all, which no request should wait for
    connections = settings.api_connections - _places(settings)
    open_database = partial(_database_of_requests, settings, settings.database_url, SecretKeys.of(settings))
    database, computing = open_database(connections), ComputingLoop(open_database(places), places)
    of_health = Database(settings.database_url, connections_max=1, session_url=settings.session_database_url)
    replica = _replica(settings, connections)
    by_cell = _by_cell(database)
    watch: Watch = by_cell["watch"]

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        take_turns_quickly()
        follower = replica.watched(of_health) if replica else nullcontext()
        tracing = trace_process(known_as("api"), settings.traces_url, settings.traces_percent)
        within = nullcontext() if processes else computing
        async with tracing, database, of_health, follower, within, beating():
            when_told_to_leave(watch.end)
            with prepare_sandboxes():
                yield
            await watch.stop()

    application = Litestar(
        lifespan=[lifespan],
        exception_handlers=rendering.handlers(edge.HANDLERS),
        openapi_config=None,
        request_max_body_size=settings.request_body_bytes,
        state=State(
            {
                "database": database,
                "database_of_health": of_health,
                "computing": computing,
                "replica": replica,
                **by_cell,
                **_OF_CALLERS,
                "computing_processes": processes,
                "limiter": RateLimiter(settings.rate_limit_per_minute),
                "shares": SharesOfHosts(connections, requests_max),
                **_of_settings(settings),
            }
        ),
        logging_config=None,
    )
    _take_up(application, _handlers(settings.request_body_bytes), page.handler(SLICES, API_PREFIX))
    return application


def _by_cell(database: Database) -> dict[str, Any]:
    """What knows in which cell an account lives."""
    cells = Cells(database)
    return {
        "cells": cells,
        "watch": Watch(database, partial(_read_newest_numbers, cells)),
        "link_uses": Together(partial(_count_uses, database)),
    }


async def _read_newest_numbers(
    cells: Cells, database: Database, accounts: Sequence[int]
) -> Mapping[int, int]:
    """The newest entry of the feed of each account, asked for in its cell; none where that is lost."""

    async def read(cell: Cell, some: Sequence[int]) -> Mapping[int, int]:
        try:
            async with asyncio.timeout(NEWEST_SECONDS):
                return await read_newest_numbers(database.in_cell(cell), some)
        except (OperationalError, TimeoutError) as error:
            log.warning("watch_waits", cell=cell.name, reason=repr(error))
            return {}

    grouped = await cells.group(accounts, int)
    newest: dict[int, int] = {}
    for found in await asyncio.gather(*(read(cell, some) for cell, some in grouped.items())):
        newest |= found
    return newest


async def _count_uses(database: Database, cell: Cell, uses: Sequence[LinkUse]) -> None:
    """Store uses of links in the cell of their account."""
    await count_uses(database.in_cell(cell), uses)


def _take_up(
    application: Litestar, below: Mapping[str, Iterable[HTTPRouteHandler]], of_options: HTTPRouteHandler
) -> None:
    """Give an application its handlers below each prefix, all at once, and the one of OPTIONS at every path.

    One by one, the framework would look through all its routes for each and make the route of a path anew for
    each further method: a third of the time that an application takes to be made. So would be what makes
    another handler of OPTIONS for each path.
    """
    by_path: dict[str, list[HTTPRouteHandler]] = {}
    taken = {prefix: [copy(handler) for handler in handlers] for prefix, handlers in below.items()}
    for prefix, handlers in taken.items():
        for handler in handlers:
            for path in handler.paths:
                by_path.setdefault(join_paths([prefix, path]), []).append(handler)
    for handler in chain([of_options], *taken.values()):
        handler.owner = application
        handler.on_registration(application)
    for path, together in by_path.items():
        route = HTTPRoute(path=path, route_handlers=[of_options, *together])
        application.routes.append(route)
        route.create_handler_map()
    application.asgi_router.construct_routing_trie()


def _database_of_requests(settings: Settings, url: str, keys: SecretKeys, connections: int) -> Database:
    keys.load_if_there()
    return Database(
        url,
        connections_max=connections,
        statement_timeout_seconds=STATEMENT_TIMEOUT_SECONDS,
        quotas=settings.quotas,
        session_url=settings.session_database_url,
        encryption=keys,
    )


def _replica(settings: Settings, connections: int) -> Replica | None:
    """The replica that lists are read from, if there is one."""
    if settings.replica_url is None:
        return None
    return Replica(
        settings.replica_url,
        connections,
        settings.replica_wait_milliseconds / 1000,
        STATEMENT_TIMEOUT_SECONDS,
        tell=metrics.observe_replica_read,
        tell_lag=metrics.observe_replica_lag,
    )


def _of_settings(settings: Settings) -> dict[str, object]:
    """What the handlers find in the application that needs no database."""
    return {
        "places_of_files": places_of_files(),
        "start_export": start_export,
        "encode": wire.encoder(settings.address),
        "key_locks": IdempotencyKeyLocks(),
        "strangers": Strangers(),
        "disk": Disk(settings.data_dir),
        "downloads": Downloads(settings.answer_stalled_seconds),
        "files": open_store(settings.evidence_url, settings.data_dir),
        "failures": FailedAuthentications(settings.failed_authentications_per_minute),
        "proxies": networks(settings.trusted_proxies),
        "settings": settings,
    }


def _handlers(body_bytes_max: int) -> dict[str, list[HTTPRouteHandler]]:
    """All handlers, by the prefix below which they are."""
    pages = [*health.ROUTES, *page.routes(SLICES, API_PREFIX), *contents.routes(SLICES), *serving.ROUTES]
    return {
        API_PREFIX: [build_handler(endpoint, body_bytes_max) for routes in SLICES for endpoint in routes],
        "/": [*pages, *site.routes(site.packaged())],
    }
