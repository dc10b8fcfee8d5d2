"""What the guide prints runs: every block of shell, and every rule that is printed as JSON.

A block is run here, in order, in the shell of the tutorial; or another test runs its page; or it stands in
`NOT_RUN` with what this machine lacks. An id that is printed as `bat_…` is one that readers put in.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from psycopg.conninfo import make_conninfo
from tests.databases import database
from tests.docs import test_tutorial
from tests.docs.test_cookbooks import beside_a_worker
from tests.durability.processes import until
from tests.given import accounting, canaille, chain, engagements
from tests.given import collection as given
from tests.given.lone import lone_service
from tests.given.people import PASSWORD, Visitor
from tests.given.roll_ups import minutes_of, read, roll_up
from tests.given.sealing import seal_rows_of
from tests.given.witnesses import cosigned_at
from tests.server import Caller, Server

from weighbridge.core.signing import SigningKey
from weighbridge.db.embedded.instance import RUNNING_ROLE
from weighbridge.http.outgoing import CallReach, OutgoingClient
from weighbridge.platform.audit_witnesses import ask_witnesses

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.glob("tutorial/*.md")), *sorted(DOCS.glob("howto/*.md"))]
SHELL = re.compile(r"^```(?:sh|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
JSON = re.compile(r"^```json\n(\{\"(?:name|rule)\".*?)^```$", re.MULTILINE | re.DOTALL)
PRELUDE = re.findall(r"^(?:call|pick)\(\) .*$", test_tutorial.TUTORIAL.read_text(), re.MULTILINE)

SECONDS_MAX = 300
"""How long the block of a page may take on a busy machine."""

BY_TUTORIAL = {page.stem for page in (test_tutorial.TUTORIAL, *test_tutorial.GUIDES)}
"""Pages whose blocks the test of the tutorial runs, in one shell."""

NOT_RUN = {
    "exchange-footprints": "test_footprints_howto.py runs it",
    "README": "installs the package, and starts the service that the tutorial starts",
    "back-up-and-restore": "test_pgbackrest_howto.py and durability/test_backup.py run it",
    "check-a-proof-bundle": "needs jq and an authority of time; test_bundle_howto.py runs the commands",
    "deploy-behind-a-proxy": "sets the folder of a host; test_proxy_howto.py runs its proxies",
    "install": "installs packages, units of systemd and files of root",
    "operate": "needs a collector of traces",
    "run-an-agent": "needs an OPC UA server; tests/agent and test_agent_howto.py run the commands",
    "run-on-several-hosts": "needs several hosts",
    "run-with-a-replica": "test_replica_howto.py runs it on two servers",
    "upgrade": "needs another version of the service",
    "watch-an-sftp-drop": "needs sshd, and a folder that the service may watch",
}
"""Pages whose blocks are not run as they stand, each with the reason."""

STREAMS = "text/event-stream"
"""A block with this stays open until it is ended, and so is not run: tests/http/following has streams."""


class Shell(NamedTuple):
    """The shell of a reader: its folder, and whose token it has."""

    folder: Path
    server: Any
    api: Any

    def run(self, block: str, **variables: str) -> str:
        """Run a block with what blocks before it have set; gives what it printed."""
        state = self.folder / "state"
        kept = f"[ -f {state} ] && . {state}\n"
        lines = [
            "set -euo pipefail",
            *PRELUDE,
            "set -a",
            block,
            "set +a",
            f"{{ declare -px; declare -f; }} > {state}",
        ]
        given = {"URL": f"{self.server.address}/api/v1", "TOKEN": self.api.token} | variables
        given["PATH"] = f"{test_tutorial.SCRIPTS}:{os.environ['PATH']}"
        ran = subprocess.run(
            ["bash", "-c", kept + "\n".join(lines)],
            cwd=self.folder,
            env=os.environ | given,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
            check=False,
        )
        assert ran.returncode == 0, block + ran.stdout + ran.stderr
        assert '{"errors"' not in ran.stdout, block + ran.stdout
        return ran.stdout


@pytest.fixture
def shell(server, api, tmp_path):
    return Shell(tmp_path, server, api)


def blocks_of(name):
    text = (DOCS / "howto" / f"{name}.md").read_text()
    return [block for block in SHELL.findall(text) if STREAMS not in block]


def test_every_block_is_run_or_says_why_not():
    with_blocks = {page.stem for page in PAGES if SHELL.search(page.read_text())}

    assert with_blocks == BY_TUTORIAL | NOT_RUN.keys() | RUN_HERE
    assert not BY_TUTORIAL & NOT_RUN.keys()


def test_rules_are_tried_and_alerts_dismissed(shell, account):
    api = shell.api
    plant = given.measuring(api, given.number("dry-mass"))
    given.event(api, plant, values={"dry-mass": 51})
    body = {"name": "Mass", "expression": "{{dry-mass}} > 50", "effective_from": "2020-01-01T00:00:00Z"}
    api.post(f"/projects/{plant['id']}/rules", {"rule": body}).expect(201)
    account.drain()

    tried, dismissed = (shell.run(block, PROJECT=plant["id"]) for block in blocks_of("watch-data-with-rules"))

    assert '"evaluated"' in tried
    assert '"status":"dismissed"' in dismissed


def test_uncertainty_goes_from_certificates_to_the_tonne(shell, drain):
    plant = given.project(shell.api)
    shell.folder.joinpath("examples").symlink_to(DOCS.parent / "examples")
    *stating, batch, discount, trials, report, material, savings = blocks_of("state-uncertainty")

    *_, shown, _ = [shell.run(block, PROJECT=plant["id"]) for block in stating]
    drain()

    assert_printed(json.loads(shell.run(batch)), (DOCS / "howto/state-uncertainty.md").read_text())
    [ledger] = json.loads(shell.run(discount))["ledgers"]
    assert ledger["primary_output_after"] < ledger["primary_output_before"]
    assert json.loads(shell.run(report))["stated"]["standard_uncertainty"] > 0
    assert '"is_material":' in shell.run(material)
    assert '"halving":[{' in shell.run(savings)
    assert '"state":"pending"' in shell.run(trials)
    drain()
    found = json.loads(shell.run("call GET /uncertainty_runs/$RUN"))
    assert (found["state"], found["error_message"]) == ("complete", None)

    home = f"/projects/{plant['id']}"
    points = shell.api.get(f"{home}/data_points").data
    [point] = [one for one in points if one["value"] == Decimal("18.42")]
    assert point["uncertainty"] == {"relative_half_width": Decimal("0.005"), "coverage_factor": 2}
    [made] = [one for one in shell.api.get(f"{home}/calibrations").data if one["name"] == "D-K-15204-01"]
    assert (made["valid_until"], made["id"] in shown) == ("2026-01-15T00:00:00.000Z", True)


def assert_printed(batch, page):
    found = batch["uncertainty"]
    assert f"Here {batch['primary_output']['value']:.2f} t{{CO2e}} are known" in page
    for key, digits in (("standard_uncertainty", 2), ("degrees_of_freedom", 1), ("expanded_uncertainty", 2)):
        assert f" {round(found[key], digits)} " in page
    assert [line["name"].partition(" ")[0] for line in found["budget"]] == [
        "carbon_content", "moisture", "M-2025-7", "weighed", "D-K-15204-01", "drying_energy", "grid-factor",
    ]  # fmt: skip
    assert all(f"{line['share']:.1%}".replace("%", " %") in page for line in found["budget"])


def test_a_package_is_written_checked_and_built(shell):
    made, schemas, refused, built = map(shell.run, blocks_of("write-a-package"))

    assert "The package has no flaw." in made
    assert "has the schemas of its files" in schemas
    assert "refused" in refused
    assert "soda-ash.zip has 8 files" in built


def test_a_project_begins_with_a_package_of_the_library(shell, account):
    shell.folder.joinpath("packages").symlink_to(DOCS.parent / "packages")
    checked, installed, tried = blocks_of("begin-with-a-package")

    assert "silicon-carbide.zip has" in shell.run(checked)
    assert "silicon-carbide 1.0.0 is installed" in shell.run(at_the_service(shell, installed))
    with account.working():
        shell.run(tried)
    account.drain()

    [ledger] = shell.api.get(f"/projects/{shell.api.get('/projects').data[0]['id']}/ledgers").data
    batches = shell.api.get(f"/ledgers/{ledger['id']}/batches").data
    found = [f"{batch['primary_output']['value'].normalize():,}" for batch in batches]
    assert (
        f"{found[0]}, {found[1]} and {found[2]} tonnes"
        in (DOCS / "howto/begin-with-a-package.md").read_text()
    )


def test_a_package_is_taken_installed_upgraded_and_removed(shell):
    plant = given.project(shell.api)
    reach = {"WEIGHBRIDGE_URL": shell.server.address, "WEIGHBRIDGE_TOKEN": shell.api.token}

    taken, installed, by_command, upgraded, removed = (
        shell.run(block, PROJECT=plant["id"], **reach) for block in blocks_of("install-a-package")
    )

    assert '"state":"shipped"' in taken
    assert '"problems":[]' in installed
    assert '"is_changed_here":false' in installed
    assert "soda-ash 0.1.0 is installed as pki_" in by_command
    assert "nodes.factor.constant: 0.2 → 0.3" in upgraded
    assert "soda-ash is at 0.2.0 now." in upgraded
    assert "A model is never removed" in removed


def test_what_was_known_and_what_moved_since_are_read(shell, drain):
    plant = accounting.plant(shell.api, drain)
    plant.deliver(2)
    plant.generate()
    known, steps = blocks_of("see-what-was-known")

    assert '"balance"' in shell.run(known, PROJECT=plant.project["id"], LEDGER=plant.ledger["id"])
    assert '"kind":"generated"' in shell.run(steps)


def test_a_view_of_a_list_is_saved(shell):
    [saving] = blocks_of("work-with-lists")

    assert '"name":"Deliveries by day"' in shell.run(saving)

    [view] = shell.api.get("/saved_views").data
    assert (view["list_name"], view["query"]) == ("events", "filter[slug]=delivery&group=day")


def test_minutes_are_rolled_up_and_read_from_their_hour(shell, account):
    project = given.project(shell.api)
    minutes, hours, reading = blocks_of("roll-minutes-up")

    shell.run(minutes, PROJECT=project["id"])
    shell.run(hours)
    read(shell.api, project, minutes_of(10, [{"co2": 7, "status": "good"}] * 58))
    roll_up(account)

    assert "'valid_readings': 58" in shell.run(reading)


@pytest.mark.parametrize("name", ["feed-files", "feed-from-a-historian"])
def test_feeds_are_made_and_take_a_file(shell, name, tmp_path):
    api = shell.api
    points = [given.number("wet_mass", unit="t"), given.number("feed_rate", unit="t/h")]
    points += [given.number("temperature", unit="degC"), given.text("quality")]
    plant = given.measuring(api, *points)
    [kind] = api.get(f"/projects/{plant['id']}/event_types").data
    (tmp_path / "log.csv").write_text("Timestamp;Net mass (kg);Weather\n01.02.2025 06:00;12,75;dry\n")
    watched = ',\n  "watch": "/srv/drop/historian"'

    for block in blocks_of(name):
        feeds = api.get(f"/projects/{plant['id']}/data_feeds").data
        mine = f"data_feeds/{feeds[0]['id']}/" if feeds else "data_feeds/1/"
        printed = block.replace("data_feeds/1/", mine)
        shell.run(
            printed.replace(watched, "").replace("et_…", kind["id"]),
            PROJECT=plant["id"],
            EVENT_TYPE=kind["id"],
        )

    assert api.get(f"/projects/{plant['id']}/data_feeds").data


def test_lists_are_summarised_and_exported(shell, drain):
    plant = accounting.plant(shell.api, drain)
    *blocks, named = blocks_of("export-lists")

    printed = [shell.run(block, PROJECT=plant.project["id"]) for block in blocks]
    shell.run(named, LEDGER=plant.ledger["id"])

    assert '"status":"pending"' in printed[-1]
    [file] = shell.folder.glob("*.csv")
    assert file.name.startswith("plant-")


def test_changes_are_followed_from_a_cursor_on(shell):
    given.project(shell.api)

    latest, waiting, ticket = blocks_of("follow-changes")

    shell.run(latest)
    given.project(shell.api)

    assert '"cursor"' in shell.run(waiting.replace("&wait=30", "&wait=1"))
    issued = json.loads(shell.run(ticket))
    assert issued["ticket"].startswith("wbt_")
    assert datetime.fromisoformat(issued["expires_at"]) > datetime.now(UTC)


def test_a_webhook_gives_its_secret(shell):
    (block,) = blocks_of("receive-webhooks")

    assert '"secret":"whsec_' in shell.run(block)


def test_a_report_gets_a_link(shell, account):
    api = shell.api
    plant = accounting.plant(api, account.drain)
    plant.deliver(5)
    plant.generate()
    fields = {"name": "A", "report_type": "quarterly", "project_id": plant.project["id"]}
    taken = [{"batch_id": plant.batches()[0]["id"], "amount": 1}]
    report = api.post("/reports", {"report": fields | {"batches": taken}}).expect(201).body

    assert "/reports/" in shell.run(*blocks_of("report-and-restate"), REPORT=report["id"])


def test_a_report_is_verified_by_a_link(shell, account):
    plant = accounting.plant(shell.api, account.drain)
    for day in range(1, 29):
        plant.deliver(day, f"2025-01-{day:02d}T00:00:00Z")
    plant.generate()
    taken = [{"batch_id": plant.batches()[0]["id"], "amount": 406}]
    fields = {"name": "Spring", "report_type": "quarterly", "project_id": plant.project["id"]}
    report = shell.api.post("/reports", {"report": fields | {"batches": taken}}).expect(201).body
    engagements.make_bundle(shell.api, account.drain, report)

    for block in blocks_of("verify-a-report"):
        shell.run(block, REPORT=report["id"])

    [engagement] = shell.api.get(f"/reports/{report['id']}/engagements").expect(200).data
    assert (engagement["state"], engagement["sample_count"]) == ("concluded", 25)


def test_a_chain_is_generated_and_a_draw_by_hand_is_previewed(shell, account):
    stock = chain.inventory(shell.api, account.drain)
    manual = "needed_by_hand"
    stock.deliver(10)
    production = chain.link(
        stock,
        chain.PRODUCED
        + chain.upstream("select: manual", slug=manual)
        + chain.USED.replace("sum(drawn)", f"sum({manual})"),
    )
    chain.produce(production, 1, "2025-02-03T00:00:00Z")
    generated, previewed = blocks_of("chain-ledgers")
    ledgers = {"WOOD": stock.ledger["id"], "BIOCHAR": production.ledger["id"]}
    range_of = json.dumps(accounting.range_of(("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")))

    assert '"state":"pending"' in shell.run(generated, RANGE=range_of, **ledgers)
    account.drain()
    batch = stock.batches()[0]["id"]
    assert '"count"' in shell.run(previewed.replace("bat_…", batch), **ledgers)


def test_the_inputs_of_a_batch_are_named_anew(shell, account):
    plant = accounting.plant(shell.api, account.drain)
    events = [plant.deliver(5), plant.deliver(3)]
    plant.generate()
    points = [
        shell.api.get(f"/projects/{plant.project['id']}/events/{one}").body["data_points"][0]["id"]
        for one in events
    ]
    (block,) = blocks_of("change-inputs")
    block = block.replace('"in_…", "in_…"', ", ".join(f'"{point}"' for point in points))

    shell.run(block, LEDGER=plant.ledger["id"], BATCH=plant.batches()[0]["id"])


def test_a_log_of_a_turbine_is_imported_into_what_was_prepared(shell, account):
    prepared, imported = blocks_of("import-a-csv")
    shell.run(prepared)
    points = (
        "Ambient temperature,Ambient pressure,Ambient humidity,Air filter difference pressure,"
        "Gas turbine exhaust pressure,Turbine inlet temperature,Turbine after temperature,"
        "Compressor discharge pressure,Turbine energy yield,Carbon monoxide,Nitrogen oxides"
    )
    (shell.folder / "log.csv").write_text(
        f"Time,{points}\n"
        "2011-01-01T00:00:00Z,4.5878,1018.7,83.675,3.5758,23.979,1086.2,549.83,134.67,11.898,0.32663,81.952\n"
    )

    with account.working():
        shell.run(at_the_service(shell, imported))

    [plant] = shell.api.get("/projects").data
    [hour] = shell.api.get(f"/projects/{plant['id']}/events").data
    assert {one["slug"]: one["value"] for one in hour["data_points"]}["turbine-energy-yield"] == Decimal(
        "11.898"
    )


def at_the_service(shell, block):
    """A block whose service and token are those of the shell."""
    named = re.sub(r"WEIGHBRIDGE_URL=\S+", f"WEIGHBRIDGE_URL={shell.server.address}", block)
    return re.sub(r"WEIGHBRIDGE_TOKEN=\S+", f"WEIGHBRIDGE_TOKEN={shell.api.token}", named)


@pytest.fixture
def alone(postgres, newest):
    """A service with one account, and the shell of somebody who sits where it runs."""
    with lone_service(postgres, newest, "nothing") as lone:
        server = lone.server
        account = server.account()
        urls = {
            "WEIGHBRIDGE_DATABASE_URL": make_conninfo(server.owner_url, user=RUNNING_ROLE),
            "WEIGHBRIDGE_MIGRATION_DATABASE_URL": server.owner_url,
        }
        yield account, urls


def test_people_are_let_in_and_shut_out_where_the_service_runs(alone, tmp_path):
    account, urls = alone
    shell = Shell(tmp_path, account.server, account.caller())
    invited, limited, changed = blocks_of("give-people-access")
    token = shell.run("weighbridge token create --name owner --all", **urls).strip()
    project = given.project(Caller(account.server, token))["id"]

    for block in (invited, "weighbridge user add --email boss@plant.example --role administrator"):
        link = re.search(r"/join\?key=([\w.-]+)", shell.run(block, **urls))
        joining = {"key": link[1], "password": PASSWORD, "again": PASSWORD, "name": "Ada"}
        Visitor(account.server).post("/join", joining).expect(303)
    told_of_roles = shell.run(limited, PROJECT=project, **urls)
    told = shell.run(changed, **urls)

    assert "ada@plant.example: Reader, Member of 1 project." in told_of_roles
    assert "rea@plant.example  Reader of 1 project, invited" in told
    assert "ada@plant.example signs in no longer." in told


@pytest.mark.skipif(bool(canaille.MISSING), reason=canaille.MISSING or "Canaille is there")
def test_people_sign_in_by_a_provider_and_an_administrator_keeps_a_password(alone, tmp_path):
    account, urls = alone
    shell = Shell(tmp_path, account.server, account.caller())
    keeps, made, helps = (block.replace("ada@", "eve@") for block in blocks_of("sign-in-by-your-provider"))
    add = "weighbridge user add --email eve@plant.example --role administrator"
    link = re.search(r"/join\?key=([\w.-]+)", shell.run(add, **urls))
    joining = {"key": link[1], "password": PASSWORD, "again": PASSWORD, "name": "Eve"}
    Visitor(account.server).post("/join", joining).expect(303)

    assert "eve@plant.example: keeps the password." in shell.run(keeps, **urls)
    with canaille.canaille() as running:
        named = {"ISSUER": running.issuer, "CLIENT_SECRET": canaille.SECRET}
        provider = json.loads(shell.run(made, **named))
        running.do("client", id="weighbridge", secret=canaille.SECRET, redirect_uri=provider["redirect_uri"])
        running.add("bob", "operators")
        somebody = Visitor(account.server)
        canaille.sign_in(somebody, provider, running, "bob").expect(303)

    assert "bob@plant.example" in somebody.get("/me").expect(200).text
    assert re.search(r"/enter\?key=[\w.-]+", shell.run(helps, **urls))


def test_a_cell_is_added_and_an_account_made_in_it(alone, tmp_path):
    account, urls = alone
    shell = Shell(tmp_path, account.server, account.caller())

    told = "".join(shell.run(block, **urls) for block in blocks_of("add-cells"))

    assert re.search(r"^north  1 accounts, about 0 rows", told, re.MULTILINE)
    assert re.search(r"The account 'default' lives in the cell north now: [0-9]+ rows were copied", told)
    token = re.search(r"^wb_live_\w+$", told, re.MULTILINE)
    assert Caller(account.server, token[0]).get("/projects").expect(200).data == []


def test_old_months_are_written_compared_and_verified(alone, tmp_path):
    account, urls = alone
    shell = Shell(tmp_path, account.server, account.caller())
    plant = accounting.plant(shell.api, account.drain)
    plant.deliver(5)
    plant.generate()
    (block,) = blocks_of("archive-old-months")
    block = block.replace("s3://bucket", str(tmp_path)).replace("/srv/weighbridge", str(tmp_path / "data"))

    said = shell.run(block.replace("prj_…", plant.project["id"]), **urls)

    assert (tmp_path / "archive").is_dir()
    assert "ALTERED" not in said


def test_a_model_is_checked_made_tried_and_changed(shell):
    shutil.copytree(DOCS.parent / "examples", shell.folder / "examples")
    plant = given.project(shell.api)

    checked, made, tried, changed = blocks_of("write-a-model")
    shell.run(checked)
    shell.run(made, PROJECT=plant["id"])

    assert shell.run(tried) == "4.361140678415764005480375796497281 t{CO2e}\n"
    assert "Soil temperature, mean of ten years" in shell.run(changed)


def test_a_plant_is_worked_on_from_the_command_line(shell, account):
    plant = accounting.plant(shell.api, account.drain)
    event = plant.deliver(5, "2026-03-02T00:00:00Z")
    task = plant.start().expect(202).body
    account.drain()
    points = shell.api.get(f"/projects/{plant.project['id']}/events/{event}").body["data_points"]
    token = (
        shell.api.post("/api_tokens", {"api_token": {"name": "Old", "permissions": ["data_collection:read"]}})
        .expect(201)
        .body["id"]
    )
    (block,) = blocks_of("work-from-the-command-line")
    said = block.replace("watch 17", f"watch {task['id']}").replace("revoke 4", f"revoke {token}")
    ids = {"PROJECT": plant.project["id"], "LEDGER": plant.ledger["id"], "POINT": points[0]["id"]}

    beside_a_worker(account, lambda: shell.run(at_the_service(shell, said), **ids))

    point = shell.api.get(f"/projects/{plant.project['id']}/data_points/{points[0]['id']}").body
    assert point["value"] == Decimal("12.5")
    assert plant.batches()[0]["primary_output"]["value"] == 5
    assert (shell.folder / "alerts.csv").is_file()


def test_every_printed_rule_is_taken(api):
    names = ("wet-mass", "dry-mass", "temperature", "so2")
    plant = given.measuring(
        api, *map(given.number, names), given.text("quality"), cadence_amount=1, cadence_unit="hour"
    )
    nodes = """
  - slug: biochar_mass
    input: {event_type: delivery, data_point_type: wet-mass, aggregate: sum}
    unit: t
  - slug: net_removal
    formula: biochar_mass * 2
    unit: t
    output: true
