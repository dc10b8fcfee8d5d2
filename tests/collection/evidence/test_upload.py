"""POST /events/{event_id}/evidence: a file, as multipart/form-data."""

import hashlib
import re

import pytest
from tests.collection.evidence import files

from weighbridge.core.collection.evidence import EVIDENCE_BYTES_MAX

UNREADABLE = "The body is not a form that can be read"
TYPES = ("type", "evidence_type")
FORM = {"content-type": "multipart/form-data; boundary=edge"}


def part(name, content, filename=None):
    named = f'; filename="{filename}"' if filename is not None else ""
    return (
        f'--edge\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'.encode() + content + b"\r\n"
    )


def form(*parts):
    return b"".join(parts) + b"--edge--\r\n"


@pytest.fixture
def kept(server):
    """The keys of all files in the store."""
    return lambda: {path.name for path in (server.folder / "evidence").iterdir()}


def test_a_file_is_attached_with_its_size_type_and_digest(api, server, path, place):
    made = api.upload(path, "Ticket.pdf", files.PDF).expect(201).body

    assert made == {
        "id": made["id"],
        "type": "file",
        "url": f"{server.address}/api/v1{place}/{made['id']}/file",
        "name": "Ticket.pdf",
        "size": 77,
        "content_type": "application/pdf",
        "sha256": "4f0721b2855d0ba9449d707e357a71b818155573a87bd0b3bb57f66627230175",
    }


@pytest.mark.parametrize(
    "sent",
    [
        ("a.png", files.PNG, "image/png"),
        ("a.JPG", files.JPEG, "image/jpeg"),
        ("a.webp", files.WEBP, "image/webp"),
        ("a.csv", files.CSV, "text/csv"),
        ("a.txt", files.TXT, "text/plain"),
        ("a.json", files.JSON, "application/json"),
        ("a.xlsx", files.XLSX, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ],
)
def test_each_kind_of_file_comes_back_byte_by_byte(api, path, place, sent):
    name, content, kind = sent
    made = api.upload(path, name, content).expect(201).body

    answer = api.get(f"{place}/{made['id']}/file").expect(200)

    assert answer.content == content
    assert answer.headers["content-type"] == kind
    assert made["sha256"] == hashlib.sha256(content).hexdigest()


def test_the_largest_file_that_is_taken_comes_back_byte_by_byte(api, path, place):
    content = files.PDF + b"\r\n--edge\r\n" * 10
    content += bytes(EVIDENCE_BYTES_MAX - len(content))

    made = api.upload(path, "scan.pdf", content).expect(201).body

    assert made["size"] == EVIDENCE_BYTES_MAX == 25 * 1024 * 1024
    assert api.get(f"{place}/{made['id']}/file").expect(200).content == content


@pytest.mark.parametrize("more", [1, 200_000], ids=["by a byte", "beyond any form"])
def test_a_file_over_the_limit_is_refused_and_nothing_is_kept(api, path, place, kept, more):
    before = kept()

    error = api.upload(path, "scan.pdf", files.PDF + bytes(EVIDENCE_BYTES_MAX - 77 + more)).expect(413).error

    assert error["message"] == "The file has more than 26,214,400 bytes, the most that is taken."
    assert api.get(place).data == []
    assert kept() == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.html", files.HTML),
        ("drawing.svg", files.SVG),
        ("setup.exe", files.PE),
        ("run.sh", b"#!/bin/sh\n"),
        ("macros.xlsm", files.XLSX_WITH_MACROS),
        ("letter.docx", files.DOCX),
        ("no-extension", files.PDF),
    ],
)
def test_a_file_of_another_kind_is_refused_with_the_kinds_that_are_taken(api, path, kept, name, content):
    before = kept()

    error = api.upload(path, name, content).expect(415).error

    assert error["field"] == "file"
    assert "Files end in one of .pdf, .png, .jpeg, .jpg, .webp, .csv, .xlsx, .txt, .json" in error["message"]
    assert kept() == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("report.pdf", files.HTML),
        ("photo.png", files.SVG),
        ("table.csv", files.HTML),
        ("setup.pdf", files.PE),
        ("log.txt", files.ELF),
        ("late.txt", b"x" * 2_000_000 + b"\x00"),
        ("book.xlsx", files.XLSX_WITH_MACROS),
    ],
)
def test_a_file_whose_content_is_not_what_its_name_says_is_refused(api, path, name, content):
    error = api.upload(path, name, content).expect(415).error

    assert error["message"].startswith(f"'{name}' is named as ")
    assert "its content is not one" in error["message"]


