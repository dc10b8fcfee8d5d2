"""One command, one service: the database, the migrations, the API and the worker under one supervisor.

Order of a start: port, database, migrations, the key of the audit log, a link for the first person while
there is none, then the processes; `ready` is said when /healthz answers.
Order of a stop: the API finishes its requests while the worker finishes or abandons its task, both
within `shutdown_seconds`; then the database stops.

Invariants: a part that dies is started again; nothing but the database survives the supervisor, and the
next supervisor finds the database.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import psycopg
import structlog

from weighbridge.backup.target import overdue
from weighbridge.db.embedded.instance import (
    Server,
    attach_server,
    check_replica,
    external,
    is_external,
    served_alone,
)
from weighbridge.db.roles import DatabaseUrls
from weighbridge.errors import Refusal
from weighbridge.settings import PREFIX, Settings, environment, unknown_variables
from weighbridge.supervisor.child import (
    COMPUTING_APPLICATION,
    SOCKETS_VARIABLE,
    STARTS,
    ChildProgram,
    Phases,
    computing_programs,
    keep_running,
    sockets_of,
    wait_for_event,
)
from weighbridge.supervisor.forking import ProcessTemplate, process_template
from weighbridge.supervisor.gauges import Gauges
from weighbridge.supervisor.metrics import (
    COUNTERS_VARIABLE,
    MetricsPage,
    counters,
    listening,
    serve_metrics,
)
from weighbridge.supervisor.process import PARENT_VARIABLE, look_at_root
from weighbridge.supervisor.startup import (
    Port,
    keep_keys,
    migrate_or_refuse,
    reserve,
)

APPLICATION = "weighbridge.app:create"
WORKER = ("-m", "weighbridge.worker")
BACKUP = ("-m", "weighbridge", "backup", "--follow")
READY_SECONDS = 60.0
KILL_SECONDS = 1  # what a process is given beyond the bound that it keeps by itself
HEALTH_SECONDS = 0.05
HEALTH_ANSWER_SECONDS = 5
DATABASE_WATCH_SECONDS = 0.25
DATABASE_RETRY_SECONDS = 2.0
HOUR_TICKS = 14_400  # an hour of watching
HOUR_SECONDS = 3_600.0
DATABASE_SECONDS = 2
RESERVE_TICKS = 240  # a minute of watching
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

log = structlog.get_logger("weighbridge.supervisor")


def serve(
    settings: Settings,
    *,
    announce: Callable[[str], None],
    invite: Callable[[str], None] | None = None,
    with_worker: bool = True,
    application: str = APPLICATION,
    worker: tuple[str, ...] = WORKER,
) -> None:
    """Run the service until a signal stops it; `announce` gets the address once it answers.

    Then `invite` gets the link by which the first person joins, as long as nobody can sign in.
    """
    for number in STOP_SIGNALS:
        signal.signal(number, _stop_before_the_start)
    for name in unknown_variables():
        log.warning("setting_unknown", variable=name)
    port = reserve(settings.host, settings.port)
    look_at_root(settings)
    check_replica(settings)
    metrics = (
        None if settings.metrics_port is None else listening(settings.metrics_host, settings.metrics_port)
    )
    targets = [application, COMPUTING_APPLICATION][: 1 + bool(settings.computing_processes)]
    with (
        counters() as folder,
        process_template(targets, {COUNTERS_VARIABLE: folder}) as template,
        _database(settings, port) as (urls, server),
    ):
        migrate_or_refuse(urls, without_lost=True)
        variables = _variables(settings, urls, port)
        shared = {**variables, COUNTERS_VARIABLE: folder}
        computing = computing_programs(settings, shared, Path(folder))
        serving = {**shared, SOCKETS_VARIABLE: sockets_of(computing)}
        if template is not None:
            template.prepare(serving)
        keep_keys(urls.running, settings)
        saying = _greeting(announce, invite, urls, replace(settings, port=port.number))
        programs = [*_api_programs(settings, application, port, serving), *computing]
        programs += [_worker_program(worker, shared)] * with_worker
        children = [replace(child, heartbeat=Path(folder, f"heartbeat-{child.name}")) for child in programs]
        children += _backing_up(settings, variables)
        try:
            page = MetricsPage(folder, Gauges(urls.running, settings.data_dir, STARTS))
            jobs = [] if metrics is None else [partial(serve_metrics, metrics, page)]
            asyncio.run(_supervise(children, template, server, port, settings, saying, *jobs))
        finally:
            # The database's stop is bounded; a signal that cut it short would leave the server running.
            for number in STOP_SIGNALS:
                signal.signal(number, signal.SIG_IGN)


def _greeting(
    announce: Callable[[str], None],
    invite: Callable[[str], None] | None,
    urls: DatabaseUrls,
    settings: Settings,
) -> Callable[[str], None]:
    """The function that announces the address once the service answers."""
    # Every process imports this package; only one that starts a service needs what makes passwords.
    from weighbridge.supervisor.startup import first_user_link  # noqa: PLC0415

    link = first_user_link(urls.running, settings.address) if invite else None

    def greet(address: str) -> None:
        announce(address)
        if invite and link:
            invite(link)

    return greet


def _variables(settings: Settings, urls: DatabaseUrls, port: Port) -> dict[str, str]:
    """The environment of the processes: all settings but the connection of the owner of the tables."""
    process_settings = replace(
        settings,
        data_dir=settings.data_dir.absolute(),
        database_url=settings.database_url or urls.running,
        migration_database_url=None,
        port=port.number,
    )
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return {**inherited, **environment(process_settings), PARENT_VARIABLE: str(os.getpid())}


def _api_programs(
    settings: Settings, application: str, port: Port, variables: dict[str, str]
) -> list[ChildProgram]:
    """What answers requests: the same program as often as the settings say."""
    module = "weighbridge.supervisor.api"
    command = (sys.executable, "-m", module, application, port.address, str(port.number))
    return [
        ChildProgram(f"api-{number}", command, variables, must_become_ready=True, is_forked=True)
        for number in range(1, settings.api_processes + 1)
    ]


def _worker_program(worker: tuple[str, ...], variables: dict[str, str]) -> ChildProgram:
    return ChildProgram("worker", (sys.executable, *worker), variables, is_forked=worker == WORKER)


def _backing_up(settings: Settings, variables: dict[str, str]) -> list[ChildProgram]:
    """What backs up all the time, where a setting says to which place."""
    if settings.backup_url is None:
        return []
    backup_variables = {name: text for name, text in variables.items() if name != f"{PREFIX}DATABASE_URL"}
    return [ChildProgram("backup", (sys.executable, *BACKUP), backup_variables)]


@contextmanager
def _database(settings: Settings, port: Port) -> Iterator[tuple[DatabaseUrls, Server | None]]:
    if is_external(settings):
        if settings.backup_url is not None:
            raise Refusal(
                "WEIGHBRIDGE_BACKUP_URL is for the embedded database; the one that WEIGHBRIDGE_DATABASE_URL"
                " names is backed up with its own tools (docs/howto/back-up-and-restore.md)."
            )
        yield external(settings), None
        return
    with served_alone(settings.data_dir, port.url), attach_server(settings.data_dir) as server:
        server.keep_reserve()
        yield server.urls, server


async def _supervise(
    programs: list[ChildProgram],
    template: ProcessTemplate | None,
    server: Server | None,
    port: Port,
    settings: Settings,
    announce: Callable[[str], None],
    *jobs: Callable[[asyncio.Event], Coroutine[Any, Any, None]],
) -> None:
    stop_seconds = settings.shutdown_seconds + KILL_SECONDS
    phases = Phases(asyncio.Event(), asyncio.Event(), asyncio.Event(), stop_seconds, settings.frozen_seconds)
    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, _stop, phases)
    try:
        async with asyncio.TaskGroup() as group:
            of_others = replace(phases, stopping=asyncio.Event(), stop_seconds=KILL_SECONDS)
            first = [
                group.create_task(keep_running(program, phases, template))
                for program in programs
                if not program.stops_last
            ]
            for program in programs:
                if program.stops_last:
                    group.create_task(keep_running(program, of_others, template))
            group.create_task(_set_after(of_others.stopping, first))
            if server is not None:
                group.create_task(_watch_database(server, phases))
                group.create_task(_watch_backups(server, settings, phases))
            for job in jobs:
                group.create_task(job(phases.stopping))
            listening_at = [Path(program.command[-1]) for program in programs if program.stops_last]
            group.create_task(await_health(port, listening_at, phases, announce))
    except* Refusal as refusals:
        raise Refusal([problem for refusal in _leaves(refusals) for problem in refusal.problems]) from None


async def _set_after(stopping: asyncio.Event, before: list[asyncio.Task[None]]) -> None:
    await asyncio.wait(before)
    stopping.set()


def _leaves(group: BaseExceptionGroup[Refusal]) -> Iterator[Refusal]:
    for inner in group.exceptions:
        if isinstance(inner, BaseExceptionGroup):
            yield from _leaves(inner)
        else:
            yield inner


def _stop(phases: Phases) -> None:
    """Stop in order at the first signal, at once at the second."""
    if phases.stopping.is_set():
        phases.hurrying.set()
    else:
        log.info("service_stopping")
        phases.stopping.set()


def _stop_before_the_start(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


async def await_health(
    port: Port, sockets: list[Path], phases: Phases, announce: Callable[[str], None]
) -> None:
    """Announce the service when its health page answers, and its computing processes listen."""
    deadline = asyncio.get_running_loop().time() + READY_SECONDS
    while not await wait_for_event(phases.stopping, within_seconds=HEALTH_SECONDS):
        with suppress(OSError, TimeoutError):
            # The files are checked first, so that waiting for them does not fill the log with requests.
            # `asyncio.wait_for` of Python 3.11 would give the refusal of a connection in place of a
            # cancellation that comes with it, and this would go on.
            async with asyncio.timeout(HEALTH_ANSWER_SECONDS):
                is_healthy = all(map(Path.exists, sockets)) and await _is_healthy(port)
            if is_healthy:
                phases.ready.set()
                announce(port.url)
                return
        if asyncio.get_running_loop().time() > deadline:
            raise Refusal(
                f"The service did not answer on {port.url}/healthz within {READY_SECONDS:.0f} seconds."
            )


async def _is_healthy(port: Port) -> bool:
    reader, writer = await asyncio.open_connection(port.near_address, port.number)
    try:
        host = f"Host: {port.url.removeprefix('http://')}"
        writer.write(f"GET /healthz HTTP/1.1\r\n{host}\r\nConnection: close\r\n\r\n".encode())
        status = await reader.readline()
    finally:
        writer.close()
    return status.split()[1:2] == [b"200"]


async def _watch_backups(server: Server, settings: Settings, phases: Phases) -> None:
    """Warn, at the start and each hour, of a database that was not backed up for too long."""
    while True:
        with suppress(psycopg.Error, OSError):
            if reason := await asyncio.to_thread(_overdue, server, settings):
                log.warning("backup_overdue", reason=reason, remedy="see `weighbridge backup --help`")
        if await wait_for_event(phases.stopping, within_seconds=HOUR_SECONDS):
            return


def _overdue(server: Server, settings: Settings) -> str | None:
    created_at = (server.location.cluster / "PG_VERSION").stat().st_mtime
    with psycopg.connect(server.url, connect_timeout=DATABASE_SECONDS) as connection:
        row = connection.execute("SELECT now(), to_timestamp(%s)", (created_at,)).fetchone()
    assert row is not None, "there is always a time"  # noqa: S101
    return overdue(settings.data_dir, row[1], row[0], settings.backup_warning_hours)


async def _watch_database(server: Server, phases: Phases) -> None:
    """Start the embedded server again when it was killed, on the socket that everyone knows."""
    ticks = 0
    while not await wait_for_event(phases.stopping, within_seconds=DATABASE_WATCH_SECONDS):
        ticks += 1
        if ticks % HOUR_TICKS == 0:
            server.prune_logs()
        if ticks % RESERVE_TICKS == 0:
            await asyncio.to_thread(server.keep_reserve)
        if server.is_alive():
            continue
        log.error("database_died")
        try:
            await asyncio.to_thread(server.revive)
            log.info("database_started")
        except Refusal as refusal:
            log.error("database_start_failed", reason=str(refusal))  # noqa: TRY400 - no trace is of use here
            if server.release_reserve():
                log.warning("reserve_released")
            await wait_for_event(phases.stopping, within_seconds=DATABASE_RETRY_SECONDS)
