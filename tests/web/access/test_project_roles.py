"""The pages for people who are limited to a project: another one and its records are not there."""

from collections.abc import Iterator

import pytest
from tests.given.cases import tried_together
from tests.given.people import Visitor, visitor
from tests.given.requests import OF_AN_ACCOUNT, World, kind_of, world_of
from tests.server import Server
from tests.web.conftest import KINDS, PAGES, address_in
from tests.web.test_every_page import FILES, OF_ITS_USER, OPEN, section_of

from weighbridge.core.platform.permission import IN_PROJECT, PROJECT_PERMISSIONS
from weighbridge.http.openapi.parameters import names_in

SHOWN = [(path, permission) for path, permission in PAGES if path not in OPEN]
IN_A_PROJECT = [path for path, _ in SHOWN if path.startswith("/projects/{project_id}")]
ADMINISTERED = [path for path, permission in SHOWN if permission.startswith("administration:")]
OF_THE_ACCOUNT = ("footprint", "received_footprint", "exports")
"""Sections whose records belong to the account, or to whoever asked for them."""

READ = [
    path
    for path, permission in SHOWN
    if not permission.startswith("administration:")
    and path not in FILES
    and OF_ITS_USER not in path
    and not section_of(path).startswith(OF_THE_ACCOUNT)
]


@pytest.fixture(scope="module")
def worlds(server: Server) -> tuple[World, World]:
    """Two projects of an account of their own, for other pages are tested with one project."""
    world = world_of(server)
    other = world_of(server, beside=world)
    return world, World(other.account, {**other.ids, "user": world.ids["user"]}, other.callers)


@pytest.fixture(scope="module")
def rea(worlds: tuple[World, World]) -> Visitor:
    """Somebody who may do everything in the second project."""
    project = worlds[1].ids["project"]
    return visitor(worlds[1].account, *(f"{one}{IN_PROJECT}{project}" for one in PROJECT_PERMISSIONS))


def ids_of(world: World) -> Iterator[str]:
    """The friendly ids of the records of a project."""
    for kind, text in world.ids.items():
        if isinstance(text, str) and "_" in text and kind not in OF_AN_ACCOUNT:
            yield text


@tried_together("path", IN_A_PROJECT, under=section_of)
def test_pages_of_another_project_are_not_found(rea, worlds, path):
    expected = {404, 403} if path in ADMINISTERED else {404}

    assert rea.get(address_in(worlds[0], path)).status in expected


@tried_together("path", ADMINISTERED, under=section_of)
def test_what_is_administered_is_refused(rea, worlds, path):
    rea.get(address_in(worlds[1], path)).expect(403)


@tried_together("path", READ, under=section_of)
def test_pages_of_the_own_project_open_and_tell_nothing_of_another(rea, worlds, path):
    theirs, mine = worlds

    shown = rea.get(address_in(mine, path))

    assert shown.status in {200, 303}, (path, shown.text)
    assert [one for one in ids_of(theirs) if one in shown.text] == []


@tried_together(
    "path",
    [path for path, _ in SHOWN if section_of(path).startswith(OF_THE_ACCOUNT)],
    under=section_of,
)
def test_what_belongs_to_the_account_is_refused(rea, worlds, path):
    is_empty_form = path.endswith(("/new", "/check"))  # what is sent by it is refused

    assert is_empty_form or rea.get(address_in(worlds[1], path)).status in {403, 404}


def named_of_another(theirs: World, mine: World, path: str) -> Iterator[str]:
    """Addresses in the own project with each record of another one in its place."""
    for hidden in names_in(path):
        kind = KINDS.get(hidden, kind_of(hidden))
        if hidden == "project_id" or kind in OF_AN_ACCOUNT or kind == "user":
            continue
        if theirs.ids[kind] == mine.ids[kind]:  # a number that each counts from 1, such as of a version
            continue
        ids = {name: mine.ids[KINDS.get(name, kind_of(name))] for name in names_in(path)}
        yield path.format_map(ids | {hidden: theirs.ids[kind]})


@tried_together("path", READ, under=section_of)
def test_records_of_another_project_are_not_found_in_the_own(rea, worlds, path):
    theirs, mine = worlds
    for address in named_of_another(theirs, mine, path):
        shown = rea.get(address)

        assert shown.status == 404 or (shown.status == 303 and "/open/" in address), (address, shown.text)


def test_a_search_over_all_projects_finds_records_of_the_own(rea, worlds):
    theirs, mine = worlds
    name = mine.account.caller().get(f"/ledgers/{mine.ids['ledger']}").expect(200).body["name"]

    shown = rea.get(f"/find?q={name}").expect(200).text

    assert mine.ids["ledger"] in shown
    assert theirs.ids["ledger"] not in shown


def test_the_switcher_has_the_projects_in_reach(rea, worlds):
    theirs, mine = worlds

    shown = rea.get("/projects").expect(200).text

    assert mine.ids["project"] in shown
    assert theirs.ids["project"] not in shown
