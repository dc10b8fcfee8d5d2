"""`weighbridge serve`, `worker` and `migrate`: the whole service, one more worker, the schema."""

import asyncio
import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from weighbridge.commands.context import progress_bars
from weighbridge.commands.options import DataDir, Json
from weighbridge.errors import Refusal

Host = Annotated[str | None, Parameter(help="The address to listen on.")]
PortOption = Annotated[int | None, Parameter(help="The port to listen on; 0 takes a free one.")]
ApiProcesses = Annotated[int | None, Parameter(help="How many processes answer requests.")]
NoWorker = Annotated[bool, Parameter(negative=(), show_default=False, help="Run no worker for tasks.")]


def serve(
    *,
    data_dir: DataDir = None,
    host: Host = None,
    port: PortOption = None,
    api_processes: ApiProcesses = None,
    no_worker: NoWorker = False,
) -> None:
    """Start the database, the API and a worker, and keep them running until interrupted.

    Prints "ready" and the address when the service answers, and as long as nobody can sign in a link by which
    the first person joins; `weighbridge user first` makes another. What is not given here comes from the
    WEIGHBRIDGE_* variables.

    Example: `weighbridge serve --data-dir /srv/weighbridge --host 0.0.0.0 --port 8080`
    """
    from weighbridge.settings import read_with
    from weighbridge.supervisor import logs
    from weighbridge.supervisor.lifecycle import serve as run

    settings = read_with(data_dir=data_dir, host=host, port=port, api_processes=api_processes)
    logs.configure(settings)
    run(settings, announce=_announce, invite=_invite, with_worker=not no_worker)


def _announce(address: str) -> None:
    sys.stdout.write(f"ready {address}\n")
    sys.stdout.flush()


def _invite(link: str) -> None:
    sys.stdout.write(f"No user can sign in to the pages yet. The first person joins here, once: {link}\n")
    sys.stdout.flush()


def worker(*, data_dir: DataDir = None) -> None:
    """Work on tasks until interrupted.

    Any number of workers run against one database.

    Example: `WEIGHBRIDGE_DATABASE_URL=postgresql://weighbridge@db/weighbridge weighbridge worker`
    """
    from weighbridge.garbage import look_rarely, look_when_started
    from weighbridge.supervisor.process import look_at_root

    look_when_started()
    from weighbridge.db.embedded.instance import database
    from weighbridge.settings import PREFIX, environment, read_with
    from weighbridge.supervisor import logs
    from weighbridge.worker import run

    settings = read_with(data_dir=data_dir)
    logs.configure(settings)
    look_rarely()
    look_at_root(settings)
    with database(settings) as urls:
        worker_settings = replace(
            settings, database_url=settings.database_url or urls.running, migration_database_url=None
        )
        for name in [name for name in os.environ if name.startswith(PREFIX)]:
            del os.environ[name]
        os.environ.update(environment(worker_settings))
        asyncio.run(run())


if TYPE_CHECKING:
    from weighbridge.db.migration import Rehearsal
    from weighbridge.settings import Settings

DryRun = Annotated[
    bool,
    Parameter(
        negative=(),
        show_default=False,
        help="Carry out and undo: the embedded database's steps on a copy, those of another in place, in one "
        "transaction that holds their locks to its end.",
    ),
]


def migrate(
    *,
    data_dir: DataDir = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Bring the database to the form that this version needs.

    The serve command does the same at its start; this command is for an external database that several
    machines share. Where WEIGHBRIDGE_MIGRATION_DATABASE_URL names the role that owns the tables, the role
    of WEIGHBRIDGE_DATABASE_URL gets what it needs to run the service, and no more.

    With --dry-run nothing is changed: it tells how long each step takes on these data, and which tables it
    keeps from others meanwhile; exits with 1 when a step cannot be carried out.

    Example: `weighbridge migrate --data-dir /srv/weighbridge`
    """
    from weighbridge.db.embedded.instance import database
    from weighbridge.db.roles import newest_revision
    from weighbridge.settings import read_with
    from weighbridge.supervisor.startup import migrate_or_refuse

    settings = read_with(data_dir=data_dir)
    if dry_run:
        rehearsals = _rehearse(settings)
        sys.stdout.write(_as_json(rehearsals) if as_json else _describe(rehearsals))
        if any(rehearsal.failure for rehearsal in rehearsals.values()):
            sys.exit(1)
        return
    with database(settings) as urls:
        migrate_or_refuse(urls)
    revision = newest_revision()
    sentence = f"The database is at revision {revision}."
    sys.stdout.write((json.dumps({"revision": revision}) if as_json else sentence) + "\n")


def _rehearse(settings: "Settings") -> "dict[str, Rehearsal]":
    """What the steps do in each cell: on a copy of the embedded database beside it, or within another."""
    from weighbridge.backup.restore import clone_cluster
    from weighbridge.db.embedded.instance import attach_server, external, has_cluster, is_external

    if is_external(settings):
        return _rehearse_cells(external(settings).migrating)
    if not has_cluster(settings.data_dir):
        raise Refusal(f"{settings.data_dir} has no data of the service; name its folder with --data-dir.")
    # Beside the data: there is the room for them, and a copy needs as much again.
    parent_folder = settings.data_dir.absolute().parent
    with (
        tempfile.TemporaryDirectory(prefix="weighbridge-rehearsal-", dir=parent_folder) as folder,
        progress_bars() as bars,
        attach_server(settings.data_dir) as running,
        clone_cluster(running, Path(folder), bars) as url,
    ):
        return _rehearse_cells(url)


def _rehearse_cells(url: str) -> "dict[str, Rehearsal]":
    from weighbridge.db.cell_creation import url_in_schema
    from weighbridge.db.cells import read_cells
    from weighbridge.supervisor.startup import rehearse_or_refuse

    return {
        cell.name: rehearse_or_refuse(url if cell.schema is None else url_in_schema(url, cell.schema))
        for cell in read_cells(url)
    }


def _as_json(rehearsals: "dict[str, Rehearsal]") -> str:
    """The only rehearsal, or those of all cells by their names."""
    import msgspec

    [only, *others] = rehearsals.values()
    return msgspec.json.encode({"cells": rehearsals} if others else only).decode() + "\n"


def _describe(rehearsals: "dict[str, Rehearsal]") -> str:
    if len(rehearsals) == 1:
        return _sentences(*rehearsals.values())
    return "".join(f"Cell {name}:\n{_sentences(rehearsal)}" for name, rehearsal in rehearsals.items())


def _sentences(rehearsal: "Rehearsal") -> str:
    lines = [f"The database is at revision {rehearsal.before or 'none'}."]
    for step in rehearsal.steps:
        message = f"  {step.revision}  {step.seconds:8.3f} s"
        if step.closed:
            message += f"  closes {', '.join(step.closed)}"
        if step.read_only:
            message += f"  lets nobody write {', '.join(step.read_only)}"
        lines.append(message)
    if rehearsal.failure:
        lines.append(rehearsal.failure)
    elif rehearsal.steps:
        seconds = sum(step.seconds for step in rehearsal.steps)
        lines.append(
            f"All {len(rehearsal.steps)} steps can be carried out, in {seconds:.1f} s; nothing was changed."
        )
    else:
        lines.append("It lacks no step.")
    return "\n".join(lines) + "\n"
