"""One event in one statement, by what the process remembers; in any doubt the long way is taken."""

from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from tests.given import collection as given
from tests.given import rule_evaluation as given_rule_evaluation

from weighbridge.collection.events import insert_events
from weighbridge.collection.intake.creation import store_event
from weighbridge.collection.records.events import NewEventsBody
from weighbridge.http.endpoints.endpoint import ShortCall
from weighbridge.platform.authentication import authenticate, recall_authorization

MASS, MOISTURE = given.number("mass"), given.number("moisture", unit="%", required=False)


class Process:
    """A process that has stored an event the long way, and so remembers what that named."""

    def __init__(self, server, account):
        self.server = server
        self.api = account.caller()
        self.project = given.project(self.api)
        self.kind = given.event_type(
            self.api, self.project, data_point_types=[MASS, MOISTURE], expected_locations="one"
        )
        self.yard = given.location(self.api, self.project)
        self.wood = given.feedstock(self.api, self.project)
        self.press = given.asset(self.api, self.project)
        actor = server.run(authenticate(server.database, self.api.token, "req_first"))
        server.run(self._the_long_way(actor))

    def body(self, **fields):
        tags = {"feedstock_id": self.wood["id"], "asset_id": self.press["id"], "locations": [self.yard]}
        event = given.event_body(**tags | {"values": {"mass": 1, "moisture": 8}} | fields)
        return msgspec.convert({"event": event}, NewEventsBody)

    def store(self, caller=None, **fields):
        """Take the shortcut; gives the event, or None when nothing was stored."""
        database = self.server.database
        cached = recall_authorization(database, (caller or self.api).token, "req_test")
        path = {"project_id": self.project["id"]}
        return self.server.run(store_event(ShortCall(database, cached, path), self.body(**fields)))

    def stored(self):
        return [event["id"] for event in self.api.get(self.path).data]

    @property
    def path(self):
        return f"/projects/{self.project['id']}/events"

    async def _the_long_way(self, actor):
        async with self.server.database.write() as tx:
            await insert_events(tx, actor, self.project["numeric_id"], self.body())


@pytest.fixture
def process(server, account):
    return Process(server, account)


def test_an_event_that_names_what_an_earlier_one_named_is_stored_without_asking_first(process):
    made = process.store(client_reference="erp-1", notes="Wet\tload", tracking_id="T 1")

    shown = process.api.get(f"{process.path}/{made.id}").body
    assert shown["notes"] == "Wet\tload"
    assert shown["client_reference"] == "erp-1"
    assert shown["created_at"] == made.created_at.text
    assert [point["value"] for point in shown["data_points"]] == [1, 8]


def test_the_audit_row_has_the_event_as_the_answer_has_it(process, account, sql, server):
    made = process.store(notes="100 % wet")

    [(account_id, action, request, after)] = sql(
        "SELECT account_id, action, request_id, after FROM audit_log WHERE object = %s", made.id
    )
    shown = process.api.get(f"{process.path}/{made.id}").body
    shown["ui_url"] = shown["ui_url"].removeprefix(server.address)
    assert (account_id, action, request) == (account.id, "event.create", "req_test")
    leaf = after.pop("leaf")
    assert (after, len(bytes.fromhex(leaf))) == (shown, 32)