def test_the_type_that_a_client_claims_changes_nothing(api, path):
    body = form(part("file", files.HTML, 'x.pdf"\r\nContent-Type: "application/pdf'))

    api.send("POST", path, content=body, headers=FORM).expect(415)


def test_a_file_that_is_a_pdf_and_a_page_too_is_handed_out_as_an_attachment_in_a_sandbox(api, path, place):
    made = api.upload(path, "report.pdf", files.POLYGLOT, name="report.html").expect(201).body

    headers = api.get(f"{place}/{made['id']}/file").expect(200).headers

    assert headers["content-type"] == "application/pdf"
    assert headers["content-disposition"].startswith('attachment; filename="report.html.pdf"')
    assert headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("../../x.pdf", "x.pdf"),
        ("/etc/cron.d/x.pdf", "x.pdf"),
        ("C:\\scans\\x.pdf", "x.pdf"),
        ("..\\x.pdf", "x.pdf"),
        ("Lieferschein Größe XL.pdf", "Lieferschein Größe XL.pdf"),
        ("木材 👩‍🌾.pdf", "木材 👩‍🌾.pdf"),
    ],
)
def test_a_file_keeps_its_name_and_loses_its_path(api, path, kept, sent, name):
    before = kept()

    assert api.upload(path, sent, files.PDF).expect(201).body["name"] == name
    [key] = kept() - before
    assert re.fullmatch("[0-9a-f]{32}", key)


@pytest.mark.parametrize("name", ["ü" * 296 + ".pdf", "a\nb.pdf", "a\r\nb.pdf", "\u202efdp.pdf"], ids=repr)
def test_a_name_that_is_too_long_or_not_one_line_is_refused(api, path, name):
    error = api.upload(path, name, files.PDF).expect(422).error

    assert (error["field"], error["code"]) == ("name", "invalid")


def test_a_file_may_be_called_otherwise_than_it_comes(api, path):
    made = api.upload(path, "scan0001.pdf", files.PDF, name="Ticket 4711").expect(201).body

    assert made["name"] == "Ticket 4711"
    assert made["content_type"] == "application/pdf"


def test_a_name_with_a_path_is_refused_when_nothing_is_left_of_it(api, path):
    error = api.upload(path, "scan.pdf", files.PDF, name="../..").expect(422).error

    assert (error["field"], error["code"]) == ("name", "required")


@pytest.mark.parametrize("odd", ["\t", "\x00", "\x1b", "\x7f"], ids=repr)
def test_a_name_with_a_raw_control_character_is_refused(api, path, odd):
    body = form(part("file", files.PDF, f"a{odd}b.pdf"))

    assert api.send("POST", path, content=body, headers=FORM).expect(422).error["field"] == "name"


def test_an_empty_file_is_refused(api, path):
    error = api.upload(path, "empty.txt", b"").expect(422).error

    assert error["message"] == "The file is empty."


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (form(part("name", b"x")), "file is required."),
        (form(part("file", files.PDF)), "file comes without the name of a file."),
        (
            form(part("file", files.PDF, "a.pdf"), part("file", files.PDF, "b.pdf")),
            "file is given twice; it takes file",
        ),
        (form(part("document", files.PDF, "a.pdf")), "document is not a part of this form; it takes file"),
        (
            form(part("name", b"x" * 8_193), part("file", files.PDF, "a.pdf")),
            "name is longer than 8,192 bytes.",
        ),
        (form(part("name", b"\xff"), part("file", files.PDF, "a.pdf")), "name is not UTF-8."),
        (
            form(part("file", files.PDF, "a.pdf"), part("name", b"x"), part("name", b"y")),
            "name is given twice; it takes file",
        ),
        (
            form(part("file", files.PDF, "a.pdf"), *(part(name, b"file") for name in ("name", *TYPES, "x"))),
            UNREADABLE,
        ),
        (form(part("file", files.PDF, "a.pdf"))[:-12], UNREADABLE),
        (form(), "file is required."),
        (b"", UNREADABLE),
        (
            b"--edge\r\nContent-Disposition: form-data\r\n\r\nx\r\n--edge--\r\n",
            "A part without a name is not a part",
        ),
        (b"--edge\r\n" + b"X: y\r\n" * 9 + b"\r\n\r\n--edge--", UNREADABLE),
    ],
)
def test_a_form_of_the_wrong_shape_is_refused(api, path, place, body, said):
    error = api.send("POST", path, content=body, headers=FORM).expect(400).error

    assert said in error["message"]
    assert api.get(place).data == []