"""
    text = accounting.document(nodes, primary_output="net_removal")
    model = accounting.model(api, plant, text)
    printed = JSON.findall((DOCS / "howto" / "watch-data-with-rules.md").read_text())
    assert len(printed) == 20

    for block in printed:
        body = json.loads(block.replace("mod_…", model["id"]))
        api.post(f"/projects/{plant['id']}/rules", body if "rule" in body else {"rule": body}).expect(201)


class Host(NamedTuple):
    """Where an operator sits: the database, the key of the service, and a token for the account default."""

    url: str
    shell: Shell
    variables: dict[str, str]

    def run(self, block, **variables):
        return self.shell.run(block, **self.variables | variables)

    def sealed(self, server):
        """A service whose log of the account has all rows that were written."""
        [(account,)] = server.sql("SELECT id FROM accounts WHERE name = 'default'")
        server.run(seal_rows_of(server.database, account))
        return server


@pytest.fixture
def host(postgres, newest, tmp_path):
    with database(postgres, newest) as url:
        (tmp_path / "key.pem").write_bytes(SigningKey.made().pem)
        variables = {
            "WEIGHBRIDGE_DATABASE_URL": make_conninfo(url, user=RUNNING_ROLE),
            "WEIGHBRIDGE_MIGRATION_DATABASE_URL": url,
            "WEIGHBRIDGE_AUDIT_KEY_FILE": str(tmp_path / "key.pem"),
        }
        nobody = SimpleNamespace(address="", token="")
        made = Host(url, Shell(tmp_path, nobody, nobody), variables)
        made.run("weighbridge migrate")
        yield made


def test_a_witness_is_run_and_cosigns_the_heads_of_a_service(host, tmp_path):
    making, adding, serving, naming, listing, keeping = blocks_of("witness-each-other")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    token = host.run("weighbridge token create --name ci --all").split()[-1]
    for block in (making, adding):
        host.run(block)
    host.run(f"{serving.replace('--logs', f'--port {port} --logs')}echo $! > witness.pid")
    try:
        named = host.run(f'{naming.replace("8090", port)}echo "$WEIGHBRIDGE_AUDIT_WITNESSES"').strip()
        settings = {"audit_key_file": tmp_path / "key.pem", "audit_witnesses": (named,)}
        with Server(host.url, **settings) as server:
            told = f"export URL={host.sealed(server).address}/api/v1 TOKEN={token}\n"
            log = tmp_path / "witness.log"
            until(lambda: "Witness " in log.read_text(), what="the witness listens")
            server.run(ask_all_witnesses(server))

            assert json.loads(host.run(told + listing))["witnesses"][0]["failure"] is None
            assert host.run(told + keeping) == "1\n"
    finally:
        os.kill(int((tmp_path / "witness.pid").read_text()), signal.SIGTERM)
    key = (tmp_path / "north-witness.vkey").read_text()
    assert cosigned_at((tmp_path / "2025-03-31.checkpoint").read_text(), key)


async def ask_all_witnesses(server):
    async with OutgoingClient(CallReach.of(server.settings.outgoing_networks)) as client:
        await ask_witnesses(server.database, client, server.settings)


def test_the_key_of_the_audit_log_is_replaced_and_checked_by_the_first(host, tmp_path):
    rotating, checking = blocks_of("replace-the-audit-key")
    host.run("weighbridge token create --name ci --all")
    first = host.run("weighbridge audit key").strip()

    assert "has the new key. One audit log tells of it." in host.run(rotating)
    newest = host.run(checking).strip()

    assert newest == (tmp_path / "plant.vkey").read_text().strip() != first
    assert host.run(f'weighbridge audit check-keys keys.json --key "{first}"').strip() == newest


def test_the_keys_of_secrets_are_made_and_rotated(host, tmp_path):
    making, rotating = blocks_of("keep-secrets-encrypted")
    named = host.run(f'{making}echo "$WEIGHBRIDGE_SECRET_KEYS_FILE"').strip()

    done = host.run(rotating, WEIGHBRIDGE_SECRET_KEYS_FILE=named)

    assert named == str(tmp_path / "secret-keys")
    before, rotated, idle = done.strip().splitlines()
    assert before.endswith("0 secrets  encrypts")
    assert rotated.startswith("Encrypted anew by the key ")
    assert idle.startswith(before.partition(" ")[0])
    assert len((tmp_path / "secret-keys").read_text().splitlines()) == 2


RUN_HERE = {
    "add-cells",
    "archive-old-months",
    "begin-with-a-package",
    "change-inputs",
    "chain-ledgers",
    "export-lists",
    "feed-files",
    "feed-from-a-historian",
    "follow-changes",
    "give-people-access",
    "import-a-csv",
    "install-a-package",
    "keep-secrets-encrypted",
    "receive-webhooks",
    "replace-the-audit-key",
    "report-and-restate",
    "sign-in-by-your-provider",
    "roll-minutes-up",
    "see-what-was-known",
    "state-uncertainty",
    "verify-a-report",
    "watch-data-with-rules",
    "witness-each-other",
    "work-with-lists",
    "work-from-the-command-line",
    "write-a-model",
    "write-a-package",
}
"""Pages whose blocks are run above."""
