"""`weighbridge secrets`, and what `verify` says of secrets."""

import os
import signal
import subprocess
import sys
import time

import pytest
from tests.server import SECRET_KEYS, Server

from weighbridge.core.platform.encryption import KeyRing, SecretKey
from weighbridge.platform.secret_keys import write_ring
from weighbridge.reporting.submission.sending import read_called_registry

WORD = "Bearer secret-word"
RULE = "every secret of others is encrypted, and a key opens it in its place"


@pytest.fixture
def place(migrated_database):
    """A service of a database of its own, and what names both for a command."""
    with Server(migrated_database) as server:
        file = server.settings.secret_keys_file
        variables = {
            "WEIGHBRIDGE_DATABASE_URL": server.urls.running,
            "WEIGHBRIDGE_SECRET_KEYS_FILE": str(file),
        }
        yield server, file, variables


def add_registry(server, name, headers):
    body = {"name": name, "adapter": "http", "address": "https://r.example/a", "headers": headers}
    return server.account().caller().post("/registries", {"registry": body}).expect(201).body["id"]


def headers_of(server, number):
    async def read():
        async with server.database.read() as tx:
            return (await read_called_registry(tx, number)).headers

    return server.run(read())


def test_a_rotation_makes_a_key_and_encrypts_all_by_it_while_the_service_works(place, weighbridge):
    server, file, variables = place
    number = add_registry(server, "One", {"Authorization": WORD})
    old = SECRET_KEYS.ids[0].hex()

    done = weighbridge("secrets", "rotate", **variables).expect(0)

    ring = KeyRing.read(file.read_text())
    new = ring.ids[0].hex()
    assert [key.id.hex() for key in ring.keys] == [new, old]
    assert done.out.splitlines()[-2:] == [
        f"Encrypted anew by the key {new}: 1.",
        (
            f"{old} opens nothing any more: remove it from {file} once every host has the new key and no"
            " backup is kept that needs it."
        ),
    ]
    assert headers_of(server, number) == {"Authorization": WORD}
    listed = weighbridge("secrets", "keys", "--json").expect(0).json
    assert listed == {
        "keys": [
            {"key": new, "secrets": 1, "is_at_hand": True},
            {"key": old, "secrets": 0, "is_at_hand": True},
        ],
        "readable": 0,
    }
    assert ring.keys[0].text not in done.out + done.err


def test_verify_names_what_no_key_opens_and_rotate_leaves_it(place, weighbridge):
    server, file, variables = place
    number = add_registry(server, "One", {"Authorization": WORD})
    write_ring(file, KeyRing((SecretKey(b"\x05" * 32),)))

    report = weighbridge("verify", "--json", **variables).expect(1).json

    [check] = [one for one in report["checks"] if one["rule"] == RULE]
    sentence = f"The secret in registry_secrets, row {number}/Authorization, of account "
    assert [one.startswith(sentence) for one in check["violations"]] == [True]
    assert check["violations"][0].endswith(f"the key {SECRET_KEYS.ids[0].hex()}, which is not at hand.")
    assert check["violations"][0] in weighbridge("secrets", "rotate").expect(1).out
    assert "is not at hand" in weighbridge("secrets", "keys").expect(0).out
    write_ring(file, KeyRing((SecretKey(b"\x05" * 32), *SECRET_KEYS.keys)))
    weighbridge("secrets", "rotate").expect(0)
    assert weighbridge("verify", "--json").expect(0).json["is_clean"]


def test_keys_that_are_lost_are_begun_anew_and_the_secrets_stay_until_they_are_stated(place, weighbridge):
    server, file, variables = place
    add_registry(server, "One", {"Authorization": WORD})
    assert "so they are not lost" in weighbridge("secrets", "rotate", "--lost", **variables).expect(1).err
    file.unlink()

    done = weighbridge("secrets", "rotate", "--lost").expect(1)

    assert "These have to be stated anew" in done.out
    assert file.stat().st_mode & 0o777 == 0o600


def test_keys_that_a_command_unwraps_are_put_there_by_the_operator(place, weighbridge):
    server, file, variables = place
    add_registry(server, "One", {"Authorization": WORD})
    variables |= {"WEIGHBRIDGE_SECRET_KEYS_COMMAND": "cat"}

    assert "put a new line of 32 random bytes" in weighbridge("secrets", "rotate", **variables).expect(1).err
    write_ring(file, KeyRing((SecretKey(b"\x06" * 32), *SECRET_KEYS.keys)))
    assert weighbridge("secrets", "rotate").expect(0).out.splitlines()[-2].endswith(": 1.")


@pytest.mark.parametrize("milliseconds", [0, 100, 400])
def test_a_rotation_that_is_killed_is_carried_on_by_the_same_command(place, weighbridge, milliseconds):
    server, file, variables = place
    numbers = [
        add_registry(server, f"R{one}", {f"X-{name}": WORD for name in range(10)}) for one in range(30)
    ]
    variables |= {name: value for name, value in os.environ.items() if not name.startswith("WEIGHBRIDGE_")}
    command = [sys.executable, "-m", "weighbridge", "secrets", "rotate", "--data-dir", str(server.folder)]
    process = subprocess.Popen(command, env=variables)
    begun = file.read_text()
    while file.read_text() == begun and process.poll() is None:
        time.sleep(0.005)
    time.sleep(milliseconds / 1_000)
    process.send_signal(signal.SIGKILL)
    process.wait()

    in_between = [headers_of(server, number) for number in numbers]
    weighbridge("secrets", "rotate", **{name: variables[name] for name in variables if "WEIGHBRIDGE" in name})

    expected = {f"X-{name}": WORD for name in range(10)}
    assert in_between == [expected] * 30
    assert [headers_of(server, number) for number in numbers] == [expected] * 30
    assert weighbridge("verify", "--json").expect(0).json["is_clean"]
