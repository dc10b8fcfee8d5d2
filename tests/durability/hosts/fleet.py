"""Hosts that answer and hosts that work, at two with the database; and callers who ask any of them."""

import asyncio
import http.client
import json
import os
import random
import signal
import threading
import time
from contextlib import suppress
from functools import partial
from itertools import count

from tests.durability.hosts.database import PORT, DatabaseHost
from tests.durability.processes import Program, children, is_alive, until
from tests.durability.real_service import CLI, USUAL
from tests.durability.remote import SAID_CHARACTERS, Remote, Site, new_token
from tests.given import collection as given

from weighbridge.core.platform.encryption import KeyRing, SecretKey
from weighbridge.core.signing import SigningKey
from weighbridge.db.embedded.instance import OWNER, RUNNING_ROLE

MINUTES = float(os.environ.get("MINUTES", "0"))
API_HOSTS = ("api1", "api2", "api3") if MINUTES else ("api1", "api2")
WORK_HOSTS = ("work1", "work2", "work3", "work4") if MINUTES else ("work1", "work2")
API_PORT = 8080
LEASE_SECONDS = 4 if MINUTES else 2
ANSWER_SECONDS = 6
HELD_UP = {409: "in_progress", 429: None}
"""Refusals after which the same request is sent again."""


class Host:
    """A host on which one program of the service runs."""

    def __init__(self, network, name, folder, words, variables):
        self.name, self.address = name, network.add(name)
        self._network = network
        self._words = words
        self._variables = variables
        self.log = folder / f"{name}.log"
        self.program = None

    def start(self):
        prefix = self._network.on(self.name)
        self.program = Program(*CLI, *self._words, prefix=prefix, log=self.log, **self._variables)

    def kill(self):
        """Let the program die, and start it again as the host's own supervisor would."""
        self.program.kill()
        self.program.close()
        self.start()

    def processes(self):
        return [one for one in [self.program.pid, *children(self.program.pid)] if is_alive(one)]

    def close(self):
        if self.program is not None:
            self.program.close()


class RemoteOfMany(Remote):
    """A caller who asks another host each time, and again, with the same key, until one acknowledges."""

    answer_seconds = ANSWER_SECONDS

    def __init__(self, addresses, token, seed):
        super().__init__(f"http://{addresses[0]}:{API_PORT}", token)
        self._addresses = addresses
        self._dice = random.Random(seed)  # noqa: S311 - the ways are to be repeated

    def _send(self, method, path, content, headers):
        self._place = self._dice.choice(self._addresses), API_PORT
        answer = super()._send(method, path, content, headers)
        if answer.status in HELD_UP and HELD_UP[answer.status] in {None, answer.errors[0]["code"]}:
            raise http.client.HTTPException("held up")
        return answer


class Feed:
    """Someone who sends events of his own project, and after each answer reads the list at another host."""

    def __init__(self, remote, seed):
        self.remote = remote
        self.project = given.measuring(remote, given.number("mass"))
        self.acknowledged = []
        self.longest = 0.0
        self.failure = None
        self._dice = random.Random(seed)  # noqa: S311 - as above

    def run(self, stopping):
        try:
            while not stopping.is_set():
                self._step()
                stopping.wait(0.05)
        except BaseException as failure:  # noqa: BLE001 - it is raised where the test waits
            self.failure = failure

    def _step(self):
        number = len(self.acknowledged)
        bodies = [given.event_body(values={"mass": number + n}) for n in range(self._dice.randint(1, 20))]
        began = time.monotonic()
        newest = [one["id"] for one in given.events(self.remote, self.project, bodies)]
        self.acknowledged += newest
        self.longest = max(self.longest, time.monotonic() - began)
        path = f"/projects/{self.project['id']}/events"
        listed = self.remote.get(path, [("sort", "-updated_at"), ("page_size", "20")]).expect(200)
        assert listed.info["total_items"] == len(self.acknowledged), "a list shows all that was acknowledged"
        assert {*newest} <= {one["id"] for one in listed.data}, "the newest events stand first"


