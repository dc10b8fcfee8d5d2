"""Keys that follow one another: endorsed, begun without an endorsement, or revoked; each log has a row."""

import asyncio
import json
import subprocess

import pytest
from tests import databases

from weighbridge.commands.audit_keys import check_keys, read_history
from weighbridge.core.key_history import KeyStatementKind, SignedStatement, TrustedKeys
from weighbridge.core.proof import open_checkpoint
from weighbridge.core.signing import SigningKey, UnprovenError, write_ssh_public_key
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database
from weighbridge.errors import Refusal, Unavailable
from weighbridge.platform.audit_keys import (
    KeyChange,
    change_key,
    install_next_key,
    keep_key,
    read_next_key,
    read_statements,
)
from weighbridge.platform.audit_tree import KEY_FILE, newest_head, read_key, seal_account, signer
from weighbridge.platform.users import create_account
from weighbridge.settings import Settings

ENDORSEMENT, BEGINNING, REVOCATION = KeyStatementKind


class Service:
    """A database with an account, and a host of it."""

    def __init__(self, url, folder):
        self.url, self.settings = url, Settings(data_dir=folder)
        self.kept = self.in_transaction(lambda tx: keep_key(tx, self.settings))
        made = self.in_transaction(lambda tx: create_account(tx, name="plant", request_id="given"))
        self.account = made.account_id
        self.seal()

    def in_transaction(self, work):
        async def run():
            async with Database(self.url, connections_max=1) as database, database.write() as tx:
                return await work(tx)

        return asyncio.run(run())

    def seal(self):
        return self.in_transaction(lambda tx: seal_account(tx, self.account))

    @property
    def key(self):
        return self.in_transaction(lambda tx: signer(tx, self.settings)).verifier(self.account)

    @property
    def head(self):
        async def read(tx):
            return await newest_head(tx, self.account, await signer(tx, self.settings))

        return self.in_transaction(read)

    @property
    def statements(self):
        return self.in_transaction(lambda tx: read_statements(tx, self.account))

    def change(self, kind, key=None, since=None):
        change = KeyChange(kind, key, read_next_key(self.settings), since)
        return self.in_transaction(lambda tx: change_key(tx, self.settings, change, "given"))

    def rotate(self):
        told = self.change(ENDORSEMENT, read_key(self.settings))
        install_next_key(self.settings)
        self.seal()
        return told


@pytest.fixture
def service(postgres, newest, tmp_path):
    with databases.database(postgres, newest) as url:
        yield Service(url, tmp_path)


def test_the_first_key_needs_no_statement(service):
    assert service.statements == []
    assert open_checkpoint(service.head, service.key).size > 0


def test_a_rotated_key_is_endorsed_by_the_one_before_in_the_log_of_each_account(service):
    first, size = service.key, open_checkpoint(service.head, service.key).size

    assert service.rotate() == 1

    [signed] = service.statements
    assert (signed.statement.kind, signed.statement.key, signed.statement.head.size) == (
        ENDORSEMENT,
        first,
        size,
    )
    assert signed.statement.successor == service.key != first
    assert TrustedKeys.of(first, service.statements).keys == [first, service.key]
    assert open_checkpoint(service.head, service.key).size == size + 1
    with pytest.raises(UnprovenError):
        open_checkpoint(service.head, first)


def test_a_key_leads_over_several_rotations_to_the_newest_one(service):
    first = service.key
    for _ in range(3):
        service.rotate()

    trusted = TrustedKeys.of(first, service.statements)

    assert (len(trusted.keys), trusted.keys[-1]) == (4, service.key)


def test_a_later_key_does_not_lead_back(service):
    first = service.key
    service.rotate()

    assert first not in TrustedKeys.of(service.key, service.statements).keys


def test_an_endorsement_is_verified_with_the_old_key_by_openssh_alone(service, tmp_path):
    first = service.key
    service.rotate()
    [signed] = service.statements
    (tmp_path / "allowed").write_text(f"operator {write_ssh_public_key(first.public)}\n")
    (tmp_path / "statement.sig").write_text(signed.key_signature)

    words = ["-f", tmp_path / "allowed", "-I", "operator", "-n", "weighbridge-audit-key"]
    done = subprocess.run(
        ["ssh-keygen", "-Y", "verify", *words, "-s", tmp_path / "statement.sig"],
        input=signed.statement.text.encode(),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, b"Good" in done.stdout) == (0, True)


