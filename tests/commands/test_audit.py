"""`weighbridge audit`: the head of the log, its proofs, and what is said of a head that was kept."""

import json
import re
import subprocess
import sys

import pytest
from tests.commands.conftest import ROOT
from tests.given.sealing import seal_rows_of

from weighbridge.core.signing import SigningKey


class Keeper:
    """Somebody with a folder of files, who calls commands on the database of the run."""

    def __init__(self, weighbridge, folder, server, account):
        self.folder = folder
        self._weighbridge, self._server, self._account = weighbridge, server, account
        folder.joinpath("key.pem").write_bytes(SigningKey.made().pem)

    def __call__(self, *words, **variables):
        key_file = str(self.folder / "key.pem")
        return self._weighbridge("audit", *words, WEIGHBRIDGE_AUDIT_KEY_FILE=key_file, **variables)

    def of_account(self, command, *words):
        return self(command, *words, "--account", self._account).expect(0).out

    def keep(self, name, text):
        file = self.folder / name
        file.write_text(text)
        return file

    def write(self):
        """Have the account write something that is sealed."""
        self._weighbridge("flag", "set", "rules_engine", "on", "--account", self._account).expect(0)
        self.seal()

    def seal(self):
        [(number,)] = self._server.sql("SELECT id FROM accounts WHERE name = %s", self._account)
        self._server.run(seal_rows_of(self._server.database, number))


@pytest.fixture
def keeper(weighbridge, tmp_path, server):
    name = f"Kept plant {tmp_path.name}"
    weighbridge("account", "create", "--name", name).expect(0)
    for state in ("off", "on", "off"):
        weighbridge("flag", "set", "rules_engine", state, "--account", name).expect(0)
    made = Keeper(weighbridge, tmp_path, server, name)
    made.seal()
    return made


@pytest.fixture
def key(keeper):
    return keeper.of_account("key").strip()


@pytest.fixture
def head(keeper):
    return keeper.keep("kept.checkpoint", keeper.of_account("head"))


def forged(server, *statements):
    for statement in ("ALTER TABLE audit_log DISABLE TRIGGER USER", *statements,
                      "ALTER TABLE audit_log ENABLE TRIGGER USER"):  # fmt: skip
        server.sql(statement)


def test_a_head_that_was_kept_holds_against_the_database_also_later(keeper, key, head):
    keeper.write()

    done = keeper("check", head, "--key", key).expect(0)

    size = int(head.read_text().splitlines()[1])
    assert done.out == f"The database has all {size} rows of the head, unchanged and in their places.\n"


def test_a_row_that_was_changed_since_is_found(keeper, key, head, server):
    last = json.loads(keeper.of_account("export").splitlines()[-1])["id"]
    forged(server, f"UPDATE audit_log SET object = object || 'x' WHERE id = {last}")
    try:
        done = keeper("check", head, "--key", key).expect(1)
    finally:
        forged(server, f"UPDATE audit_log SET object = rtrim(object, 'x') WHERE id = {last}")

    assert "is not what was sealed" in done.err
    assert keeper("check", head, "--key", key).expect(0)


def test_a_head_of_rows_that_are_not_there_is_told(keeper, key, head):
    other = keeper.of_account("export").splitlines()[:-1]

    done = keeper("check", head, "--key", key, "--rows", keeper.keep("rows.jsonl", "\n".join(other))).expect(
        1
    )

    assert done.err == f"The head is of {len(other) + 1} rows, and here are {len(other)}.\n"


def test_rows_and_a_head_are_checked_without_a_database(keeper, key, head):
    rows = keeper.keep("rows.jsonl", keeper.of_account("export"))
    nowhere = "postgresql://nobody@127.0.0.1:1/nothing"

    keeper("check", head, "--key", key, "--rows", rows, WEIGHBRIDGE_DATABASE_URL=nowhere).expect(0)
    rows.write_text(rows.read_text().replace("rules_engine", "rules_machine", 1))
    done = keeper("check", head, "--key", key, "--rows", rows, WEIGHBRIDGE_DATABASE_URL=nowhere).expect(1)

    assert "are not those that the head was made of" in done.err


def test_rows_out_of_order_are_told(keeper, key, head):
    first, second, *rest = keeper.of_account("export").splitlines()
    rows = keeper.keep("rows.jsonl", "\n".join([second, first, *rest]))

    done = keeper("check", head, "--key", key, "--rows", rows).expect(1)

    assert done.err == "Line 1 has row 2; rows begin at 1 without gaps.\n"


def test_one_row_and_its_proof_are_checked_without_a_database(keeper, key):
    row = keeper.keep("row.json", keeper.of_account("export").splitlines()[1])
    proof = keeper.keep("2.tlog-proof", keeper.of_account("proof", 2))

    done = keeper("check-row", row, "--proof", proof, "--key", key).expect(0)
    assert done.out.startswith("Row 2 is under the head of ")

    row.write_text(row.read_text().replace('"action":"', '"action":"x'))
    keeper("check-row", row, "--proof", proof, "--key", key).expect(1)


def test_a_newer_head_is_checked_without_a_database(keeper, key, head):
    size = head.read_text().splitlines()[1]
    proof = f"old {size}\n\n{head.read_text()}"

    done = keeper("check", head, "--key", key, "--consistency", keeper.keep("proof", proof)).expect(0)

    assert done.out == f"The head of {size} rows extends the one that was kept, of {size}.\n"


def test_a_head_that_was_changed_or_that_another_signed_is_refused(keeper, key, head):
    text = head.read_text()
    head.write_text(text.replace("\n", "\n1", 1))
    assert "does not hold" in keeper("check", head, "--key", key).expect(1).err

    keeper.keep("key.pem", SigningKey.made().pem.decode())
    other = keeper.keep("other.checkpoint", keeper.of_account("head"))
    assert "is not signed by" in keeper("check", other, "--key", key).expect(1).err


def test_a_row_that_is_not_there_has_no_proof(keeper):
    done = keeper("proof", 9999, "--account", keeper._account).expect(1)

    assert done.err.startswith("Row 9999 is not among ")


def test_what_cannot_be_read_is_told(keeper, key, tmp_path):
    done = keeper("check", tmp_path / "nothing", "--key", key).expect(1)

    assert done.err.startswith(f"{tmp_path / 'nothing'} cannot be read: ")


@pytest.mark.parametrize(("change", "said"), [("", "the same\n"), ("x", "NOT the same\n")])
def test_the_script_of_the_guide_needs_nothing_but_the_standard_library(keeper, head, change, said):
    guide = (ROOT / "docs" / "explanation" / "audit-log.md").read_text()
    [script] = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    rows = keeper.keep("rows.jsonl", keeper.of_account("export").replace("rules_", f"rules_{change}", 1))

    done = subprocess.run(
        [sys.executable, "-I", "-c", script, head, rows], capture_output=True, text=True, check=True
    )

    assert done.stdout == said
