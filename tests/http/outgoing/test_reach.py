"""Which addresses the service may call for its users."""

from ipaddress import ip_address

import pytest

from weighbridge.http.outgoing import CallReach, is_public, problem_of_address

PRIVATE = (
    "127.0.0.1", "127.8.9.10", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",  # noqa: S104
    "100.64.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1",
    "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::10.0.0.1",
    "64:ff9b::169.254.169.254", "64:ff9b:1::10.0.0.1", "2002:7f00:1::", "2002:a9fe:a9fe::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
)  # fmt: skip
PUBLIC = ("1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1")


@pytest.mark.parametrize("text", PRIVATE)
def test_an_address_that_only_the_service_can_reach_is_out_of_reach(text):
    assert not is_public(ip_address(text))
    assert not CallReach().allows(ip_address(text), is_plain=False)


@pytest.mark.parametrize("text", PUBLIC)
def test_the_public_internet_is_within_reach_over_tls_alone(text):
    assert CallReach().allows(ip_address(text), is_plain=False)
    assert not CallReach().allows(ip_address(text), is_plain=True)


@pytest.mark.parametrize("text", ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3"])
@pytest.mark.parametrize("is_plain", [True, False])
def test_a_network_that_was_named_is_within_reach_however_its_address_is_written(text, is_plain):
    assert CallReach.of(["10.0.0.0/8"]).allows(ip_address(text), is_plain=is_plain)


def test_a_name_with_one_address_out_of_reach_is_not_called_at_all():
    addresses = [ip_address("1.1.1.1"), ip_address("127.0.0.1")]

    assert not CallReach().allows_all(addresses, is_plain=False)
    assert not CallReach().allows_all([], is_plain=False)


@pytest.mark.parametrize(
    "text",
    [
        "", "registry.example", "ftp://registry.example", "https://", "https:///reports",
        "file:///etc/passwd",         "https://registry.example:99999/", "https://[::1", "https://[fe80::1%25eth0]/",
        "https://a b.example/",
        "https://user:word@registry.example/", "https://registry.example/#part", "https://regi\nstry.example/",
        "https://" + "a" * 2_000,
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_called_is_told_of(text):
    assert problem_of_address(text, "address") is not None


@pytest.mark.parametrize(
    "text", ["https://registry.example/reports?lang=en", "http://10.0.0.7:8099/", "https://[::1]/"]
)
def test_an_address_that_may_be_called_somewhere_is_written_well(text):
    assert problem_of_address(text, "address") is None
