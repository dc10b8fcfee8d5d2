"""How the files of a source are read: `create_data_feed`, `update_data_feed`, `delete_data_feed`,
`list_data_feeds`, `get_data_feed`, `suggest_columns`.
"""

import pytest
from tests.given import collection as given
from tests.given import wire
from tests.given.feeds import Feeding

from weighbridge.db.engine import Database
from weighbridge.errors import Invalid
from weighbridge.exchange.data_feeds import insert_data_feed
from weighbridge.exchange.records.data_feeds import DATA_FEED_BODIES
from weighbridge.platform.tenancy import read_project


@pytest.fixture
def feeding(account):
    return Feeding(account)


@pytest.fixture
def refusal(feeding):
    """What is said of a feed that is not taken."""

    def refuse(**fields):
        body = {"name": "Scale", "event_type_id": feeding.event_type["id"]} | fields
        answer = feeding.api.post(f"{feeding.path}/data_feeds", {"data_feed": body}).expect(422)
        return {(error["field"], error["code"]) for error in answer.errors}

    return refuse


def test_a_feed_says_once_how_the_files_of_a_source_are_read(feeding):
    yard = given.location(feeding.api, feeding.plant)
    columns = [
        {"column": "Zeit", "field": "start_time", "unit": None, "flag": None},
        {"column": "Netto (kg)", "field": "mass", "unit": "kg", "flag": None},
    ]

    made = feeding.feed(
        columns=columns, decimal_mark=",", delimiter=";", encoding="windows-1252", location_ids=[yard["id"]],
        time_zone="Europe/Berlin", time_format="%d.%m.%Y %H:%M", duration="15m", missing=["-"],
    )  # fmt: skip

    assert feeding.api.get(f"{feeding.path}/data_feeds/{made['id']}").body == made
    assert feeding.api.get(f"{feeding.path}/data_feeds").data == [made]
    assert (made["columns"], made["location_ids"]) == (columns, [yard["id"]])
    assert (made["client_reference"], made["bad_rows"], made["formulas"]) == ("row", "refuse_file", "refuse")


def test_everything_that_is_wrong_with_a_feed_is_said_at_once(refusal):
    assert refusal(
        name=" ", time_zone="Mars/Olympus", duration="soon", delimiter=";;", encoding="rot13", sheet=" ",
        decimal_mark="'", bad_rows="ignore", location_ids=["loc_0"], feedstock_id="fs_0", asset_id="ast_0",
    ) == {
        ("name", "required"), ("time_zone", "invalid"),
        ("duration", "invalid"), ("delimiter", "invalid"),
        ("encoding", "invalid"), ("sheet", "invalid"),
        ("decimal_mark", "invalid"), ("bad_rows", "invalid"),
        ("location_ids", "unknown"), ("feedstock_id", "unknown"),
        ("asset_id", "unknown"),
    }  # fmt: skip


def test_a_refused_feed_asks_the_database_once(feeding):
    server, project = feeding.account.server, read_project(feeding.plant["id"])
    new = DATA_FEED_BODIES.unstored(
        name="Scale", event_type_id=feeding.event_type["id"], encoding="undefined", location_ids=["loc_0"]
    )

    async def refused(url):
        async with Database(url, connections_max=1, schema=server.database.schema) as database:
            await database.single("SELECT 1")
            before = counting.messages
            with pytest.raises(Invalid) as refusal:
                async with database.write() as tx:
                    await insert_data_feed(tx, feeding.account.actor, project, new, server.settings)
            return counting.messages - before, {problem.field for problem in refusal.value.problems}

    with wire.counted(server.database.url) as counting:
        messages, fields = server.run(refused(counting.url))

    assert fields == {"data_feed.encoding", "data_feed.location_ids"}
    assert messages == 2  # the second one is the rollback


def test_columns_give_what_there_is_in_units_that_convert(refusal):
    assert refusal(
        columns=[
            {"column": "a", "field": "volume"},
            {"column": "b", "field": "mass", "unit": "m^3"},
            {"column": "c", "field": "driver", "unit": "kg"},
            {"column": "d", "field": "mass", "unit": "stone age"},
            {"column": "d", "field": "-"},
        ]
    ) == {
        ("columns[0].field", "unknown"), ("columns[1].unit", "invalid"),
        ("columns[2].unit", "invalid"), ("columns[3].unit", "invalid"),
        ("columns[3].column", "taken"), ("columns[4].column", "taken"),
    }  # fmt: skip


