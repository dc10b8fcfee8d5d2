"""Webhooks, and what carries their deliveries out here and now."""

import asyncio

import pytest
from tests.given import collection as given
from tests.given.receivers import LOCAL, Receiver

from weighbridge.exchange.delivery import Deliverer
from weighbridge.http.outgoing import CallReach, OutgoingClient

SOURCE = "https://plant.example"


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


class Hooks:
    """Webhooks of a test, their receivers, and what carries deliveries out here and now."""

    def __init__(self, server, api):
        self.server, self.api = server, api
        self.receivers = []
        self.mistakes = []

    def receiver(self, answer=lambda _: 200):
        """A receiver that answers by a function."""
        self.receivers.append(Receiver(answer))
        return self.receivers[-1]

    def make(self, url, caller=None, **more):
        """Make a webhook."""
        body = {"webhook": {"url": url, **more}}
        return (caller or self.api).post("/webhooks", body).expect(201).body

    def deliver(self, networks=LOCAL, **how):
        """Deliver what is due; addresses of this machine are within reach, unless it is said otherwise."""
        self.server.run(self._delivered(networks, how, Deliverer.settle))

    def look_once(self, wait):
        """Begin what is due at one look, and go on with it until something was waited for."""

        async def look(deliverer):
            await deliverer.look()
            try:
                await asyncio.to_thread(wait)
            finally:
                await deliverer.stop()

        self.server.run(self._delivered(LOCAL, {}, look))

    async def _delivered(self, networks, how, carry_out):
        async with OutgoingClient(CallReach.of(networks), **how) as client:
            deliverer = Deliverer(
                self.server.database, client, SOURCE, lease_seconds=30, tell=self.mistakes.append
            )
            await carry_out(deliverer)
        assert not self.mistakes, self.mistakes


@pytest.fixture
def hooks(server, api, sql):
    """Nothing is sent to the receivers any more when the test has ended."""
    sql("DELETE FROM webhooks")
    hooks = Hooks(server, api)
    yield hooks
    sql("DELETE FROM webhooks")
    for one in hooks.receivers:
        one.close()
