"""Names and links of evidence."""

import pytest

from weighbridge.core.collection.evidence import check_file_name, check_link, remove_path


@pytest.mark.parametrize(
    "link",
    [
        "https://example.org",
        "http://example.org/",
        "HTTPS://Example.org/Report.pdf?from=2025-01-01#page=3",
        "https://example.org:8443/@operator/tickets",
        "http://192.0.2.7/scan",
        "http://[2001:db8::7]:8080/scan",
        "https://waage.münchen.example/wägung",
        "http://intranet/scan?user=a@b",
        "https://example.org?x",
        "https://example.org/" + "x" * 1_980,
    ],
)
def test_a_link_that_leads_to_a_host_is_taken(link):
    assert check_link(link, "evidence.url") == []


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("javascript:alert(1)", "begins with http:// or https://"),
        ("JaVaScRiPt://example.org/%0aalert(1)", "begins with http:// or https://"),
        ("file:///etc/passwd", "begins with http:// or https://"),
        ("ftp://example.org/report", "begins with http:// or https://"),
        ("data:text/html,<script>alert(1)</script>", "begins with http:// or https://"),
        ("//example.org/report", "begins with http:// or https://"),
        ("/report", "begins with http:// or https://"),
        ("example.org", "begins with http:// or https://"),
        ("", "begins with http:// or https://"),
        ("http:example.org", "with a host"),
        ("http://", "with a host"),
        ("https:///report", "with a host"),
        ("https://?x", "with a host"),
        ("https://:443/", "with a host"),
        ("https://example.org:65536/", "with a host"),
        ("https://example.org:port/", "with a host"),
        ("https://-/", "with a host"),
        ("https://exa%6dple.org/", "with a host"),
        ("http://user:pw@example.org/", "a user or a password"),
        ("http://user@example.org/", "a user or a password"),
        ("http://@example.org/", "a user or a password"),
        ("http://example.org\\@other.example/", "a space or a backslash"),
        (" https://example.org", "a space or a backslash"),
        ("https://example.org/a b", "a space or a backslash"),
        ("https://example.org/\u00a0", "a space or a backslash"),
        ("java\nscript:alert(1)", "U+000A"),
        ("https://example.org/\r\nSet-Cookie: x", "U+000D"),
        ("https://example.org/\x00", "U+0000"),
        ("https://example.org/\u202efdp.exe", "U+202E"),
        ("https://example.org/" + "x" * 1_981, "2,001 characters"),
    ],
)
def test_a_link_that_leads_nowhere_or_too_far_is_refused(link, said):
    [problem] = check_link(link, "evidence.url")

    assert said in problem.message
    assert (problem.field, problem.code) == ("evidence.url", "invalid")


@pytest.mark.parametrize(
    "name", ["x", "Lieferschein 4711.pdf", "木材 👩‍🌾.csv", ".hidden.txt", "ß" * 255, "50 % CO₂ (a/b)"]
)
def test_a_name_of_one_visible_line_is_taken(name):
    assert check_file_name(name, "name") == []


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "required"),
        ("  ", "required"),
        (".", "required"),
        ("..", "required"),
        ("\t", "required"),
        ("ß" * 256, "invalid"),
        ("a\nb.pdf", "invalid"),
        ("a\x00.pdf", "invalid"),
        ("a\x7f", "invalid"),
        ("a\u0085b", "invalid"),
        ("a\u2028b", "invalid"),
        ("report\u202efdp.exe", "invalid"),
        ("\ud800", "invalid"),
    ],
)
def test_a_name_that_is_empty_too_long_or_not_one_visible_line_is_refused(name, code):
    [problem] = check_file_name(name, "name")

    assert (problem.field, problem.code) == ("name", code)


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("../../x", "x"),
        ("/etc/passwd", "passwd"),
        ("C:\\Users\\me\\scan.pdf", "scan.pdf"),
        ("..\\..\\x", "x"),
        ("scan.pdf", "scan.pdf"),
        ("folder/", ""),
        ("..", ".."),
        ("a / b.txt", "b.txt"),
    ],
)
def test_of_a_path_only_the_last_part_is_the_name(sent, name):
    assert remove_path(sent) == name
