"""Secrets in the database: encrypted where they are written, and anew while others use them."""

import pytest
from psycopg.sql import SQL, Identifier
from tests.server import SECRET_KEYS

from weighbridge.core.platform.encryption import KeyRing, SecretKey, UnopenedSecretError
from weighbridge.core.platform.webhook import write_secret
from weighbridge.errors import Unavailable
from weighbridge.exchange.delivery import _read_signing_secrets
from weighbridge.platform import kept_secrets
from weighbridge.platform.kept_secrets import (
    BATCH,
    ENCRYPTED,
    count_by_key,
    decrypt_secret,
    encrypt_all,
    list_unopened,
)
from weighbridge.platform.secret_keys import write_ring
from weighbridge.reporting.submission.sending import read_called_registry

NEW_KEY = SecretKey(b"\x02" * 32)
BOTH = KeyRing((NEW_KEY, *SECRET_KEYS.keys))
WORD = "Bearer secret-word"
HOOK = {"webhook": {"url": "https://partner.example/hooks", "change_types": ["batch"]}}


def registry(api, headers=None):
    """The number of a registry with headers."""
    body = {
        "name": f"R{len(api.get('/registries').data)}",
        "adapter": "http",
        "address": "https://r.example/a",
    }
    headers = {"Authorization": WORD} if headers is None else headers
    return api.post("/registries", {"registry": {**body, "headers": headers}}).expect(201).body["id"]


def webhook(api, server):
    """The number of a webhook and its secret."""
    made = api.post("/webhooks", HOOK).expect(201).body
    [(number,)] = server.sql("SELECT max(webhook_id) FROM webhook_secrets")
    return number, made["secret"]


def headers_of(server, number):
    async def read():
        async with server.database.read() as tx:
            return (await read_called_registry(tx, number)).headers

    return server.run(read())


def signing(server, number):
    async def read():
        async with server.database.read() as tx:
            return [write_secret(secret) for secret in await _read_signing_secrets(tx, number)]

    return server.run(read())


def rotate(server, ring):
    return server.run(encrypt_all(server.database, ring))


def unopened(server):
    async def read():
        async with server.database.read() as tx:
            return await list_unopened(tx)

    return server.run(read())


@pytest.fixture
def keys(server):
    """Writes the keys of the service's file; those of all tests are there again afterwards."""
    file = server.settings.secret_keys_file
    yield lambda ring: write_ring(file, ring)
    rotate(server, write_ring(file, KeyRing((*SECRET_KEYS.keys, NEW_KEY))))
    write_ring(file, SECRET_KEYS)


def test_no_table_has_what_was_said(server, api, dump):
    registry(api)
    _, secret = webhook(api, server)

    stored = dump()

    assert WORD not in stored
    assert "secret-word" not in stored
    assert secret.removeprefix("whsec_") not in stored
    assert unopened(server) == []


def test_whoever_needs_them_reads_them_as_they_were_said(server, api):
    number = registry(api, {"Authorization": WORD, "X-Key": "other"})
    hook, secret = webhook(api, server)

    assert headers_of(server, number) == {"Authorization": WORD, "X-Key": "other"}
    assert signing(server, hook) == [secret]


def test_what_a_version_before_left_readable_is_read_and_is_encrypted_by_the_next_start(server, api, sql):
    number = registry(api, {})
    sql(
        "INSERT INTO registry_secrets (registry_id, header, value) VALUES (%s, 'Authorization', %s)",
        number,
        WORD,
    )
    hook, _ = webhook(api, server)
    sql("DELETE FROM webhook_secrets WHERE webhook_id = %s", hook)
    sql("INSERT INTO webhook_secrets (webhook_id, secret) VALUES (%s, %s)", hook, b"a" * 32)

    assert headers_of(server, number) == {"Authorization": WORD}
    assert signing(server, hook) == [write_secret(b"a" * 32)]
    assert len(unopened(server)) == 2

    assert rotate(server, SECRET_KEYS) == 2

    assert unopened(server) == []
    assert headers_of(server, number) == {"Authorization": WORD}
    assert signing(server, hook) == [write_secret(b"a" * 32)]
    assert rotate(server, SECRET_KEYS) == 0


