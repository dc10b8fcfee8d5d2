"""`weighbridge import --url`: the same import through a running service, which may go away meanwhile."""

import http.client
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.given import collection as given

from weighbridge.commands.importing.remote import RemoteService
from weighbridge.commands.importing.run import Order, run
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.table import CsvFile

pytestmark = pytest.mark.usefixtures("working")

CONTENT = "Steam mass\n" + "".join(f"{number}.{'3' * 32}\n" for number in range(1, 8))


@dataclass(frozen=True)
class Steam:
    """A log of steam, and where its rows go."""

    log: Path
    plant: dict[str, Any]
    yard: dict[str, Any]
    sql: Callable[..., Any]

    @property
    def words(self):
        """What both ways are told."""
        return (
            "import", self.log, "--project", self.plant["id"], "--event-type", "delivery",
            "--location", self.yard["id"], "--start", "2025-01-01T00:00:00Z", "--every", "1h", "--json",
        )  # fmt: skip

    def order(self, **options):
        return Order(
            CsvFile(self.log), self.plant["id"], "delivery", [self.yard["id"]],
            start="2025-01-01T00:00:00Z", settings={"duration": "1h"}, **options,
        )  # fmt: skip

    def stored(self):
        statement = "SELECT numbers[1]::text FROM events WHERE project_id = %s ORDER BY start_time"
        return self.sql(statement, self.plant["numeric_id"])


@pytest.fixture
def steam(api, sql, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(CONTENT)
    plant = given.measuring(api, given.number("steam-mass"), expected_locations="one")
    return Steam(log, plant, given.location(api, plant), sql)


@pytest.fixture
def through_service(weighbridge, server, api, steam):
    """Imports the log through the service, with the token of a caller."""

    def run_command(*options, words=(), **variables):
        chosen = {
            "WEIGHBRIDGE_URL": server.address,
            "WEIGHBRIDGE_TOKEN": api.token,
            "WEIGHBRIDGE_DATA_DIR": str(server.settings.data_dir),
        } | variables
        return weighbridge(*(words or steam.words), *options, **chosen)

    return run_command


@pytest.fixture
def unsteady(server):
    """A way to the service that answers some posts with a fault, in turn: busy, overtaken, lost or lame."""
    faults: list[str] = []
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), _proxy_of(server.address.removeprefix("http://"), faults))
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{proxy.server_port}", faults
    proxy.shutdown()
    thread.join()
    proxy.server_close()


def silent(_phase, _done, _total):
    """Nobody watches the progress."""


def test_every_digit_arrives(through_service, steam):
    done = through_service().expect(0)

    assert (done.json["stored"], done.json["already_there"]) == (7, 0)
    assert steam.stored() == [(f"{number}.{'3' * 32}",) for number in range(1, 8)]


def test_assets_and_feedstocks_go_by_name_through_the_service(through_service, api, steam):
    given.asset(api, steam.plant, name="Boiler 1")
    given.feedstock(api, steam.plant, name="Wood")
    steam.log.write_text("Steam mass,Asset,Feedstock\n1,Boiler 1,Wood\n2,,\n")

    through_service().expect(0)

    tagged = [
        (event["asset"] and event["asset"]["name"], event["feedstock"] and event["feedstock"]["name"])
        for event in api.get(f"/projects/{steam.plant['id']}/events").data
    ]
    assert tagged == [("Boiler 1", "Wood"), (None, None)]


def test_the_service_and_the_database_know_each_others_events(
    through_service, weighbridge, account_name, steam
):
    through_service().expect(0)

    again = weighbridge(*steam.words, "--account", account_name).expect(0)

    assert (again.json["stored"], again.json["already_there"]) == (0, 7)
    assert len(steam.stored()) == 7


def test_what_is_there_is_left_alone(through_service, api, steam):
    reference = through_service("--dry-run").expect(0).json["reference"]
    for line in (2, 3, 6):
        given.event(
            api,
            steam.plant,
            start_time=f"2025-01-01T0{line - 2}:00:00Z",
            end_time=f"2025-01-01T0{line - 1}:00:00Z",
            locations=[steam.yard],
            values={"steam-mass": Decimal(f"{line - 1}.{'3' * 32}0")},
            client_reference=f"{reference}:{line}",
        )

    done = through_service().expect(0)

    assert (done.json["stored"], done.json["already_there"]) == (4, 3)
    assert len(steam.stored()) == 7
    assert through_service().expect(0).json["already_there"] == 7


