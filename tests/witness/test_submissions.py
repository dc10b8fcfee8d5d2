"""`weighbridge witness serve`, asked over HTTP by a log that is written from the specifications alone."""

import http.client
import signal
import socket
import stat
import threading
import time
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.given.witnesses import Log, b64, cosigned_at, run, running_witness, submit
from tests.server import DEADLINE_SECONDS

from weighbridge.witness.server import AT_ONCE_MAX


@pytest.fixture
def log():
    return Log().grow(5)


@pytest.fixture
def witness(tmp_path, log):
    with running_witness(tmp_path, log.key) as running:
        yield running


def test_a_first_head_is_cosigned_at_the_present_time(witness, log):
    answered = submit(witness.address, log.submission(0))

    assert answered.status == 200
    assert abs(cosigned_at(log.head() + answered.text, witness.key) - time.time()) < 60


def test_a_head_that_extends_the_one_before_is_cosigned_whatever_its_size(witness, log):
    for old, new in ((0, 1), (1, 2), (2, 5), (5, 5), (5, 8), (8, 13), (13, 64), (64, 65), (65, 300)):
        answered = submit(witness.address, log.grow(new).submission(old, new))

        assert (answered.status, answered.text[:2]) == (200, "\N{EM DASH} ")
        assert cosigned_at(log.head(new) + answered.text, witness.key) is not None


def test_another_old_size_is_answered_with_the_one_that_the_witness_knows(witness, log):
    submit(witness.address, log.submission(0))

    answered = submit(witness.address, log.grow(9).submission(3))

    assert (answered.status, answered.content_type, answered.text) == (409, "text/x.tlog.size", "5\n")
    assert submit(witness.address, log.submission(0)).status == 409
    assert submit(witness.address, log.submission(5)).status == 200


def test_a_log_that_went_back_is_refused(witness, log):
    submit(witness.address, log.submission(0))

    assert submit(witness.address, log.submission(3, 3)).text == "5\n"
    assert submit(witness.address, log.submission(0, 3)).text == "5\n"


def test_another_head_of_the_same_size_is_refused(witness, log):
    submit(witness.address, log.submission(0))
    forked = Log(private=log.private).grow(5, "forked")

    assert submit(witness.address, forked.submission(5)).status == 409


def test_a_head_that_does_not_extend_the_known_one_is_refused(witness, log):
    submit(witness.address, log.submission(0))
    forked = Log(private=log.private).grow(5, "forked").grow(9)

    answered = submit(witness.address, forked.submission(5))

    assert answered.status == 422
    assert submit(witness.address, log.grow(9).submission(5)).status == 200


def test_a_proof_that_is_too_long_or_short_is_refused(witness, log):
    submit(witness.address, log.submission(0))
    whole = log.grow(9).submission(5)
    old, proof, rest = whole.partition("\n")[0], whole.split("\n")[1], whole.partition("\n\n")[2]

    for hashes in ([], [proof] * 2):
        assert submit(witness.address, "\n".join([old, *hashes, "", rest])).status == 422
    assert submit(witness.address, "\n".join([old, *[proof] * 64, "", rest])).status == 400


def test_a_log_that_is_not_known_is_not_found(witness):
    assert submit(witness.address, Log("other.example/1").grow(2).submission(0)).status == 404


def test_a_head_that_no_known_key_signed_is_forbidden(witness, log):
    another = Ed25519PrivateKey.generate()

    assert submit(witness.address, log.submission(0, signer=another)).status == 403
    changed = log.submission(0).replace("\n5\n", "\n4\n")
    assert submit(witness.address, changed).status == 403


def test_signatures_of_others_below_a_head_are_passed_over(witness, log):
    body = log.submission(0) + f"\N{EM DASH} other.example {b64(bytes(68))}\n"

    assert submit(witness.address, body).status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"old 0\n",
        b"old 00\n\nx",
        b"old -1\n\nx\n1\n\n",
        b"new 0\n\nx",
        b"\xff\xfe",
        b"old 0\nAAAA\n\nx\n",
    ],
)
def test_what_is_no_submission_is_refused(witness, body):
    assert submit(witness.address, body).status == 400


def test_an_old_size_beyond_the_head_is_refused(witness, log):
    assert submit(witness.address, log.submission(7)).status == 400


def test_a_body_beyond_the_limit_is_refused_unread(witness):
    assert submit(witness.address, b"x" * 200_000).status == 400


def test_a_key_that_is_added_to_the_file_counts_from_the_next_request_on(witness, log, tmp_path):
    renewed = Log(leaves=log.leaves)
    assert submit(witness.address, renewed.submission(0)).status == 403

    (tmp_path / "logs.txt").write_text(f"# the plant\n{log.key}\n{renewed.key}\n")

    assert submit(witness.address, renewed.submission(0)).status == 200


