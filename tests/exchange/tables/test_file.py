"""Rows of a CSV file and the lines they stand on."""

import gzip
import hashlib
from pathlib import Path

import pytest

from weighbridge.errors import Refusal
from weighbridge.exchange.tables.table import CsvFile, content_sha256, open_csv


@pytest.fixture
def written(tmp_path):
    """Writes a file and says how to read it."""

    def write(content, **form):
        path = tmp_path / "log.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return CsvFile(path, **form)

    return write


def rows(file):
    with open_csv(file) as pass_:
        return [tuple(row) for row in pass_.rows]


def complaint(file):
    with pytest.raises(Refusal) as refused:
        rows(file)
    return str(refused.value).replace(str(file.path), "LOG")


def test_a_row_is_known_by_the_line_on_which_it_begins(written):
    assert rows(written('a,b\n1,2\n"two\nlines",3\n4,5\n')) == [
        (2, ["1", "2"]),
        (3, ["two\nlines", "3"]),
        (5, ["4", "5"]),
    ]


def test_blank_lines_at_the_end_are_no_rows_and_those_before_a_row_are_told(written):
    assert rows(written("a\n1\n\n2\n\n\n")) == [(2, ["1"]), (3, []), (4, ["2"])]


def test_lines_may_end_as_any_system_ends_them(written):
    assert rows(written("a,b\r\n1,2\r\n")) == [(2, ["1", "2"])]


def test_a_gzipped_file_is_known_by_its_content(written):
    plain = b"a\n1\n"

    file = written(gzip.compress(plain, mtime=0))

    assert rows(file) == [(2, ["1"])]
    assert content_sha256(file) == hashlib.sha256(plain).hexdigest()


def test_names_lose_the_mark_and_the_spaces_around_them(written):
    with open_csv(written(b"\xef\xbb\xbf a , b\n")) as pass_:
        assert pass_.header == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "The file LOG is empty; its first line must name the columns."),
        ('a\n"1\n', "Line 2 of LOG is not readable as CSV: unexpected end of data."),
        ('a\n"1"2\n', "Line 2 of LOG is not readable as CSV: ',' expected after '\"'."),
        (b"PK\x03\x04", "The file LOG is a ZIP archive or a workbook; save it as CSV first."),
        (
            gzip.compress(b"a\n1\n", mtime=0)[:-9],
            "The file LOG cannot be read: Compressed file ended before the end-of-stream marker was reached.",
        ),
    ],
)
def test_a_file_that_cannot_be_read_says_why(written, content, said):
    assert complaint(written(content)) == said


def test_a_file_in_another_encoding_asks_for_its_name(written):
    assert complaint(written(b"a\n\xfc\n")) == (
        "The file LOG is not in utf-8 (byte 0xfc soon after line 1); name its encoding (encoding of a data "
        "feed, --encoding of an import), such as windows-1252."
    )


def test_a_file_in_utf_16_is_told_as_one(written):
    file = "a\n1\n".encode("utf-16")

    assert complaint(written(file)).endswith("utf-16, by which its first bytes say it is written.")
    assert rows(written(file, encoding="utf-16")) == [(2, ["1"])]


def test_a_file_that_ends_above_its_header_says_where_that_was_to_stand(written):
    assert complaint(written("Export\n", header_line=3)) == (
        "The file LOG has nothing on line 3 or below it, where the columns must be named."
    )


def test_an_encoding_that_does_not_exist_is_named(written):
    assert complaint(written("a\n", encoding="latin-99")) == (
        "'latin-99' is not an encoding; examples are utf-8 and windows-1252."
    )
    assert complaint(written("a\n", encoding="base64")).startswith("'base64' is not an encoding")


def test_a_folder_is_no_file(tmp_path):
    assert complaint(CsvFile(Path(tmp_path))) == "The file LOG cannot be read: Is a directory."


def test_a_file_of_hardly_anything_but_blank_lines_is_refused(written):
    file = written("a\n1\n" + "\n" * 1_000_001 + "2\n")

    with open_csv(file) as read, pytest.raises(Refusal, match="more than 1,000,000 blank lines"):
        list(read.rows)
