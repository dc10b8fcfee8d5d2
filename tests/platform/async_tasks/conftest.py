"""A task and the hands of a worker, so that a test can take each step of a task by itself."""

from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import pytest
from tests.given import collection as given
from tests.given.collection import Record
from tests.server import Account, Caller, Server

from weighbridge.platform import async_tasks
from weighbridge.platform.async_tasks import Attempt

_numbers = count(1)


class Hands:
    """What a worker does with tasks, a transaction each."""

    def __init__(self, server: Server, account: Account, api: Caller) -> None:
        self.server = server
        self.account = account
        self.api = api
        self.project = given.project(api)

    def do(self, action: Callable[..., Awaitable[Any]], *values: Any, **named: Any) -> Any:
        """Take one action in a transaction of its own."""

        async def alone() -> Any:
            async with self.server.database.write() as tx:
                return await action(tx, *values, **named)

        return self.server.run(alone())

    def queue(self, **fields: Any) -> int:
        """A queued task that no worker has touched; gives its id."""
        number = self.project["numeric_id"]
        usual = {
            "kind": "batch_generation",
            "project_id": number,
            "args": {"project_id": number},
            "lock": f"lock {next(_numbers)}",
        }
        queued: int = self.do(async_tasks.queue_task, self.account.actor, **(usual | fields)).id
        return queued

    def begin(self, task: int) -> Attempt | None:
        attempt: Attempt | None = self.do(async_tasks.begin_attempt, task)
        return attempt

    def begun(self) -> Attempt:
        """The first attempt at a new task."""
        attempt = self.begin(self.queue())
        assert attempt is not None
        return attempt

    def task(self, number: int) -> Record:
        """The task as its caller sees it."""
        record: Record = self.api.get(f"/async_tasks/{number}").expect(200).body
        return record

    def jobs(self, task: int) -> list[tuple[Any, ...]]:
        """The jobs of a task: status and lock."""
        return self.server.sql(
            """SELECT status::text, lock FROM procrastinate_jobs
                WHERE (args ->> 'task_id')::int = %s ORDER BY id""",
            task,
        )


@pytest.fixture
def hands(server: Server, account: Account, api: Caller) -> Hands:
    return Hands(server, account, api)
