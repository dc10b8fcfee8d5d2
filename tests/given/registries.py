"""Registries that a test starts from: one that really listens, and the record that names it."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass

from weighbridge.demo.rehearsal import ReceivedReports, RegistryBehaviour, RehearsalServer

TOKEN = "word-that-nobody-shows"  # noqa: S105 - made up


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A rehearsal registry that listens on this machine."""

    server: RehearsalServer

    @property
    def address(self):
        return self.server.address

    def behave(self, **behaviour):
        """From now on do so with what is received."""
        self.server.received.usual = RegistryBehaviour(**behaviour)

    def received(self):
        """Every report that was received."""
        return self.server.received.all()

    def register(self, api, **fields):
        """The registry as a record of an account, called at once and asked for decisions all the time."""
        said = {
            "name": "Rehearsal", "adapter": "http", "address": self.address,
            "headers": {"Authorization": f"Bearer {TOKEN}"}, "poll_seconds": 1,
        }  # fmt: skip
        return api.post("/registries", {"registry": said | fields}).expect(201).body


@contextmanager
def rehearsal(**behaviour):
    received = ReceivedReports(RegistryBehaviour(**behaviour))
    with RehearsalServer(("127.0.0.1", 0), received, TOKEN) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield Rehearsal(server)
        finally:
            server.shutdown()
