"""Requests of the service to addresses that its users name.

Read `CallReach` (which addresses may be reached), then `OutgoingClient`. A caller gets a response,
`NotSent` (the other side has certainly received nothing) or `NoAnswer` (it may have).

Invariants: no byte goes to an address that was not checked; a request ends within its time; no text
raised here contains what was sent or received.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from ssl import SSLContext
from typing import Final, Self
from urllib.parse import urlsplit

import httpx2

from weighbridge import tracing
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.http.limits import Address, Network, networks
from weighbridge.http.text import ADDRESS_MAX

# Reach: which hosts the service may call for its users.
#
# A user who may enter a URL could make the service call what only the service can reach: a database,
# the address that hands out a cloud's credentials, the machine itself. So only addresses of the public
# internet are reached, over https, and the networks that the operator has named.
#
# Invariants: every address that a name resolves to may be reached, or none is tried; an address that stands
# within another one, as IPv4 does in several kinds of IPv6, counts as the address that it means.


SCHEMES: Final = ("https", "http")

_NAT64: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
"""Networks whose addresses end in the IPv4 address that they mean (RFC 6052, RFC 8215)."""


@dataclass(frozen=True, slots=True)
class CallReach:
    """The networks that may be reached in addition to the public internet, also without TLS."""

    own: tuple[Network, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str]) -> "CallReach":
        """The reach that a setting names."""
        return cls(networks(texts))

    def allows(self, address: Address, *, is_plain: bool) -> bool:
        """Whether an address may be called; without TLS only one of the own networks."""
        if self.is_own(address):
            return True
        return not is_plain and is_public(address)

    def is_own(self, address: Address) -> bool:
        """Whether an address lies in a network that was named."""
        return any(
            candidate.version == network.version and candidate in network
            for candidate in {address, meant(address)}
            for network in self.own
        )

    def allows_all(self, addresses: Sequence[Address], *, is_plain: bool) -> bool:
        """Whether a name may be called that has these addresses."""
        return bool(addresses) and all(self.allows(address, is_plain=is_plain) for address in addresses)


def meant(address: Address) -> Address:
    """Return the address that another one embeds, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if any(address in network for network in _NAT64):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return (
        address.ipv4_mapped
        or address.sixtofour
        or (address.teredo or (None, None))[1]
        or _compatible(address)
    )


def is_public(address: Address) -> bool:
    """Whether an address is one of the public internet that a single host has."""
    actual = meant(address)
    return actual.is_global and not (actual.is_multicast or actual.is_reserved or actual.is_unspecified)


def problem_of_address(text: str, field: str) -> Problem | None:
    """What is wrong with an address as it is written; where it leads is found out when it is called."""
    if len(text) > ADDRESS_MAX:
        message = f"{field} has {len(text):,} characters; an address has at most {ADDRESS_MAX:,}."
        return Problem(message, field, "too_long")
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
        is_written_well = text.isascii() and text.isprintable() and " " not in text
    except ValueError:
        host, is_written_well = None, False
    if not is_written_well or not host or parts.scheme not in SCHEMES or "%" in host:
        return Problem(
            f"{field} is {shorten(text)!r}; it is an address such as https://registry.example/reports.",
            field,
            "invalid",
        )
    if parts.username is not None or parts.password is not None:
        message = f"{field} has a name or password in it; what proves who calls is sent in a header."
        return Problem(message, field, "invalid")
    if parts.fragment:
        return Problem(f"{field} has a fragment (#), which is never sent.", field, "invalid")
    return None


def is_private(text: object) -> bool:
    """Whether nobody on the way reads what is sent to an address: by https, or to the machine itself."""
    if not isinstance(text, str) or problem_of_address(text, "address") is not None:
        return False
    parts = urlsplit(text)
    host = literal(parts.hostname or "")
    return parts.scheme == "https" or parts.hostname == "localhost" or (host is not None and host.is_loopback)


def literal(host: str) -> Address | None:
    """The address that a host is when it is written as one; None for a name."""
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


def _compatible(address: IPv6Address) -> Address:
    """The IPv4 address that an IPv6 one has after nothing but zeros; `::` and `::1` stay what they are."""
    number = int(address)
    return IPv4Address(number) if 1 < number <= 0xFFFF_FFFF else address


# Pauses between tries at one outgoing request: longer each time, and as long as the other side asks for.


