"""The demonstration: a plant is described, measured, modelled, booked, traced, corrected and verified.

Invariants: everything after the token goes over HTTP; a figure that does not come out ends it with a failure.
"""

import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Final

from weighbridge.core.identity import API_PREFIX
from weighbridge.demo.plant import REMOVAL
from weighbridge.demo.serving import await_signal, folder, serve, unwind_on_signals, weighbridge
from weighbridge.demo.show import Screen
from weighbridge.demo.story import (
    Client,
    Plant,
    Story,
    come_late,
    compare,
    describe,
    generate,
    generate_again,
    read,
    trace,
)
from weighbridge.errors import Refusal

PORT: Final = 8080
"""The port of the commands that are shown at the end."""

VISITOR: Final = "visitor@demo.example"
"""The address of the person as whom the plant is opened."""


def run(data_dir: Path | None, *, keep: bool, stays: bool = False) -> None:
    """Show the whole chain on a data directory, or on a fresh one; one that stays runs until interrupted."""
    unwind_on_signals()
    started = time.monotonic()
    screen = Screen()
    screen.title("Weighbridge: three months of a biochar plant, from the lorry to the tonne of carbon")
    with folder(data_dir, keep=keep) as used:
        token, plant = _demonstrate(screen, used, stays=stays)
    seconds = time.monotonic() - started
    screen.step(
        "The service has stopped" if stays else f"Done in {seconds:.0f} s, and the service has stopped"
    )
    if used.exists():
        _say_how_to_open(screen, used, token, plant, has_visitor=stays)
        if data_dir is None:
            _say_command(screen, "Remove the data:", shlex.join(["rm", "-r", str(used)]))
    else:
        _say_command(
            screen, "Its data are gone with it. To keep them and look around:", f"{_program()} demo --keep"
        )


def _demonstrate(screen: Screen, data_dir: Path, *, stays: bool) -> tuple[str, Plant]:
    started = time.monotonic()
    screen.step("Start the service", f"weighbridge serve --data-dir {data_dir} --port 0")
    with serve(data_dir) as address:
        screen.say(
            f"PostgreSQL, API and worker are ready at {address} after {time.monotonic() - started:.1f} s"
        )
        token = _make_token(screen, data_dir)
        with Client(address, token) as client:
            plant = tell(Story(screen, client))
        _verify(screen, data_dir)
        if stays:
            _stay(screen, data_dir, address, plant)
    return token, plant


def _stay(screen: Screen, data_dir: Path, address: str, plant: Plant) -> None:
    """Leave the service running until a signal comes; somebody may look at the plant in a browser."""
    screen.step("Look at it in a browser", "weighbridge user add --at-once")
    _say_command(
        screen, "Opens the plant signed in, once, within the hour:", _enter(data_dir, address, plant)
    )
    screen.say("The service runs until you press Ctrl-C.")
    await_signal()


def _enter(data_dir: Path, address: str, plant: Plant) -> str:
    """A link that opens the plant signed in as somebody who may do everything."""
    try:
        person = ("add", "--email", VISITOR, "--name", "Demo visitor", "--role", "administrator", "--at-once")
        link = weighbridge("user", *person, "--address", address, "--data-dir", str(data_dir))
    except Refusal:  # the data directory is that of an earlier demonstration
        again = ("link", "--email", VISITOR, "--sign-in")
        link = weighbridge("user", *again, "--address", address, "--data-dir", str(data_dir))
    return f"{link}&next=/projects/{plant.project['id']}"


def tell(story: Story) -> Plant:
    """Every chapter in its order, over HTTP."""
    plant = describe(story)
    generate(story, plant)
    chain = read(story, plant)
    trace(story, chain)
    compare(story, chain)
    come_late(story, plant)
    generate_again(story, plant)
    return plant


def _make_token(screen: Screen, data_dir: Path) -> str:
    screen.step("Make a token", "weighbridge token create --name demonstration --all")
    options = ("--name", "demonstration", "--all", "--expires", "30", "--data-dir", str(data_dir))
    token = weighbridge("token", "create", *options)
    screen.say(f"{token[:12]}…, stored as its hash")
    return token


def _verify(screen: Screen, data_dir: Path) -> None:
    screen.step("Verify the books and compute every batch anew", f"weighbridge verify --data-dir {data_dir}")
    screen.say(weighbridge("verify", "--data-dir", str(data_dir)))


def _say_how_to_open(screen: Screen, data_dir: Path, token: str, plant: Plant, *, has_visitor: bool) -> None:
    address = f"http://127.0.0.1:{PORT}"
    program = _program()
    folder_option = shlex.join(["--data-dir", str(data_dir)])
    _say_command(screen, "Start the service on these data:", f"{program} serve {folder_option} --port {PORT}")
    link = ("link", "--sign-in") if has_visitor else ("add", "--role", "administrator", "--at-once")
    words = shlex.join(["user", *link, "--email", VISITOR, "--address", address])
    _say_command(
        screen, "Have a link that opens it in a browser, signed in:", f"{program} {words} {folder_option}"
    )
    _say_command(screen, "Read about every request:", f"{address}/docs")
    batches = f"{address}{API_PREFIX}/ledgers/{plant.ledgers[REMOVAL]['id']}/batches"
    _say_command(screen, "Ask for the batches:", f"curl -H 'Authorization: Bearer {token}' {batches}")


def _say_command(screen: Screen, what: str, command: str) -> None:
    screen.say(what)
    screen.say(f"  {command}", "bold")


def _program() -> str:
    """How this program was called, so that the commands shown can be typed as they are."""
    called = Path(sys.argv[0])
    if called.name != "weighbridge":
        return shlex.join([sys.executable, "-m", "weighbridge"])
    program = shutil.which(called.name)
    return called.name if program and Path(program).samefile(called) else shlex.quote(str(called))
