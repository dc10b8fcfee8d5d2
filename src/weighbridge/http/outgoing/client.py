"""A client for addresses that users name: it resolves, checks, and connects to what it has checked.

The name is resolved once; every address of it has to be within reach; then the connection is opened to one of
those very addresses, with the name in the Host header and in the TLS handshake. A name that means something
else a moment later changes nothing. No redirect is followed, no proxy of the environment used.

Whoever asks is told one of three things: an answer; `NotSent`, when it is certain that the other side has
received nothing; `NoAnswer`, when it may have.

Invariants: no byte goes to an address that was not checked; a request ends within its time, also when the
answer comes drop by drop; no text raised here has what was sent or received in it.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from ssl import SSLContext
from typing import Final, Self

import httpx2

from weighbridge.http.access.address import Address
from weighbridge.http.outgoing.reach import CallReach, literal
from weighbridge.tracing import spans

ANSWER_BYTES_MAX: Final = 262_144
"""Bytes of an answer that are read; what comes after them is left."""

CONNECT_SECONDS: Final = 5.0
"""How long one address may take to take up a connection."""

AGENT: Final = "weighbridge"

Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]
"""From a name and a port to the addresses that stand behind it."""


class NotSent(Exception):  # noqa: N818 - an outcome that callers tell of
    """Nothing was sent: the address is out of reach, or nobody took up the connection."""


class OutOfReach(NotSent):
    """The address may not be called; trying again would end the same way."""


class NoAnswer(Exception):  # noqa: N818 - an outcome that callers tell of
    """The request may have been received; no answer came."""


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """What is asked of an address; a redirect is an answer like any other."""

    method: str
    address: str
    headers: Mapping[str, str]
    content: bytes = b""
    seconds: float = 30.0
    """How long it may take from the first step to the end of the answer."""


@dataclass(frozen=True, slots=True)
class OutgoingAnswer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    """By names in lower case."""
    content: bytes
    """The body, or its first 262,144 bytes."""


async def resolve(host: str, port: int) -> list[Address]:
    """The addresses of a name, as the machine resolves it; raises OSError when it has none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [*dict.fromkeys(ip_address(str(address[0]).partition("%")[0]) for *_, address in found)]


@cache
def _read_authorities() -> SSLContext:
    """The authorities that the machine trusts; reading them takes longer than an event loop may be held."""
    return httpx2.create_ssl_context(trust_env=False)


class OutgoingClient:
    """Calls what is within reach; one for a process is enough, and many requests may be under way."""

    def __init__(
        self, reach: CallReach, *, resolve: Resolve = resolve, trusted: SSLContext | None = None
    ) -> None:
        self._reach = reach
        self._resolve = resolve
        self._trusted = trusted

    async def __aenter__(self) -> Self:
        trusted = self._trusted
        if trusted is None:
            trusted = await asyncio.to_thread(_read_authorities)
        # No connection is kept: each proved one name, and the pool knows it by its address alone.
        self._client = httpx2.AsyncClient(
            verify=trusted,
            follow_redirects=False,
            trust_env=False,
            limits=httpx2.Limits(max_keepalive_connections=0),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def send(self, request: OutgoingRequest) -> OutgoingAnswer:
        """Send one request and give its answer; raises NotSent or NoAnswer."""
        try:
            url = httpx2.URL(request.address)
        except httpx2.InvalidURL:
            raise OutOfReach("The address is not written as one that can be called.") from None
        sending = _Sending()
        try:
            with spans.span(request.method, "call", server__address=url.host):
                async with asyncio.timeout(request.seconds):
                    addresses = await self._checked(url)
                    return await self._send(request, url, addresses, sending)
        except TimeoutError:
            if sending.has_begun:
                message = f"{url.host} gave no whole answer within {request.seconds:g} seconds."
                raise NoAnswer(message) from None
            raise NotSent(f"{url.host} took up no connection within {request.seconds:g} seconds.") from None

    async def _checked(self, url: httpx2.URL) -> Sequence[Address]:
        """The addresses behind a name, all of which may be called."""
        is_plain = url.scheme == "http"
        written = literal(url.host)
        try:
            port = url.port or (80 if is_plain else 443)
            addresses = (
                [written] if written is not None else await self._resolve(url.raw_host.decode("ascii"), port)
            )
        except (OSError, UnicodeError):
            raise NotSent(f"{url.host} is no name that can be resolved.") from None
        if not self._reach.allows_all(addresses, is_plain=is_plain):
            raise OutOfReach(_out_of_reach(url.host, is_plain=is_plain))
        return addresses

    async def _send(
        self, request: OutgoingRequest, url: httpx2.URL, addresses: Sequence[Address], sending: "_Sending"
    ) -> OutgoingAnswer:
        """Ask the first address that takes up a connection."""
        for address in addresses:
            asked = self._client.build_request(
                request.method,
                url.copy_with(host=str(address)),
                content=request.content,
                headers={
                    "User-Agent": AGENT,
                    "Accept-Encoding": "identity",
                    **request.headers,
                    **spans.traceparent(),
                    "Host": url.netloc.decode("ascii"),
                },
                extensions={"sni_hostname": url.raw_host.decode("ascii"), "trace": sending.trace},
                timeout=httpx2.Timeout(request.seconds, connect=CONNECT_SECONDS),
            )
            try:
                answer = await self._client.send(asked, stream=True)
                try:
                    content = await _read(answer)
                finally:
                    await answer.aclose()
            except (httpx2.HTTPError, OSError) as error:
                if sending.has_begun:
                    raise NoAnswer(f"{url.host} gave no whole answer ({type(error).__name__}).") from None
                continue
            return OutgoingAnswer(answer.status_code, {**answer.headers}, content)
        raise NotSent(f"{url.host} took up no connection.")


class _Sending:
    """Whether anything of a request may have left: told by the client as it goes."""

    def __init__(self) -> None:
        self.has_begun = False

    async def trace(self, step: str, _: object) -> None:
        """Hear of a step; headers go out before the body."""
        if step.endswith("send_request_headers.started"):
            self.has_begun = True


async def _read(answer: httpx2.Response) -> bytes:
    content = bytearray()
    async for part in answer.aiter_raw():
        content += part
        if len(content) >= ANSWER_BYTES_MAX:
            break
    return bytes(content[:ANSWER_BYTES_MAX])


def _out_of_reach(host: str, *, is_plain: bool) -> str:
    networks = "the networks that WEIGHBRIDGE_OUTGOING_NETWORKS names"
    if is_plain:
        return f"{host} may not be called without TLS: http reaches {networks}, and nothing else."
    return f"{host} may not be called: https reaches addresses of the public internet, and {networks}."