def test_two_feeds_of_a_project_have_two_names(feeding, refusal):
    feeding.feed()

    assert refusal() == {("name", "taken")}


def test_a_feed_is_changed_for_the_files_to_come(feeding):
    feed = feeding.feed()
    path = f"{feeding.path}/data_feeds/{feed['id']}"

    after = feeding.api.patch(path, {"data_feed": {"decimal_mark": ",", "missing": ["n/a"]}}).expect(200).body

    assert after == feed | {"decimal_mark": ",", "missing": ["n/a"], "updated_at": after["updated_at"]}
    assert feeding.api.patch(path, {"data_feed": {"missing": ["n/a"]}}).expect(200).body == after


def test_a_feed_is_removed_while_no_file_came_to_it(feeding):
    feed, other = feeding.feed(), feeding.feed(name="Other")
    feeding.upload(other, "start_time,mass\n2025-01-01T00:00:00Z,1\n")

    feeding.api.delete(f"{feeding.path}/data_feeds/{feed['id']}").expect(204)

    refused = feeding.api.delete(f"{feeding.path}/data_feeds/{other['id']}").expect(422)
    assert refused.error["code"] == "in_use"
    assert [one["name"] for one in feeding.api.get(f"{feeding.path}/data_feeds").data] == ["Other"]


def test_what_a_feed_names_stays(feeding):
    wood, kiln = given.feedstock(feeding.api, feeding.plant), given.asset(feeding.api, feeding.plant)
    feeding.feed(feedstock_id=wood["id"], asset_id=kiln["id"])

    for path, noun in {
        f"{feeding.path}/event_types/{feeding.event_type['id']}": "Data feeds",
        f"{feeding.path}/feedstocks/{wood['id']}": "data feeds",
        f"{feeding.path}/assets/{kiln['id']}": "data feeds",
    }.items():
        refused = feeding.api.delete(path).expect(422)
        assert refused.error["code"] == "in_use"
        assert noun in refused.error["message"]


def test_a_header_tells_most_of_what_its_columns_give(feeding):
    body = {
        "event_type_id": feeding.event_type["id"],
        "header": ["Timestamp", "Mass (kg)", "Driver", "Ticket no.", "Weather", "IS-DRY [yes/no]"],
    }

    suggested = feeding.api.post(f"{feeding.path}/data_feed_suggestions", body).expect(200).body

    assert suggested == {
        "columns": [
            {"column": "Timestamp", "field": "start_time", "unit": None, "flag": None},
            {"column": "Mass (kg)", "field": "mass", "unit": "kg", "flag": None},
            {"column": "Driver", "field": "driver", "unit": None, "flag": None},
            {"column": "Ticket no.", "field": "tracking_id", "unit": None, "flag": None},
            {"column": "IS-DRY [yes/no]", "field": "is_dry", "unit": None, "flag": None},
        ],
        "unclear": ["Weather"],
        "lacking": [],
    }
    feeding.feed(columns=suggested["columns"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(
            ("encoding", one)
            for one in ("undefined", "idna", "punycode", "unicode_escape", "base64", "no-such")
        ),
        *(("time_format", one) for one in ("%d%d", "%Y %q", "noon", "%d.%m.%Y %d")),
    ],
)
def test_a_form_by_which_nothing_can_be_read_is_refused_when_the_feed_is_made(feeding, field, value):
    body = {"name": "Scale", "event_type_id": feeding.event_type["id"], field: value}
    refused = feeding.api.post(f"{feeding.path}/data_feeds", {"data_feed": body}).expect(422)

    assert [one["field"] for one in refused.errors] == [field]


def test_a_suggestion_for_names_of_any_length_is_refused_or_given_at_once(feeding):
    path = f"{feeding.path}/data_feed_suggestions"
    question = {"event_type_id": feeding.event_type["id"]}

    feeding.api.post(path, question | {"header": [" " * 30_000]}).expect(400)
    found = feeding.api.post(path, question | {"header": ["Mass" + " " * 900 + "[t] ", "(", "mass (("]})
    assert [one["column"].split()[0] for one in found.expect(200).body["columns"]] == ["Mass"]
