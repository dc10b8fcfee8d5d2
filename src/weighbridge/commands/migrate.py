"""`weighbridge migrate`: bring the database to this version's form."""

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from weighbridge.commands.options import DataDir, Json
from weighbridge.commands.progress import progress_bars
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.db.schema.rehearsal import Rehearsal
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


def register(app: App) -> None:
    """Add the command."""
    app.command(migrate)


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
    from weighbridge.db.embedded import database  # noqa: PLC0415 - slow to import
    from weighbridge.db.schema.revision import newest_revision  # noqa: PLC0415 - as above
    from weighbridge.settings import read_with  # noqa: PLC0415 - as above
    from weighbridge.supervisor.schema import migrate_or_refuse  # noqa: PLC0415 - as above

    settings = read_with(data_dir=data_dir)
    if dry_run:
        rehearsal = _rehearsed(settings)
        sys.stdout.write(_as_json(rehearsal) if as_json else _sentences(rehearsal))
        if rehearsal.failure:
            sys.exit(1)
        return
    with database(settings) as urls:
        migrate_or_refuse(urls)
    revision = newest_revision()
    sentence = f"The database is at revision {revision}."
    sys.stdout.write((json.dumps({"revision": revision}) if as_json else sentence) + "\n")


def _rehearsed(settings: "Settings") -> "Rehearsal":
    """What the steps do: on a copy of the embedded database beside it, or within another."""
    from weighbridge.backup.cloning import cloned  # noqa: PLC0415 - slow to import
    from weighbridge.db.embedded import attached, external, has_cluster, is_external  # noqa: PLC0415 - as above
    from weighbridge.supervisor.schema import rehearse_or_refuse  # noqa: PLC0415 - as above

    if is_external(settings):
        return rehearse_or_refuse(external(settings).migrating)
    if not has_cluster(settings.data_dir):
        raise Refusal(f"{settings.data_dir} has no data of the service; name its folder with --data-dir.")
    # Beside the data: there is the room for them, and a copy needs as much again.
    beside = settings.data_dir.absolute().parent
    with (
        tempfile.TemporaryDirectory(prefix="weighbridge-rehearsal-", dir=beside) as folder,
        progress_bars() as bars,
        attached(settings.data_dir) as running,
        cloned(running, Path(folder), bars) as url,
    ):
        return rehearse_or_refuse(url)


def _as_json(rehearsal: "Rehearsal") -> str:
    import msgspec  # noqa: PLC0415 - slow to import

    return msgspec.json.encode(rehearsal).decode() + "\n"


def _sentences(rehearsal: "Rehearsal") -> str:
    lines = [f"The database is at revision {rehearsal.before or 'none'}."]
    for step in rehearsal.steps:
        said = f"  {step.revision}  {step.seconds:8.3f} s"
        if step.closed:
            said += f"  closes {', '.join(step.closed)}"
        if step.read_only:
            said += f"  lets nobody write {', '.join(step.read_only)}"
        lines.append(said)
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
