"""Bundles whose head witnesses have cosigned: both checkers count those that are valid, and no other."""

import json
import subprocess
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.given import bundles, reports
from tests.given.bundles import KEY
from tests.given.second_checker import SCRIPT
from tests.given.tampering import remade, taken_apart
from tests.given.witnesses import LyingWitness, cosigned_at

from weighbridge.core.bundle.check import Trust
from weighbridge.core.cosignature import WitnessKey, read_cosignature
from weighbridge.modelling.documents import read_model
from weighbridge.platform.audit_tree import Signer, newest_head

HEAD = "audit/head.checkpoint"
FIRST = LyingWitness("one.example", time=1_700_000_001)
SECOND = LyingWitness("two.example", time=1_700_000_002)
LIARS = {
    "another root": LyingWitness("liar.example", root=bytes(32)),
    "another key": LyingWitness("liar.example", signer=Ed25519PrivateKey.generate()),
    "a time to come": LyingWitness("liar.example", time=1 << 40),
    "the key of another name": LyingWitness("other.example"),
}


class Cosigned:
    """A report whose bundles witnesses cosign."""

    def __init__(self, account, report, folder, node):
        self.account, self.report, self.folder, self.node = account, report, folder, node

    def bundle(self, *witnesses):
        """A bundle whose head these have cosigned."""
        account, server = self.account, self.account.server

        async def ask():
            async with server.database.write() as tx:
                note = await newest_head(tx, account.id, Signer(KEY, "plant.example"))
                for one in witnesses:
                    found = read_cosignature(one.line(note).rstrip("\n"), WitnessKey.read(one.key))
                    await tx.execute(
                        "INSERT INTO audit_cosignatures VALUES (%s, %s, %s, %s, %s)",
                        (account.id, int(note.splitlines()[1]), one.key, found.time, found.signature),
                    )

        return bundles.bundle(account, self.report, ask_witnesses=ask)

    def check(self, made, least, *keys):
        """Whether each of the two checkers finds enough cosignatures."""
        read = [WitnessKey.read(key) for key in keys]
        first = made.check_by(Trust(witnesses=read, least=least, now=int(time.time())))
        file = self.folder / "bundle.zip"
        file.write_bytes(made.content)
        words = [word for key in keys for word in ("--witness", key)]
        done = subprocess.run(
            [self.node, SCRIPT, file, "--key", made.key.text, *words, "--at-least", str(least)],
            capture_output=True, check=False, text=True,
        )  # fmt: skip
        second = json.loads(done.stdout)
        assert (done.returncode == 0) == (not second["faults"])
        assert sorted(second["cosigners"]) == sorted(one.witness.name for one in first.cosignatures)
        return not first.faults, not second["faults"]


@pytest.fixture
def cosigned(account, api, drain, tmp_path, node):
    return Cosigned(account, reports.claims(api, drain, 5, 3).report(4), tmp_path, node)


def test_a_bundle_has_the_lines_of_those_who_cosigned_its_head_and_proofs(cosigned):
    made = cosigned.bundle(FIRST, SECOND)
    parts = taken_apart(made)
    head = parts[HEAD].decode()

    assert [cosigned_at(head, one.key) for one in (FIRST, SECOND)] == [FIRST.time, SECOND.time]
    proofs = [content.decode() for name, content in parts.items() if name.endswith(".tlog-proof")]
    assert {proof.partition("\n\n")[2] for proof in proofs} == {head}
    assert made.faults() == []


def test_a_head_that_enough_witnesses_cosigned_passes(cosigned):
    made = cosigned.bundle(FIRST, SECOND)

    assert cosigned.check(made, 2, FIRST.key, SECOND.key) == (True, True)
    assert cosigned.check(made, 1, FIRST.key) == (True, True)
    assert cosigned.check(made, 0) == (True, True)


def test_a_head_that_too_few_witnesses_cosigned_is_refused(cosigned):
    made = cosigned.bundle(FIRST)

    assert cosigned.check(made, 2, FIRST.key, SECOND.key) == (False, False)
    assert cosigned.check(made, 1, SECOND.key) == (False, False)
    assert cosigned.check(made, 1, FIRST.key, SECOND.key) == (True, True)


def test_one_key_under_two_names_counts_once(cosigned):
    twin = LyingWitness("twin.example", private=FIRST.private)
    made = cosigned.bundle(FIRST, twin)

    assert cosigned.check(made, 2, FIRST.key, twin.key) == (False, False)
    assert cosigned.check(made, 2, FIRST.key, FIRST.key) == (False, False)


@pytest.mark.parametrize("liar", LIARS.values(), ids=LIARS.keys())
def test_of_two_witnesses_of_which_one_lies_one_counts(cosigned, liar):
    honest = cosigned.bundle(FIRST)
    head = taken_apart(honest)[HEAD].decode()
    made = bundles.Bundle(_with_line(honest, liar.line(head)), honest.key)
    key = LyingWitness("liar.example", private=liar.private).key

    assert cosigned.check(made, 1, FIRST.key, key) == (True, True)
    assert cosigned.check(made, 2, FIRST.key, key) == (False, False)


def _with_line(made, line):
    """The bundle with one more line below its head and below that of each proof, made anew by its service."""

    def add(parts):
        for name in parts:
            if name == HEAD or name.endswith(".tlog-proof"):
                parts[name] += line.encode()

    return remade(made, add, read_model)
