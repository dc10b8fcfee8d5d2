"""The guides are served beside the interface that they explain, and linked from where they help."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX
from weighbridge.http.messages import edge
from weighbridge.http.openapi import document as openapi
from weighbridge.http.openapi import page as docs
from weighbridge.http.openapi import site

LINK = re.compile(r"\]\(([^)\s]+)\)")
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi.document(SLICES, API_PREFIX)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient[Litestar]]:
    app = Litestar(docs.routes(SLICES, API_PREFIX), openapi_config=None, exception_handlers=edge.HANDLERS)
    with TestClient(app) as client:
        yield client


def test_the_document_links_guides_that_the_service_has(client, document):
    linked = set(LINK.findall(document["info"]["description"]))
    linked |= {address for one in document["tags"] for address in LINK.findall(one["description"])}

    assert {f"/docs/guides/reference/{one}-language.md" for one in ("model", "rule")} <= linked
    assert "/docs/guides/README.md" in linked
    for address in linked:
        answer = client.get(address)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/markdown; charset=utf-8")


def test_every_operation_leads_to_what_the_guide_says_of_it(client, document):
    text = client.get("/docs/guides/reference/operations.md").text
    told = {
        f"{site.GUIDE}{site.OPERATIONS}#{name.replace('_', '-')}"
        for name in re.findall(r"^### (\w+)$", text, re.MULTILINE)
    }

    operations = [one for path in document["paths"].values() for one in path.values() if "operationId" in one]
    assert {LINK.findall(one["description"])[-1] for one in operations} == told


def test_guides_are_named_for_tags_that_there_are(document):
    named = {tag["name"] for tag in document["tags"]}
    assert set(site.OF_TAG) <= named


def test_every_link_of_every_guide_leads_to_a_guide(client):
    seen, rest = set(), {"/docs/guides/README.md"}
    while rest:
        page = rest.pop()
        seen.add(page)
        answer = client.get(page)
        assert answer.status_code == 200, page
        linked = {urljoin(page, one).partition("#")[0] for one in LINK.findall(answer.text)}
        rest |= linked - seen
    assert len(seen) > 20


def test_a_browser_is_shown_the_page_and_everyone_else_gets_the_text_of_a_guide(client):
    address = "/docs/guides/reference/rule-language.md"
    shown, told = client.get(address, headers=BROWSER), client.get(address)
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    assert "content-security-policy" in shown.headers
    assert told.text.startswith("<!-- Made by `make docs`")
    assert "# The rule language" in told.text
    assert shown.headers["vary"] == told.headers["vary"] == "Accept"


def test_the_path_of_all_guides_leads_to_their_list(client):
    answer = client.get("/docs/guides", follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (302, "/docs/guides/README.md")


def test_nothing_but_guides_is_served_below_their_path(client):
    for path in ("reference/openapi.json", "reference", "howto/none.md", "../docs.html", "%2e%2e/README.md"):
        answer = client.get(f"/docs/guides/{path}")
        assert answer.status_code == 404
        assert [one["code"] for one in answer.json()["errors"]] == ["no_such_path"]
