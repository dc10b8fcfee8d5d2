"""The guide at /guide: built from documents, read and searched in a browser under the service's policy."""

import re
from urllib.parse import urlencode, urljoin, urlsplit

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from tests.browser.chromium import chromium
from tests.browser.site import refuse_sideways, refuse_violations
from tools.site.build import build
from tools.site.source import DOCS, page_of

from weighbridge.http.messages import edge
from weighbridge.http.openapi import site

ORIGIN = "http://guide.test"
BELOW = "/plants/weighbridge"
"""Where a proxy has the service that has no name of its own."""

README = """\
# Documentation

Read the [change log](../CHANGELOG.md).

## How to

- [Weigh](howto/weigh.md)

## Reference

- [Operations](reference/operations.md)
- [Glossary](reference/glossary.md)

## Decisions

- [Hoppers](decisions/0001-hoppers.md)
"""
WEIGH = """\
# Weigh a truck

| What | How much |
| --- | --- |
| empty | 12.5 t |

Ask for `GET /ledgers/{id}`, or [all pages](../README.md). A hopper has no tare.
The day ends at 24:00.

```sh
curl -s http://127.0.0.1:8080/api/v1/ledgers   # a remark
```
"""
OPERATIONS = """\
# Operations

## Ledgers

### get_ledger

`GET /api/v1/ledgers/{ledger_id}`: Read one ledger. See [Weigh](../howto/weigh.md#weigh-a-truck).
"""

GLOSSARY = """\
# Glossary

| Word | Meaning | Standard |
|---|---|---|
| hopper | A funnel. | silo (ISO 1); identifier |

## Words of others

| Others say | These pages say |
|---|---|
| lorry, heavy goods vehicle | truck |
"""
DECISION = """\
# 1. Hoppers are weighed at 24:00

A hopper, a hopper and once more a hopper.
"""


def written(folder, **changed):
    """A few documents in a folder."""
    texts = {"README": README, "howto/weigh": WEIGH, "reference/operations": OPERATIONS}
    texts |= {"reference/glossary": GLOSSARY, "decisions/0001-hoppers": DECISION} | changed
    for name, text in texts.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    problems = build(folder / "site", written(folder / "docs"))
    assert not problems, "\n".join(problems)
    return folder / "site"


def served(folder):
    app = Litestar(site.routes(folder), openapi_config=None, exception_handlers=edge.HANDLERS)
    return TestClient(app, base_url=ORIGIN)


