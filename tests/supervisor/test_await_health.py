"""Whoever waits for the service to answer stops waiting when told to, whatever happens at that moment.

`await_health`.
"""

import asyncio

from weighbridge.supervisor.child import Phases
from weighbridge.supervisor.lifecycle import await_health
from weighbridge.supervisor.startup import reserve

STEPS = 45
SECONDS = 5


async def ends_when_told(port, steps):
    """Wait for an answer that never comes, for so many steps of the loop; whether the wait ends then."""
    phases = Phases(asyncio.Event(), asyncio.Event(), asyncio.Event(), 1, 1)
    waiting = asyncio.create_task(await_health(port, [], phases, lambda _: None))
    await asyncio.sleep(0.05)  # the first question is asked after so long
    for _ in range(steps):
        await asyncio.sleep(0)
    waiting.cancel()
    done, _ = await asyncio.wait([waiting], timeout=SECONDS)
    return done == {waiting} and waiting.cancelled()


def test_a_wait_ends_at_every_step_of_a_connection_that_is_refused():
    port = reserve("127.0.0.1", 0)  # nobody listens there

    async def all_end():
        return [await ends_when_told(port, steps % 15) for steps in range(STEPS)]

    try:
        assert asyncio.run(all_end()) == [True] * STEPS
    finally:
        port.reservation.close()