def test_a_reference_on_an_event_of_another_type_is_refused(through_service, api, steam):
    given.event_type(api, steam.plant, slug="other")
    reference = through_service("--dry-run").expect(0).json["reference"]
    for line in range(2, 9):
        given.event(api, steam.plant, event_type="other", client_reference=f"{reference}:{line}")

    done = through_service().expect(1)

    assert "on an event of type 'other', not 'delivery'" in done.err


def test_the_rows_of_another_file_are_never_taken_for_those_that_are_there(through_service, api, steam):
    through_service("--reference", "boiler").expect(0)
    later = [
        word.replace("2025-01-01", "2025-01-02") if isinstance(word, str) else word for word in steam.words
    ]

    refused = through_service("--reference", "boiler", words=later).expect(1)

    assert "'boiler:2' on an event that starts at 2025-01-01T00:00:00.000Z, not 2025-01-02T00:00:00.000Z" in (
        refused.err
    )
    assert len(steam.stored()) == 7

    path = f"/projects/{steam.plant['id']}/events"
    for event in api.get(path).data:
        api.patch(f"{path}/{event['id']}", {"event": {"start_time": "2024-01-01T00:00:00Z"}}).expect(200)
    assert through_service("--reference", "boiler").expect(0).json["already_there"] == 7


def test_bad_rows_are_found_before_anything_is_sent(through_service, steam):
    steam.log.write_text(f"{CONTENT}heavy\n")

    done = through_service().expect(1)

    assert done.err.splitlines()[1] == "Line 9: column 'Steam mass': 'heavy' is not a decimal number."
    assert steam.stored() == []


def test_a_busy_service_is_asked_again_after_a_pause(unsteady, api, steam):
    url, faults = unsteady
    faults += ["busy", "busy"]
    pauses = []

    with RemoteService(url, api.token, pauses.append) as remote:
        summary = run(steam.order(), remote, silent)

    assert summary.stored == 7
    assert all(7 <= pause < 9 for pause in pauses), pauses
    assert len(pauses) == 2
    assert len(steam.stored()) == 7


def test_what_another_import_was_storing_at_the_same_moment_is_sent_again(unsteady, api, steam):
    url, faults = unsteady
    faults += ["overtaken"]
    pauses = []

    with RemoteService(url, api.token, pauses.append) as remote:
        summary = run(steam.order(), remote, silent)

    assert (summary.stored, len(pauses)) == (7, 1)


@pytest.mark.parametrize("has_references", [True, False])
def test_an_answer_that_is_lost_on_the_way_stores_nothing_twice(unsteady, api, steam, has_references):
    url, faults = unsteady
    faults += ["fine", "lost"]
    pauses = []

    with RemoteService(url, api.token, pauses.append) as remote:
        summary = run(steam.order(has_references=has_references), remote, silent)

    assert (summary.stored, summary.already_there, len(pauses)) == (7, 0, 1)
    assert len(steam.stored()) == 7


def test_a_service_that_stays_away_is_named_in_the_end(api, steam):
    pauses = []

    with (
        RemoteService("http://127.0.0.1:9", api.token, pauses.append) as remote,
        pytest.raises(Refusal) as refused,
    ):
        run(steam.order(), remote, silent)

    assert str(refused.value).startswith("The service at http://127.0.0.1:9 cannot be reached. ")
    assert [math.floor(math.log2(pause)) for pause in pauses] == [-1, 0, 1, 2, 3, 4, 5]


def test_an_address_of_another_program_is_told_from_a_service(unsteady, api, steam):
    url, faults = unsteady
    faults += ["lame"]

    with RemoteService(url, api.token) as remote, pytest.raises(Refusal) as refused:
        run(steam.order(), remote, silent)

    assert refused.value.problems[0].message.startswith(f"What answers at {url} is no Weighbridge. POST ")


def test_a_refusal_of_the_service_is_told_in_its_own_words(through_service, account):
    unknown = through_service(WEIGHBRIDGE_TOKEN="wb_live_x").expect(1)  # noqa: S106 - none of ours
    limited = through_service(WEIGHBRIDGE_TOKEN=account.caller("data_collection:read").token).expect(1)

    assert unknown.err == "The token is not one of this service.\n"
    assert limited.err.splitlines()[0] == "The token lacks the permission data_collection:write."


