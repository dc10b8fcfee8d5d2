"""What a file is, by its name and its content."""

import struct
import zipfile
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collection.evidence import files

from weighbridge.core.collection.evidence import FILE_TYPES, TAIL_BYTES, find_type, has_controls


def fits(name: str, content: bytes) -> bool:
    named = find_type(name)
    assert named is not None
    return named.fits(content[:4_096], content[-TAIL_BYTES:])


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.pdf", files.PDF, "application/pdf"),
        ("A.PDF", files.PDF, "application/pdf"),
        ("a.png", files.PNG, "image/png"),
        ("a.jpg", files.JPEG, "image/jpeg"),
        ("a.jpeg", files.JPEG, "image/jpeg"),
        ("a.webp", files.WEBP, "image/webp"),
        ("a.csv", files.CSV, "text/csv"),
        ("a.csv", b"x", "text/csv"),
        ("a.txt", files.TXT, "text/plain"),
        ("a.txt", b"weight < 5 t\n", "text/plain"),
        ("a.json", files.JSON, "application/json"),
        ("a.b.xlsx", files.XLSX, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ],
)
def test_a_file_is_what_its_name_and_its_content_say(name, content, media_type):
    assert find_type(name).media_type == media_type
    assert fits(name, content)


@pytest.mark.parametrize(
    "name", ["a.html", "a.svg", "a.exe", "a.xlsm", "a.zip", "a.pdf.js", "a", "", "pdf", "a.pdf "]
)
def test_other_names_stand_for_no_file_that_is_kept(name):
    assert find_type(name) is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pdf", files.HTML),
        ("a.pdf", b" " + files.PDF),
        ("a.pdf", files.PE),
        ("a.png", files.JPEG),
        ("a.jpg", files.SVG),
        ("a.webp", b"RIFF\x24\x00\x00\x00WAVEfmt "),
        ("a.csv", files.PDF + b"\x00"),
        ("a.csv", files.HTML),
        ("a.txt", files.SVG),
        ("a.txt", b"\xef\xbb\xbf \n<html>"),
        ("a.txt", b"<?xml ?>"),
        ("a.txt", b"#!/bin/sh\nrm -rf ~\n"),
        ("a.txt", files.ELF),
        ("a.csv", files.PE),
        ("a.txt", b"\x1b[2J"),
        ("a.txt", "Waage".encode("utf-16")),
        ("a.json", b"alert(1)"),
        ("a.json", b"<html>"),
        ("a.json", b""),
        ("a.xlsx", files.DOCX),
        ("a.xlsx", files.XLSX_WITH_MACROS),
        ("a.xlsx", files.XLSX_WITH_MACROS.replace(b"vbaProject.bin", b"vbaProject.BIN")),
        ("a.xlsx", files.XLSX_WITH_MACROS.replace(b"vbaProject.bin", b"VBAPROJECT.bin")),
        ("a.xlsx", files.XLSX_WITH_MACROS.replace(b"xl/vbaProject.bin", b"xl/macrosheets/s1")),
        ("a.xlsx", files.PDF),
        ("a.xlsx", b"PK\x03\x04[Content_Types].xml xl/workbook.xml"),
        ("a.xlsx", files.XLSX[:-30]),
    ],
)
def test_a_file_under_a_name_of_another_type_is_seen_through(name, content):
    assert not fits(name, content)


def test_a_workbook_is_known_however_long_its_content_is():
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as made:
        for name in ("xl/workbook.xml", "[Content_Types].xml"):
            made.writestr(name, "<x/>")
        made.writestr("xl/media/scan.png", bytes(3_000_000))
        made.comment = b"c" * 65_535

    assert fits("a.xlsx", written.getvalue())


def test_a_list_of_entries_that_says_a_wrong_size_is_no_workbook():
    end = files.XLSX.rindex(b"PK\x05\x06")
    for size in (0, 7, 2**31, 2**32 - 1):
        broken = files.XLSX[: end + 12] + struct.pack("<L", size) + files.XLSX[end + 16 :]
        assert not fits("a.xlsx", broken)


@given(st.binary(max_size=400), st.sampled_from([one.extensions[0] for one in FILE_TYPES]))
def test_any_content_is_answered(noise, extension):
    for content in (noise, b"PK\x03\x04" + noise, files.XLSX[:200] + noise + files.XLSX[200:]):
        assert fits("a" + extension, content) in {True, False}


@given(st.text(alphabet=st.characters(blacklist_categories=["Cc", "Cs"]) | st.sampled_from("\t\r\n")))
def test_no_visible_text_has_controls(text):
    assert not has_controls(text.encode())


@pytest.mark.parametrize(
    ("name", "saved_as"),
    [
        ("Ticket.pdf", "Ticket.pdf"),
        ("Ticket.PDF", "Ticket.PDF"),
        ("Ticket", "Ticket.pdf"),
        ("Ticket.html", "Ticket.html.pdf"),
        ("Ticket.pdf.exe", "Ticket.pdf.exe.pdf"),
        ("Ticket.", "Ticket..pdf"),
    ],
)
def test_a_copy_ends_in_the_extension_of_its_type(name, saved_as):
    assert find_type("a.pdf").name_of(name) == saved_as
