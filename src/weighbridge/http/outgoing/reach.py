"""Reach: which hosts the service may call for its users.

Whoever may write down an address could have the service call what only the service can reach: a database, the
address that hands out a cloud's credentials, the machine itself. So only addresses of the public internet are
reached, over https, and beside them the networks that whoever runs the service has named.

Invariants: every address that a name resolves to may be reached, or none is tried; an address that stands
within another one, as IPv4 does in several kinds of IPv6, counts as what it stands for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import urlsplit

from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.http.access.address import Address, Network, networks

SCHEMES: Final = ("https", "http")

ADDRESS_MAX: Final = 2_000
"""Characters of an address that is called."""

_NAT64: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
"""Networks whose addresses end in the IPv4 address that they stand for (RFC 6052, RFC 8215)."""


@dataclass(frozen=True, slots=True)
class CallReach:
    """The networks that may be reached beside the public internet, also without TLS."""

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
            one.version == network.version and one in network
            for one in {address, meant(address)}
            for network in self.own
        )

    def allows_all(self, addresses: Sequence[Address], *, is_plain: bool) -> bool:
        """Whether a name may be called that has these addresses."""
        return bool(addresses) and all(self.allows(one, is_plain=is_plain) for one in addresses)


def meant(address: Address) -> Address:
    """The address that another one stands for, or that one itself."""
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
    one = meant(address)
    return one.is_global and not (one.is_multicast or one.is_reserved or one.is_unspecified)


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
