"""An installation asks witnesses to cosign its heads: what it sends, keeps, and says of failures."""

import hashlib
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.given import collection as given
from tests.given.on_purpose import break_log
from tests.given.sealing import seal_rows_of
from tests.given.witnesses import LyingWitness, cosigned_at, lying_witness, running_witness

from weighbridge.http.outgoing import CallReach, OutgoingClient
from weighbridge.platform.audit_witnesses import ask_for_account, ask_witnesses, list_witnesses

NOW = 1_700_000_000


class Installation:
    """A service, an account of it, and the witnesses that its operator names."""

    def __init__(self, server, api, account):
        self.server, self.api, self.account = server, api, account
        self.settings = server.settings

    def write(self):
        given.project(self.api)
        self.server.run(seal_rows_of(self.server.database, self.account.id))
        return self

    def name(self, *witnesses, seconds=1):
        self.settings = replace(
            self.server.settings,
            audit_witnesses=tuple(one.setting for one in witnesses),
            audit_witness_seconds=seconds,
        )
        return self

    def ask(self):
        async def asked():
            async with OutgoingClient(CallReach.of(self.settings.outgoing_networks)) as client:
                await ask_for_account(self.server.database, client, self.settings, self.account.id)

        self.server.run(asked())

    def ask_for_all(self):
        async def asked():
            async with OutgoingClient(CallReach.of(self.settings.outgoing_networks)) as client:
                await ask_witnesses(self.server.database, client, self.settings)

        self.server.run(asked())

    @property
    def head(self):
        return self.api.get("/audit_log/head").expect(200).text

    @property
    def key(self):
        return self.api.get("/audit_log/key").expect(200).body["verifier_key"]

    @property
    def rows(self):
        return int(self.head.splitlines()[1])

    @property
    def witnesses(self):
        async def listed():
            async with self.server.database.read() as tx:
                return await list_witnesses(tx, self.account.id, self.settings)

        return self.server.run(listed())

    def failure(self, witness):
        [[failure]] = self.server.sql(
            "SELECT failure FROM audit_witnesses WHERE (account_id, witness) = (%s, %s)",
            self.account.id,
            witness.key,
        )
        return failure


@pytest.fixture
def plant(server, api, account):
    return Installation(server, api, account).write()


@pytest.fixture
def witness(plant, tmp_path):
    with running_witness(tmp_path, plant.key) as running:
        yield running


@pytest.fixture
def liar():
    with lying_witness(LyingWitness()) as listening:
        yield listening


def test_a_head_that_was_cosigned_has_the_line_of_the_witness(plant, witness):
    plant.name(witness).ask()

    assert cosigned_at(plant.head, witness.key) is not None
    proof = plant.api.get("/audit_log/proof", {"number": "1", "size": str(plant.rows)}).expect(200).text
    assert cosigned_at(proof.partition("\n\n")[2], witness.key) is not None
    assert plant.failure(witness) is None


def test_a_log_that_has_grown_is_submitted_from_where_the_witness_is(plant, witness):
    plant.name(witness).ask()
    first = plant.rows
    plant.write()
    assert cosigned_at(plant.head, witness.key) is None

    plant.ask()

    assert plant.rows > first
    assert cosigned_at(plant.head, witness.key) is not None


def test_the_newest_head_with_enough_cosignatures_is_given(plant, witness, liar):
    liar.time = NOW
    plant.name(witness, liar).ask()
    both = plant.head
    plant.write().name(witness).ask()
    one = plant.head
    plant.write()

    given_of = [
        plant.api.get("/audit_log/cosigned_head", {"cosignatures": str(count)}) for count in (1, 2, 3, 0)
    ]

    assert [answer.text for answer in given_of[:2]] == [one, both]
    assert [answer.status for answer in given_of[2:]] == [422, 422]


def test_a_witness_that_knows_more_than_the_database_remembers_is_asked_from_there(plant, witness):
    plant.name(witness).ask()
    plant.server.sql("DELETE FROM audit_witnesses WHERE account_id = %s", plant.account.id)
    plant.write().ask()

    assert cosigned_at(plant.head, witness.key) is not None
    assert plant.failure(witness) is None


