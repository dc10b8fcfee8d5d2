"""Makes the data of a version: its service on an empty folder, the demonstration, one record of each kind."""

import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from tools.screenshots.given import all_that_lacks
from tools.stored_release.answers import answers
from tools.stored_release.folders import ANSWERS, DUMP, EVIDENCE, KEY, write_packed
from tools.stored_release.records import add_records
from weighbridge import client
from weighbridge.db.embedded.instance import attach_server
from weighbridge.demo.run import tell
from weighbridge.demo.serving import serve, weighbridge
from weighbridge.demo.show import Screen
from weighbridge.demo.story import Client, Story
from weighbridge.errors import Refusal


def write_data(data: Path, folder: Path) -> None:
    """Make the data below one folder, and write into another one what is kept of them.

    Raises Refusal where the service, the demonstration or `pg_dump` fails.
    """
    data.mkdir()
    with serve(data) as address:
        token = weighbridge("token", "create", "--name", "Release", "--all", "--data-dir", str(data))
        with Client(address, token) as caller, redirect_stdout(StringIO()):
            found = all_that_lacks(caller, tell(Story(Screen(), caller)))
        with client.Client(address, token=token) as caller:
            weighbridge("flag", "set", "data_capture_rate", "on", "--data-dir", str(data))
            add_records(caller, found["plant"], found["edges"])
            person = ("--email", "erika@plant.example", "--name", "Erika Berg", "--role", "administrator")
            weighbridge("user", "add", *person, "--at-once", "--address", address, "--data-dir", str(data))
    # Nobody works on the data any more while they are asked for: what is said of them is what is kept.
    with serve(data, "--no-worker") as address, client.Client(address, token=token) as caller:
        said = answers(caller)
    write_packed(folder / ANSWERS, said)
    with attach_server(data) as running:
        dump = data / DUMP
        options = ("--format=custom", "--compress=9", "--no-owner")
        done = running.location.run("pg_dump", f"--dbname={running.url}", *options, f"--file={dump}")
        if done.returncode:
            raise Refusal(f"The database was not dumped: {done.stdout}{done.stderr}")
    shutil.copy(dump, folder / DUMP)
    shutil.copy(data / KEY, folder / KEY)
    shutil.copytree(data / EVIDENCE, folder / EVIDENCE)
