"""Resolving: the addresses of a name, asked for in threads of their own.

The event loop has a handful of threads for that, which a few names that nobody answers for would fill; then
no delivery would go out to anybody. Here there are as many as deliveries under way at a time.
"""

import asyncio
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from types import TracebackType
from typing import Self

from weighbridge.http.access.address import Address


class NameResolver:
    """Resolves names as the machine does; raises OSError for one that has no address."""

    def __init__(self, threads_max: int) -> None:
        self._threads = ThreadPoolExecutor(threads_max, thread_name_prefix="resolve")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def __call__(self, host: str, port: int) -> Sequence[Address]:
        """The addresses of a name."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _found, host, port)
        return [*dict.fromkeys(ip_address(text.partition("%")[0]) for text in found)]


def _found(host: str, port: int) -> list[str]:
    return [str(address[0]) for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
