"""Workers in processes of their own, forked from one that has read the code: a killed one is soon replaced.

    python worker_pool.py DATA_DIR [without_fence]

How many there are to be is a line on its standard input; with 0 the pool rests, and says so when all are
gone. Each birth is a line of the log, as the supervisor writes it. Without the fence a worker publishes
whatever became of its task meanwhile, as a queue does that trusts its leases: tests show by it what the fence
is for.
"""

import asyncio
import json
import os
import select
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from weighbridge import settings, worker
from weighbridge.db.embedded.instance import server
from weighbridge.db.engine import Database
from weighbridge.db.statements import jsonb
from weighbridge.platform import async_tasks
from weighbridge.platform.queue import stop_on_signal
from weighbridge.supervisor import logs
from weighbridge.supervisor.process import die_with_parent

LOOK_SECONDS = 0.02
"""Between two looks at what became of the workers."""


def main(data_dir, fence="with_fence"):
    with server(Path(data_dir)) as url:
        os.environ["WEIGHBRIDGE_DATABASE_URL"] = url
        os.environ["WEIGHBRIDGE_SECRET_KEYS_FILE"] = str(Path(data_dir) / "secret-keys")
        logs.configure(settings.read())
        work = worker.run if fence == "with_fence" else run_without_fence
        wanted, alive = 0, set()
        while True:
            if select.select([sys.stdin], [], [], LOOK_SECONDS)[0]:
                wanted = int(sys.stdin.readline())
                if wanted == 0:
                    end(alive)
                    print("resting", flush=True)  # noqa: T201 - what who asked waits for
            while alive and (ended := os.waitpid(-1, os.WNOHANG)[0]):
                alive.discard(ended)
            while len(alive) < wanted:
                alive.add(give_birth(work))


def end(alive):
    """Kill the workers, and wait until they are gone."""
    for number in alive:
        os.kill(number, signal.SIGKILL)
    while alive:
        alive.discard(os.wait()[0])


def give_birth(work):
    parent = os.getpid()
    if number := os.fork():
        born = {"event": "process_started", "process": "worker", "pid": number}
        sys.stderr.write(json.dumps({**born, "timestamp": datetime.now(UTC).isoformat()}) + "\n")
        sys.stderr.flush()
        return number
    die_with_parent(parent)
    try:
        asyncio.run(work())
    finally:
        os._exit(0)


async def run_without_fence():
    """Work with transactions that may stand still, and end tasks apart from the effects, by their number."""
    read = settings.read()
    ended = []

    async def let_pass(_tx, _attempt):
        pass

    async def note(_tx, attempt, result):
        ended.append((attempt.task_id, result))

    def unfenced(carry_out):
        async def carry_out_and_tell(database, attempt):
            await carry_out(database, attempt)
            async with database.write() as tx:
                await tx.execute(
                    "UPDATE async_tasks SET state = 'complete', finished_at = now(), result = %s"
                    " WHERE id = %s",
                    (jsonb(ended[-1][1]), attempt.task_id),
                )

        return carry_out_and_tell

    async_tasks.lock_current_attempt, async_tasks.complete_task = let_pass, note
    worker.TASKS = {name: unfenced(one) for name, one in worker.TASKS.items()}
    opened = Database(read.database_url, connections_max=4)
    async with opened as database, stop_on_signal() as stopping:
        await worker.work(database, read, stopping)


if __name__ == "__main__":
    main(*sys.argv[1:])
