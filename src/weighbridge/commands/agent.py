"""`weighbridge agent`: reads the servers, brokers and devices of a plant, and sends what they say.

Invariant: only `run` and `check --connect` need the packages of the extra `weighbridge[agent]`, and each only
those of the sources that the file names.
"""

import asyncio
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from weighbridge.commands.options import Json
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.agent.configuration import AgentConfiguration

AgentFile = Annotated[Path, Parameter(help="The agent's file, in YAML.")]
ConnectOption = Annotated[
    bool,
    Parameter(negative=(), show_default=False, help="Try the service, the servers and the brokers too."),
]
VerboseOption = Annotated[
    bool, Parameter(negative=(), show_default=False, help="Log each try, not the first of a row alone.")
]

agent = App(
    name="agent", help="The edge agent: from OPC UA and MQTT to the service, through days without network."
)


@agent.command
def run(file: AgentFile, /, *, verbose: VerboseOption = False) -> None:
    """Run the agent until a signal stops it.

    What was read is on the disk before its source is told so. The agent listens on no port.
    """
    from weighbridge.agent.run import run as run_agent

    configuration = _read_configuration(file)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    logging.getLogger("weighbridge.agent").setLevel(logging.DEBUG if verbose else logging.INFO)
    for noisy in ("asyncua", "mqtt", "httpx2"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    asyncio.run(run_agent(configuration))


@agent.command
def check(file: AgentFile, /, *, connect: ConnectOption = False) -> None:
    """Check the file; every mistake is told with its line.

    With --connect the service, the servers and the brokers are tried, and event types, data points, variables
    and topics looked for that the file names. A running agent is not disturbed.
    """
    configuration = _read_configuration(file)
    if connect and (message := asyncio.run(_try_source(configuration))):
        raise Refusal("\n".join(message))
    sys.stdout.write(f"{file}: {'all of it works' if connect else 'nothing is wrong with it'}.\n")


@agent.command
def status(file: AgentFile, /, *, as_json: Json = False) -> None:
    """Say how many readings wait and for how long, what was set apart and why, and how each source fares."""
    import msgspec

    from weighbridge.agent.readings import now
    from weighbridge.agent.status import read_status, render_status

    agent_status = read_status(_read_configuration(file).spool.path, now())
    if as_json:
        sys.stdout.write(msgspec.json.Encoder(decimal_format="number").encode(agent_status).decode() + "\n")
    else:
        sys.stdout.write(render_status(agent_status) + "\n")


@agent.command
def retry(file: AgentFile, /) -> None:
    """Send again what the service refused, once its reason is mended; the agent must not run meanwhile."""
    from weighbridge.agent.readings import now
    from weighbridge.agent.spool import MEGABYTE, SpoolDatabase

    spool = _read_configuration(file).spool
    with SpoolDatabase(spool.path, spool.megabytes_max * MEGABYTE) as database:
        sys.stdout.write(f"{database.retry(now()):,} readings wait again.\n")


@agent.command
def discard(file: AgentFile, /) -> None:
    """Forget what was set apart, for good; the agent must not run meanwhile."""
    from weighbridge.agent.spool import MEGABYTE, SpoolDatabase

    spool = _read_configuration(file).spool
    with SpoolDatabase(spool.path, spool.megabytes_max * MEGABYTE) as database:
        sys.stdout.write(f"{database.discard():,} readings are forgotten.\n")


def _read_configuration(file: Path) -> "AgentConfiguration":
    from weighbridge.agent.configuration_reading import read_configuration

    return read_configuration(file)


async def _try_source(configuration: "AgentConfiguration") -> list[str]:
    from weighbridge.agent.status import complaints

    return [message async for message in complaints(configuration)]
