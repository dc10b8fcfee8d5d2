"""A package is taken whole or not at all: checked apart, kept once, and shown with all that it brings."""

import hashlib

import pytest
from tests.given import collection as given
from tests.given import packages
from tests.server import Server

from weighbridge.core.signing import SigningKey, write_ssh_public_key
from weighbridge.packages.contents import FILE_BYTES_MAX, SUMS, build


def archived(files):
    """The files as one archive, without the sums that belong to them."""
    return build(files).content


def test_a_package_is_shown_with_sources_cases_and_records(api):
    made = packages.upload(api, packages.combustion())

    assert (made["name"], made["version"], made["publisher"]) == (
        "stationary-combustion", "1.0.0", "Weighbridge",
    )  # fmt: skip
    contents = made["contents"]
    assert [one["key"] for one in contents["sources"]] == ["cfr-98-c", "cfr-98-a"]
    assert [one["key"] for one in contents["event_types"]] == ["gas-volume", "gas-bill", "fuel-oil-use"]
    [case] = next(one for one in contents["models"] if one["name"] == "gas-by-volume")["cases"]
    assert {"node": "carbon_dioxide", "expected": "54.43956 t{CO2}", "actual": "54.43956 t{CO2}"} in case[
        "values"
    ]
    assert (contents["ledgers"][0]["key"], contents["ledgers"][0]["model"]) == (
        "Gas by volume", "gas-by-volume",
    )  # fmt: skip
    [listed] = api.get("/methodology_packages").data
    assert listed == made | {"contents": None}


def test_the_file_comes_back_byte_by_byte(api):
    content = build(packages.combustion()).content
    made = packages.send(api, content).expect(201).body

    answer = api.get(f"/methodology_packages/{made['id']}/content")

    assert answer.content == content
    assert made["sha256"] == hashlib.sha256(content).hexdigest()
    assert answer.headers["content-type"] == "application/zip"


def test_the_same_bytes_are_kept_once_and_other_bytes_are_another_version(api):
    first = packages.upload(api, packages.small())

    assert packages.upload(api, packages.small()) == first
    refused = packages.send(api, archived(packages.small(sources=("Its edition", "Another edition")))).expect(
        422
    )
    assert "The account has version 0.1.0 of soda-ash already" in refused.error["message"]
    packages.upload(api, packages.small(package=("0.1.0", "0.1.1")))
    assert len(api.get("/methodology_packages").data) == 2


def test_a_package_that_ships_is_taken_by_its_name(api):
    [offered] = [one for one in api.get("/library_packages").data if one["name"] == "stationary-combustion"]
    assert offered["package_id"] is None

    body = {"methodology_package": {"name": "stationary-combustion"}}
    made = api.post("/methodology_packages", body).expect(201).body

    assert made["sha256"] == offered["sha256"]
    assert made["signature"]["state"] == "shipped"
    [again] = [one for one in api.get("/library_packages").data if one["name"] == made["name"]]
    assert again["package_id"] == made["id"]
    unknown = api.post("/methodology_packages", {"methodology_package": {"name": "none"}}).expect(422)
    assert "packages that ship here are" in unknown.error["message"]
    assert packages.upload(api, packages.shipped(made["name"])) == made


def test_every_flaw_is_named_with_its_place_and_nothing_is_kept(api):
    files = packages.small(ledgers=("t{CO2e}", "MWh"), emissions=("emissions: 2}", "emissions: 3}"))

    refused = packages.send(api, archived(files)).expect(422)

    assert [error["message"].split(": ")[0] for error in refused.errors] == [
        "ledgers.yaml:3:5", "models/emissions.yaml:22:5",
    ]  # fmt: skip
    assert {error["code"] for error in refused.errors} == {"flawed_package"}
    assert api.get("/methodology_packages").data == []


def nested(depth):
    """A file of lists in lists."""
    return b"event_types: " + b"[" * depth + b"]" * depth


ALIASES = b"a: &a [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (name, name, b", ".join([b"*%c" % (name - 1)] * 9))
    for name in range(ord("b"), ord("k"))
)
"""A file that names the same lists again and again, nine to the tenth of them."""

