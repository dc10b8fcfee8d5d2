"""The address of the client that a request comes from, also when proxies stand between.

A proxy adds the address of whoever called it to the end of `X-Forwarded-For`. Anybody may send such a header,
so of its entries only those are believed that a trusted proxy added: read from the end, the first address
that is no trusted proxy's is the client's.

Invariants: without trusted proxies the header is not read; the result is an address or UNKNOWN, whatever
was sent.
"""

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

HEADER: Final = b"x-forwarded-for"
UNKNOWN: Final = "unknown"
"""Stands for a client without an address, such as one at a unix socket."""

ENTRIES_MAX: Final = 32
"""Entries of the header that are read, from its end."""

NETWORK_BITS_V6: Final = 64
"""An IPv6 client owns a network of this many bits, and can call from any address in it."""

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """The networks that the texts name; raises ValueError for a text that names none."""
    return tuple(ip_network(text, strict=False) for text in texts)


def client_address(scope: Mapping[str, Any], trusted: Sequence[Network]) -> str:
    """The address of the request's client as text, of IPv6 the network; `trusted` are proxies' networks."""
    peer = _read((scope.get("client") or ("",))[0])
    if peer is None:
        return UNKNOWN
    client = peer
    for entry in _entries(scope) if trusted else ():
        read = _read(entry)
        if read is None or not any(client in network for network in trusted):
            break
        client = read
    return _told(client)


def _entries(scope: Mapping[str, Any]) -> list[str]:
    """What proxies have written, the last first."""
    lines = [bytes(value).decode("latin-1") for name, value in scope["headers"] if name == HEADER]
    return ",".join(lines).split(",")[: -ENTRIES_MAX - 1 : -1]


def _read(text: str) -> Address | None:
    """An address, with or without brackets and port."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _told(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, NETWORK_BITS_V6), strict=False))
