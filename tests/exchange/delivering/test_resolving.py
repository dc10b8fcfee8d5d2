"""Names are resolved beside one another, and none waits for others that nobody answers for."""

import asyncio
from ipaddress import ip_address

import pytest

from weighbridge.exchange.delivery import NameResolver


def resolved(host):
    async def resolve():
        with NameResolver(2) as resolver:
            return await resolver(host, 80)

    return asyncio.run(resolve())


def test_a_name_stands_for_its_addresses():
    assert ip_address("127.0.0.1") in resolved("localhost")
    assert resolved("127.0.0.1") == [ip_address("127.0.0.1")]


def test_a_name_that_there_is_not_has_none():
    with pytest.raises(OSError, match=r"\[Errno"):
        resolved("nobody.invalid")
