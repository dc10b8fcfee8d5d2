"""All commands as one application, each imported when it is called."""

import sys
from typing import Final, Literal

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

    @made.command(name="--show-completion")
    def show_completion(shell: Literal["bash", "fish", "powershell", "zsh"] | None = None) -> None:
        """Print the completion script of a shell, to be stored where that shell looks for it.

        Args:
            shell: The shell; the one that runs the command when left out.

        """
        sys.stdout.write(made.generate_completion(shell=shell))

    return made


app: Final = _build_app()
