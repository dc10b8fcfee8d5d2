"""A site: the real service with workers of its own, and callers that repeat what was not acknowledged."""

import asyncio
import http.client
import json
import time
from contextlib import suppress
from itertools import count
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

import msgspec
import psycopg
from tests.durability.processes import HERE, Program, children, lives, until
from tests.durability.real_service import Service
from tests.given import works as given_works
from tests.server import Answer

from weighbridge.core.platform.permission import ALL_PERMISSIONS
from weighbridge.db.embedded.instance import server
from weighbridge.db.engine import Database
from weighbridge.platform.api_tokens import create_token
from weighbridge.platform.users import create_account
from weighbridge.verification import verify

PATIENCE_SECONDS = 90.0
LEASE = {"WEIGHBRIDGE_LEASE_SECONDS": "2"}
SAID_CHARACTERS = 3000
MOVING = """
    SELECT id, state, attempt FROM async_tasks
     WHERE project_id = %s AND state IN ('pending', 'running') ORDER BY id
"""
"""How far tasks are; each has a few attempts, so however often hosts are lost, this comes to an end."""
UNFINISHED = """
    SELECT t.id, t.type, t.state, t.attempt, now() - t.created_at, j.id, j.status, j.attempts,
           j.scheduled_at - now(), j.lock, j.worker_id, now() - w.last_heartbeat
      FROM async_tasks t
      LEFT JOIN procrastinate_jobs j ON (j.args ->> 'task_id')::integer = t.id
      LEFT JOIN procrastinate_workers w ON w.id = j.worker_id
     WHERE t.project_id = %s AND t.state IN ('pending', 'running')
"""
AT_WORK = """
    SELECT pid, client_addr, state, wait_event_type, wait_event, pg_blocking_pids(pid), now() - xact_start,
           now() - state_change, left(query, 200)
      FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle'
"""
DISTURBED = (OSError, http.client.HTTPException)
encode = msgspec.json.Encoder(decimal_format="number").encode


class Remote:
    """A caller of the real service, who sends a request again, with its key, until it is acknowledged."""

    answer_seconds = 20

    def __init__(self, address, token):
        parts = urlsplit(address)
        self._place = parts.hostname, parts.port
        self._token = token
        self.repeated = 0

    def get(self, path, query=()):
        return self._until_answered("GET", f"{path}?{urlencode(query)}" if query else path, None, {})

    def post(self, path, body):
        return self._until_answered("POST", path, encode(body), {"Idempotency-Key": str(uuid4())})

    def patch(self, path, body):
        return self._until_answered("PATCH", path, encode(body), {"Idempotency-Key": str(uuid4())})

    def _until_answered(self, method, path, content, headers):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            with suppress(*DISTURBED):
                answer = self._send(method, path, content, headers)
                if answer.status < 500:
                    return answer
            assert time.monotonic() < deadline, f"{method} {path} is not answered"
            self.repeated += 1
            time.sleep(0.05)

    def _send(self, method, path, content, headers):
        connection = http.client.HTTPConnection(*self._place, timeout=self.answer_seconds)
        try:
            usual = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
            connection.request(method, f"/api/v1{path}", body=content, headers=usual | headers)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        return Answer(response.status, response.getheaders(), content)


class Pool:
    """A process that keeps so many workers alive, and may rest and be called again, as it starts slowly."""

    def __init__(self, data_dir, fence, log, **variables):
        self.kind = fence, variables
        self._file = log
        command = (HERE / "worker_pool.py", data_dir, fence)
        self._program = Program(*command, log=log, WEIGHBRIDGE_LOG_FORMAT="json", **LEASE, **variables)

    def keep(self, number):
        """Have so many workers; gives the log of what they say from now on."""
        log = LaterLog(self._file)
        self._say(number)
        until(lambda: len(living(log)) == number, what="the workers live")
        return log

    def rest(self):
        """End all workers."""
        self._say(0)
        assert self._program.line() == "resting"

    def close(self):
        self._program.close()

    def _say(self, number):
        self._program.process.stdin.write(f"{number}\n")
        self._program.process.stdin.flush()


