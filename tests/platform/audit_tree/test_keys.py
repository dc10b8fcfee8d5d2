"""The key that heads are signed with: made once, read by its owner alone, and told apart from others."""

import asyncio
import stat

import pytest

from weighbridge.core.signing import SigningKey
from weighbridge.db.engine import Database
from weighbridge.errors import Refusal, Unavailable
from weighbridge.platform.audit_keys import keep_key
from weighbridge.platform.audit_tree import KEY_FILE, signer
from weighbridge.settings import Settings, read


@pytest.fixture
def fresh(lone_cell):
    return lone_cell


def kept(url, settings):
    async def run():
        async with Database(url, connections_max=1) as database, database.write() as tx:
            return await keep_key(tx, settings)

    return asyncio.run(run())


def signing(url, settings):
    async def run():
        async with Database(url, connections_max=1) as database, database.read() as tx:
            return await signer(tx, settings)

    return asyncio.run(run())


def test_the_first_start_makes_a_key_that_its_owner_alone_reads(fresh, tmp_path):
    settings = Settings(data_dir=tmp_path / "data")

    key = kept(fresh, settings)

    file = settings.data_dir / KEY_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert SigningKey.read(file.read_bytes()).public == key.public == signing(fresh, settings).key.public
    assert [one.name for one in settings.data_dir.iterdir()] == [KEY_FILE]


def test_later_starts_have_the_same_key(fresh, tmp_path):
    settings = Settings(data_dir=tmp_path)

    assert kept(fresh, settings).public == kept(fresh, settings).public


def test_a_second_host_makes_no_key_of_its_own_and_signs_nothing(fresh, tmp_path):
    kept(fresh, Settings(data_dir=tmp_path / "first"))
    second = Settings(data_dir=tmp_path / "second")

    assert kept(fresh, second) is None
    assert not second.data_dir.exists()
    with pytest.raises(Unavailable):
        signing(fresh, second)


def test_a_second_host_with_a_copy_of_the_file_signs_as_the_first(fresh, tmp_path):
    first = Settings(data_dir=tmp_path)
    kept(fresh, first)
    second = Settings(data_dir=tmp_path / "second", audit_key_file=tmp_path / KEY_FILE)

    kept(fresh, second)

    assert signing(fresh, second).verifier(1) == signing(fresh, first).verifier(1)


def test_a_data_folder_of_another_database_signs_nothing_here(fresh, tmp_path):
    kept(fresh, Settings(data_dir=tmp_path / "first"))
    other = Settings(data_dir=tmp_path)
    tmp_path.joinpath(KEY_FILE).write_bytes(SigningKey.made().pem)

    assert kept(fresh, other) is None
    with pytest.raises(Unavailable):
        signing(fresh, other)


def test_a_new_key_that_a_setting_names_signs_under_the_name_of_the_first(fresh, tmp_path):
    first = Settings(data_dir=tmp_path / "first")
    kept(fresh, first)
    file = tmp_path / "new.pem"
    file.write_bytes(SigningKey.made().pem)
    renewed = Settings(data_dir=tmp_path / "first", audit_key_file=file)

    kept(fresh, renewed)

    assert signing(fresh, renewed).origin(1) == signing(fresh, first).origin(1)
    assert signing(fresh, renewed).key.public != signing(fresh, first).key.public


def test_the_name_in_heads_is_that_of_the_setting(fresh, tmp_path):
    settings = Settings(data_dir=tmp_path, audit_log_name="plant.example")
    kept(fresh, settings)

    assert signing(fresh, settings).origin(7) == "plant.example/audit_log/7"


@pytest.mark.parametrize("content", [None, b"no key"])
def test_a_file_that_a_setting_names_has_to_hold_a_key(fresh, tmp_path, content):
    file = tmp_path / "key.pem"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(Refusal, match=r"key\.pem"):
        kept(fresh, Settings(data_dir=tmp_path, audit_key_file=file))


@pytest.mark.parametrize("name", ["plant example", "plant+1"])
def test_a_name_that_no_head_can_have_is_refused_as_a_setting(name):
    with pytest.raises(Refusal, match="a name without spaces"):
        read({"WEIGHBRIDGE_AUDIT_LOG_NAME": name})
