"""GET /projects/{project_id}/events/{event_id}/evidences/{evidence_id}/file."""

import re
import socket
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st
from tests.collection.evidence import files
from tests.given import collection as given
from tests.server import Caller

from weighbridge.http.messages.operation import disposition


@pytest.fixture
def download(api, place):
    return lambda made: api.get(f"{place}/{made['id']}/file")


@pytest.fixture
def stored(server, sql):
    """The file in the store that holds a piece of evidence."""

    def find(made):
        [(key,)] = sql("SELECT storage_key FROM evidence WHERE id = %s", made["id"])
        return server.folder / "evidence" / key

    return find


def test_a_download_is_an_attachment_that_no_browser_renders(api, path, download):
    answer = download(api.upload(path, "Ticket.pdf", files.PDF).body).expect(200)

    assert answer.content == files.PDF
    assert {name: answer.headers[name] for name in (
        "content-type", "content-length", "content-disposition", "x-content-type-options",
        "content-security-policy", "cache-control",
    )} == {
        "content-type": "application/pdf",
        "content-length": "77",
        "content-disposition": "attachment; filename=\"Ticket.pdf\"; filename*=UTF-8''Ticket.pdf",
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
        "cache-control": "private",
    }  # fmt: skip


def test_the_url_of_a_file_leads_to_it(api, path, server):
    made = api.upload(path, "Ticket.pdf", files.PDF).body

    below_prefix = made["url"].removeprefix(f"{server.address}/api/v1")

    assert api.get(below_prefix).expect(200).content == files.PDF


def test_the_text_types_claim_no_encoding(api, path, download):
    answer = download(api.upload(path, "a.csv", files.CSV).body).expect(200)

    assert answer.headers["content-type"] == "text/csv"
    assert answer.content == files.CSV


def test_a_name_in_any_script_is_sent_in_both_forms(api, path, download):
    made = api.upload(path, 'Prüf % "木".pdf', files.PDF).body

    assert download(made).headers["content-disposition"] == (
        'attachment; filename="Pr_f _ ___.pdf"; '
        "filename*=UTF-8''Pr%C3%BCf%20%25%20%22%E6%9C%A8%22.pdf"
    )  # fmt: skip


@given_any(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=255))
def test_any_name_is_read_back_from_the_header(name):
    header = disposition(name)

    plain, extended = re.fullmatch(
        """attachment; filename="([^"\\\\]*)"; filename\\*=UTF-8''(.*)""", header
    ).groups()

    assert len(plain) == len(name)
    assert re.fullmatch("[A-Za-z0-9!#$&+.^_`|~%-]*", extended)
    assert unquote(extended) == name


def test_a_link_is_no_file(api, path, download):
    made = api.post(path, {"evidence": {"type": "url", "url": "https://example.org", "name": "Report"}}).body

    assert download(made).expect(404).error["message"] == "record not found"


@pytest.mark.parametrize(
    "tampered",
    [files.PDF.replace(b"1", b"2"), files.PDF + b"\n", files.PDF[:-1], b""],
    ids=["changed", "longer", "shorter", "emptied"],
)
def test_a_file_that_was_changed_in_the_store_is_not_handed_out(api, path, download, stored, tampered):
    made = api.upload(path, "Ticket.pdf", files.PDF).body
    stored(made).write_bytes(tampered)

    answer = download(made).expect(500)

    assert answer.error["message"] == (
        "The file in the store is not the one that was attached; it is not handed out."
    )
    assert answer.headers["content-type"] == "application/json"


def test_a_file_that_is_gone_from_the_store_is_said_to_be(api, path, download, stored):
    made = api.upload(path, "Ticket.pdf", files.PDF).body
    stored(made).unlink()

    assert (
        download(made).expect(500).error["message"] == "The file is missing from the store of evidence files."
    )


def test_while_the_store_is_away_files_wait_and_evidence_is_still_listed(api, server, path, place, download):
    made = api.upload(path, "Ticket.pdf", files.PDF).body
    folder = server.folder / "evidence"
    folder.rename(server.folder / "away")
    folder.write_bytes(b"")
    try:
        answers = [download(made), api.upload(path, "Ticket.pdf", files.PDF)]
        listed = api.get(place).data
    finally:
        folder.unlink()
        (server.folder / "away").rename(folder)

    for answer in answers:
        assert answer.expect(503).headers["retry-after"] == "2"
        assert (
            answer.error["message"]
            == "The store of evidence files cannot be reached just now; try again shortly."
        )
    assert listed == [made]
    assert download(made).expect(200).content == files.PDF


LARGE = b"a,b\n" + b"1,2\n" * 2_000_000
READERS = 4


def test_files_that_nobody_reads_are_let_go_and_an_account_has_only_so_many_on_their_way(server, account):
    with server.again(answer_stalled_seconds=3, data_dir=server.folder) as service:
        caller = Caller(service, account.caller().token)
        place, made = large_file(caller)
        with ExitStack() as readers:
            for _ in range(READERS):
                readers.enter_context(unread(service, caller, f"{place}/{made['id']}/file"))

            until(lambda: spools_open() == READERS)
            refused = caller.get(f"{place}/{made['id']}/file").expect(429)
            until(lambda: spools_open() == 0)

        assert refused.error["code"] == "too_many_downloads"
        assert refused.headers["retry-after"] == "2"
        assert caller.get(f"{place}/{made['id']}/file").expect(200).content == LARGE


def large_file(caller):
    """A file of eight megabytes, and the path below which it is."""
    project = given.measuring(caller, given.number("mass"))
    event = given.event(caller, project, values={"mass": 1})
    made = caller.upload(f"/events/{event['id']}/evidence", "a.csv", LARGE).expect(201).body
    return f"/projects/{project['id']}/events/{event['id']}/evidences", made


@contextmanager
def unread(service, caller, path):
    """A reader who asks for a file and takes nothing of it."""
    host, port = service.address.removeprefix("http://").split(":")
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        reader.connect((host, int(port)))
        head = f"GET /api/v1{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {caller.token}\r\n\r\n"
        reader.sendall(head.encode())
        yield


def until(condition):
    """Wait until it is so."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def spools_open():
    """Files without a name that this process has open, and that hold a whole file of evidence."""
    sizes = []
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if handle.readlink().name.endswith("(deleted)"):
                sizes.append(handle.stat().st_size)
    return sizes.count(len(LARGE))
