"""Pages of gaps, with what fills them and by which rule; evidence, which its form puts to an event."""

import re
from html import unescape

import pytest
from tests.given import collection as given
from tests.given.gaps import filling, report, stack
from tests.given.people import visitor
from tests.given.rule_evaluation import work

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)
BOUNDARY = "a-boundary"


@pytest.fixture
def ada(account):
    return visitor(account)


def words(answer):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.expect(200).text)))


@pytest.fixture
def meter(api, account):
    """Hours of a stack with a bad value and two that lack, which a rule fills with the mean around."""
    project = stack(api)
    rule = filling(api, project, {"method": "mean_before_after"}, name="Mean around", message="By the permit")
    filling(api, project, {"method": "mean_before_after"}, purpose="impute", name="Impute")
    report(api, project, "10 !99 - - 20")
    work(account)
    [kind] = api.get(f"/projects/{project['id']}/event_types").expect(200).data
    return f"/projects/{project['id']}/event_types/{kind['id']}/gaps", rule


def test_a_gap_shows_what_stands_around_and_in_it_and_the_rule_that_filled_it(ada, meter):
    path, rule = meter

    page = words(ada.get(f"{path}?from=2025-01-01T00:00&until=2025-01-01T05:00"))

    assert "1 gap: 2 intervals without data, 3 intervals filled by rules" in page
    assert "3 intervals, 2 missing, 2 imputed, 1 substituted" in page
    assert "mean before after" in page
    assert rule["name"] in page
    assert "By the permit" in page


def test_a_range_that_is_too_long_is_said_in_words(ada, meter):
    path, _ = meter

    assert "longer than 92 days" in words(ada.get(f"{path}?from=2024-01-01T00:00&until=2025-01-01T05:00"))


def test_a_range_without_gaps_says_so(ada, meter):
    path, _ = meter

    page = words(ada.get(f"{path}?from=2025-01-01T00:00&until=2025-01-01T01:00"))

    assert "No gaps in this range" in page


@pytest.fixture
def event(api):
    project = given.measuring(api, given.number("mass"))
    made = given.event(api, project, values={"mass": 1})
    return f"/projects/{project['id']}/events/{made['id']}"


def multipart(ada, name, content, word=None):
    """The body that a browser sends for a file of the form."""
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n'.encode(),
        f"{word or ada.word}\r\n".encode(),
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'.encode(),
        b"Content-Type: application/octet-stream\r\n\r\n" + content + b"\r\n",
        f"--{BOUNDARY}--\r\n".encode(),
    ]
    return b"".join(parts)


def test_a_file_is_attached_by_the_form_and_shown(api, ada, event):
    ada.get(event).expect(200)

    ada.upload(f"{event}/evidences", multipart(ada, "ticket.png", PNG), BOUNDARY).expect(303)

    [found] = api.get(f"{event}/evidences").data
    assert (found["name"], found["size"]) == ("ticket.png", len(PNG))
    page = ada.get(f"{event}/evidences/{found['id']}").expect(200).text
    assert found["sha256"] in page
    sent = ada.get(f"{event}/evidences/{found['id']}/file").expect(200)
    assert sent.headers["content-type"].startswith("image/png")
    assert "sandbox" in sent.headers["content-security-policy"]


def test_a_file_of_no_known_type_is_refused_on_the_page_of_its_event(api, ada, event):
    ada.get(event)

    refused = ada.upload(f"{event}/evidences", multipart(ada, "run.exe", b"MZ"), BOUNDARY)

    assert refused.status in {415, 422}
    assert 'role="alert"' in refused.text
    assert api.get(f"{event}/evidences").data == []


def test_a_file_without_the_word_of_the_session_is_kept_nowhere(server, ada, event):
    ada.get(event)
    before = server.sql("SELECT count(*) FROM evidence")

    ada.upload(f"{event}/evidences", multipart(ada, "ticket.png", PNG, word="0" * 32), BOUNDARY).expect(403)

    assert server.sql("SELECT count(*) FROM evidence") == before


def test_a_link_is_attached_too(api, ada, event):
    ada.get(event)

    ada.post(f"{event}/evidences", {"url": "https://example.org/ticket"}).expect(303)
    assert ada.post(f"{event}/evidences", {"url": ""}).expect(422).text.count("Select a file")

    [found] = api.get(f"{event}/evidences").data
    assert "https://example.org/ticket" in ada.get(f"{event}/evidences/{found['id']}").expect(200).text


def test_who_may_only_read_attaches_nothing(account, event):
    reader = visitor(account, "data_collection:read")

    assert "Attach" not in reader.get(event).expect(200).text
    reader.post(f"{event}/evidences", {"url": "https://example.org"}).expect(403)
