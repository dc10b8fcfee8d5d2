"""`weighbridge demo`: a chain of ledgers once, on made-up measurements and published figures."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

DemoDataDir = Annotated[
    Path | None, Parameter(help="The folder for the service and its data; a fresh temporary one by default.")
]
Keep = Annotated[
    bool, Parameter(negative=(), show_default=False, help="Keep the temporary folder, to look around in it.")
]


def register(app: App) -> None:
    """Add the command."""
    app.command(demo)


def demo(*, data_dir: DemoDataDir = None, keep: Keep = False) -> None:
    """Run a biochar plant through the service, and end.

    Starts the service, sends it three months of measurements over HTTP, and generates three ledgers that
    draw on one another. Traces a batch of carbon to the lorries of feedstock, compares with published
    figures, follows a late weighing down the chain, verifies everything, and stops the service.

    Example: `weighbridge demo --keep`
    """
    from weighbridge.demo.run import run  # noqa: PLC0415 - slow to import

    run(data_dir, keep=keep)
