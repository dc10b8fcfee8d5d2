"""All commands as one application, each imported when it is called."""

from typing import Final

from cyclopts import App

import weighbridge
from weighbridge.commands.contents import COMMANDS, record_commands


def _build_app() -> App:
    """Register all commands; the help of each is its docstring, and of those made for records their line."""
    made = App(
        name="weighbridge",
        help="Measurements in, defensible tonnes out.",
        version=lambda: weighbridge.__version__,
        help_format="markdown",
    )
    for name, (place, _) in COMMANDS.items():
        made.command(f"weighbridge.commands.{place}", name=name)
    for name, (place, summary) in record_commands().items():
        made.command(f"weighbridge.commands.{place}", name=name, help=summary)
    made.register_install_completion_command()
    return made


app: Final = _build_app()