def test_what_was_cosigned_is_known_after_the_witness_was_killed(tmp_path, log):
    with running_witness(tmp_path, log.key) as running:
        assert submit(running.address, log.submission(0)).status == 200
        running.process.send_signal(signal.SIGKILL)

    with running_witness(tmp_path, log.key) as again:
        assert submit(again.address, log.submission(0, 3)).text == "5\n"
        assert submit(again.address, log.grow(6).submission(5)).status == 200


def test_of_heads_that_come_at_once_one_is_cosigned_for_each_old_size(witness, log):
    submit(witness.address, log.submission(0))
    bodies = [log.grow(size).submission(5) for size in range(6, 22)]
    found = []
    threads = [
        threading.Thread(target=lambda body=body: found.append(submit(witness.address, body).status))
        for body in bodies
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(found) == [200] + [409] * 15


def test_a_state_that_cannot_be_read_cosigns_nothing(witness, log, tmp_path):
    submit(witness.address, log.submission(0))
    [file] = (tmp_path / "heads").glob("*.head")
    file.write_text("log.example/7\n2\n")

    assert submit(witness.address, log.grow(7).submission(0)).status == 500


def test_the_key_is_made_once_and_read_by_its_owner_alone(witness, tmp_path):
    again, _ = run(
        "key", "--key-file", "key.pem", "--name", "witness.example/one", folder=tmp_path
    ).communicate(timeout=60)

    assert again.strip() == witness.key
    assert stat.S_IMODE((tmp_path / "key.pem").stat().st_mode) == 0o600


def serve(tmp_path, *words):
    process = run("serve", "--key-file", "key.pem", "--name", "witness.example/one", "--port", 0, *words,
                  folder=tmp_path)  # fmt: skip
    _, error = process.communicate(timeout=60)
    return process.returncode, error


def test_a_second_process_or_another_witness_does_not_have_the_folder(witness, log, tmp_path):
    assert "Another process" in serve(tmp_path, "--state", "heads", "--log", log.key)[1]
    witness.process.kill()
    witness.process.wait()
    (tmp_path / "key.pem").unlink()
    run("key", "--key-file", "key.pem", "--name", "witness.example/one", folder=tmp_path).communicate(
        timeout=60
    )

    assert "another witness" in serve(tmp_path, "--state", "heads", "--log", log.key)[1]


@pytest.mark.usefixtures("witness")
def test_what_a_witness_needs_is_said(tmp_path, log):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()

    assert "cannot be opened" in serve(tmp_path, "--state", "missing", "--log", log.key)[1]
    assert "not empty" in serve(tmp_path, "--state", "full", "--log", log.key)[1]
    assert "knows no log" in serve(tmp_path, "--state", "full")[1]
    assert "no verifier key" in serve(tmp_path, "--state", "full", "--log", "plant")[1]


def test_a_folder_that_is_moved_away_is_still_the_memory_of_the_witness(witness, log, tmp_path):
    assert submit(witness.address, log.submission(0)).status == 200
    (tmp_path / "heads").rename(tmp_path / "moved")
    (tmp_path / "heads").mkdir()

    log.grow(7)
    assert submit(witness.address, log.submission(0)).status == 409
    assert submit(witness.address, log.submission(5)).status == 200
    assert not [*(tmp_path / "heads").iterdir()]


def test_a_head_that_was_removed_meanwhile_is_not_begun_anew(witness, log, tmp_path):
    assert submit(witness.address, log.submission(0)).status == 200
    [file] = (tmp_path / "heads").glob("*.head")
    file.unlink()

    assert submit(witness.address, log.submission(0)).status == 500


def test_a_body_without_a_length_of_its_own_is_refused(witness):
    parts = urlsplit(witness.address)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as connection:
        connection.sendall(
            b"POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nContent-Length: 4\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        assert connection.makefile("rb").readline().split()[1] == b"400"


def test_so_many_connections_at_a_time_are_served_and_the_next_is_closed(witness, log):
    parts = urlsplit(witness.address)
    silent = [socket.create_connection((parts.hostname, parts.port), timeout=30) for _ in range(AT_ONCE_MAX)]
    try:
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            submit(witness.address, log.submission(0))
    finally:
        for one in silent:
            one.close()
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        try:
            assert submit(witness.address, log.submission(0)).status == 200
        except (ConnectionError, http.client.HTTPException):
            assert time.monotonic() < deadline
        else:
            return
