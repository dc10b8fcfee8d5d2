"""What holds for every page, with cases made from the table of pages: who may read it, what it lets out and
what it lets in. `tests/browser` opens them as people do.
"""

import gzip
import html
import re

import pytest
from tests.given.cases import tried_together
from tests.given.people import Visitor, visitor
from tests.given.requests import World
from tests.server import Server
from tests.web.conftest import PAGES, address_in

from weighbridge.core.platform.permission import ALL_PERMISSIONS, ANY
from weighbridge.http.openapi.parameters import names_in
from weighbridge.web.framework import responses
from weighbridge.web.framework.responses import CONTENT_SECURITY_POLICY

OPEN = {
    "/sign_in", "/sign_in/providers/{provider}/callback",
    "/join", "/enter", "/reports/{report_id}/by_link", "/reports/{report_id}/by_link/bundle",
    "/reports/{report_id}/by_link/keys/{name}", "/reports/{report_id}/by_link/engagements/{engagement_id}",
    "/reports/{report_id}/by_link/engagements/{engagement_id}/opinion",
    "/reports/{report_id}/by_link/batches/{batch_id}",
}  # fmt: skip
"""Pages for whoever has not signed in; those behind links are followed in `reports/`."""

OF_ITS_USER = "{saved_view_id}"
"""What is found by its own user alone: the world's is that of its tokens; `lists/` opens others."""

FILES = {
    "/projects/{project_id}/events/{event_id}/evidences/{evidence_id}/file",
    "/projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}/bad_rows",
    "/projects/{project_id}/reports/{report_id}/bundle.zip",
    "/projects/{project_id}/reports/{report_id}/bundle.zip.tsr",
    "/projects/{project_id}/reports/{report_id}/submission_file",
    *(
        f"{home}/audit_log/{file}"
        for home in ("", "/projects/{project_id}")
        for file in ("head", "proof", "consistency")
    ),
    "/suggestions",
}
"""What is a file or a piece of a page, and is there where somebody attached, made or asked for it."""

FIRST_LOAD_BYTES_MAX = 150_000
"""What the first page takes, compressed, with all that it loads."""

HOSTILE = """<u>"'&{{7*7}}</u>"""
NAMED = (
    "projects",
    "event_types",
    "locations",
    "feedstocks",
    "assets",
    "ledgers",
    "rules",
    "reports",
    "users",
)

SIGNED_IN = [(path, permission) for path, permission in PAGES if path not in OPEN]
WITH_RECORDS = [path for path, _ in SIGNED_IN if names_in(path) and not path.endswith("/open/{record_id}")]


def section_of(path: str) -> str:
    """What a page is about, in a project or beside them."""
    return path.removeprefix("/projects/{project_id}").strip("/").partition("/")[0] or "front"


@pytest.fixture(scope="module")
def ada(world: World) -> Visitor:
    """A person of the world's account who may do everything."""
    return visitor(world.account)


@pytest.fixture(scope="module")
def stranger(server: Server) -> Visitor:
    """A person of another account who may do everything there."""
    return visitor(server.account())


@pytest.fixture(scope="module")
def lacking(world: World) -> dict[str, Visitor]:
    """By area, a person of the account who may do everything but what is of that area."""
    areas = {one.partition(":")[0] for one in ALL_PERMISSIONS}
    return {
        area: visitor(world.account, *(one for one in ALL_PERMISSIONS if not one.startswith(area)))
        for area in areas
    }


@tried_together("path", [path for path, _ in SIGNED_IN if path not in FILES], under=section_of)
def test_it_opens_and_nothing_runs_or_styles_that_stands_in_it(ada, world, path):
    shown = ada.get(address_in(world, path))

    expected = {404} if OF_ITS_USER in path else {200, 303}
    assert shown.status in expected, shown.text
    if shown.status == 200:
        assert shown.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert shown.headers["cache-control"] == "private, no-store"
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", shown.text)


@tried_together("path", [path for path, _ in SIGNED_IN], under=section_of)
def test_whoever_has_not_signed_in_is_asked_to(server, world, path):
    asked = Visitor(server).get(address_in(world, path)).expect(303)

    assert asked.headers["location"].startswith("/sign_in")


@tried_together("path", WITH_RECORDS, under=section_of)
def test_records_of_another_account_are_not_found(stranger, world, path):
    refused = stranger.get(address_in(world, path)).expect(404)

    assert world.ids["batch"] not in refused.text or "batch" in path


@tried_together(
    ("path", "permission"), [one for one in SIGNED_IN if one[1] != ANY], under=lambda one: section_of(one[0])
)
def test_without_its_permission_it_is_refused(lacking, world, path, permission):
    refused = lacking[permission.partition(":")[0]].get(address_in(world, path)).expect(403)

    assert f"You do not have the permission {permission}" in refused.text


def test_every_page_leads_to_the_guide_and_what_its_foot_leads_to_is_there(ada, world):
    led: dict[str, set[str]] = {}
    for path, _ in SIGNED_IN:
        if path not in FILES and (shown := ada.get(address_in(world, path))).status == 200:
            led[path] = {*re.findall(r'href="(/[^"]+)"', shown.text.rsplit("<footer", 1)[-1])}
            led[path] |= {
                *re.findall(r'href="(/[^"]+)"', shown.text.split('id="navigation"')[1].split("</nav>")[0])
            }

    lost = {path for path, links in led.items() if not any(one.startswith("/guide/") for one in links)}
    assert lost == set()
    links = {link.partition("#")[0] for links in led.values() for link in links}
    answers = {link: ada.get(html.unescape(link)) for link in sorted(links)}
    for link, answer in answers.items():
        if answer.status == 302:
            answers[link] = ada.get(answer.headers["location"], accept="text/html")
    assert {link: answer.status for link, answer in answers.items() if answer.status not in {200, 303}} == {}