CHANGES = {
    "the token was revoked": "UPDATE api_tokens SET revoked_at = now() WHERE account_id = {account}",
    "the token has expired": """
        UPDATE api_tokens SET created_at = now() - interval '2 days', expires_at = now() - interval '1 second'
         WHERE account_id = {account}
    """,
    "the token may do less": """
        UPDATE api_tokens SET permissions = '{{data_collection:write}}' WHERE account_id = {account}
    """,
    "the use of the token is to be recorded": """
        UPDATE api_tokens SET last_used_at = now() - interval '61 minutes' WHERE account_id = {account}
    """,
    "the event type has another name": "UPDATE event_types SET name = 'Other' WHERE project_id = {project}",
    "a data point type is required now": """
        UPDATE data_point_types SET required = true WHERE project_id = {project} AND slug = 'moisture'
    """,
    "a data point type was added": """
        INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type)
        SELECT project_id, id, 9, 'ash', 'Ash', 'number' FROM event_types WHERE project_id = {project}
    """,
    "a data point type was removed": """
        DELETE FROM data_point_types WHERE project_id = {project} AND slug = 'moisture'
    """,
    "the location has another name": "UPDATE locations SET name = 'Other' WHERE project_id = {project}",
    "the feedstock has another name": "UPDATE feedstocks SET name = 'Other' WHERE project_id = {project}",
    "the asset has another name": "UPDATE assets SET name = 'Other' WHERE project_id = {project}",
    "the project is another account's": """
        WITH other AS (INSERT INTO accounts (name) VALUES ('Other of {project}') RETURNING id)
        UPDATE projects SET account_id = other.id FROM other WHERE projects.id = {project}
    """,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_nothing_is_stored_by_what_no_longer_holds(process, account, sql, change):
    project = process.project["numeric_id"]
    before = sql("SELECT count(*) FROM events WHERE project_id = %s", project)
    audited = sql("SELECT count(*) FROM audit_log WHERE account_id = %s", account.id)

    sql(change.format(account=account.id, project=project))

    assert process.store() is None
    assert sql("SELECT count(*) FROM events WHERE project_id = %s", project) == before
    assert sql("SELECT count(*) FROM audit_log WHERE account_id = %s", account.id) == audited


@pytest.mark.parametrize(
    "fields",
    [
        {"values": {"mass": "heavy"}},
        {"values": {"ash": 1}},
        {"event_type": "unknown"},
        {"locations": []},
        {"feedstock_id": "fs_000000000000000000000000"},
        {"end_time": "2020-01-01T00:00:00Z"},
    ],
)
def test_what_would_be_refused_is_left_to_the_long_way(process, fields):
    before = process.stored()

    assert process.store(**fields) is None
    assert process.stored() == before


def test_a_client_reference_that_is_taken_is_left_to_the_long_way(process):
    process.store(client_reference="erp-1")

    assert process.store(client_reference="erp-1") is None


def test_another_account_stores_nothing_by_what_this_one_named(process, server):
    other = server.account().caller()
    server.run(authenticate(server.database, other.token, "req_other"))

    assert process.store(other) is None


def test_a_change_that_is_under_way_is_waited_for_and_counts(process, server):
    before = process.stored()
    with ThreadPoolExecutor() as elsewhere:
        with server.transaction() as slower:
            slower.execute(
                "SELECT FROM event_types WHERE project_id = %s FOR UPDATE", [process.project["numeric_id"]]
            )
            storing = elsewhere.submit(process.store)
            server.await_blocked()
            slower.execute(
                "DELETE FROM data_point_types WHERE project_id = %s AND slug = 'moisture'",
                [process.project["numeric_id"]],
            )

        assert storing.result() is None
    assert process.stored() == before


def test_a_change_that_is_given_up_hinders_nobody(process, server):
    with ThreadPoolExecutor() as elsewhere:
        with server.transaction() as slower:
            slower.execute(
                "UPDATE event_types SET slug = 'other' WHERE project_id = %s", [process.project["numeric_id"]]
            )
            storing = elsewhere.submit(process.store)
            server.await_blocked()
            slower.rollback()

        assert storing.result() is not None


def test_nobody_changes_an_event_type_while_an_event_of_it_is_being_stored(process, server):
    with ThreadPoolExecutor() as elsewhere:
        with server.transaction() as slower:
            # Holds the event up at its location, when it has its type already.
            slower.execute(
                "SELECT FROM locations WHERE project_id = %s FOR UPDATE", [process.project["numeric_id"]]
            )
            storing = elsewhere.submit(process.store)
            server.await_blocked()
            with pytest.raises(Exception, match="could not obtain lock"):
                server.sql(
                    "SELECT FROM event_types WHERE project_id = %s FOR UPDATE NOWAIT",
                    process.project["numeric_id"],
                )

        assert storing.result() is not None


def test_an_event_by_the_shortcut_is_left_to_the_automatic_rules(process, sql):
    project = process.project["numeric_id"]
    given_rule_evaluation.rule(process.api, process.project, "{{mass}} > 40", evaluation="automatic")
    sql("DELETE FROM rule_dirty_ranges WHERE project_id = %s", project)

    process.store(start_time="2025-03-01T00:00:00Z")

    marks = sql("SELECT start_time::date::text FROM rule_dirty_ranges WHERE project_id = %s", project)
    assert marks == [("2025-03-01",)]


def test_over_http_a_revoked_token_stores_nothing(account, sql):
    api, other = account.caller(), account.caller()
    project = given.measuring(api, MASS)
    for _ in range(3):
        given.event(api, project, values={"mass": 1})
    sql(
        """
        UPDATE api_tokens SET revoked_at = now()
         WHERE id = (SELECT token_id FROM audit_log WHERE action = 'event.create' AND account_id = %s LIMIT 1)
        """,
        account.id,
    )

    answer = api.post(f"/projects/{project['id']}/events", {"event": given.event_body(values={"mass": 1})})

    assert answer.expect(401).error["message"] == "The token has been revoked."
    assert len(other.get(f"/projects/{project['id']}/events").data) == 3


def test_over_http_a_renamed_location_shows_its_new_name_at_once(api):
    project = given.measuring(api, MASS, expected_locations="one")
    yard = given.location(api, project)
    for _ in range(2):
        given.event(api, project, locations=[yard], values={"mass": 1})

    api.patch(f"/projects/{project['id']}/locations/{yard['id']}", {"location": {"name": "Kiln"}}).expect(200)

    made = given.event(api, project, locations=[yard], values={"mass": 1})
    assert [place["name"] for place in made["locations"]] == ["Kiln"]


def test_every_event_counts_once_against_the_rate_limit(api):
    project = given.measuring(api, MASS)
    body = {"event": given.event_body(values={"mass": 1})}
    path = f"/projects/{project['id']}/events"

    answers = [api.post(path, body).expect(201) for _ in range(5)]
    answers.append(api.post(path, {"event": given.event_body(values={"mass": "heavy"})}).expect(422))
    answers.append(api.post(path, body).expect(201))

    left = [int(answer.headers["ratelimit-remaining"]) for answer in answers]
    assert left == list(range(left[0], left[0] - 7, -1))