def test_a_form_without_a_boundary_is_refused(api, path):
    headers = {"content-type": "multipart/form-data"}

    error = api.send("POST", path, content=form(), headers=headers).expect(400).error

    assert error["message"] == "The content type names no boundary between the parts of the form."


def test_a_request_that_is_refused_leaves_no_file_behind(api, stranger, account, path, kept):
    before = kept()

    stranger.upload(path, "a.pdf", files.PDF).expect(404)
    account.caller("data_collection:read").upload(path, "a.pdf", files.PDF).expect(403)
    api.upload("/events/evt_000000000000000000000000/evidence", "a.pdf", files.PDF).expect(404)

    assert kept() == before


def test_the_audit_has_the_digest_of_the_file(api, account, path, sql):
    made = api.upload(path, "a.pdf", files.PDF).expect(201).body

    [(after,)] = sql("SELECT after FROM audit_log WHERE account_id = %s ORDER BY id DESC LIMIT 1", account.id)

    assert after == made | {"url": made["url"].partition("/api")[1] + made["url"].partition("/api")[2]}


def test_a_repeated_upload_with_a_key_attaches_once_whatever_its_boundary(api, path, place):
    bodies = [
        form(part("file", files.PDF, "a.pdf")),
        form(part("file", files.PDF, "a.pdf")).replace(b"edge", b"other"),
    ]

    first, second = (
        api.send(
            "POST",
            path,
            content=body,
            headers={
                "content-type": f"multipart/form-data; boundary={boundary}",
                "idempotency-key": "scan-1",
            },
        ).expect(201)
        for body, boundary in zip(bodies, ("edge", "other"), strict=True)
    )

    assert first.body == second.body
    assert api.get(place).data == [first.body]


def test_a_key_that_stood_for_another_file_is_refused(api, path):
    headers = FORM | {"idempotency-key": "scan-1"}
    api.send("POST", path, content=form(part("file", files.PDF, "a.pdf")), headers=headers).expect(201)

    api.send("POST", path, content=form(part("file", files.TXT, "a.txt")), headers=headers).expect(422)


def test_the_same_file_may_be_attached_twice(api, path, place):
    first, second = (api.upload(path, "a.pdf", files.PDF).expect(201).body for _ in range(2))

    assert first["id"] != second["id"]
    assert first["sha256"] == second["sha256"]
    assert len(api.get(place).data) == 2


def test_the_parts_of_a_form_may_be_wrapped_as_those_of_json_are(api, path):
    body = form(
        part("evidence[evidence_type]", b"file"),
        part("evidence[name]", b"Ticket 4711.pdf"),
        part("evidence[file]", files.PDF, "scan.pdf"),
    )

    made = api.send("POST", path, content=body, headers=FORM).expect(201).body

    assert (made["type"], made["name"], made["size"]) == ("file", "Ticket 4711.pdf", 77)


@pytest.mark.parametrize("name", ["type", "evidence_type", "evidence[type]"])
def test_a_form_brings_a_file_and_says_nothing_else(api, path, kept, name):
    before = kept()
    body = form(part(name, b"url"), part("file", files.PDF, "scan.pdf"))

    error = api.send("POST", path, content=body, headers=FORM).expect(422).error

    assert (error["field"], error["code"]) == (name.removeprefix("evidence[").rstrip("]"), "invalid")
    assert kept() == before


def test_a_part_comes_once_wrapped_or_not(api, path):
    body = form(part("file", files.PDF, "a.pdf"), part("evidence[file]", files.PDF, "b.pdf"))

    error = api.send("POST", path, content=body, headers=FORM).expect(400).error

    assert error["message"].startswith("file is given twice")