def test_envelopes_that_change_their_rows_open_nowhere(server, api, sql):
    first, second = registry(api), registry(api)
    swap = """
        UPDATE registry_secrets s SET encrypted = o.encrypted FROM registry_secrets o
         WHERE s.registry_id + o.registry_id = %s AND s.registry_id <> o.registry_id
    """
    sql(swap, first + second)

    for number in (first, second):
        with pytest.raises(Unavailable, match=f"row {number}/Authorization, .* encrypted for another row"):
            headers_of(server, number)
    assert {one.row for one in unopened(server)} >= {f"{first}/Authorization", f"{second}/Authorization"}
    sql(swap, first + second)
    assert headers_of(server, first) == {"Authorization": WORD}


def test_secrets_are_encrypted_anew_while_two_services_use_them(server, api, keys):
    with server.again() as other:
        number = registry(api)
        hook, secret = webhook(api, server)
        for one in (server, other):
            assert headers_of(one, number) == {"Authorization": WORD}
        keys(BOTH)

        assert rotate(server, BOTH) >= 2

        assert headers_of(server, number) == {"Authorization": WORD}
        with pytest.raises(Unavailable, match=f"by the key {NEW_KEY.id.hex()}, which is not at hand"):
            headers_of(other, number)
        write_ring(other.settings.secret_keys_file, BOTH)
        assert headers_of(other, number) == {"Authorization": WORD}
        assert signing(other, hook) == [secret]
        with_new = registry(api)
        assert headers_of(other, with_new) == {"Authorization": WORD}


def test_a_rotation_that_ends_in_the_middle_goes_on_where_it_was(server, api, keys, sql):
    number = registry(api, {})
    for name in range(2 * BATCH + 20):
        sql(
            "INSERT INTO registry_secrets (registry_id, header, value) VALUES (%s, %s, %s)",
            number,
            f"X-{name}",
            WORD,
        )
    rotate(server, SECRET_KEYS)
    keys(BOTH)

    async def begin():
        """One portion, and one that is undone."""
        async with server.database.write() as tx:
            last, _ = await kept_secrets._encrypt_batch(tx, ENCRYPTED[0], NEW_KEY.id, "")
        async with server.database.trial() as tx:
            await kept_secrets._encrypt_batch(tx, ENCRYPTED[0], NEW_KEY.id, last)

    server.run(begin())

    async def counted():
        async with server.database.read() as tx:
            return await count_by_key(tx)

    assert server.run(counted())[NEW_KEY.id] == BATCH
    assert set(headers_of(server, number).values()) == {WORD}
    rotate(server, BOTH)
    assert [*server.run(counted())] == [NEW_KEY.id]
    assert set(headers_of(server, number).values()) == {WORD}


def test_what_no_key_opens_is_named_and_left_as_it_is(server, api, sql):
    number = registry(api)
    place = ENCRYPTED[0].place(1, f"{number}/Authorization")
    strange = KeyRing((SecretKey(b"\x07" * 32),)).encrypt(b"word", place)
    sql("UPDATE registry_secrets SET encrypted = %s WHERE registry_id = %s", strange, number)

    rotate(server, SECRET_KEYS)

    assert [one.row for one in unopened(server) if one.row.startswith(f"{number}/")] == [
        f"{number}/Authorization"
    ]
    assert sql("SELECT encrypted FROM registry_secrets WHERE registry_id = %s", number) == [(strange,)]
    change = {"registry": {"headers": {"Authorization": "Bearer anew"}}}
    api.patch(f"/registries/{number}", change).expect(200)
    assert headers_of(server, number) == {"Authorization": "Bearer anew"}


def test_a_secret_without_keys_at_hand_is_not_read(server, api):
    number = registry(api)

    async def read():
        async with server.database.read() as tx:
            tx.memory = type(tx.memory)()
            [(envelope,)] = await tx.tuples(
                "SELECT encrypted FROM registry_secrets WHERE registry_id = %s", (number,)
            )
            with pytest.raises(UnopenedSecretError, match="no keys of secrets"):
                await decrypt_secret(tx, ENCRYPTED[0].place(1, f"{number}/Authorization"), envelope, None)

    server.run(read())


@pytest.fixture
def dump(sql):
    """Everything that the tables of secrets have, as text and as bytes in base64."""

    def read():
        return repr(
            [
                sql(SQL("SELECT to_jsonb(s)::text FROM {} s").format(Identifier(one.table)))
                for one in ENCRYPTED
            ]
        )

    return read