@pytest.mark.parametrize(
    ("page", "operation", "guide"),
    [
        ("events", "/docs#tag/events/GET/api/v1/projects/{project_id}/events", "howto/send-readings"),
        (
            "locations",
            "/docs#tag/locations/GET/api/v1/projects/{project_id}/locations",
            "reference/collection",
        ),
        ("rules", "/docs#tag/rules/GET/api/v1/projects/{project_id}/rules", "reference/rule-language"),
    ],
)
def test_a_page_leads_to_the_operation_behind_it_and_to_its_guide(ada, world, page, operation, guide):
    foot = ada.get(f"/projects/{world.ids['project']}/{page}").expect(200).text.rsplit("<footer", 1)[1]

    assert f'href="{operation}"' in foot
    assert f'href="/guide/{guide}.html"' in foot


def test_the_first_page_takes_few_bytes(server: Server, ada, world):
    page = ada.get(f"/projects/{world.ids['project']}/events").expect(200)
    names = {*re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.text)}

    sizes = [len(gzip.compress(page.text.encode(), 5))]
    for name in names:
        sent = server.request("GET", name, (), None, {"accept-encoding": "identity"})
        assert sent.status == 200
        sizes.append(
            next(
                len(one.compressed)
                for one in map(responses.asset, responses.ASSETS)
                if name.endswith(one.name)
            )
        )

    assert len(names) >= 7
    assert sum(sizes) < FIRST_LOAD_BYTES_MAX


def test_the_front_page_is_the_app_and_leads_to_the_only_project(ada, world):
    assert ada.get("/").expect(303).headers["location"] == f"/projects/{world.ids['project']}"


def test_a_path_that_is_not_there_is_a_page_for_browsers_and_an_error_for_programs(server: Server, ada):
    shown = ada.get("/nothing/here", accept="text/html").expect(404)
    told = server.request("GET", "/nothing/here", (), None, {"accept": "application/json"})

    assert shown.headers["content-type"].startswith("text/html")
    assert told.expect(404).error["code"] == "no_such_path"


def test_a_page_is_data_too(ada, world):
    listed = f"/projects/{world.ids['project']}/events"

    assert ada.get(f"{listed}.json").expect(200).data[0]["id"]
    assert ada.get(f"{listed}.csv").expect(200).text.splitlines()[0].startswith("id,")


@pytest.mark.parametrize(
    ("words", "kind"),
    [("Shredder", "asset"), ("deliv", "model"), ("nothing is called so", "")],
)
def test_a_record_is_found_by_its_name(ada, world, words, kind):
    found = ada.get(f"/projects/{world.ids['project']}/find?q={words}").expect(200).text

    assert bool(re.search(f'data-found="{kind}"', found)) == bool(kind)


def test_an_id_leads_to_its_record_and_is_found_where_a_script_asks(ada, world):
    asked = f"/projects/{world.ids['project']}/find?q={world.ids['batch']}"

    assert ada.get(asked).expect(303).headers["location"].endswith(f"/batches/{world.ids['batch']}")
    assert f"/open/{world.ids['batch']}" in ada.get(asked, hx_request="true").expect(200).text


def test_records_of_another_account_are_not_found_by_their_names(stranger):
    assert "data-found" not in stranger.get("/find?q=e").expect(200).text


def test_texts_that_look_like_html_are_shown_as_texts_on_every_page(server: Server, ada, world):
    account = {"account": world.account.id}
    for table in NAMED:
        condition = (
            "account_id = %(account)s"
            if table in {"projects", "users"}
            else "project_id IN (SELECT id FROM projects WHERE account_id = %(account)s)"
        )
        with server.transaction() as owner:
            owner.execute(
                f"UPDATE {table} SET name = %(name)s || id WHERE {condition}", account | {"name": HOSTILE}
            )

    shown = {path: ada.get(address_in(world, path)).text for path, _ in SIGNED_IN if path not in FILES}

    loose = {path: text[text.index("<u>") - 80 :][:200] for path, text in shown.items() if "<u>" in text}
    assert loose == {}
    assert "&lt;u&gt;&#34;&#39;&amp;{{7*7}}" in shown["/projects/{project_id}/ledgers"]


def offered(page):
    """The addresses of what the palette offers to do on a page."""
    return re.findall(
        r'href="([^"]+/new)"', page.partition('id="palette-actions"')[2].partition("</template>")[0]
    )


def test_every_action_of_the_palette_leads_to_a_page_and_is_offered_to_who_may_do_it(world, ada):
    home = f"/projects/{world.ids['project']}"
    actions = offered(ada.get(home).expect(200).text)

    assert len(actions) == 12
    assert [ada.get(action).status for action in actions] == [200] * len(actions)
    reader = visitor(world.account, "data_collection:read")
    assert offered(reader.get(home).expect(200).text) == []
