"""`weighbridge serve`: the whole service with one command."""

import sys
from typing import Annotated

from cyclopts import App, Parameter

from weighbridge.commands.options import DataDir

Host = Annotated[str | None, Parameter(help="The address to listen on.")]
PortOption = Annotated[int | None, Parameter(help="The port to listen on; 0 takes a free one.")]
ApiProcesses = Annotated[int | None, Parameter(help="How many processes answer requests.")]
NoWorker = Annotated[bool, Parameter(negative=(), show_default=False, help="Run no worker for tasks.")]


def register(app: App) -> None:
    """Add the command."""
    app.command(serve)


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
    from weighbridge.settings import read_with  # noqa: PLC0415 - slow to import
    from weighbridge.supervisor import logs  # noqa: PLC0415 - as above
    from weighbridge.supervisor import serve as run  # noqa: PLC0415 - as above

    settings = read_with(data_dir=data_dir, host=host, port=port, api_processes=api_processes)
    logs.configure(settings)
    run(settings, announce=_announce, invite=_invite, with_worker=not no_worker)


def _announce(address: str) -> None:
    sys.stdout.write(f"ready {address}\n")
    sys.stdout.flush()


def _invite(link: str) -> None:
    sys.stdout.write(f"Nobody signs in at the pages yet. The first person joins here, once: {link}\n")
    sys.stdout.flush()
