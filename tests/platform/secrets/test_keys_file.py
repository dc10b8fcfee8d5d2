"""The keys of secrets as a process has them: a file, a command, and what is refused."""

import asyncio
import shlex
import sys
from dataclasses import replace

import pytest

from weighbridge.core.platform.encryption import KeyRing, SecretKey, SecretPlace, UnopenedSecretError
from weighbridge.errors import Refusal
from weighbridge.platform.secret_keys import SecretKeys, have_ring, keys_file, with_new_key, write_ring
from weighbridge.settings import Settings

PLACE = SecretPlace(1, "registry_secrets", "7/Authorization", "encrypted")
OLD, NEW = SecretKey(bytes(32)), SecretKey(b"\x01" * 32)
REVERSE = "import sys; sys.stdout.write(sys.stdin.read()[::-1])"
REVERSING = shlex.join([sys.executable, "-c", REVERSE])
"""A command that unwraps a file by writing it backwards."""


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=tmp_path)


def start(settings, used=frozenset()):
    return have_ring(settings, SecretKeys.of(settings), used)


def test_the_first_start_makes_a_file_for_its_owner_alone_and_the_next_ones_read_it(settings):
    ring = start(settings)

    assert len(ring.keys) == 1
    assert keys_file(settings).stat().st_mode & 0o777 == 0o600
    assert start(settings, set(ring.ids)) == ring
    assert [one.name for one in settings.data_dir.iterdir()] == ["secret-keys"]


def test_of_two_that_start_at_once_the_second_takes_the_keys_of_the_first(settings):
    file = keys_file(settings)

    first = write_ring(file, KeyRing((OLD,)), is_new=True)
    second = write_ring(file, KeyRing((NEW,)), is_new=True)

    assert first == second == KeyRing((OLD,))


def test_without_the_file_nobody_starts_who_has_secrets(settings):
    with pytest.raises(Refusal, match=f"encrypted by {OLD.id.hex()}. Copy the file from another host"):
        start(settings, {OLD.id})

    assert not keys_file(settings).exists()


def test_a_file_that_a_setting_names_is_never_made(settings, tmp_path):
    with pytest.raises(Refusal, match="which a setting names"):
        start(replace(settings, secret_keys_file=tmp_path / "keys"))


def test_a_file_that_others_can_read_is_refused(settings):
    write_ring(keys_file(settings), KeyRing((OLD,)))
    keys_file(settings).chmod(0o640)

    with pytest.raises(Refusal, match="can be read by others than its owner"):
        start(settings)


def test_a_command_unwraps_the_file(settings):
    file = keys_file(settings)
    file.write_text(KeyRing((OLD,)).text[::-1])

    assert start(replace(settings, secret_keys_command=REVERSING), {OLD.id}) == KeyRing((OLD,))


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.stderr.write('access denied'); sys.exit(3)", "ended with 3: access denied"),
        ("print('no key')", "gives no keys of secrets: Line 1 is no key"),
        ("print('x' * 100_000)", "wrote more than"),
    ],
)
def test_a_command_that_gives_no_keys_is_told_in_a_sentence(settings, program, said):
    write_ring(keys_file(settings), KeyRing((OLD,)))
    command = shlex.join([sys.executable, "-c", program])

    with pytest.raises(Refusal, match=said) as refusal:
        start(replace(settings, secret_keys_command=command))

    assert OLD.text not in str(refusal.value)
    with pytest.raises(Refusal, match="cannot be carried out"):
        start(replace(settings, secret_keys_command="/nowhere/kms decrypt"))  # noqa: S106 - a command


def test_keys_that_come_while_a_process_runs_are_taken_up(settings):
    async def follow():
        file = keys_file(settings)
        write_ring(file, KeyRing((OLD,)))
        here, there = SecretKeys.of(settings), SecretKeys.of(settings)
        before = await here.encrypt(b"word", PLACE)
        ring = write_ring(file, with_new_key(KeyRing((OLD,))))

        after = await here.encrypt(b"word", PLACE)

        assert [await there.decrypt(one, PLACE) for one in (before, after)] == [b"word", b"word"]
        assert ring.decrypt(after, PLACE) == b"word"
        with pytest.raises(UnopenedSecretError):
            KeyRing((OLD,)).decrypt(after, PLACE)

    asyncio.run(follow())


def test_a_file_that_is_damaged_while_a_process_runs_leaves_it_the_keys_that_it_has(settings):
    async def lose():
        file = keys_file(settings)
        write_ring(file, KeyRing((OLD,)))
        keys = SecretKeys.of(settings)
        envelope = await keys.encrypt(b"word", PLACE)
        file.write_text("damaged")

        assert await keys.decrypt(envelope, PLACE) == b"word"
        assert await keys.decrypt(await keys.encrypt(b"other", PLACE), PLACE) == b"other"

    asyncio.run(lose())
