"""The settings that a supervisor reads are the settings that its processes read."""

from dataclasses import replace
from pathlib import Path

import pytest

from weighbridge.errors import Refusal
from weighbridge.settings import TABLE, Settings, environment, read, read_with, unknown_variables


def test_without_variables_every_setting_has_its_default():
    assert read({}) == Settings()


def test_settings_written_as_variables_are_read_back_unchanged():
    settings = replace(
        Settings(), data_dir=Path("/srv/data"), port=0, database_url="postgresql://db/w", host="::"
    )

    assert read(environment(settings)) == settings


def test_an_empty_variable_counts_as_unset():
    assert read({"WEIGHBRIDGE_PORT": "", "WEIGHBRIDGE_DATABASE_URL": " "}) == Settings()


def test_an_option_stands_before_its_variable(monkeypatch):
    monkeypatch.setenv("WEIGHBRIDGE_PORT", "9000")
    monkeypatch.setenv("WEIGHBRIDGE_HOST", "10.0.0.1")

    settings = read_with(port=9001, host=None)

    assert (settings.port, settings.host) == (9001, "10.0.0.1")


@pytest.mark.parametrize("text", ["-1", "65536", "80.0", "many"])
def test_a_port_out_of_range_is_refused_with_the_range(text):
    with pytest.raises(Refusal) as refused:
        read({"WEIGHBRIDGE_PORT": text})

    (problem,) = refused.value.problems
    assert problem.message == f"WEIGHBRIDGE_PORT is {text!r}, and must be a whole number from 0 to 65535."
    assert problem.field == "port"


def test_a_slip_in_a_name_is_found():
    assert unknown_variables({"WEIGHBRIDGE_PROT": "1", "WEIGHBRIDGE_PORT": "1", "PATH": "/"}) == [
        "WEIGHBRIDGE_PROT"
    ]


def test_every_setting_has_a_sentence_and_a_default_that_fits_one_machine():
    assert [setting.variable for setting in TABLE if not setting.doc.endswith(".")] == []
    assert [s.variable for s in TABLE if not s.default] == [
        "WEIGHBRIDGE_DATABASE_URL",
        "WEIGHBRIDGE_MIGRATION_DATABASE_URL",
        "WEIGHBRIDGE_SESSION_DATABASE_URL",
        "WEIGHBRIDGE_REPLICA_URL",
        "WEIGHBRIDGE_AUDIT_KEY_FILE",
        "WEIGHBRIDGE_AUDIT_LOG_NAME",
        "WEIGHBRIDGE_AUDIT_WITNESSES",
        "WEIGHBRIDGE_TIME_STAMP_URL",
        "WEIGHBRIDGE_TIME_STAMP_CERTIFICATES",
        "WEIGHBRIDGE_SECRET_KEYS_FILE",
        "WEIGHBRIDGE_SECRET_KEYS_COMMAND",
        "WEIGHBRIDGE_PACKAGE_PUBLISHERS",
        "WEIGHBRIDGE_EVIDENCE_URL",
        "WEIGHBRIDGE_BACKUP_URL",
        "WEIGHBRIDGE_METRICS_PORT",
        "WEIGHBRIDGE_BASE_URL",
        "WEIGHBRIDGE_TRUSTED_PROXIES",
        "WEIGHBRIDGE_OUTGOING_NETWORKS",
        "WEIGHBRIDGE_CORS_ORIGINS",
        "WEIGHBRIDGE_WATCHED_ROOTS",
        "WEIGHBRIDGE_TRACES_URL",
    ]


def test_origins_are_a_list_that_is_read_back_as_it_was():
    settings = read({"WEIGHBRIDGE_CORS_ORIGINS": "https://plant.example, http://localhost:3000,"})

    assert settings.cors_origins == ("https://plant.example", "http://localhost:3000")
    assert read(environment(settings)) == settings
    assert read({}).cors_origins == ()


@pytest.mark.parametrize("text", ["plant.example", "https://plant.example/app", "https://a b", "null", "**"])
def test_an_origin_that_is_none_is_refused(text):
    with pytest.raises(Refusal) as refused:
        read({"WEIGHBRIDGE_CORS_ORIGINS": text})

    (problem,) = refused.value.problems
    assert problem.message == (
        f"WEIGHBRIDGE_CORS_ORIGINS is {text!r}, and must be origins such as https://plant.example, "
        "separated by commas, or *."
    )