@pytest.fixture(scope="module")
def client(built):
    with served(built) as client:
        yield client


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def page(client, browser):
    """A page that is answered by the service alone; whatever else it asks for is noted as wrong."""
    wrong = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    answer_alone(page, client, wrong)
    page.on("console", lambda said: wrong.append(said.text) if said.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    assert not wrong, "\n".join(wrong)


def answer_alone(page, client, wrong):
    """Have the service answer all that a page asks for, at the root or below a path of a proxy."""

    def answer(route):
        asked = urlsplit(route.request.url)
        if f"{asked.scheme}://{asked.netloc}" != ORIGIN:
            wrong.append(f"asks {route.request.url}")
            route.abort()
            return
        given = client.get(asked.path.removeprefix(BELOW), follow_redirects=False)
        route.fulfill(status=given.status_code, headers=dict(given.headers), body=given.content)

    page.route("**/*", answer)


@pytest.mark.parametrize(("asked", "location"), [("/guide", "guide/index.html"), ("/guide/", "index.html")])
def test_the_start_leads_to_the_first_page(client, asked, location):
    answer = client.get(asked, follow_redirects=False)

    assert (answer.status_code, answer.headers["location"]) == (302, location)
    first = client.get("/guide/index.html")
    assert first.headers["content-type"] == "text/html; charset=utf-8"
    assert first.headers["content-security-policy"] == site.CONTENT_SECURITY_POLICY
    again = client.get("/guide/index.html", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304


def test_no_page_has_a_script_a_style_or_a_file_of_another_host_in_it(built):
    for path in built.rglob("*.html"):
        text = path.read_text()
        assert not re.findall(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", text), path
        assert not re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"(?:https?:)?//", text), path


def test_a_guide_and_the_operations_that_it_names_lead_to_each_other_and_to_the_interface(client):
    weigh, operations = (
        client.get(f"/guide/{name}.html").text for name in ("howto/weigh", "reference/operations")
    )

    assert 'href="../reference/operations.html#get-ledger"' in weigh
    assert 'id="get-ledger"' in operations
    assert 'href="../howto/weigh.html#weigh-a-truck"' in operations
    assert 'href="../../docs#tag/ledgers/GET/api/v1/ledgers/{ledger_id}"' in operations
    assert site.operation_address("get_ledger") == "/guide/reference/operations.html#get-ledger"


@pytest.mark.parametrize("address", ["index.html", "howto/weigh.html"])
@pytest.mark.parametrize(("width", "colours"), [(1280, "light"), (380, "dark")])
def test_everybody_can_read_a_page(page, address, width, colours):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=colours)
    page.goto(f"{ORIGIN}/guide/{address}")

    refuse_violations(page)
    refuse_sideways(page, width)


@pytest.mark.parametrize("address", ["index.html", "howto/weigh.html", "search.html"])
def test_the_list_of_all_pages_stands_beside_the_page(page, address):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{ORIGIN}/guide/{address}")

    listed = page.get_by_role("navigation", name="All pages").bounding_box()
    text = page.get_by_role("main").bounding_box()
    assert listed["x"] + listed["width"] <= text["x"]
    assert listed["y"] == text["y"]


def test_the_search_finds_a_word_and_asks_nobody_else(page):
    page.goto(f"{ORIGIN}/guide/howto/weigh.html")
    page.get_by_label("Search the guide").fill("hoppers")
    page.get_by_role("button", name="Search").click()

    page.locator("#search-results").get_by_role("link", name="Weigh a truck").click()
    page.get_by_role("heading", name="Weigh a truck").wait_for()


def found(page, query):
    """What the search finds, from the first on, and what it says that it looked for in place of it."""
    page.goto(f"{ORIGIN}/guide/search.html?{urlencode({'q': query})}")
    page.locator("p.search-summary:not(:empty)").wait_for()
    also = page.locator("#also-searched")
    said = also.text_content() if also.is_visible() else ""
    return page.locator("#search-results li a").all_inner_texts(), said


@pytest.mark.parametrize("query", ["hopper", "24:00"])
def test_the_search_puts_how_before_what_before_why(page, query):
    titles, _ = found(page, query)

    assert titles[0] == "Weigh a truck"
    assert [one for one in titles if one != "Documentation"][-1] == "1. Hoppers are weighed at 24:00"


@pytest.mark.parametrize(
    ("query", "ours"),
    [("lorry", "truck"), ("Heavy-goods vehicle", "truck"), ("silo", "hopper"), ("truck", "")],
)
def test_words_of_others_are_looked_up_under_ours(page, query, ours):
    titles, also = found(page, query)

    assert titles[0] == "Weigh a truck"
    assert also == (ours and f"Also searched for: {ours}.")


@pytest.mark.parametrize("start", ["/guide", "/guide/"])
def test_below_a_path_of_a_proxy_the_guide_leads_to_itself(client, page, start):
    location = client.get(start, follow_redirects=False).headers["location"]
    page.goto(urljoin(f"{ORIGIN}{BELOW}{start}", location))
    page.get_by_role("main").get_by_role("link", name="Weigh").click()
    page.get_by_role("heading", name="Weigh a truck").wait_for()
    page.get_by_label("Search the guide").fill("hopper")
    page.get_by_role("button", name="Search").click()
    page.locator("#search-results").get_by_role("link", name="Glossary").click()
    page.get_by_role("heading", name="Words of others").wait_for()

    led = page.locator("header a").evaluate_all("links => links.map(one => one.href)")
    assert [one.removeprefix(ORIGIN + BELOW) for one in led] == ["/guide/index.html", "/docs", "/"]


def test_without_javascript_every_page_is_reached_and_the_search_says_so(client, browser):
    page, wrong = browser.new_page(java_script_enabled=False), []
    answer_alone(page, client, wrong)

    page.goto(f"{ORIGIN}/guide/howto/weigh.html")
    page.get_by_label("Search the guide").fill("hopper")
    page.get_by_role("button", name="Search").click()
    assert "The search needs JavaScript." in page.get_by_role("main").inner_text()
    page.get_by_role("navigation", name="All pages").get_by_role("link", name="Glossary").click()
    page.get_by_role("heading", name="Words of others").wait_for()

    assert wrong == []


@pytest.mark.parametrize("link", ["[x](../howto/none.md)", "[x](operations.md#none)", "[x](#none)"])
def test_a_link_that_leads_nowhere_is_said_or_shown_as_words(tmp_path, link):
    docs = written(tmp_path / "docs", **{"reference/operations": f"# Operations\n\nSee {link}.\n"})

    problems = build(tmp_path / "site", docs)

    text = (tmp_path / "site" / "reference" / "operations.html").read_text()
    assert problems or "<p>See x.</p>" in text


def test_nothing_but_the_site_is_served(client, built):
    (built.parent / "secret.html").write_text("secret")

    for name in (
        "../secret.html",
        "%2e%2e/secret.html",
        "none.html",
        "howto",
        "/etc/passwd",
        "searchindex.json",
    ):
        answer = client.get(f"/guide/{name}")
        assert answer.status_code == 404
        assert [one["code"] for one in answer.json()["errors"]] == ["no_such_path"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("index.html", "README.md"),
        ("reference/operations.html", "reference/operations.md"),
        ("howto/write-a-model.html", "howto/write-a-model.md"),
    ],
)
def test_where_no_site_was_built_an_address_leads_to_the_text(tmp_path, name, text):
    with served(tmp_path / "none") as client:
        answer = client.get(f"/guide/{name}", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (302, f"/docs/guides/{text}")
        assert client.get("/guide/none.html").status_code == 404


def test_every_document_of_the_project_can_be_a_page():
    files = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*") if path.is_file()}

    contents = page_of("README.md", (DOCS / "README.md").read_text(), files)
    named = set(
        re.findall(
            r"^[\w/-]+$", "".join(re.findall(r"```\{toctree\}.*?```", contents, re.DOTALL)), re.MULTILINE
        )
    )

    assert {f"{name}.md" for name in named} | {"README.md"} == {
        name for name in files if name.endswith(".md")
    }
