"""The demonstration, step by step: a plant is described, measured, modelled, booked, traced and verified.

Invariants: everything after the token goes over HTTP; a figure that does not come out ends it with a failure.
"""

import shlex
import shutil
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from weighbridge.core.number import exact_total, round_to
from weighbridge.demo import plant
from weighbridge.demo.client import PREFIX, Client
from weighbridge.demo.serving import folder, serving, unwind_on_signals, weighbridge
from weighbridge.demo.show import Compared, Row, Screen, number
from weighbridge.errors import Refusal

POLL_SECONDS: Final = 0.1
TASK_SECONDS: Final = 60
PORT: Final = 8080
"""The port of the commands that are shown at the end."""

Record = dict[str, Any]
Batches = Mapping[tuple[str, str], Record]
"""The lineage of each batch, by month and feedstock."""


def run(data_dir: Path | None, *, keep: bool) -> None:
    """Show the whole chain on a data directory, or on a fresh one."""
    unwind_on_signals()
    started = time.monotonic()
    screen = Screen()
    screen.title("Weighbridge: three months of a biochar plant, from the lorry to the ledger")
    with folder(data_dir, keep=keep) as used:
        token, ledger = _demonstrate(screen, used)
    screen.step(f"Done in {time.monotonic() - started:.0f} s, and the service has stopped")
    if used.exists():
        _say_how_to_open(screen, used, token, ledger)
        if data_dir is None:
            _say_command(screen, "Remove the data:", shlex.join(["rm", "-r", str(used)]))
    else:
        _say_command(
            screen, "Its data are gone with it. To keep them and look around:", f"{_program()} demo --keep"
        )


def _demonstrate(screen: Screen, data_dir: Path) -> tuple[str, Record]:
    started = time.monotonic()
    screen.step("Start the service", f"weighbridge serve --data-dir {data_dir} --port 0")
    with serving(data_dir) as address:
        screen.say(
            f"PostgreSQL, API and worker are ready at {address} after {time.monotonic() - started:.1f} s"
        )
        screen.step("Make a token", "weighbridge token create --name demonstration --all")
        options = ("--name", "demonstration", "--all", "--expires", "30", "--data-dir", str(data_dir))
        token = weighbridge("token", "create", *options)
        screen.say(f"{token[:12]}…, stored as its hash")
        with Client(address, token) as client:
            ledger = _fill(screen, client)
            batches = _show_ledger(screen, client, ledger)
            _show_lineage(screen, batches[plant.EXAMPLE_MONTH, plant.FOREST])
            _compare(screen, batches)
            _generate_again(screen, client, ledger)
        _verify(screen, data_dir)
    return token, ledger


def _fill(screen: Screen, client: Client) -> Record:
    """Describe the plant, store its measurements, save its model, and book the batches."""
    project = _describe(screen, client)
    model = _save_model(screen, client, project)
    screen.step("Open the ledger that the model credits", f"POST {PREFIX}/projects/{project['id']}/ledgers")
    ledger: Record = client.post(
        f"/projects/{project['id']}/ledgers", {"ledger": {**plant.LEDGER, "model_id": model["id"]}}
    )
    screen.say(f"{ledger['name']} in {ledger['unit']} to {ledger['scale']} decimals, {ledger['id']}")
    path = f"/ledgers/{ledger['id']}"
    screen.step("Ask what a generation would do", f"POST {PREFIX}{path}/generate_preview")
    preview = client.post(f"{path}/generate_preview", plant.RANGE)["data"][0]
    screen.say(f"{preview['count']} batches in {', '.join(preview['slots'])}")
    _require(not preview["problems"], " ".join(preview["problems"]))
    screen.say(f"data that no batch would use: {len(preview['not_counted'])}")
    screen.step(
        "Generate the batches", f"POST {PREFIX}{path}/batch_generations", f"GET {PREFIX}/async_tasks/…"
    )
    task = _generate(screen, client, ledger)
    screen.say(
        f"task {task['id']} is {task['state']}: {task['result']['created']} batches in one transaction"
    )
    _require(
        task["result"]["created"] == preview["count"],
        "The generation made other batches than the preview said.",
    )
    return ledger


def _describe(screen: Screen, client: Client) -> Record:
    screen.step(
        "Describe the plant",
        f"POST {PREFIX}/projects",
        f"POST {PREFIX}/projects/…/event_types, {len(plant.EVENT_TYPES)} times",
        f"POST {PREFIX}/projects/…/feedstocks, {len(plant.FEEDSTOCKS)} times",
    )
    project: Record = client.post("/projects", {"project": plant.PROJECT})
    path = f"/projects/{project['id']}"
    types = [client.post(f"{path}/event_types", {"event_type": one}) for one in plant.EVENT_TYPES]
    feedstocks = {
        name: client.post(f"{path}/feedstocks", {"feedstock": {"name": name}})["id"]
        for name in plant.FEEDSTOCKS
    }
    screen.say(f"{project['name']} ({project['id']}) in {project['time_zone']}")
    screen.say(f"events: {', '.join(one['slug'] for one in types)}")
    screen.say(f"feedstocks: {', '.join(feedstocks)}")
    screen.step("Store three months of measurements", f"POST {PREFIX}{path}/events")
    events = plant.events(feedstocks)
    stored = client.post(f"{path}/events", {"events": events})["info"]["items"]
    values = sum(len(event["data_points"]) for event in events)
    screen.say(f"{stored} events with {values} values in one request: weighings, lab analyses, power bills")
    return project