def test_a_project_of_another_account_is_not_there(through_service, stranger):
    done = through_service(WEIGHBRIDGE_TOKEN=stranger.token).expect(1)

    assert done.err.startswith("The account of the token has no project 'prj_")


def test_the_address_may_carry_the_prefix_of_the_interface(through_service, server):
    assert through_service("--url", f"{server.address}/api/v1/").expect(0).json["stored"] == 7


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://plant.example", "http://", "http://host:port"])
def test_what_is_no_address_is_refused(through_service, url):
    done = through_service("--url", url).expect(1)

    assert (
        done.err == f"--url is {url!r}; it takes the address of a service, such as http://127.0.0.1:8080.\n"
    )


def test_one_way_is_taken_and_an_option_stands_before_a_variable(through_service, account_name):
    direct = through_service("--account", account_name).expect(0)
    both = through_service("--url", "http://127.0.0.1:9", "--account", account_name).expect(1)

    assert direct.json["stored"] == 7
    assert both.err == "--url leads to a service, which has its own data and account; leave the others out.\n"


def test_a_service_needs_a_token_and_a_token_a_service(through_service):
    no_token = through_service(WEIGHBRIDGE_TOKEN="").expect(1)
    no_url = through_service("--token", "wb_live_x", WEIGHBRIDGE_URL="").expect(1)

    assert no_token.err == "--url needs a token: give --token-file or set WEIGHBRIDGE_TOKEN.\n"
    assert no_url.err == "--token needs the address of a service: give --url or set WEIGHBRIDGE_URL.\n"


def test_decimals_stay_decimals_in_the_answer_of_the_service(through_service, api, steam):
    through_service().expect(0)

    first = api.get(f"/projects/{steam.plant['id']}/events", {"page_size": "1"}).data[0]
    assert first["data_points"][0]["value"] == Decimal(f"1.{'3' * 32}")


OVERTAKEN = b'{"errors": [{"message": "Another request stored or removed it.", "code": "overtaken"}]}'
FAULTY_ANSWERS = {
    "busy": (503, b"{}", ("Retry-After", "7")),
    "overtaken": (409, OVERTAKEN, ("Retry-After", "1")),
    "lame": (200, b"<html>"),
}


def _proxy_of(address, faults):
    class Proxy(BaseHTTPRequestHandler):
        """Passes requests on; a post meets the next fault on the list."""

        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.answer(*self.passed_on())

        def do_POST(self):
            fault = faults.pop(0) if faults else "fine"
            if fault in FAULTY_ANSWERS:
                self.rfile.read(int(self.headers["content-length"]))
                self.answer(*FAULTY_ANSWERS[fault])
            elif fault == "lost":
                self.passed_on()
                self.close_connection = True
            else:
                self.answer(*self.passed_on())

        def passed_on(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            connection = http.client.HTTPConnection(address, timeout=20)
            try:
                connection.request(self.command, self.path, body, dict(self.headers))
                response = connection.getresponse()
                return response.status, response.read()
            finally:
                connection.close()

        def answer(self, status, body, *headers):
            self.send_response(status)
            for name, value in (*headers, ("Content-Length", str(len(body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Keep the output of the tests quiet."""

    return Proxy


def test_the_token_is_taken_from_a_file_which_no_list_of_processes_shows(through_service, api, tmp_path):
    file = tmp_path / "token"
    file.write_text(f"{api.token}\n")

    done = through_service("--token-file", file, WEIGHBRIDGE_TOKEN="").expect(0)

    assert done.json["stored"] == 7


def test_a_token_among_the_words_of_the_command_is_warned_of(through_service, api):
    done = through_service("--token", api.token, WEIGHBRIDGE_TOKEN="").expect(0)

    assert done.err.startswith("--token shows the token to every user of this machine")
    assert api.token not in done.err


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_file_without_a_token_is_refused(through_service, tmp_path, text):
    file = tmp_path / "token"
    if text is not None:
        file.write_text(text)

    done = through_service("--token-file", file, WEIGHBRIDGE_TOKEN="").expect(1)

    assert done.err.startswith(f"The file of --token-file, {file}, ")
