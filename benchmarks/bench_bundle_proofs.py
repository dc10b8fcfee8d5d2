"""The making and the check of a bundle whose events are proved one by one, against a plain read of the same
rows.

A plant weighs trucks: `--events` weighings, 100,000 by default, stored by requests of a thousand, one batch
to a thousand. Each event is in the bundle with its line, its write and the hashes that prove it. Baseline:
the same rows read from the database by COPY, and written into a ZIP file with their digest; for the check,
that file read and its digest compared. A round runs each beside its baseline. The second checker runs in
Node, with a heap of at most a gigabyte, and once in Chromium, from its file and without a network, where they
are there.
"""

import argparse
import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
import zipfile
from datetime import timedelta
from pathlib import Path

import psycopg
from bench_bundle import FIRST, MODEL, ran, said, text
from playwright.sync_api import sync_playwright
from service import Service, median, now, service

EVENTS = 100_000
AT_ONCE = 1000
ROUNDS = 3
SECOND_SECONDS_GOAL = 60.0
SECOND_MEMORY_GOAL = 1000.0
BROWSER = "chromium"
BROWSER_ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
LOOK_SECONDS = 0.2
SCRIPT = Path(__file__).parents[1] / "src/weighbridge/web/static/bundle-check.js"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wb-") as folder, service(with_worker=True) as running:
        file, plain = Path(folder, "bundle.zip"), Path(folder, "plain.zip")
        report = make(running, asked.events)
        key = said(running, "audit", "key").strip()
        making, checking, second = [], [], []
        for number in range(asked.rounds):
            written = write_plain(running.database_url, plain)
            made, _ = ran(running, "bundle", "make", report, "--output", str(file))
            read = read_plain(plain)
            checked, memory = ran(running, "bundle", "check", str(file), "--key", key)
            making.append(made / written)
            checking.append(checked / read)
            said_second = ""
            if shutil.which("node"):
                second.append(run_second(file, key))
                said_second = f"; second checker {second[-1][0]:.1f} s, {second[-1][1]:.0f} MB"
            print(
                f"round {number + 1}: made {made:.1f} s, plain {written:.2f} s; checked {checked:.1f} s,"
                f" {memory:.0f} MB, plain {read:.2f} s{said_second}",
                flush=True,
            )
        size = file.stat().st_size / 1e6
        in_browser = run_in_browser(file, key) if shutil.which(BROWSER) else None
    print(
        f"{asked.events:,} events, {size:.1f} MB: make takes {median(making):.1f} times as long as plain,"
        f" check {median(checking):.1f} times"
    )
    if second:
        seconds, most = median([one for one, _ in second]), max(memory for _, memory in second)
        print(f"second checker: {seconds:.1f} s, {most:.0f} MB; goal: at most {SECOND_SECONDS_GOAL:.0f} s")
        assert seconds <= SECOND_SECONDS_GOAL
        assert most <= SECOND_MEMORY_GOAL
    if in_browser is not None:
        seconds, most = in_browser
        print(
            f"in a browser: {seconds:.1f} s, its page up to {most:.0f} MB;"
            f" goal: at most {SECOND_MEMORY_GOAL:.0f} MB"
        )
        assert most <= SECOND_MEMORY_GOAL


