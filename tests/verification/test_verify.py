"""`weighbridge verify`: what it says, and how it ends."""

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture
def verify(books):
    """Runs the command on the books."""

    def run(*words):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIGHBRIDGE_")}
        return subprocess.run(
            [sys.executable, "-m", "weighbridge.cli", "verify", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=kept | {"WEIGHBRIDGE_DATABASE_URL": books.url},
        )

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
