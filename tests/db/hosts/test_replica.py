"""Lists are read from a replica and show all that was acknowledged; a replica that cannot is passed over."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from prometheus_client import REGISTRY
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from tests.given import collection as given
from tests.given.requests import OPERATIONS, World, required_query, world_of
from tests.given.standby import Standby, standby_of
from tests.server import Server

from weighbridge.db.migration import migrate
from weighbridge.http.endpoints.response_modes import SAMPLES

LISTS = sorted(name for name, operation in OPERATIONS.items() if operation.listing is not None)
DEADLINE_SECONDS = 30.0
MOMENTARY = {"last_used_at"}


@pytest.fixture(scope="module")
def standby(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standby]:
    """A primary of its own with a server that follows it."""
    with standby_of(tmp_path_factory.mktemp("hosts")) as made:
        migrate(made.primary_url)
        yield made


@pytest.fixture(scope="module")
def one(standby: Standby) -> Iterator[Server]:
    """A process that reads lists from the replica, which is whichever of both hosts follows the other."""
    hosts = ",".join(str(conninfo_to_dict(url)["host"]) for url in (standby.primary_url, standby.url))
    url = make_conninfo(standby.url, host=hosts)
    with Server(standby.primary_url, replica_url=url, replica_wait_milliseconds=2000) as server:
        yield server


@pytest.fixture(scope="module")
def other(standby: Standby) -> Iterator[Server]:
    """Another such process, on another host."""
    with Server(standby.primary_url, replica_url=standby.url, replica_wait_milliseconds=50) as server:
        yield server


@pytest.fixture(scope="module")
def plain(standby: Standby) -> Iterator[Server]:
    """A process that knows no replica."""
    with Server(standby.primary_url) as server:
        yield server


def replica_of(server: Server) -> dict[str, Any]:
    """How a process says it last saw its replica."""
    answer = server.request("GET", "/healthz", (), None, {})
    found: dict[str, Any] = answer.body["replica"]
    return found


def await_state(server: Server, state: str) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while replica_of(server)["state"] != state:
        assert time.monotonic() < deadline, f"{replica_of(server)} and not {state}"
        time.sleep(0.01)


def reads(outcome: str) -> float:
    """How many reads ended so, in all processes of the test."""
    return REGISTRY.get_sample_value("weighbridge_replica_reads_total", {"outcome": outcome}) or 0.0


@contextmanager
def answered_by(outcome: str) -> Iterator[None]:
    """Fail unless reads in the block end so."""
    before = reads(outcome)
    yield
    assert reads(outcome) > before, f"no read was answered by: {outcome}"


@pytest.fixture(scope="module")
def world(plain: Server, one: Server) -> World:
    await_state(one, "following")
    return world_of(plain)


def through(server: Server, world: World, path: str, query: Any) -> Any:
    """What a list of the world answers when another process is asked."""
    return server.request(
        "GET",
        "/api/v1" + path,
        query,
        None,
        {"authorization": f"Bearer {next(world.callers).token}"},
    )


def still(body: Any) -> Any:
    """A body without what changes from one request to the next."""
    if isinstance(body, dict):
        return {name: still(value) for name, value in body.items() if name not in MOMENTARY}
    return [still(one) for one in body] if isinstance(body, list) else body


@pytest.mark.parametrize("name", LISTS)
def test_the_replica_answers_every_list_as_the_primary_does(name, world, one, plain):
    operation = OPERATIONS[name]
    path, query = world.path(operation), [*required_query(operation, world).items()]
    await_state(one, "following")

    with answered_by("replica"):
        of_replica = through(one, world, path, query).expect(200)

    of_primary = through(plain, world, path, query).expect(200)
    # Addresses are those of the service that answers; events of footprints keep that of their maker.
    shown, wanted = (
        type(one_of)(200, one_of.fields, one_of.text.replace(plain.address, one.address).encode()).body
        for one_of in (of_replica, of_primary)
    )
    assert still(shown) == still(wanted)


def test_whoever_was_told_of_an_event_finds_it_in_the_list_of_another_process(one, other):
    account = one.account()
    here = account.caller()
    project = given.measuring(here, given.number("mass"))
    path = f"/projects/{project['id']}/events"
    await_state(other, "following")
    there = type(here)(other, here.token)

    for value in range(40):
        [event] = given.events(here, project, [given.event_body(values={"mass": value})])
        listed = there.get(path, {"page_size": "1", "sort": "-created_at"}).expect(200)

        assert listed.data[0]["id"] == event["id"]
        assert listed.info["total_items"] == value + 1


def test_a_replica_that_is_behind_is_passed_over_and_asked_again_once_it_has_caught_up(standby, one, other):
    here = one.account().caller()
    there = type(here)(other, here.token)
    await_state(other, "following")
    standby.sql("SELECT pg_wal_replay_pause()")
    try:
        name = here.post("/projects", {"project": {"name": "LinkTarget"}}).expect(201).body["name"]
        with answered_by("behind"):
            listed = there.get("/projects").expect(200)
        await_state(other, "behind")
        assert [project["name"] for project in listed.data] == [name]
        assert replica_of(other)["lag_seconds"] > 0.05
    finally:
        standby.sql("SELECT pg_wal_replay_resume()")

    await_state(other, "following")
    with answered_by("replica"):
        assert there.get("/projects").expect(200).info["total_items"] == 1


def test_a_token_that_was_revoked_reads_nothing_of_the_replica(one, other):
    account = one.account()
    here, revoked = account.caller(), account.caller()
    there = type(here)(other, revoked.token)
    await_state(other, "following")
    there.get("/projects").expect(200)
    [number] = [token["id"] for token in here.get("/api_tokens").data if token["revoked_at"] is None][-1:]

    here.delete(f"/api_tokens/{number}").expect(204)

    assert there.get("/projects").expect(401).error["code"] == "token_revoked"


def test_a_summary_and_the_file_of_a_list_are_read_from_the_replica(standby, one):
    account = one.account()
    api = account.caller()
    project = given.measuring(api, given.number("mass"))
    bodies = [given.event_body(values={"mass": number}) for number in range(SAMPLES + 5)]
    given.events(api, project, bodies)
    await_state(one, "following")
    asked = {"response_mode": "summary_with_export", "export_format": "csv"}

    with answered_by("replica"):
        summary = api.get(f"/projects/{project['id']}/events", asked).expect(200).body
    with standby_reads(standby):
        account.drain()

    assert (summary["count"], len(summary["samples"])) == (SAMPLES + 5, SAMPLES)
    assert api.get(f"/exports/{summary['export']['id']}").body["rows"] == SAMPLES + 5


@contextmanager
def standby_reads(standby: Standby) -> Iterator[None]:
    """Fail unless something was read of the standby within."""
    count = "SELECT sum(tup_fetched + tup_returned) FROM pg_stat_database WHERE datname = current_database()"

    def fetched() -> Any:
        standby.sql("SELECT pg_stat_force_next_flush()")
        return standby.sql(count)

    before = fetched()
    yield
    assert fetched() != before


def test_while_the_replica_is_gone_lists_come_from_the_primary(standby, one):
    api = one.account().caller()
    await_state(one, "following")

    standby.stop()
    api.post("/projects", {"project": {"name": "StandaloneRunContext"}}).expect(201)
    assert [project["name"] for project in api.get("/projects").expect(200).data] == ["StandaloneRunContext"]
    await_state(one, "away")
    with answered_by("away"):
        api.get("/projects").expect(200)

    standby.start()
    await_state(one, "following")
    with answered_by("replica"):
        assert api.get("/projects").expect(200).info["total_items"] == 1


def test_a_replica_without_the_mark_of_the_primarys_history_is_passed_over(standby, plain, other):
    """The primary takes up another history: to it, the replica seems to follow somebody else."""
    await_state(other, "following")
    standby.sql("SELECT pg_wal_replay_pause()")
    try:
        plain.sql("ALTER TABLE database_histories DISABLE TRIGGER database_histories_stay")
        plain.sql("UPDATE database_histories SET mark = gen_random_uuid()")
        await_state(other, "behind")
    finally:
        standby.sql("SELECT pg_wal_replay_resume()")
    await_state(other, "following")


def test_a_replica_that_was_promoted_is_not_read_any_more(standby, one):
    api = one.account().caller()
    await_state(one, "following")

    standby.sql("SELECT pg_promote()")

    await_state(one, "away")
    api.post("/projects", {"project": {"name": "After"}}).expect(201)
    assert [project["name"] for project in api.get("/projects").expect(200).data] == ["After"]