def _save_model(screen: Screen, client: Client, project: Record) -> Record:
    with plant.model_file() as file:
        screen.step(
            "Check the model, a YAML document with its own test cases", f"weighbridge model check {file}"
        )
        *_, summary = weighbridge("model", "check", str(file)).splitlines()
        screen.say(summary)
        document = file.read_text(encoding="utf-8")
    screen.step("Save the model", f"POST {PREFIX}/models")
    model: Record = client.post("/models", {"model": {"project_id": project["id"], "yaml": document}})
    screen.say(f"{model['name']} version {model['version']}, {model['cadence']} by {model['partition_type']}")
    screen.say(f"SHA-256 {model['sha256']}, which every batch keeps")
    return model


def _generate(screen: Screen, client: Client, ledger: Record) -> Record:
    task: Record = client.post(f"/ledgers/{ledger['id']}/batch_generations", plant.RANGE)
    deadline = time.monotonic() + TASK_SECONDS
    with screen.progress() as update:
        while task["state"] in {"pending", "running"}:
            _require(time.monotonic() < deadline, f"The task was not done within {TASK_SECONDS} seconds.")
            time.sleep(POLL_SECONDS)
            task = client.get(f"/async_tasks/{task['id']}")
            update(task["progress"], task["progress_description"] or task["state"])
    _require(task["state"] == "complete", f"The task failed: {task['error_message']}")
    return task


def _show_ledger(screen: Screen, client: Client, ledger: Record) -> Batches:
    path = f"/ledgers/{ledger['id']}"
    screen.step("Read the ledger", f"GET {PREFIX}{path}/batches", f"GET {PREFIX}{path}")
    names = {one["id"]: one["name"] for one in client.get("/feedstocks?page_size=200")["data"]}
    batches = client.get(f"{path}/batches?page_size=200&sort=start_time")["data"]
    lineages = [client.get(f"/batches/{batch['id']}/lineage") for batch in batches]
    rows = [_row(batch, lineage, names) for batch, lineage in zip(batches, lineages, strict=True)]
    screen.ledger(rows)
    balance = Decimal(client.get(path)["balance"])
    _require(
        balance == exact_total(row.balance for row in rows),
        "The ledger's balance is not the sum of its batches.",
    )
    screen.say(f"The ledger's balance is {number(balance)} {ledger['unit']}, the sum of its batches.")
    return {(row.period, row.feedstock): lineage for row, lineage in zip(rows, lineages, strict=True)}


def _row(batch: Record, lineage: Record, feedstocks: Mapping[str, str]) -> Row:
    start = datetime.fromisoformat(batch["start_time"]).astimezone(ZoneInfo(plant.TIME_ZONE))
    output = batch["primary_output"]
    return Row(
        batch=batch["id"],
        period=f"{start:%Y-%m}",
        feedstock=", ".join(feedstocks[one] for one in batch["feedstocks"]),
        dry_mass=value_of(lineage, "dry_mass"),
        output=Decimal(output["value"]),
        balance=Decimal(batch["ledger_balance"]),
        unit=output["unit"],
    )


def value_of(lineage: Record, slug: str) -> Decimal:
    """The value of a node in a batch."""
    return Decimal(next(node["value"] for node in lineage["nodes"] if node["slug"] == slug))


def _show_lineage(screen: Screen, lineage: Record) -> None:
    batch = lineage["batch"]["id"]
    screen.step(
        f"Trace {plant.FOREST.lower()} of {plant.EXAMPLE_MONTH} to its measurements",
        f"GET {PREFIX}/batches/{batch}/lineage",
    )
    screen.lineage(lineage)


def _compare(screen: Screen, batches: Batches) -> None:
    screen.step("Compare with figures that others have published")
    rows = []
    for figure in plant.PUBLISHED:
        found = round_to(value_of(batches[figure.month, figure.feedstock], figure.node), figure.places)
        rows.append(Compared(figure.what, found, figure.published))
        _require(found == figure.value, f"{figure.what} came to {found}, and should be {figure.value}.")
    screen.compared(rows)


def _generate_again(screen: Screen, client: Client, ledger: Record) -> None:
    screen.step(
        "Generate again: nothing has changed, so nothing is posted",
        f"POST {PREFIX}/ledgers/…/batch_generations",
    )
    result = _generate(screen, client, ledger)["result"]
    screen.say(f"created {result['created']}, adjusted {result['adjusted']}, unchanged {result['unchanged']}")
    _require(not result["batches"], "A generation without new data posted something.")


def _verify(screen: Screen, data_dir: Path) -> None:
    screen.step("Verify the books and compute every batch anew", f"weighbridge verify --data-dir {data_dir}")
    screen.say(weighbridge("verify", "--data-dir", str(data_dir)))


def _say_how_to_open(screen: Screen, data_dir: Path, token: str, ledger: Record) -> None:
    address = f"http://127.0.0.1:{PORT}"
    program = _program()
    folder_option = shlex.join(["--data-dir", str(data_dir)])
    _say_command(screen, "Start the service on these data:", f"{program} serve {folder_option} --port {PORT}")
    _say_command(screen, "Read about every request:", f"{address}/docs")
    batches = f"{address}{PREFIX}/ledgers/{ledger['id']}/batches"
    _say_command(screen, "Ask for the batches:", f"curl -H 'Authorization: Bearer {token}' {batches}")


def _say_command(screen: Screen, what: str, command: str) -> None:
    screen.say(what)
    screen.say(f"  {command}", "bold")


def _program() -> str:
    """How this program was called, so that the commands shown can be typed as they are."""
    called = Path(sys.argv[0])
    if called.name != "weighbridge":
        return shlex.join([sys.executable, "-m", "weighbridge.cli"])
    found = shutil.which(called.name)
    return called.name if found and Path(found).samefile(called) else shlex.quote(str(called))


def _require(holds: bool, sentence: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not holds:
        raise Refusal(sentence)