HUGE_CASE = ("inputs: {energy: 10}", f"inputs: {{energy: [{', '.join(['1'] * 200_000)}]}}")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"pages.md": b"x" * (FILE_BYTES_MAX + 1)}, "at most 2,000,000"),
        ({"setup.py": b"print(1)"}, "setup.py is no file of a package"),
        ({"event_types.yaml": ALIASES}, "event_types.yaml:"),
        ({"pages.md": b"# Soda ash\n\0"}, "pages.md:2:1: The file holds a NUL character"),
        ({"event_types.yaml": nested(100_000)}, "event_types.yaml:"),
        ({"event_types.yaml": b"event_types: !!python/object/apply:os.system ['ls']"}, "event_types.yaml:"),
        ({SUMS: b"0" * 64}, "does not have the sums"),
    ],
)
def test_a_hostile_file_is_refused_with_a_sentence(api, files, sentence):
    content = archived(packages.small() | files)

    refused = packages.send(api, content).expect(422)

    assert sentence in refused.error["message"], refused.text


@pytest.mark.parametrize(
    ("before", "after"), [(b"models/emissions.yaml", b"../../../../etc/passwd"), (b"pages.md", b"page?.md")]
)
def test_a_name_out_of_the_folder_is_refused(api, before, after):
    content = archived(packages.small()).replace(before, after[: len(before)])

    assert "part name" in packages.send(api, content).expect(422).error["message"]


def test_a_part_that_is_there_twice_is_refused(api):
    content = archived(packages.small()).replace(b"package.yaml", b"ledgers.yaml")

    assert "each is there once" in packages.send(api, content).expect(422).error["message"]


def test_a_case_of_very_many_numbers_is_refused_and_others_do_not_wait(api):
    refused = packages.send(api, archived(packages.small(emissions=HUGE_CASE))).expect(422)

    assert "emissions.yaml" in refused.error["message"], refused.text


@pytest.mark.parametrize("content", [b"", b"<html>", b"PK\x03\x04" + bytes(100)])
def test_what_is_no_package_is_refused(api, content):
    assert packages.send(api, content).expect(422).error["message"]


def test_only_a_package_that_is_not_installed_is_removed(api):
    project = given.project(api)
    package = packages.upload(api, packages.small())
    installed = packages.install(api, project, package).expect(201).body

    refused = api.delete(f"/methodology_packages/{package['id']}").expect(422)
    assert "is installed in 1 projects" in refused.error["message"]

    api.delete(f"/package_installations/{installed['id']}").expect(200)
    api.delete(f"/methodology_packages/{package['id']}").expect(204)
    assert api.get("/methodology_packages").data == []


def test_a_package_that_names_a_publisher_and_is_signed_by_another_is_refused(migrated_database, tmp_path):
    acme, other = SigningKey.made(), SigningKey.made()
    publishers = tmp_path / "publishers"
    publishers.write_text(
        f'"Acme Ltd" {write_ssh_public_key(acme.public)}\n"Other Inc" {write_ssh_public_key(other.public)}\n'
    )
    files = packages.small(package=("Your organisation", "Acme Ltd"))
    with Server(migrated_database, package_publishers=publishers) as server:
        api = server.account().caller()

        refused = packages.send(api, build(files, other).content).expect(422)
        assert api.get("/methodology_packages").data == []
        by_nobody_known = packages.send(server.account().caller(), build(files, SigningKey.made()).content)
        made = packages.send(api, build(files, acme).content).expect(201).body

    [error] = refused.errors
    assert (error["code"], error["field"]) == ("wrong_publisher", "file")
    assert error["message"].startswith(
        "The package says that 'Acme Ltd' publishes it, and is signed by the key of 'Other Inc' (SHA256:"
    )
    assert by_nobody_known.expect(201).body["signature"]["state"] == "unknown"
    assert made["signature"]["state"] == "known"
    assert made["signature"]["publisher"] == "Acme Ltd"
