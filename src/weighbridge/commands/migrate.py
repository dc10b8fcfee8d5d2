"""`weighbridge migrate`: bring the database to this version's form."""

import json
import sys

from cyclopts import App

from weighbridge.commands.options import DataDir, Json


def register(app: App) -> None:
    """Add the command."""
    app.command(migrate)


def migrate(
    *,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Bring the database to the form that this version needs.

    The serve command does the same at its start; this command is for an external database that several
    machines share. Where WEIGHBRIDGE_MIGRATION_DATABASE_URL names the role that owns the tables, the role
    of WEIGHBRIDGE_DATABASE_URL gets what it needs to run the service, and no more.

    Example: `weighbridge migrate --data-dir /srv/weighbridge`
    """
    from weighbridge.db.embedded import database  # noqa: PLC0415 - slow to import
    from weighbridge.db.schema.revision import newest_revision  # noqa: PLC0415 - as above
    from weighbridge.settings import read_with  # noqa: PLC0415 - as above
    from weighbridge.supervisor.schema import migrate_or_refuse  # noqa: PLC0415 - as above

    with database(read_with(data_dir=data_dir)) as urls:
        migrate_or_refuse(urls)
    revision = newest_revision()
    sentence = f"The database is at revision {revision}."
    sys.stdout.write((json.dumps({"revision": revision}) if as_json else sentence) + "\n")
