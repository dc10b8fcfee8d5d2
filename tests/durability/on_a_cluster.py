"""The real service on a Citus cluster: accounts in cells on its nodes, and callers that load them."""

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from tests.durability.processes import environment, until
from tests.durability.real_service import CLI, DEADLINE_SECONDS, Service
from tests.durability.remote import DISTURBED, Remote
from tests.given import accounting

from weighbridge.db.embedded.instance import RUNNING_ROLE

COMMAND_SECONDS = 240
TEXT_CHARACTERS = 300


class Site:
    """The real service on the coordinator of a cluster."""

    def __init__(self, cluster, folder):
        self.folder, self.nodes = folder, [cluster.node(number) for number in range(len(cluster.workers))]
        self.cluster = cluster
        self.variables = {
            "WEIGHBRIDGE_DATABASE_URL": url_of(cluster.coordinator, user=RUNNING_ROLE),
            "WEIGHBRIDGE_MIGRATION_DATABASE_URL": url_of(cluster.coordinator),
        }
        self.service = Service(folder / "data", "", log=folder / "log", **self.variables)

    def close(self):
        self.service.close()

    def run(self, *words):
        """Run a command beside the service, as an operator does; gives what it printed."""
        done = self.attempt(*words)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout.strip()

    def attempt(self, *words):
        """Run a command that may fail."""
        return subprocess.run(
            [sys.executable, *CLI, *map(str, words), "--data-dir", str(self.folder / "data")],
            capture_output=True, text=True, check=False, timeout=COMMAND_SECONDS,
            env=environment(**self.variables),
        )  # fmt: skip

    def add_cell(self, name, node):
        return json.loads(self.run("cells", "add", name, "--node", node, "--json"))

    def tenant(self, account, cell=None):
        """An account with a plant; in the first cell, it is the one that there is from the start."""
        if cell is not None:
            self.run("account", "create", "--name", account, "--cell", cell)
        token = self.run("token", "create", "--name", "all", "--all", "--account", account)
        return Tenant(self, account, cell, token)

    def verified(self):
        return json.loads(self.run("verify", "--json"))


class Tenant:
    """An account of a site: its token, its plant, and what is stored of it."""

    def __init__(self, site, name, cell, token):
        self.site, self.name, self.cell, self.token = site, name, cell, token
        self.plant = accounting.plant(Remote(site.service.address, token), self.await_tasks)

    def await_tasks(self):
        """Wait until every task of the account has ended."""
        until(lambda: not self.unfinished(), what="the tasks of the account end")

    def unfinished(self):
        tasks = self.plant.api.get("/async_tasks", {"page_size": "100"}).body["data"]
        return [task for task in tasks if task["state"] not in {"complete", "failed"}]

    def stored(self, node=None):
        """How often each event that a writer sent is in the cell, by what its caller calls it."""
        given = conninfo_to_dict(self.site.cluster.coordinator)
        host, port = node.split(":") if node else (given["host"], given["port"])
        options = f"-csearch_path=cell_{self.cell}" if self.cell else ""
        with psycopg.connect(make_conninfo(**given | {"host": host, "port": port}, options=options)) as own:
            found = own.execute("SELECT client_reference FROM events WHERE client_reference IS NOT NULL")
            return Counter(name for (name,) in found)


@dataclass(frozen=True)
class Answered:
    """One request: when it was sent, how long it took, and what came back; status 0 for no answer at all."""

    begun: float
    seconds: float
    status: int
    retry_after: str | None
    text: str

    @property
    def is_good(self):
        return 0 < self.status < HTTPStatus.BAD_REQUEST


class _StoppedError(Exception):
    """A caller is to stop whose last request was not acknowledged."""


class Load(Remote):
    """Sends one request after the other, each until it is answered well, and remembers what came back.

    One that is refused waits as long as it was asked to, as a considerate caller does.
    """

    def __init__(self, tenant, name):
        super().__init__(tenant.site.service.address, tenant.token)
        self.tenant, self.name = tenant, name
        self.plant = replace(tenant.plant, api=self)
        self.answers, self.acknowledged = [], []
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self._thread.join(DEADLINE_SECONDS)

    def _work(self):
        with suppress(_StoppedError):
            while not self.stopping.is_set():
                self._once()

    def _once(self):
        raise NotImplementedError

    def _until_answered(self, method, path, content, headers):
        while True:
            answer = self._noted(method, path, content, headers)
            if answer is not None and answer.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                return answer
            if self.stopping.wait(float(answer.headers.get("Retry-After", 1)) if answer else 1):
                raise _StoppedError

    def _noted(self, method, path, content, headers):
        begun, answer = time.monotonic(), None
        with suppress(*DISTURBED):
            answer = self._send(method, path, content, headers)
        status, retry_after, text = 0, None, ""
        if answer is not None:
            status, retry_after = answer.status, answer.headers.get("Retry-After")
            text = answer.text[:TEXT_CHARACTERS]
        self.answers.append(Answered(begun, time.monotonic() - begun, status, retry_after, text))
        return answer

    def await_more(self, count):
        """Wait until so many more requests are answered well."""
        enough = sum(answer.is_good for answer in self.answers) + count
        until(lambda: sum(answer.is_good for answer in self.answers) >= enough, what="requests are answered")

    def since(self, begun, until_=float("inf")):
        return [answer for answer in self.answers if begun <= answer.begun < until_]


class Writer(Load):
    """Stores one event after the other."""

    def _once(self):
        reference = f"{self.name}-{len(self.acknowledged)}"
        self.plant.deliver(1, client_reference=reference)
        self.acknowledged.append(reference)


class Reader(Load):
    """Reads the newest events again and again."""

    def _once(self):
        self.get(f"/projects/{self.plant.project['id']}/events", {"page_size": "5"}).expect(200)


def url_of(conninfo, **changes):
    given = conninfo_to_dict(conninfo) | changes
    return f"postgresql://{given['user']}@{given['host']}:{given['port']}/{given['dbname']}"


def percentile(answers, part):
    """The time within which a part of requests was answered."""
    seconds = sorted(answer.seconds for answer in answers)
    return seconds[min(len(seconds) - 1, int(len(seconds) * part))]
