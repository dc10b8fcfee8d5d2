"""The port of the service: free when it is taken, and kept while the processes behind it restart.

The API processes listen with SO_REUSEPORT, which would let a second service slip in beside the first. So
the supervisor first binds without it, which fails while anyone listens, and then keeps a silent socket
bound, which makes the same check of a second service fail while no API process listens.
"""

import socket
from dataclasses import dataclass

from weighbridge.errors import Refusal


@dataclass(frozen=True, slots=True)
class Port:
    """An address that this process has reserved until it ends."""

    host: str
    address: str
    number: int
    reservation: socket.socket

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.number}"

    @property
    def near_address(self) -> str:
        """The address at which this machine itself reaches the port."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.address, self.address)  # noqa: S104 - compared


def reserve(host: str, number: int) -> Port:
    """Reserve the port, or a free one for number 0."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            taken = probe.getsockname()
        reservation = socket.socket(family)
        reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reservation.bind(taken)
    except OSError as error:
        raise Refusal(f"The service cannot listen on {host} port {number}: {error.strerror}.") from error
    return Port(host, str(taken[0]), int(taken[1]), reservation)