class LaterLog:
    """What is written to a file from now on."""

    def __init__(self, file):
        self._file, self._begun = file, file.stat().st_size

    def read_text(self):
        return self._file.read_bytes()[self._begun :].decode()


class Site:
    """A service without a worker, a pool of workers beside it, and what happens to them."""

    def __init__(self, folder, data_dir):
        self.data_dir, self.log = data_dir, folder / "stderr"
        with server(data_dir) as url:
            self.url = url
            self.token = asyncio.run(new_token(url))
        self._opened = []
        self._pools, self._resting = [], []
        self._numbers = count(1)
        self._folder = folder

    def serve(self, *, api_processes=1, **variables):
        """Start the service; gives a caller of it."""
        service = Service(
            self.data_dir,
            self.token,
            log=self.log,
            options=("--no-worker",),
            api_processes=api_processes,
            **LEASE,
            **variables,
        )
        self._opened.append(service)
        return Remote(service.address, self.token)

    def is_serving(self):
        """Whether the service runs that was started."""
        return bool(self._opened) and self._opened[0].program.process.poll() is None

    def work(self, number, fence="with_fence", **variables):
        """Have a pool of so many workers; gives the log of what they say."""
        pool = next((one for one in self._resting if one.kind == (fence, variables)), None)
        if pool is None:
            log = self._folder / f"pool{next(self._numbers)}"
            pool = Pool(self.data_dir, fence, log, **variables)
        else:
            self._resting.remove(pool)
        self._pools.append(pool)
        return pool.keep(number)

    def stop_all(self):
        """End the service and all pools; the data stay."""
        self.close()
        self._opened.clear()
        self._pools.clear()
        self._resting.clear()

    def stop_pools(self):
        """End all workers of pools."""
        while self._pools:
            pool = self._pools.pop()
            pool.rest()
            self._resting.append(pool)

    def works(self, remote, **fields):
        """Works whose tasks are carried out by the workers."""
        works = given_works.works(remote, lambda: None, **fields)
        works.drain = lambda: self.quiet(works.number)
        return works

    def quiet(self, project):
        """Wait until every task of a project has ended; patience begins anew with each attempt at one."""
        deadline, before = time.monotonic() + PATIENCE_SECONDS, None
        while True:
            with suppress(psycopg.OperationalError):
                unfinished = self.sql(MOVING, project)
                if not unfinished:
                    return
                if unfinished != before:
                    deadline, before = time.monotonic() + PATIENCE_SECONDS, unfinished
            assert time.monotonic() < deadline, f"tasks do not end\n{self.held_up(project)}"
            time.sleep(0.05)

    def held_up(self, project):
        """What is known of the tasks of a project that do not end: their jobs, what sessions do, the log."""
        try:
            known = [*self.sql(UNFINISHED, project), *self.sql(AT_WORK)]
        except psycopg.OperationalError as error:
            known = [error]
        return "\n".join([*map(str, known), self.said()])

    def said(self):
        """The last lines that programs wrote."""
        return self.log.read_text()[-SAID_CHARACTERS:]

    def sql(self, statement, *values):
        """Run one statement past the service."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(statement, values).fetchall()

    def violations(self):
        """What verifying everything finds."""

        async def run():
            async with Database(self.url, connections_max=2, idle_timeout_seconds=60) as database:
                return await verify(database)

        return [violation for check in asyncio.run(run()).checks for violation in check.violations]

    def close(self):
        for one in (*self._pools, *self._resting, *reversed(self._opened)):
            one.close()


def living(log):
    """The living processes of which a log tells the birth, oldest first."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return [line["pid"] for line in lines if line.get("event") == "process_started" and lives(line)]


def api_processes(log):
    """The living processes that answer requests: those the supervisor started, and theirs."""
    return [number for leader in living(log) for number in (leader, *children(leader))]


def token_of(data_dir):
    """A token of a new account, in a data directory that is at the newest step."""
    with server(data_dir) as url:
        return asyncio.run(new_token(url))


async def new_token(url):
    async with Database(url, connections_max=1) as database, database.write() as tx:
        actor = await create_account(tx, name="Site", request_id="given")
        return await create_token(
            tx,
            actor,
            user_id=actor.user_id,
            name="test",
            permissions=list(ALL_PERMISSIONS),
            lifetime_days=None,
        )
