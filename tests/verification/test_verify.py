"""`weighbridge verify`: what it says, and how it ends."""

import contextlib
import json
import os
import pty
import subprocess
import sys
import warnings
from dataclasses import dataclass

import pytest

from weighbridge import cli


@dataclass(frozen=True)
class Done:
    """How the command ended and what it said."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def verify(books, monkeypatch, capsys):
    """Runs the command on the books, in this process."""

    def run(*words):
        for name in [name for name in os.environ if name.startswith("WEIGHBRIDGE_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("WEIGHBRIDGE_DATABASE_URL", books.url)
        monkeypatch.setattr(sys, "argv", ["weighbridge", "verify", *words])
        monkeypatch.setattr("signal.signal", lambda *_: None)  # the run's own handlers stay
        code = 0
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Cyclopts application invoked without tokens")
                cli.main()
        except SystemExit as end:
            code = end.code or 0
        return Done(code, *capsys.readouterr())

    return run


def test_books_that_hold_end_with_0_and_a_sentence(verify, books):
    done = verify()

    assert (done.returncode, done.stderr) == (0, "")
    assert f" rules over {len(books.batches)} batches, " in done.stdout.splitlines()[0]
    assert "  holds   every balance is the sum of its entries\n" in done.stdout
    assert done.stdout.endswith("Everything holds.\n")


def test_books_that_do_not_hold_end_with_1_and_name_what_is_broken(verify, books):
    books.break_by(f"UPDATE batches SET balance = 9 WHERE id = {books.number(0)}")

    done = verify()

    assert done.returncode == 1
    assert "  BROKEN  every balance is the sum of its entries\n" in done.stdout
    assert f"batch {books.batches[0]['id']}: the balance is 9, its entries sum to 1.5\n" in done.stdout
    assert done.stdout.endswith("Not everything holds.\n")


def test_the_report_is_given_as_json(verify, books):
    books.break_by(f"UPDATE batches SET balance = 9 WHERE id = {books.number(0)}")

    done = verify("--json")

    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert (report["is_clean"], report["batches"]) == (False, len(books.batches))
    assert isinstance(report["entries"], int)
    assert report["checks"][0] == {
        "rule": "every balance is the sum of its entries",
        "violations": [f"batch {books.batches[0]['id']}: the balance is 9, its entries sum to 1.5"],
    }
    assert [check["rule"] for check in report["checks"][1:] if check["violations"]] == [
        "in every partition, what is drawn and what remains is what was produced and the open deficit"
    ]


def test_a_batch_of_a_revision_that_no_release_has_is_broken(verify, books):
    books.break_by(f"UPDATE batches SET engine_revision = 1 WHERE id = {books.number(0)}")

    done = verify()

    assert done.returncode == 1
    assert f"batch {books.batches[0]['id']}: it says that revision 1 of the engine computed it" in done.stdout


def test_since_a_moment_only_what_was_made_since_is_computed_anew(verify, books):
    books.break_by(
        """UPDATE batches SET created_at = '2025-01-01Z'
            WHERE async_task_id < (SELECT max(async_task_id) FROM batches)""",
        "UPDATE batches SET fingerprint = sha256('other')",
    )

    done = verify("--since", "2025-01-02T00:00:00+01:00")

    # The last generation posted the shares that the late bill moved, of both feedstocks on both ledgers.
    named = [line.split()[1] for line in done.stdout.splitlines() if "the digest of its inputs" in line]
    assert 0 < len(named) < len(books.batches) / 2
    assert books.batches[0]["id"] + ":" not in named
    assert done.stdout.splitlines()[0].endswith("of batches and files those since 2025-01-01T23:00:00.000Z:")
    assert done.returncode == 1


def test_since_a_moment_the_audit_chain_is_checked_from_there(verify, books):
    books.break_by(
        "UPDATE audit_seals SET sealed_at = '2025-01-01Z' WHERE number <= 5",
        """UPDATE audit_log SET request_id = 'forged' WHERE id IN (
             SELECT audit_id FROM audit_seals WHERE number IN (2, 7))""",
    )

    done = verify("--since", "2025-01-02T00:00:00Z")

    forged = [line for line in done.stdout.splitlines() if "is not what was sealed" in line]
    assert [line.split("row ")[1].split()[0] for line in forged] == ["7"]


def test_a_moment_without_an_offset_is_refused(verify):
    done = verify("--since", "2025-01-02T00:00:00")

    assert done.returncode != 0
    assert "it takes a time with an offset, such as 2025-03-01T00:00:00Z" in done.stderr


def test_on_a_terminal_it_shows_how_far_it_is(books):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIGHBRIDGE_")}
    terminal, end = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "weighbridge", "verify"],
        stdout=subprocess.PIPE,
        stderr=end,
        text=True,
        check=False,
        timeout=60,
        env=kept | {"WEIGHBRIDGE_DATABASE_URL": books.url, "TERM": "xterm"},
    )
    os.close(end)
    shown = ""
    with contextlib.suppress(OSError):  # which is how a terminal ends that nobody writes to any more
        while said := os.read(terminal, 4096):
            shown += said.decode(errors="replace")
    os.close(terminal)

    assert "Rules of the books" in shown
    assert "Batches" in shown
    assert "100%" in shown
    assert done.stdout.endswith("Everything holds.\n")
