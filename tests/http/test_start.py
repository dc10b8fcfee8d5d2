"""A service of a test that cannot start says why at once."""

import pytest
from tests.server import Server

from weighbridge.errors import Refusal


def test_whoever_starts_a_service_without_its_key_hears_of_the_key(migrated_database, tmp_path):
    missing = tmp_path / "none.pem"

    with (
        pytest.raises(Refusal, match=r"There is no file .*none\.pem"),
        Server(migrated_database, audit_key_file=missing),
    ):
        pytest.fail("a service without its key does not start")
