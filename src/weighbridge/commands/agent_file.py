"""`weighbridge-agent`: the commands of `weighbridge agent`, and those by which its one file is replaced.

Invariant: a failure that was to be expected prints its sentences on standard error and exits with 1.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Final

from cyclopts import App, Parameter

from weighbridge import __version__
from weighbridge.agent.single_file.manifest import PROGRAM
from weighbridge.commands.agent import check, discard, retry, run, status
from weighbridge.errors import Refusal

SYSTEMD: Final = Path("/run/systemd/system")
"""Exists where systemd started the machine (sd_booted(3))."""

RESTART: Final = "systemctl try-restart weighbridge-agent.service"
BROKEN_PIPE_EXIT: Final = 141

SignersOption = Annotated[
    Path | None,
    Parameter(
        show_default=False,
        help="Whose updates are taken; otherwise /etc/weighbridge-agent/allowed_signers, or where that does"
        " not exist the keys in the installed file.",
    ),
]
ConfigurationOption = Annotated[
    Path | None,
    Parameter(
        show_default=False,
        help="The agent's file: the other version has to accept it, and to read its spool.",
    ),
]
RestartOption = Annotated[
    str | None,
    Parameter(
        show_default=False,
        help=f"The command that restarts the agent; `{RESTART}` where systemd runs, otherwise none.",
    ),
]
DowngradeOption = Annotated[
    bool, Parameter(negative=(), show_default=False, help="Take a version that is older than this one.")
]

app = App(
    name=PROGRAM,
    version=__version__,
    help="The edge agent of Weighbridge as one file.",
)
for command in (run, check, status, retry, discard):
    app.command(command)

_files: Final[list[Path]] = []
"""The file that runs, which is one."""


@app.command
def update(
    source: Annotated[str, Parameter(help="A file, a folder of files, or an address, each with its .sig.")],
    /,
    *,
    signers: SignersOption = None,
    configuration: ConfigurationOption = None,
    allow_downgrade: DowngradeOption = False,
    restart: RestartOption = None,
) -> None:
    """Replace this file by a newer one that is signed, and restart the agent.

    The file of before is kept for `rollback`.
    """
    from weighbridge.agent.single_file import updating

    policy = updating.UpdatePolicy(signers, allow_downgrade, configuration, _spool_of(configuration))
    sys.stdout.write(f"{updating.update(updating.InstalledFile(_files[0]), source, policy)}\n")
    _restart(restart)


@app.command
def rollback(*, configuration: ConfigurationOption = None, restart: RestartOption = None) -> None:
    """Install the file again that the last update replaced, and restart the agent."""
    from weighbridge.agent.single_file import updating

    policy = updating.UpdatePolicy(configuration=configuration, spool=_spool_of(configuration))
    sys.stdout.write(f"{updating.rollback(updating.InstalledFile(_files[0]), policy)}\n")
    _restart(restart)


@app.command
def about(*, signers: SignersOption = None) -> None:
    """Say which file this is, and whose updates it takes."""
    from weighbridge.agent.single_file.signing import read_trusted
    from weighbridge.agent.single_file.updating import InstalledFile
    from weighbridge.core.signing import compute_ssh_fingerprint

    manifest = InstalledFile(_files[0]).read_manifest()
    trusted, place = read_trusted(manifest, signers)
    pythons = f"CPython {manifest.pythons[0]} to {manifest.pythons[-1]}, glibc {manifest.glibc} or newer"
    sys.stdout.write(f"{manifest.text} ({pythons})\n")
    for public, name in trusted.items():
        sys.stdout.write(f"Updates by {name} ({compute_ssh_fingerprint(public)}) are taken, says {place}.\n")
    if not trusted:
        sys.stdout.write(f"No updates are taken: {place} names no signer.\n")


def _spool_of(configuration: Path | None) -> Path | None:
    from weighbridge.agent.configuration_reading import read_configuration

    return None if configuration is None else read_configuration(configuration).spool.path


def _restart(told: str | None) -> None:
    """Have the agent run the other version."""
    command = shlex.split(told if told is not None else RESTART if SYSTEMD.is_dir() else "")
    if not command:
        sys.stdout.write("Restart the agent to run it.\n")
        return
    try:
        code = subprocess.run(command, check=False).returncode  # noqa: S603 - the operator's own command
    except OSError as error:
        raise Refusal(f"The agent is not restarted: {command[0]}: {error.strerror}.") from None
    if code:
        raise Refusal(f"The agent is not restarted: {shlex.join(command)} exits with {code}.")
    sys.stdout.write(f"The agent was restarted ({shlex.join(command)}).\n")


def run_file(archive: str) -> None:
    """Carry out the command that the arguments name, as the program of a file."""
    _files[:] = [Path(archive)]
    try:
        app()
        sys.stdout.flush()
    except Refusal as refusal:
        sys.exit("\n".join(problem.message for problem in refusal.problems))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BROKEN_PIPE_EXIT)
