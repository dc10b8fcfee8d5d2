"""`weighbridge serve` and the keys of secrets: made at the first start, and never made twice."""

import signal

import psycopg
import pytest
from tests.durability.test_serve import address_of, get

from weighbridge.core.platform.encryption import KeyRing, SecretKey
from weighbridge.platform.kept_secrets import REGISTRY_HEADERS
from weighbridge.platform.secret_keys import write_ring

WORD = "Bearer secret-word"
LEFT_READABLE = """
    INSERT INTO accounts (name) SELECT 'Plant' WHERE NOT EXISTS (SELECT FROM accounts);
    INSERT INTO registries (account_id, name, adapter, address, status_address, timeout_seconds, tries)
    SELECT id, 'Registry', 'http', 'https://r.example/a', 'https://r.example/{key}', 30, 8 FROM accounts
     LIMIT 1;
    INSERT INTO registry_secrets (registry_id, header, value) SELECT id, 'Authorization', %s FROM registries
"""


def stored(url):
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT o.account_id, s.registry_id, s.value, s.encrypted FROM registry_secrets s"
            " JOIN registries o ON o.id = s.registry_id"
        ).fetchone()


@pytest.fixture
def leave_readable():
    """Stores a secret as a version before did."""

    def store(url):
        with psycopg.connect(url) as connection:
            for statement in LEFT_READABLE.split(";"):
                connection.execute(statement, (WORD,) if "%s" in statement else ())

    return store


def test_a_start_makes_the_keys_and_encrypts_what_is_readable_and_none_starts_without_them(
    data_dir, serve, leave_readable
):
    file = data_dir / "secret-keys"
    program = serve(data_dir)
    leave_readable(get(address_of(program))["database"])
    made = KeyRing.read(file.read_text())
    program.signal(signal.SIGTERM)
    assert program.exit_code() == 0
    assert file.stat().st_mode & 0o777 == 0o600

    program = serve(data_dir)
    url = get(address_of(program))["database"]

    account, registry, readable, envelope = stored(url)
    assert (readable, KeyRing.read(file.read_text())) == (None, made)
    place = REGISTRY_HEADERS.place(account, f"{registry}/Authorization")
    assert made.decrypt(envelope, place) == WORD.encode()
    program.signal(signal.SIGTERM)
    assert program.exit_code() == 0

    file.rename(data_dir / "kept-elsewhere")
    refused = serve(data_dir)
    assert refused.exit_code() == 1
    assert not file.exists()

    write_ring(file, KeyRing((SecretKey.made(),)))
    program = serve(data_dir)
    assert stored(get(address_of(program))["database"])[3] == envelope
