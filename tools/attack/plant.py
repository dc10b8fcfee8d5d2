"""A service in a folder of its own, with an account that attacks and one that only wants to work."""

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from weighbridge.core.platform.permission import ALL_PERMISSIONS

PROGRAMS: Final = Path(sys.executable).parent
STOP_SECONDS: Final = 60
ATTACKER: Final = "Attacker"
BYSTANDER: Final = "Bystander"

READING: Final = ("data_collection:read", "production_accounting:read", "data_rules:read")

EVENTS: Final = 500
"""Events that each account has from the start."""

MODEL: Final = """
name: Deliveries
cadence: monthly
partition_type: time
primary_output: mass
nodes:
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""

SLOW_MODEL: Final = (
    """
name: Slow
cadence: monthly
partition_type: time
primary_output: last
nodes:
"""
    + "".join(
        f"""
  - slug: n{number}
    formula: {" + ".join(["exp(1.0000000000000000000000000000001)"] * 40)}
    unit: "1"
"""
        for number in range(60)
    )
    + """
  - slug: last
    formula: n1 + 1
    unit: "1"
    output: true
"""
)
"""Thousands of powers of e, each to 34 digits."""

PATTERN_MODEL: Final = """
name: Pattern
cadence: monthly
partition_type: feedstock
primary_output: mass
nodes:
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, partitions: true}
    unit: t
    output: true
  - slug: found
    formula: "if(partition.feedstock matches '.{0,50}.{0,50}.{0,40}ZZ', 1, 0)"
    unit: "1"
"""


@dataclass(frozen=True, slots=True)
class Member:
    """An account with its records, its first token, and two made by that: for everything, and to read."""

    first_token: str
    token: str
    reading_token: str
    ids: Mapping[str, str]
    session: str
    """The secret of somebody of the account who has signed in."""


@dataclass(frozen=True, slots=True)
class Plant:
    """A running service and the two accounts of it."""

    host: str
    port: int
    attacker: Member
    bystander: Member
    process: subprocess.Popen[str]

    def with_new_tokens(self) -> "Plant":
        """The same for another minute: what tokens may ask in one is not used up yet."""
        attacker, bystander = (
            replace(one, **_tokens(self.host, self.port, one.first_token))
            for one in (self.attacker, self.bystander)
        )
        return replace(self, attacker=attacker, bystander=bystander)

    def megabytes(self) -> float:
        """What the processes of the service hold in memory together, those of its database left out.

        What several of them share counts once.
        """
        held = 0
        for number in _descendants(self.process.pid):
            with suppress(OSError):
                if b"postgres" in Path(f"/proc/{number}/cmdline").read_bytes():
                    continue
                shares = Path(f"/proc/{number}/smaps_rollup").read_text()
                held += int((re.search(r"Pss:\s+(\d+)", shares) or [0, 0])[1])
        return held / 1024


@contextmanager
def plant(data_dir: Path | None = None) -> Iterator[Plant]:
    """Start a service as anyone would, and stop it at the end; its data directory may have been made."""
    with tempfile.TemporaryDirectory(prefix="weighbridge-attack-") as made:
        folder = made if data_dir is None else str(data_dir)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIGHBRIDGE_")}
        with Path(folder, "log").open("w") as log:
            process = subprocess.Popen(
                [PROGRAMS / "weighbridge", "serve", "--data-dir", folder, "--port", "0"],
                stdout=subprocess.PIPE, stderr=log, text=True,
                env=kept | {"WEIGHBRIDGE_LOG_LEVEL": "warning"},
            )  # fmt: skip
        try:
            host, _, number = until_it_says(process, "ready http://").strip().partition(":")
            port = int(number)
            members = [_member(folder, name, host, port) for name in (ATTACKER, BYSTANDER)]
            yield Plant(host, port, members[0], members[1], process)
        finally:
            process.terminate()
            process.communicate(timeout=STOP_SECONDS)


def until_it_says(process: subprocess.Popen[str], beginning: str) -> str:
    """What follows the beginning, in the first line that a process says."""
    line = process.stdout.readline() if process.stdout else ""
    if not line.startswith(beginning):
        raise RuntimeError(f"{process.args!r} did not start; it said {line!r}")
    return line.removeprefix(beginning)


def ask(host: str, port: int, token: str, method: str, path: str, *, body: Any = None) -> Any:
    """One request; the answer's JSON. An answer that is no success ends the program."""
    connection = http.client.HTTPConnection(host, port, timeout=STOP_SECONDS)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body)
        connection.request(method, f"/api/v1{path}", body=sent, headers=headers)
        response = connection.getresponse()
        text = response.read()
    finally:
        connection.close()
    if response.status >= http.client.BAD_REQUEST:
        raise RuntimeError(f"{method} {path}: {response.status} {text.decode()}")
    return json.loads(text)


