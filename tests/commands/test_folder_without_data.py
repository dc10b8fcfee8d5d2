"""Commands that tell what a service holds refuse a folder without one: an empty one has another key."""

import pytest

COMMANDS = {
    "key": ("audit", "key"),
    "head": ("audit", "head"),
    "proof": ("audit", "proof", "1"),
    "rows": ("audit", "export"),
    "bundle": ("bundle", "make", "rpt_5ddcb7c47918819ac458b979", "--output", "bundle.zip"),
    "verify": ("verify",),
    "person": ("account", "erase-person", "--email", "ada@plant.example"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_folder_without_data_is_refused_and_stays_as_it_is(weighbridge, monkeypatch, tmp_path, words):
    monkeypatch.delenv("WEIGHBRIDGE_DATABASE_URL")
    monkeypatch.delenv("WEIGHBRIDGE_MIGRATION_DATABASE_URL")
    folder = tmp_path / "mistyped"

    done = weighbridge(*words, "--data-dir", folder).expect(1)

    assert done.out == ""
    assert f"{folder} has no data of the service; name the folder that `weighbridge serve` uses" in done.err
    assert not folder.exists()


@pytest.mark.parametrize("words", [COMMANDS["key"], COMMANDS["verify"]], ids=["key", "verify"])
def test_a_database_without_data_is_refused_and_stays_as_it_is(weighbridge, empty_database, words):
    done = weighbridge(*words, WEIGHBRIDGE_DATABASE_URL=empty_database).expect(1)

    assert done.out == ""
    assert "The database has no data of the service; start it with `weighbridge serve` first." in done.err