def test_a_statement_that_was_changed_or_signed_by_another_is_refused(service):
    service.rotate()
    [record] = [one.record for one in service.statements]
    another = SigningKey.made()
    forged = [
        record | {"text": record["text"].replace("\ntime 2", "\ntime 3")},
        record | {"text": record["text"] + "\n"},
        record | {"key_signature": record["successor_signature"]},
        record | {"key_signature": None},
        record | {"key_signature": 7},
        {**record, "more": None},
        {"text": record["text"]},
        record | {"text": record["text"].replace("endorsement", "beginning")},
        record | {"successor_signature": another.pem.decode()},
    ]

    assert SignedStatement.read(record).record == record
    for one in forged:
        with pytest.raises(UnprovenError):
            SignedStatement.read(one)


def test_an_endorsement_of_another_log_leads_nowhere(service):
    first = service.key
    service.rotate()
    others = type(first)("other.example/audit_log/1", first.public)

    assert TrustedKeys.of(others, service.statements).keys == [others]


def test_a_key_begins_without_an_endorsement_when_the_one_before_is_lost(service):
    first = service.key
    (service.settings.data_dir / KEY_FILE).unlink()

    assert service.change(BEGINNING) == 1
    assert install_next_key(service.settings) is None

    [signed] = service.statements
    assert (signed.statement.kind, signed.statement.key, signed.key_signature) == (BEGINNING, first, None)
    assert TrustedKeys.of(first, service.statements).keys == [first]
    assert signed.statement.successor == service.key


def test_a_key_that_a_setting_names_begins_with_a_row_too(service, tmp_path):
    first = service.key
    (tmp_path / "new.pem").write_bytes(SigningKey.made().pem)
    service.settings = Settings(data_dir=tmp_path, audit_key_file=tmp_path / "new.pem")

    for _ in range(2):
        service.in_transaction(lambda tx: keep_key(tx, service.settings))

    [signed] = service.statements
    assert (signed.statement.kind, signed.statement.key) == (BEGINNING, first)
    assert signed.statement.successor == service.key


def test_a_revoked_key_signs_nothing_and_leads_nowhere(service):
    first, key = service.key, read_key(service.settings)
    before = open_checkpoint(service.head, first)

    service.change(REVOCATION, key)
    with pytest.raises(Unavailable):
        _ = service.head
    assert service.in_transaction(lambda tx: keep_key(tx, service.settings)) is None
    install_next_key(service.settings)
    service.seal()

    trusted = TrustedKeys.of(first, service.statements)
    assert trusted.keys == [first]
    trusted.require_valid(first, before)
    with pytest.raises(UnprovenError, match="was revoked"):
        trusted.require_valid(first, open_checkpoint(service.head, service.key))
    TrustedKeys.of(service.key, service.statements).require_valid(
        service.key, open_checkpoint(service.head, service.key)
    )


def test_a_revocation_counts_from_the_head_of_a_moment_on(service):
    first, key = service.key, read_key(service.settings)
    [moment] = service.in_transaction(lambda tx: tx.tuples("SELECT clock_timestamp()"))[0]
    size = open_checkpoint(service.head, first).size
    service.rotate()

    change = KeyChange(REVOCATION, key, read_key(service.settings), Instant.of(moment))
    service.in_transaction(lambda tx: change_key(tx, service.settings, change, "given"))

    assert service.statements[-1].statement.head.size == size
    assert TrustedKeys.of(first, service.statements).keys == [first]


def test_a_rotation_that_was_stopped_goes_on_with_the_same_key(service):
    service.change(ENDORSEMENT, read_key(service.settings))
    following = read_next_key(service.settings)

    assert service.change(ENDORSEMENT, read_key(service.settings)) == 0
    kept = install_next_key(service.settings)

    assert len(service.statements) == 1
    assert service.key.public == following.public
    assert SigningKey.read(kept.read_bytes()).public == service.kept.public
    assert {one.name for one in service.settings.data_dir.iterdir()} == {KEY_FILE, kept.name}


