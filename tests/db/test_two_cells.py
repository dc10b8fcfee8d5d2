"""Accounts in two cells of one service: each is served from its own, and neither finds what the other has.

`Cells`, `Directory`, `place_account`, `claim_address`.
"""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from tests.collection.evidence import files
from tests.given import accounting
from tests.given import collection as given
from tests.given.people import PASSWORD, Visitor, email_of
from tests.server import Account, Caller, Server

from weighbridge.collection.evidence_files import open_store, sweep
from weighbridge.core.platform.cell import FIRST, INTEGER_BITS, key_range
from weighbridge.core.platform.permission import account_of_token
from weighbridge.db.cells import Cells
from weighbridge.errors import Conflict
from weighbridge.platform.async_tasks import queue_task
from weighbridge.platform.users import claim_address, create_account, place_account

PREPARED_AFTER = 5
"""Executions of a statement before psycopg has the server prepare it."""


def plant_of(account: Account) -> accounting.Plant:
    return accounting.plant(account.caller(), account.drain)


def test_a_token_leads_to_the_cell_of_its_account(northern: Account, first: Account):
    north, south = northern.caller(), first.caller()

    assert account_of_token(str(north.token)) == northern.id
    project = given.project(north, name="Northern plant")
    given.project(south, name="Southern plant")

    assert [one["name"] for one in north.get("/projects").data] == ["Northern plant"]
    assert [one["name"] for one in south.get("/projects").data] == ["Southern plant"]
    assert project["numeric_id"] in key_range(northern.cell.number, INTEGER_BITS)


def test_what_the_other_cell_has_is_not_found(northern: Account, first: Account):
    plant = plant_of(first)
    event = plant.deliver(12)
    stranger = northern.caller()

    for kind, path in (
        ("project", f"/projects/{plant.project['id']}"),
        ("ledger", f"/ledgers/{plant.ledger['id']}"),
        ("model", f"/models/{plant.model['id']}"),
    ):
        stranger.get(path).expect_not_found(kind, path.rpartition("/")[2])
    events = f"/projects/{plant.project['id']}/events"
    stranger.get(f"{events}/{event}").expect_not_found("project", plant.project["id"])


def test_a_generation_of_the_second_cell_credits_its_ledger(northern: Account):
    plant = plant_of(northern)
    plant.deliver(12)
    plant.deliver(30, 2)

    plant.generate()

    assert [batch["ledger_balance"] for batch in plant.batches()] == [42]


def test_tasks_of_both_cells_are_queued_by_one_connection(northern: Account, first: Account):
    async def queue() -> list[int]:
        numbers = []
        async with first.database.with_connections(1) as connections:
            for _ in range(PREPARED_AFTER + 1):
                for account in (first, northern):
                    async with connections.in_cell(account.cell).write() as tx:
                        task = await queue_task(
                            tx, account.actor, kind="rule_run", project_id=None, args={}, lock="any"
                        )
                    numbers.append(task.id)
        return numbers

    numbers = first.server.run(queue())

    assert len({*numbers}) == 2 * (PREPARED_AFTER + 1)


def test_numbers_of_two_cells_never_meet(northern: Account, first: Account):
    north, south = plant_of(northern), plant_of(first)

    events = {north.deliver(1), south.deliver(1)}

    assert len({event.rpartition("_")[2] for event in events}) == 2
    assert north.project["numeric_id"] not in key_range(FIRST.number, INTEGER_BITS)
    assert south.project["numeric_id"] in key_range(FIRST.number, INTEGER_BITS)


def test_people_sign_in_by_their_address_alone_whatever_cell_they_are_in(northern: Account, first: Account):
    for account in (northern, first):
        email = email_of(account)

        visitor = Visitor(account.server).sign_in(email)

        assert email in visitor.get("/me").text


def test_a_wrong_password_is_refused_alike_in_both_cells(northern: Account, first: Account):
    refusals = {
        Visitor(account.server)
        .post("/sign_in", {"email": email_of(account), "password": PASSWORD + "x"})
        .status
        for account in (northern, first)
    }

    assert refusals == {401}


def test_a_name_is_of_one_account_in_all_cells(two_cells: Server, northern: Account):
    [(name,)] = two_cells.sql("SELECT name FROM accounts WHERE id = %s", northern.id)
    connections = two_cells.connections

    async def make() -> None:
        place, number = await place_account(Cells(connections), connections, FIRST, name)
        async with connections.in_cell(place).write() as tx:
            await create_account(tx, name=name, request_id="given", number=number)

    with pytest.raises(Conflict, match="There is an account"):
        two_cells.run(make())


def test_an_account_whose_cell_was_lost_half_way_is_made_by_the_next_attempt(two_cells: Server):
    connections, cells = two_cells.connections, Cells(two_cells.connections)

    async def make() -> tuple[int | None, int]:
        _, promised = await place_account(cells, connections, two_cells.cell, "Half-way")
        place, number = await place_account(cells, connections, two_cells.cell, "Half-way")
        async with connections.in_cell(place).write() as tx:
            actor = await create_account(tx, name="Half-way", request_id="given", number=number)
        return promised, actor.account_id

    promised, made = two_cells.run(make())

    assert promised == made


def test_an_address_is_of_one_person_in_all_cells(northern: Account, first: Account):
    email = email_of(northern)
    connections = northern.server.connections

    with pytest.raises(Conflict, match="signs in as"):
        northern.server.run(claim_address(Cells(connections), connections, email.upper(), first.id))


def test_a_promised_address_that_nobody_uses_goes_to_who_asks_next(northern: Account, first: Account):
    server, connections = northern.server, northern.server.connections
    cells, email = Cells(connections), "promised@plant.example"
    server.run(claim_address(cells, connections, email, northern.id))

    with pytest.raises(Conflict):
        server.run(claim_address(cells, connections, email, first.id))
    with psycopg.connect(server.urls.migrating) as directory:
        directory.execute(
            "UPDATE weighbridge_directory.addresses SET claimed_at = now() - interval '6 minutes'"
            " WHERE address = %s", (email,),
        )  # fmt: skip
    server.run(claim_address(cells, connections, email, first.id))

    with pytest.raises(Conflict):
        server.run(claim_address(cells, connections, email, northern.id))


def test_a_file_that_the_second_cell_names_is_not_removed(northern: Account, first: Account):
    server, api = northern.server, northern.caller()
    plant = plant_of(northern)
    path = f"/events/{plant.deliver(1)}/evidence"
    made = api.upload(path, "Ticket.pdf", files.PDF).expect(201).body
    store = open_store(server.settings.evidence_url, server.settings.data_dir)
    later = datetime.now(UTC) + timedelta(days=2)

    server.run(sweep([first.database, northern.database], store, later))

    kept = api.get(made["url"].removeprefix(f"{server.address}/api/v1")).expect(200)
    assert kept.content == files.PDF


def test_changes_are_followed_in_the_cell_that_they_happen_in(northern: Account, first: Account):
    for account in (northern, first):
        api: Caller = account.caller()
        plant = given.project(api)
        given.event_type(api, plant, data_point_types=[given.number("mass")])
        cursor = api.get("/changes", {"after": "latest"}).body["cursor"]
        event = given.event(api, plant, values={"mass": 1})

        told = api.get("/changes", {"after": cursor, "wait": "10"}).data

        assert [(change["kind"], change["action"]) for change in told] == [("event", "create")]
        assert event["id"] in str(told)