Pause = Callable[[float], Awaitable[object]]
"""Lets so many seconds pass."""

FIRST_SECONDS: Final = 0.5
"""The pause after the first try; it doubles with each further one."""

LONGEST_SECONDS: Final = 60.0
"""The longest pause, unless the other side asks for a longer one."""

ASKED_SECONDS: Final = 600.0
"""The longest pause that the other side may ask for."""

_DOUBLINGS: Final = 20


def pause_seconds(tries: int, retry_after: str | None = None) -> float:
    """How long to pause after so many tries; the other side may have asked for longer by Retry-After.

    >>> [pause_seconds(tries) for tries in (1, 2, 3, 4)]
    [0.5, 1.0, 2.0, 4.0]
    >>> pause_seconds(1, "30")
    30.0
    """
    usual: float = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(tries - 1, _DOUBLINGS))
    requested = (retry_after or "").strip()
    is_number = requested.isascii() and requested.isdecimal() and len(requested) <= len("999999999")
    return max(usual, min(ASKED_SECONDS, float(requested))) if is_number else usual


# A client for addresses that users name: it resolves, checks, and connects to what it has checked.
#
# The name is resolved once; every address of it has to be within reach; then the connection is opened to
# one of those very addresses, with the name in the Host header and in the TLS handshake. A name that means
# something else a moment later changes nothing. No redirect is followed, no proxy of the environment used.
#
# A call has one of three outcomes: an answer; `NotSent`, when it is certain that the other side has
# received nothing; `NoAnswer`, when it may have.
#
# Invariants: no byte goes to an address that was not checked; a request ends within its time, also when the
# answer comes drop by drop; no text raised here has what was sent or received in it.


ANSWER_BYTES_MAX: Final = 262_144
"""Bytes of an answer that are read; what comes after them is left."""

CONNECT_SECONDS: Final = 5.0
"""How long one address may take to take up a connection."""

AGENT: Final = "weighbridge"

Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]
"""Resolves a name and a port to addresses."""


class NotSent(Exception):  # noqa: N818 - an outcome that callers report
    """Nothing was sent: the address is out of reach, or nobody took up the connection."""


class OutOfReach(NotSent):
    """The address may not be called; trying again would end the same way."""


class NoAnswer(Exception):  # noqa: N818 - an outcome that callers report
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
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [*dict.fromkeys(ip_address(str(address[0]).partition("%")[0]) for *_, address in addresses)]


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
            with tracing.span(request.method, "call", server__address=url.host):
                async with asyncio.timeout(request.seconds):
                    addresses = await self._resolve_checked(url)
                    return await self._send(request, url, addresses, sending)
        except TimeoutError:
            if sending.has_begun:
                message = f"{url.host} gave no whole answer within {request.seconds:g} seconds."
                raise NoAnswer(message) from None
            raise NotSent(f"Could not connect to {url.host} within {request.seconds:g} seconds.") from None

    async def _resolve_checked(self, url: httpx2.URL) -> Sequence[Address]:
        """The addresses behind a name, all of which may be called."""
        is_plain = url.scheme == "http"
        literal_address = literal(url.host)
        try:
            port = url.port or (80 if is_plain else 443)
            addresses = (
                [literal_address]
                if literal_address is not None
                else await self._resolve(url.raw_host.decode("ascii"), port)
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
            http_request = self._client.build_request(
                request.method,
                url.copy_with(host=str(address)),
                content=request.content,
                headers={
                    "User-Agent": AGENT,
                    "Accept-Encoding": "identity",
                    **request.headers,
                    **tracing.traceparent(),
                    "Host": url.netloc.decode("ascii"),
                },
                extensions={"sni_hostname": url.raw_host.decode("ascii"), "trace": sending.trace},
                timeout=httpx2.Timeout(request.seconds, connect=CONNECT_SECONDS),
            )
            try:
                answer = await self._client.send(http_request, stream=True)
                try:
                    content = await _read(answer)
                finally:
                    await answer.aclose()
            except (httpx2.HTTPError, OSError) as error:
                if sending.has_begun:
                    raise NoAnswer(f"{url.host} gave no whole answer ({type(error).__name__}).") from None
                continue
            return OutgoingAnswer(answer.status_code, {**answer.headers}, content)
        raise NotSent(f"Could not connect to {url.host}.")


class _Sending:
    """Whether any part of a request may have been sent; the client sets it."""

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
