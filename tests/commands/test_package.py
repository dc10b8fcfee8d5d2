"""`weighbridge package`: from an empty folder to a file that others install."""

import pytest

from weighbridge.commands.package import build, check, new, schemas
from weighbridge.core.signing import SigningKey, write_ssh_public_key
from weighbridge.packages.schemas import write_schemas


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    new(tmp_path / "soda-ash")
    return tmp_path / "soda-ash"


def test_a_new_package_is_checked_and_built_the_same_twice(folder, tmp_path, capsys):
    check(folder)
    build(folder, out=tmp_path / "one.zip")
    build(tmp_path / "one.zip", out=tmp_path / "two.zip")
    check(tmp_path / "two.zip")

    said = capsys.readouterr().out
    assert "emissions: 1 of 1 cases" in said
    assert said.count("The package has no flaw.") == 2
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_a_package_with_a_flaw_is_not_built(folder, tmp_path, capsys):
    model = folder / "models" / "emissions.yaml"
    model.write_text(model.read_text().replace("emissions: 2}", "emissions: 3}"))

    with pytest.raises(SystemExit) as ended:
        build(folder)

    assert ended.value.code == 1
    assert "models/emissions.yaml:23:5: The case" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.zip"))


def test_a_folder_that_is_there_is_not_written_over(folder, capsys):
    with pytest.raises(SystemExit):
        new(folder)

    assert "is there already" in capsys.readouterr().err


def test_a_name_that_is_no_slug_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        new(tmp_path / "Soda Ash")

    assert "slug" in capsys.readouterr().err


def test_an_editor_finds_the_schema_of_each_file_of_a_new_package(folder):
    lines = {path: path.read_text().splitlines()[0] for path in folder.rglob("*.yaml")}

    assert lines
    for path, line in lines.items():
        schema = path.parent / line.removeprefix("# yaml-language-server: $schema=")
        assert schema.is_file()


def test_schemas_of_this_version_are_written_into_a_folder(tmp_path, capsys):
    schemas(tmp_path)

    assert "schemas" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / ".schemas").iterdir()} == set(write_schemas())


def test_a_signed_package_says_whose_key_it_was(folder, tmp_path, capsys):
    key = SigningKey.made()
    (tmp_path / "key").write_bytes(key.pem)
    (tmp_path / "known").write_text(f'"Your organisation" {write_ssh_public_key(key.public)}\n')
    (tmp_path / "others").write_text(f"Acme {write_ssh_public_key(key.public)}\n")
    signed = tmp_path / "signed.zip"

    build(folder, out=signed, key=tmp_path / "key")
    check(signed)
    check(signed, publishers=tmp_path / "known")
    with pytest.raises(SystemExit):
        check(signed, publishers=tmp_path / "others")

    said = capsys.readouterr()
    assert "The package is signed by a key that nobody here knows (SHA256:" in said.out
    assert "The package is signed by Your organisation, a known publisher" in said.out
    assert "is signed by the key of 'Acme'" in said.err


def test_a_package_is_checked_with_what_it_requires(folder, tmp_path, capsys):
    new(tmp_path / "transport")
    events = tmp_path / "transport" / "event_types.yaml"
    events.write_text(events.read_text().replace("Fuel bill", "Trip"))
    manifest = folder / "package.yaml"
    manifest.write_text(f'{manifest.read_text()}requires: {{transport: ">=0.1.0 <1.0.0"}}\n')
    model = folder / "models" / "emissions.yaml"
    model.write_text(model.read_text().replace("event_type: fuel-bill", "event_type: trip"))

    check(folder, required=[tmp_path / "transport"])
    model.write_text(model.read_text().replace("event_type: trip", "event_type: flight"))
    with pytest.raises(SystemExit):
        check(folder, required=[tmp_path / "transport"])

    assert "flight" in capsys.readouterr().err
