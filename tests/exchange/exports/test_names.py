"""Files are called after what is in them, and alike by the interface, the client and the command line."""

import os
import re
import subprocess
import sys
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from tests.given import accounting
from tests.given import collection as given

from weighbridge.client import Client
from weighbridge.client.made import operations
from weighbridge.core import identity


def name_of(answer):
    """The name that a browser saves an answer under."""
    return unquote(re.search(r"filename\*=UTF-8''(\S+)", answer.headers["content-disposition"])[1])


@pytest.fixture
def client(server, api):
    with Client(server.address, token=api.token) as client:
        yield client


@pytest.fixture
def save(server, api, tmp_path):
    """Has a command store its file; gives the name of that."""

    def run(*words):
        ran = subprocess.run(
            [sys.executable, "-m", "weighbridge", *words, "--save", str(tmp_path)],
            env=os.environ | {"WEIGHBRIDGE_URL": server.address, "WEIGHBRIDGE_TOKEN": api.token},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        [stored] = tmp_path.iterdir()
        assert ran.stdout.strip() == str(stored)
        return stored.name

    return run


def test_an_export_says_its_project_list_filters_and_time(client, api, account, server, save):
    plant = given.project(api, name="Anlage Süd: 1/2")
    listed = client.events.list(plant["id"], start_time_geq="2026-01-01T00:00:00Z", slug="delivery")
    with account.working():
        file = listed.export("xlsx", progress=False)

    url = api.get(f"/exports/{export_id(account)}").expect(200).body["download_url"]
    by_browser = name_of(server.anyone.get(url.removeprefix(f"{server.address}/api/v1")).expect(200))
    by_command = save(
        "exports", "download", url.split("/")[-2], "--key", parse_qs(urlsplit(url).query)["key"][0]
    )

    filters = "start-time-from-2026-01-01_slug-delivery", "slug-delivery_start-time-from-2026-01-01"
    told, tail = file.name.rsplit("_", 2)[0], file.name.split("_", file.name.count("_") - 1)[-1]
    assert told in {f"anlage-süd-1-2_events_{each}" for each in filters}
    assert re.fullmatch(r"\d{8}T\d{6}Z_[0-9a-f]{8}\.xlsx", tail)
    assert file.name == by_browser == by_command


def export_id(account):
    """The id of the export that the account has."""
    [(number,)] = account.sql("SELECT id FROM exports WHERE account_id = %s", account.id)
    return identity.of("export", 0, number)


def test_batches_of_a_ledger_and_assets_say_theirs(api, account, save):
    plant = accounting.plant(api, account.drain)
    ledger = plant.ledger["id"]

    name = name_of(api.get(f"/ledgers/{ledger}/batches.csv").expect(200))
    assets = name_of(api.get(f"/projects/{plant.project['id']}/assets/spreadsheet").expect(200))
    stored = save("exports", "download-ledger-batches", ledger)

    shape = re.compile(rf"plant-\d+_[\w-]+_batches_\d{{8}}T\d{{6}}Z_{ledger[-8:]}\.csv")
    assert shape.fullmatch(name)
    assert shape.fullmatch(stored)
    assert re.fullmatch(r"plant-\d+_assets_\d{8}T\d{6}Z\.csv", assets)


def test_a_file_is_not_written_over_another(client, api, account, tmp_path):
    plant = accounting.plant(api, account.drain)
    file = client.download(operations.exports_download_ledger_batches(plant.ledger["id"]))
    file.save(tmp_path)

    with pytest.raises(FileExistsError):
        file.save(tmp_path)