def test_a_database_that_was_rolled_back_is_refused_and_said_to_be(plant, witness):
    plant.write().write().name(witness).ask()
    rows = plant.rows
    break_log(plant.account.id)
    with plant.server.transaction() as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        for table in ("audit_cosignatures", "audit_witnesses"):
            connection.execute(f"DELETE FROM {table} WHERE account_id = %s", (plant.account.id,))
        connection.execute(
            "DELETE FROM audit_seals WHERE account_id = %s AND number > %s", (plant.account.id, rows - 1)
        )

    plant.ask()

    assert plant.rows == rows - 1
    assert cosigned_at(plant.head, witness.key) is None
    assert f"knows a head of {rows:,} rows, and this database has fewer" in plant.failure(witness)


def test_a_log_that_was_rewritten_is_refused_and_said_to_be(plant, witness):
    plant.name(witness).ask()
    break_log(plant.account.id)
    with plant.server.transaction() as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute("DELETE FROM audit_witnesses WHERE account_id = %s", (plant.account.id,))
        connection.execute(
            "UPDATE audit_seals SET hash = %s WHERE account_id = %s AND number = 1",
            (hashlib.sha256().digest(), plant.account.id),
        )
    plant.ask()

    assert "knows another head" in plant.failure(witness)
    assert cosigned_at(plant.head, witness.key) is None


def test_a_witness_that_is_down_holds_up_no_other_and_is_named(plant, witness):
    gone = LyingWitness(address="http://127.0.0.1:9")
    plant.name(gone, witness).ask_for_all()

    assert cosigned_at(plant.head, witness.key) is not None
    assert "Could not connect" in plant.failure(gone)
    told = {one.name: (one.size, one.failure, one.asked_at is None) for one in plant.witnesses}
    assert told == {
        gone.name: (0, plant.failure(gone), False),
        "witness.example/one": (plant.rows, None, False),
    }


def test_an_installation_without_witnesses_lists_none(plant):
    assert plant.api.get("/audit_log/witnesses").expect(200).body == {"witnesses": []}


LIES = {
    "another root": {"root": bytes(32)},
    "another key": {"signer": Ed25519PrivateKey.generate()},
    "a time to come": {"time": 1 << 40},
    "a time of zero": {"time": 0},
    "no line at all": {"text": "signed\n"},
    "an empty answer": {"text": ""},
    "half a line": {"text": "\N{EM DASH} liar.example/one AAAA\n"},
    "bytes without end": {"text": "x" * 300_000},
    "a size that is none": {"status": 409, "text": "many\n"},
    "the same size": {"status": 409, "text": "0\n"},
    "a size beyond all": {"status": 409, "text": "9" * 18},
    "that it is not allowed": {"status": 403, "text": "no"},
    "that there is no such log": {"status": 404, "text": "no"},
    "that the proof does not hold": {"status": 422, "text": "no"},
    "that it broke": {"status": 500, "text": "no"},
    "that it is elsewhere": {"status": 302, "text": "no"},
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_of_a_witness_that_lies_nothing_is_kept_but_why(plant, liar, lie):
    for name, value in lie.items():
        setattr(liar, name, value)

    plant.name(liar).ask()

    assert plant.failure(liar)
    assert len(plant.head.splitlines()) == 5


def test_a_witness_that_recovers_fails_no_longer(plant, liar):
    liar.status, liar.text = 500, "broken"
    plant.name(liar).ask()
    liar.status, liar.text = 200, None

    plant.ask()

    assert plant.failure(liar) is None
    assert cosigned_at(plant.head, liar.key) == NOW


def test_a_log_is_asked_for_again_only_when_it_has_grown_and_time_has_passed(plant, liar):
    plant.name(liar, seconds=3600).ask_for_all()
    asked = len(liar.asked)
    plant.write().ask_for_all()
    assert len(liar.asked) == asked

    plant.server.sql("UPDATE audit_witnesses SET asked_at = now() - interval '2 hours'")
    plant.ask_for_all()

    assert len(liar.asked) == asked + 1
    assert liar.asked[-1].startswith("old ")


def test_a_proof_that_is_submitted_is_what_the_specification_says(plant, liar):
    plant.name(liar).ask()
    first = plant.rows
    plant.write().ask()

    proof, _, note = liar.asked[-1].partition("\n\n")

    assert proof.splitlines()[0] == f"old {first}"
    assert note.splitlines()[:3] == plant.head.splitlines()[:3]