class Fleet(Site):
    """All hosts, and what happens to them."""

    def __init__(self, network, folder, seed):
        self.network, self._folder, self.seed = network, folder, seed
        self.primary = DatabaseHost(network, "db1", folder / "data")
        self.standby = DatabaseHost(network, "db2", folder / "standby")
        self.log = folder / "log"
        self.log.touch()
        self._seeds = count(seed)
        self.apis, self.workers, self._opened = [], [], []
        self.moments = []
        self._begun = time.monotonic()

    @property
    def url(self):
        hosts = f"{self.primary.address},{self.standby.address}"
        return f"postgresql://{OWNER}@{hosts}/weighbridge?target_session_attrs=read-write&connect_timeout=3"

    def open(self):
        """Start both database hosts, then all others."""
        self.primary.settle()
        self.primary.start()
        self.standby.copy_from(self.primary)
        self.standby.start()
        self.primary.await_follower("async", "sync")
        self.primary.wait_for_other()
        self.primary.await_follower("sync")
        self.token = asyncio.run(new_token(self.url))
        (self._folder / "key.pem").write_bytes(SigningKey.made().pem)
        (self._folder / "secret-keys").write_text(KeyRing((SecretKey.made(),)).text)
        everywhere = ("--host", "0.0.0.0")  # noqa: S104 - of a network that ends at this machine
        self.apis = [self._host(name, ("serve", "--no-worker", *everywhere)) for name in API_HOSTS]
        self.workers = [self._host(name, ("worker",)) for name in WORK_HOSTS]
        for host in (*self.apis, *self.workers):
            host.start()
        for host in self.apis:
            host.program.line()

    def _host(self, name, words):
        own = self._folder / name
        own.mkdir()
        hosts = f"{self.primary.address}:{PORT},{self.standby.address}:{PORT}"
        url = f"postgresql://{RUNNING_ROLE}@{hosts}/weighbridge"
        variables = USUAL | {
            "WEIGHBRIDGE_DATABASE_URL": url,
            "WEIGHBRIDGE_MIGRATION_DATABASE_URL": f"postgresql://{OWNER}@{hosts}/weighbridge",
            "WEIGHBRIDGE_REPLICA_URL": url,
            "WEIGHBRIDGE_DATA_DIR": str(own),
            "WEIGHBRIDGE_AUDIT_KEY_FILE": str(self._folder / "key.pem"),
            "WEIGHBRIDGE_SECRET_KEYS_FILE": str(self._folder / "secret-keys"),
            "WEIGHBRIDGE_AUDIT_LOG_NAME": "hosts.example",
            "WEIGHBRIDGE_LEASE_SECONDS": str(LEASE_SECONDS),
            "WEIGHBRIDGE_SHUTDOWN_SECONDS": "5",
            "WEIGHBRIDGE_API_PROCESSES": "1",
            "WEIGHBRIDGE_PORT": str(API_PORT),
            "WEIGHBRIDGE_BASE_URL": "http://hosts.example",
        }
        return Host(self.network, name, self._folder, words, variables)

    def caller(self):
        return RemoteOfMany([host.address for host in self.apis], self.token, next(self._seeds))

    def said(self):
        """The last lines of every host of the service."""
        hosts = (*self.apis, *self.workers)
        return "\n".join(f"{one.name}:\n{one.log.read_text()[-SAID_CHARACTERS:]}" for one in hosts)

    def tell(self, what):
        self.moments.append(f"{time.monotonic() - self._begun:6.1f} s  {what}")

    def kill_process_of_api(self, host):
        """Kill the process that answers; its supervisor starts another."""
        before = host.processes()
        os.kill(before[-1], signal.SIGKILL)
        self.tell(f"killed a process of {host.name}")
        until(lambda: not {before[-1]} & {*host.processes()}, what="the process is gone")

    def kill(self, host):
        self.tell(f"killed {host.name}")
        host.kill()
        if host in self.apis:
            host.program.line()

    def cut_off(self, host, seconds, stopping=None):
        self.tell(f"cut off {host.name} for {seconds:.1f} s")
        self.network.cut(host.name)
        (stopping or threading.Event()).wait(seconds)
        self.network.join(host.name)

    def lose_primary(self):
        """The primary is cut off and dies; the standby is promoted; the old one comes back and follows."""
        self.primary.await_follower("sync")
        lost, self.primary, self.standby = self.primary, self.standby, self.primary
        self.network.cut(lost.name)
        lost.kill()
        self.tell(f"lost {lost.name}, the primary")
        self.primary.promote()
        self.primary.wait_for_other(is_so=False)
        self.tell(f"promoted {self.primary.name}")
        self.network.join(lost.name)
        lost.rewind_to(self.primary)
        lost.start()
        self.primary.await_follower("async", "sync")
        self.primary.wait_for_other()
        self.primary.await_follower("sync")
        self.tell(f"rewound {lost.name}, which follows {self.primary.name}")

    def await_answers(self):
        """Wait until every host answers and says that it follows the replica."""
        for host in self.apis:
            follows = partial(_follows, host.address)
            until(follows, what=f"{host.name} answers, and follows the replica")

    def stop_programs(self):
        for host in (*self.workers, *self.apis):
            host.close()

    def close(self):
        self.stop_programs()
        for host in (self.primary, self.standby):
            host.stop()


def _follows(address):
    with suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPConnection(address, API_PORT, timeout=2)
        try:
            connection.request("GET", "/healthz")
            return json.loads(connection.getresponse().read())["replica"]["state"] == "following"
        finally:
            connection.close()
    return False