def _member(folder: str, name: str, host: str, port: int) -> Member:
    _command("account", "create", "--data-dir", folder, "--name", name)
    first = _command("token", "create", "--data-dir", folder, "--account", name, "--name", "first", "--all")
    tokens = _tokens(host, port, first.strip())
    ids = _records(host, port, tokens["token"])
    return Member(first.strip(), **tokens, ids=ids, session=_session(folder, name, host, port))


def _session(folder: str, account: str, host: str, port: int) -> str:
    """Sign somebody in who may do everything."""
    link = _command(
        "user", "add", "--data-dir", folder, "--account", account, "--role", "administrator", "--at-once",
        "--email", f"{account.lower()}@plant.example", "--address", f"http://{host}:{port}",
    )  # fmt: skip
    connection = http.client.HTTPConnection(host, port, timeout=STOP_SECONDS)
    try:
        connection.request("GET", "/enter" + link.strip().partition("/enter")[2])
        cookie = connection.getresponse().getheader("Set-Cookie", "")
    finally:
        connection.close()
    return cookie.partition("=")[2].partition(";")[0]


def _tokens(host: str, port: int, first: str) -> dict[str, Any]:
    """New tokens, for everything and for reading alone."""

    def issued(permissions: Sequence[str]) -> str:
        body = {"api_token": {"name": "attack", "permissions": permissions}}
        return str(ask(host, port, first, "POST", "/api_tokens", body=body)["token"])

    return {"token": issued(ALL_PERMISSIONS), "reading_token": issued(READING)}


def _records(host: str, port: int, token: str) -> Mapping[str, str]:
    """A project with deliveries, a model of them and a ledger."""

    def made(path: str, body: Any) -> str:
        return str(ask(host, port, token, "POST", path, body=body)["id"])

    mass = {"name": "Mass", "slug": "mass", "value_type": "number", "unit": "t"}
    kind = {"name": "Delivery", "slug": "delivery", "expected_locations": "none", "data_point_types": [mass]}
    project = made("/projects", {"project": {"name": "Plant"}})
    event_type = made(f"/projects/{project}/event_types", {"event_type": kind})
    scale = {"name": "Scale", "event_type_id": event_type, "time_zone": "UTC"}
    feed = made(f"/projects/{project}/data_feeds", {"data_feed": scale})
    events = [event(number) for number in range(EVENTS)]
    ask(host, port, token, "POST", f"/projects/{project}/events", body={"events": events})
    model = made("/models", {"model": {"project_id": project, "yaml": MODEL}})
    ledger = made(
        f"/projects/{project}/ledgers", {"ledger": {"name": "Mass", "unit": "t", "model_id": model}}
    )
    slow = made("/models", {"model": {"project_id": project, "yaml": SLOW_MODEL}})
    pattern = made("/models", {"model": {"project_id": project, "yaml": PATTERN_MODEL}})
    report = made("/reports", {"report": {"name": "R", "report_type": "quarterly", "project_id": project}})
    link = ask(host, port, token, "POST", f"/reports/{report}/links", body={"link": {"name": "Verifier"}})
    followed = "/reports/" + link["url"].partition("/reports/")[2]
    return {
        "project": project, "event_type": event_type, "feed": feed, "model": model,
        "ledger": ledger, "slow": slow, "pattern": pattern,
        "link": f"/api/v1{followed}", "link_page": followed,
    }  # fmt: skip


def event(number: int) -> dict[str, Any]:
    """One of many deliveries, each at a time of its own."""
    start = f"2025-{number // 672 % 12 + 1:02}-{number // 24 % 28 + 1:02}T{number % 24:02}:00:00Z"
    point = {"slug": "mass", "value": 1.25}
    return {"event_type": "delivery", "start_time": start, "end_time": start, "data_points": [point]}


def _command(*arguments: str) -> str:
    return subprocess.run(
        [PROGRAMS / "weighbridge", *arguments], check=True, capture_output=True, text=True
    ).stdout


def _descendants(number: int) -> list[int]:
    try:
        children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    except OSError:
        return []
    return [number, *(one for child in map(int, children) for one in _descendants(child))]