def make(running: Service, events: int) -> str:
    """Store the weighings by the interface, and have a report of all of their batches; gives its id."""
    project = running.call("POST", "/projects", {"project": {"name": "Bench"}})
    body = {
        "name": "weighing", "slug": "weighing", "expected_locations": "none",
        "data_point_types": [{"name": "weight", "slug": "weight", "value_type": "number", "unit": "t"}],
    }  # fmt: skip
    running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    for first in range(0, events, AT_ONCE):
        bodies = [build_event(number) for number in range(first, min(first + AT_ONCE, events))]
        running.call("POST", f"/projects/{project['id']}/events", {"events": bodies})
    model = running.call("POST", "/models", {"model": {"project_id": project["id"], "yaml": MODEL}})
    named = {"ledger": {"name": "Net", "unit": "t", "model_id": model["id"]}}
    ledger = running.call("POST", f"/projects/{project['id']}/ledgers", named)
    end = FIRST + timedelta(hours=-(-events // AT_ONCE))
    times = {"start_time": text(FIRST), "end_time": text(end)}
    task = running.call("POST", f"/ledgers/{ledger['id']}/batch_generations", times)
    while task["state"] not in {"complete", "failed"}:
        time.sleep(0.2)
        task = running.call("GET", f"/async_tasks/{task['id']}")
    assert task["state"] == "complete", task
    body = {
        "name": "All", "report_type": "bench", "project_id": project["id"],
        "batch_ids": task["result"]["batches"],
    }  # fmt: skip
    return str(running.call("POST", "/reports", {"report": body})["id"])


def build_event(number: int) -> dict[str, object]:
    """One weighing; a thousand of them are in an hour."""
    hour, place = divmod(number, AT_ONCE)
    at = text(FIRST + timedelta(hours=hour, seconds=place * 3590 // AT_ONCE))
    weight = 20 + (hour * 31 + place * 7) % 977 / 8
    return {
        "event_type": "weighing", "start_time": at, "end_time": at,
        "data_points": [{"slug": "weight", "value": weight}],
    }  # fmt: skip


def write_plain(url: str, file: Path) -> float:
    """Read the rows of all events, and write them into a file with their digest; gives the seconds."""
    started = now()
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        statement = "COPY (SELECT * FROM events ORDER BY project_id, id) TO STDOUT"
        with cursor.copy(statement) as copy:
            content = b"".join(bytes(piece) for piece in copy)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("events.txt", content)
        archive.writestr("SHA256SUMS", f"{hashlib.sha256(content).hexdigest()}  events.txt\n")
    return now() - started


def read_plain(file: Path) -> float:
    """Read the file and compare its digest; gives the seconds."""
    started = now()
    with zipfile.ZipFile(file) as archive:
        content, sums = archive.read("events.txt"), archive.read("SHA256SUMS").decode()
    assert sums.startswith(hashlib.sha256(content).hexdigest())
    return now() - started


def run_second(file: Path, key: str) -> tuple[float, float]:
    """Run the second checker; gives the seconds that it took and the most memory that it held, in MB."""
    words = ["node", "--max-old-space-size=1024", str(SCRIPT), str(file), "--key", key]
    started = now()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, status
    return now() - started, usage.ru_maxrss / 1024


def run_in_browser(file: Path, key: str) -> tuple[float, float]:
    """Have a page without a network check the file; gives the seconds and the most that it held, in MB."""
    over, most = threading.Event(), [0.0]

    def look() -> None:
        while not over.wait(LOOK_SECONDS):
            most.append(max(list_page_memory(), default=0.0))

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which(BROWSER), args=[*BROWSER_ARGUMENTS], timeout=0
        )
        page = browser.new_context(offline=True).new_page()
        page.set_default_timeout(0)
        page.goto(SCRIPT.with_name("bundle-check.html").as_uri())
        watching = threading.Thread(target=look)
        watching.start()
        started = now()
        page.locator("#bundle-check input[type=file]").set_input_files(file)
        page.locator("#bundle-check input[name=key]").fill(key)
        page.locator("#bundle-check button").click()
        page.wait_for_function("document.getElementById('found').textContent.includes('Not checked')")
        seconds = now() - started
        over.set()
        watching.join()
        found = page.locator("#found").text_content() or ""
        assert found.startswith("The bundle is valid."), found[:200]
        browser.close()
    return seconds, max(most)


def list_page_memory() -> list[float]:
    """What each process of the browser that has a page holds of memory, in MB."""
    held = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"--type=renderer" in (folder / "cmdline").read_bytes():
                pages = int((folder / "statm").read_text().split()[1])
                held.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
    return held


if __name__ == "__main__":
    main()