def test_a_host_with_the_key_before_signs_until_it_has_the_new_one(service, tmp_path):
    first = service.key
    (tmp_path / "copy.pem").write_bytes((tmp_path / KEY_FILE).read_bytes())
    service.rotate()
    service.settings = Settings(data_dir=tmp_path, audit_key_file=tmp_path / "copy.pem")

    assert open_checkpoint(service.head, first).size > 0


def test_a_key_that_never_signed_endorses_nothing(service):
    with pytest.raises(Refusal, match="does not know the key"):
        service.change(ENDORSEMENT, SigningKey.made())


def test_a_revoked_key_endorses_nothing(service):
    key = read_key(service.settings)
    service.change(REVOCATION, key)
    install_next_key(service.settings)

    with pytest.raises(Refusal, match="was revoked, and endorses no other"):
        service.change(ENDORSEMENT, key)
    with pytest.raises(Refusal, match="was revoked already"):
        service.change(REVOCATION, key)
    assert len(service.statements) == 1


def test_a_key_that_another_has_followed_is_followed_by_no_second_one(service):
    key = read_key(service.settings)
    service.rotate()

    with pytest.raises(Refusal, match="Another key has followed the one on this host already"):
        service.change(ENDORSEMENT, key)
    assert len(service.statements) == 1


def test_a_key_is_revoked_again_from_an_earlier_moment_on(service):
    first, key = service.key, read_key(service.settings)
    [moment] = service.in_transaction(lambda tx: tx.tuples("SELECT clock_timestamp()"))[0]
    size = open_checkpoint(service.head, first).size
    service.rotate()

    def revoke(since):
        change = KeyChange(REVOCATION, key, read_key(service.settings), since)
        return service.in_transaction(lambda tx: change_key(tx, service.settings, change, "given"))

    assert revoke(None) == 1
    later = TrustedKeys.of(first, service.statements).revocations[first.text].head.size
    assert revoke(None) == 0
    assert revoke(Instant.of(moment)) == 1
    assert revoke(Instant.of(moment)) == 0

    assert TrustedKeys.of(first, service.statements).revocations[first.text].head.size == size < later


def history_of(service, folder):
    file = folder / "keys.json"
    file.write_text(json.dumps({"statements": [one.record for one in service.statements]}))
    return file


def test_a_history_that_ends_with_a_revoked_key_leads_to_none(service, tmp_path):
    first = service.key
    service.rotate()
    service.change(REVOCATION, read_key(service.settings))
    install_next_key(service.settings)
    service.seal()

    with pytest.raises(Refusal, match="was revoked"):
        check_keys(history_of(service, tmp_path), key=first.text)


def test_a_history_that_ends_with_a_lost_key_says_which_began(service, tmp_path):
    first = service.key
    service.change(BEGINNING)
    install_next_key(service.settings)
    service.seal()

    with pytest.raises(Refusal, match="was lost") as refused:
        check_keys(history_of(service, tmp_path), key=first.text)
    assert service.key.text in str(refused.value)


@pytest.mark.parametrize("text", ['{"statements": 7}', '{"statements": {}}', "[" * 100_000, "{}"])
def test_what_is_no_history_is_refused(tmp_path, text):
    (tmp_path / "keys.json").write_text(text)

    with pytest.raises(UnprovenError, match="is no history of keys"):
        read_history(tmp_path / "keys.json", "plant.example/1")


def test_the_history_of_another_log_is_refused(service, tmp_path):
    service.rotate()

    with pytest.raises(UnprovenError, match=r"not of those of plant\.example/1"):
        read_history(history_of(service, tmp_path), "plant.example/1")


def test_a_key_is_not_revoked_from_a_moment_to_come(service):
    later = Instant.read("2999-01-01T00:00:00Z")

    with pytest.raises(Refusal, match="lies in the future"):
        service.change(REVOCATION, read_key(service.settings), later)
    assert service.statements == []
