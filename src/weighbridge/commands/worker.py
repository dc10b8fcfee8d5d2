"""`weighbridge worker`: one more worker, on this machine or beside an external database."""

import asyncio
import os
from dataclasses import replace

from cyclopts import App

from weighbridge.commands.options import DataDir


def register(app: App) -> None:
    """Add the command."""
    app.command(worker)


def worker(*, data_dir: DataDir = None) -> None:
    """Work on tasks until interrupted.

    Any number of workers run against one database.

    Example: `WEIGHBRIDGE_DATABASE_URL=postgresql://weighbridge@db/weighbridge weighbridge worker`
    """
    from weighbridge.supervisor.garbage import look_rarely, look_when_started  # noqa: PLC0415 - slow to import

    look_when_started()
    from weighbridge.db.embedded import database  # noqa: PLC0415 - as above
    from weighbridge.settings import PREFIX, environment, read_with  # noqa: PLC0415 - as above
    from weighbridge.supervisor import logs  # noqa: PLC0415 - as above
    from weighbridge.supervisor.niceness import OF_WORKER, stand_back  # noqa: PLC0415 - as above
    from weighbridge.supervisor.parent import PARENT_VARIABLE, die_with_supervisor, look_at_root  # noqa: PLC0415 - as above
    from weighbridge.worker import run  # noqa: PLC0415 - as above

    die_with_supervisor()
    settings = read_with(data_dir=data_dir)
    logs.configure(settings)
    look_rarely()
    if PARENT_VARIABLE in os.environ:
        stand_back(OF_WORKER)
    else:  # the supervisor has not looked
        look_at_root(settings)
    with database(settings) as urls:
        told = replace(
            settings, database_url=settings.database_url or urls.running, migration_database_url=None
        )
        for name in [name for name in os.environ if name.startswith(PREFIX)]:
            del os.environ[name]
        os.environ.update(environment(told))
        asyncio.run(run())
