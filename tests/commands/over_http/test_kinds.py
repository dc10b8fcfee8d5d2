"""Operators list, show and act from the command line, as the interface lets them."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from tests.commands.conftest import *  # noqa: F403 - the command line as a fixture
from tests.given import accounting as given_accounting
from tests.given import collection as given

from weighbridge.client.made.groups import Groups
from weighbridge.commands import record_commands
from weighbridge.commands.contents import KINDS
from weighbridge.errors import Refusal

NOW = datetime(2026, 3, 15, 10, 30, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture
def operate(weighbridge, server, api):
    """Runs a command on the running service: `operate("events", "list", …)`."""

    def run(*words):
        return weighbridge(*words, WEIGHBRIDGE_URL=server.address, WEIGHBRIDGE_TOKEN=api.token)

    return run


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"), name="Delivery")


def test_there_is_a_command_for_every_kind_and_operation():
    groups = Groups(None)

    assert set(KINDS) == set(vars(groups))
    for kind in KINDS:
        verbs = {name for name in dir(type(getattr(groups, kind))) if not name.startswith("_")} - {"client"}
        assert set(record_commands.list_functions(kind)) == verbs, kind


def test_every_command_can_be_asked_what_it_takes():
    for kind in KINDS:
        app = getattr(record_commands, kind)
        for verb in record_commands.list_functions(kind):
            name = record_commands.SHOWN_AS.get(verb, verb).replace("_", "-")
            assert "--service-url" in {
                option for one in app[name].assemble_argument_collection() for option in one.names
            }, (kind, verb)


def test_every_command_explains_each_of_its_arguments():
    unexplained = [
        (kind, verb, argument.name)
        for kind in KINDS
        for verb in record_commands.list_functions(kind)
        for argument in (
            getattr(record_commands, kind)[record_commands.SHOWN_AS.get(verb, verb).replace("_", "-")]
            .assemble_argument_collection()
        )
        if not argument.parameter.help
    ]  # fmt: skip

    assert unexplained == []


def test_what_takes_json_says_what_it_means_and_that_it_is_json(operate):
    shown = " ".join(operate("rules", "create", "--help").expect(0).out.replace("│", " ").split())

    assert "null when it has no window. As JSON." in shown


@pytest.mark.parametrize("shell", ["bash", "fish", "powershell", "zsh"])
def test_the_completion_of_a_shell_is_printed(weighbridge, shell):
    script = weighbridge("--show-completion", shell).expect(0).out

    assert {kind for kind in ("webhooks", "evidence", "tokens", "archive") if kind not in script} == set()


def test_the_shell_completes_every_kind(weighbridge, tmp_path):
    weighbridge("--install-completion", HOME=str(tmp_path), SHELL="/bin/bash").expect(0)

    written = "".join(file.read_text() for file in tmp_path.rglob("*") if file.is_file())
    assert {kind for kind in ("webhooks", "evidence", "tokens", "archive") if kind not in written} == set()


def test_a_command_that_there_is_not_is_told(operate):
    assert "nonsense" in operate("nonsense").expect(2).err


def test_a_record_may_have_an_address_of_its_own(operate, api):
    address = "https://registry.example/hook"

    made = operate("webhooks", "create", "--url", address, "--json").expect(0).json

    assert api.get(f"/webhooks/{made['id']}").body["url"] == address


def test_records_are_listed_and_shown_as_they_were_known_then(operate, api, plant):
    event = given.event(api, plant, values={"mass": 2})
    then = api.get("/ledgers", {"as_of": datetime.now(UTC).isoformat()}).expect(200).headers["as-of-number"]
    given.event(api, plant, values={"mass": 3})
    list_events = ("events", "list", plant["id"], "--json")

    assert [one["id"] for one in operate(*list_events, "--as-of", then).expect(0).json] == [event["id"]]
    assert len(operate(*list_events).expect(0).json) == 2
    shown = operate("events", "show", plant["id"], event["id"], "--as-of", then, "--json").expect(0).json
    assert shown["id"] == event["id"]
    assert "as_of" in operate(*list_events, "--as-of", "yesterday").expect(1).err


@pytest.mark.parametrize("limit", ["-1", "1000000001", "99999999999999999999"])
def test_a_list_is_no_shorter_than_nothing(operate, plant, limit):
    assert "--limit" in operate("events", "list", plant["id"], "--limit", limit).expect(2).err


@pytest.mark.parametrize(
    "address", ["foo", "ftp://127.0.0.1", "http://", "http://host:0", "http://[", "host:80"]
)
def test_what_is_no_address_of_a_service_is_told_at_once(weighbridge, api, address):
    done = weighbridge("projects", "list", WEIGHBRIDGE_URL=address, WEIGHBRIDGE_TOKEN=api.token).expect(1)

    assert done.err == f"{address!r} is no address of a service, such as http://127.0.0.1:8080.\n"


def test_records_are_listed_as_a_table_as_json_and_as_csv(operate, api, plant):
    for mass in ("1.10", "2.20"):
        given.event(api, plant, values={"mass": Decimal(mass)}, tracking_id="=LOT")

    table = operate("events", "list", plant["id"]).expect(0).out
    records = operate("events", "list", plant["id"], "--json").expect(0).json
    rows = list(csv.DictReader(io.StringIO(operate("events", "list", plant["id"], "--csv").expect(0).out)))

    assert table.splitlines()[0].startswith("id")
    assert len(table.splitlines()) >= 3
    assert [one["data_points"][0]["value"] for one in records] == [Decimal("1.10"), Decimal("2.20")]
    assert [row["id"] for row in rows] == [one["id"] for one in records]
    assert {row["tracking_id"] for row in rows} == {"'=LOT"}


def test_a_list_is_as_long_as_is_asked(operate, api, plant):
    given.events(api, plant, [given.event_body(values={"mass": 1}) for _ in range(60)])

    def number(*words):
        return len(operate("events", "list", plant["id"], "--json", *words).expect(0).json)

    assert (number(), number("--limit", 7), number("--limit", 0)) == (50, 7, 60)


def test_since_and_until_narrow_by_time(operate, api, plant):
    for day in ("01", "02", "03"):
        given.event(api, plant, start_time=f"2025-01-{day}T12:00:00Z", values={"mass": 1})

    words = ("--since", "2025-01-02T00:00:00Z", "--until", "2025-01-03T00:00:00Z", "--json")
    found = operate("events", "list", plant["id"], *words).expect(0).json

    assert [one["start_time"] for one in found] == ["2025-01-02T12:00:00Z"]


def test_a_record_is_shown_and_changed(operate, plant):
    operate("projects", "update", plant["id"], "--name", "Works").expect(0)

    shown = operate("projects", "show", plant["id"]).expect(0).out

    assert "Works" in shown


def test_a_correction_is_made_by_a_text_of_json(operate, api, plant):
    event = given.event(api, plant, values={"mass": 1})
    point = event["data_points"][0]["id"]

    operate("data-points", "correct", plant["id"], point, "--value", "2.50", "--reason", "scale").expect(0)

    found = operate("data-points", "show", plant["id"], point, "--json").expect(0).json
    assert (found["value"], found["raw_value"]) == (Decimal("2.50"), 1)


def test_tokens_are_listed_and_revoked(operate, api):
    made = api.post("/api_tokens", {"api_token": {"name": "CI", "permissions": ["data_rules:read"]}}).body

    operate("tokens", "revoke", made["id"]).expect(0)

    listed = {one["name"]: one for one in operate("tokens", "list", "--json").expect(0).json}
    assert listed["CI"]["revoked_at"]


def test_a_period_is_looked_at_before_it_is_generated(operate, api, account):
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(5)
    start, end = given_accounting.JANUARY

    said = operate("generate", plant.ledger["id"], "--start", start, "--end", end, "--dry-run").expect(0)

    assert "1 batches, 0 of them adjusting" in said.err
    assert plant.batches() == []


def test_a_task_is_watched_to_its_end(operate, api, account):
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(5)
    start, end = given_accounting.JANUARY
    task = api.post(
        f"/ledgers/{plant.ledger['id']}/batch_generations", {"start_time": start, "end_time": end}
    ).body
    account.drain()

    ended = operate("tasks", "watch", task["id"], "--json").expect(0).json

    assert (ended["state"], ended["result"]["created"]) == ("complete", 1)


def test_refusals_end_a_command_with_their_sentences(operate, plant):
    missing = operate("events", "show", plant["id"], "evt_000000000000000000000000").expect(1)
    no_json = operate(
        "events",
        "create",
        plant["id"],
        "--event-type",
        "delivery",
        "--start-time",
        "2026-01-01T00:00:00Z",
        "--data-points",
        "{",
    ).expect(1)

    assert "record not found" in missing.err
    assert "--data-points must be valid JSON" in no_json.err


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("now", "2026-03-15T09:30:00+00:00"),
        ("today", "2026-03-14T23:00:00+00:00"),
        ("yesterday", "2026-03-13T23:00:00+00:00"),
        ("90m", "2026-03-15T08:00:00+00:00"),
        ("7d", "2026-03-08T09:30:00+00:00"),
        ("2026-01-31T00:00:00Z", "2026-01-31T00:00:00+00:00"),
    ],
)
def test_times_are_said_as_people_say_them(said, meant):
    assert datetime.fromisoformat(record_commands.moment(said, NOW)).astimezone(UTC).isoformat() == meant


def test_what_is_no_time_is_told_with_what_is():
    with pytest.raises(Refusal, match="'soon' is not a time; give now, today, yesterday"):
        record_commands.moment("soon", NOW)


def test_json_of_an_empty_list_is_a_list(operate):
    assert json.loads(operate("projects", "list", "--json").expect(0).out) == []
