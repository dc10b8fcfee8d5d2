"""A package is installed in a project: all its records or none, and never over what is there."""

import pytest
from tests.given import collection as given
from tests.given import packages


@pytest.fixture
def project(api):
    return given.project(api)


def states(parts):
    return {(part["kind"], part["key"]): part["state"] for part in parts}


def test_a_package_of_the_library_is_installed_with_all_its_records(api, project):
    package = packages.upload(api, packages.combustion())
    foreseen = packages.preview(api, project, package)
    assert api.get(f"/projects/{project['id']}/ledgers").data == []

    made = packages.install(api, project, package).expect(201).body

    assert foreseen["problems"] == []
    assert states(foreseen["parts"]) == {(part["kind"], part["key"]): "made" for part in made["parts"]}
    assert states(foreseen["parts"]) == {
        ("event_type", "gas-volume"): "made",
        ("event_type", "gas-bill"): "made",
        ("event_type", "fuel-oil-use"): "made",
        ("model", "fuel-oil"): "made",
        ("model", "gas-by-bills"): "made",
        ("model", "gas-by-volume"): "made",
        ("ledger", "Gas by volume"): "made",
        ("ledger", "Gas by bills"): "made",
        ("ledger", "Fuel oil"): "made",
    }
    assert (made["name"], made["version"]) == ("stationary-combustion", "1.0.0")
    assert made["lock"] == [
        {
            "package_id": package["id"], "name": package["name"], "version": "1.0.0",
            "sha256": package["sha256"],
        }
    ]  # fmt: skip
    assert not any(part["is_changed_here"] for part in made["parts"])
    ledgers = {one["name"]: one for one in api.get(f"/projects/{project['id']}/ledgers").data}
    assert ledgers["Fuel oil"]["latest_model"]["name"] == "Distillate fuel oil No. 2"
    assert api.get(f"/package_installations/{made['id']}").body == made


def test_equal_records_count_as_there_already_and_others_refuse(api, project):
    given.event_type(
        api, project, slug="fuel-bill", name="Fuel bill",
        data_point_types=[{"name": "Energy", "value_type": "number", "unit": "kWh"}],
    )  # fmt: skip
    package = packages.upload(api, packages.small())

    refused = packages.install(api, project, package).expect(422)
    foreseen = packages.preview(api, project, package)

    [sentence] = [error["message"] for error in refused.errors]
    assert "'fuel-bill' is in the project already" in sentence
    assert "data_point_types.energy.unit" in sentence
    assert foreseen["problems"] == [sentence]
    assert [one["differences"] for one in foreseen["parts"] if one["state"] == "differs"] == [
        [{"field": "data_point_types.energy.unit", "before": "kWh", "after": "MWh"}]
    ]
    assert api.get(f"/projects/{project['id']}/models").data == []

    kept = packages.install(api, project, package, keep_differing=True).expect(201).body

    assert {(one["key"], one["origin"], one["is_changed_here"]) for one in kept["parts"]} == {
        ("fuel-bill", "kept", True),
        ("emissions", "made", False),
        ("Emissions", "made", False),
    }
    [event_type] = api.get(f"/projects/{project['id']}/event_types").data
    assert event_type["data_point_types"][0]["unit"] == "kWh"


def test_what_is_equal_is_present_and_stays_when_the_package_goes(api, project):
    package = packages.upload(api, packages.small())
    made = packages.install(api, project, package).expect(201).body
    first = api.delete(f"/package_installations/{made['id']}").expect(200).body
    assert {(one["key"], one["state"]) for one in first["parts"]} == {
        ("Emissions", "removed"), ("fuel-bill", "removed"), ("emissions", "stays"),
    }  # fmt: skip
    given.event_type(
        api, project, slug="fuel-bill", name="Fuel bill",
        data_point_types=[{"name": "Energy", "value_type": "number", "unit": "MWh"}],
    )  # fmt: skip

    again = packages.install(api, project, package).expect(201).body

    assert {(one["key"], one["origin"]) for one in again["parts"]} == {
        ("fuel-bill", "present"), ("emissions", "present"), ("Emissions", "made"),
    }  # fmt: skip
    removed = api.delete(f"/package_installations/{again['id']}").expect(200).body
    assert {one["key"]: one["reason"] for one in removed["parts"] if one["state"] == "stays"} == {
        "fuel-bill": "It was in the project before the package.",
        "emissions": "It was in the project before the package.",
    }


def test_a_package_is_installed_once_in_a_project(api, project):
    package = packages.upload(api, packages.small())
    packages.install(api, project, package).expect(201)

    refused = packages.install(api, project, package).expect(409)

    assert "The project has soda-ash 0.1.0 already" in refused.error["message"]


def test_a_package_with_static_inputs_rules_and_a_methodology_is_installed_in_two_projects(api, project):
    package = packages.upload(api, packages.complete())

    made = packages.install(api, project, package).expect(201).body
    other = given.project(api)
    second = packages.install(api, other, package).expect(201).body

    for where, installation in ((project, made), (other, second)):
        assert not any(one["is_changed_here"] for one in installation["parts"]), installation
        assert {one["origin"] for one in installation["parts"]} == {"made"}
        records = {one["key"]: one["record_id"] for one in installation["parts"]}
        rule = api.get(f"/rules/{records['Energy is large']}").body
        assert rule["event_type_id"] == records["fuel-bill"]
        methodology = api.get(f"/methodologies/{records['Soda ash 2026']}").body
        assert [one["id"] for one in methodology["models"]] == [records["emissions"]]
        [value] = api.get(f"/projects/{where['id']}/static_inputs").data
        assert (value["slug"], str(value["value"])) == ("oxidised", "0.99")
    versions = sorted(one["version"] for one in api.get("/methodologies").data)
    assert versions == ["2026", f"2026 {other['id']}"]


def test_a_methodology_of_a_package_names_several_ledgers_by_their_roles(api, project):
    roles = b"[{role: made, sign: 1, unit: t}, {role: emitted, sign: -1, unit: kg}]"
    files = packages.complete()
    of_several = files["methodology.yaml"].replace(b"[emissions]", b"[emissions], ledgers: " + roles)
    inexact = {"methodology.yaml": of_several.replace(b"unit: kg", b"unit: kWh")}
    package = packages.upload(api, files | {"methodology.yaml": of_several})

    made = packages.install(api, project, package).expect(201).body

    assert not any(one["is_changed_here"] for one in made["parts"]), made
    records = {one["key"]: one["record_id"] for one in made["parts"]}
    assert api.get(f"/methodologies/{records['Soda ash 2026']}").body["ledgers"] == [
        {"role": "made", "sign": 1, "unit": "t"}, {"role": "emitted", "sign": -1, "unit": "kg"},
    ]  # fmt: skip
    refused = packages.send(api, packages.build(files | inexact).content).expect(422)
    assert "does not convert exactly to 't'" in refused.error["message"]


def test_what_a_package_requires_is_installed_with_it_and_locked(api, project):
    transport, needing = packages.requiring()
    older = {name: text.replace(b"1.2.0", b"1.1.9") for name, text in transport.items()}
    beyond = {name: text.replace(b"1.2.0", b"2.0.0") for name, text in transport.items()}
    lacking = packages.send(api, packages.build(needing).content).expect(422)
    assert lacking.error["message"] == (
        "energy 0.1.0 needs transport >=1.0.0 <2.0.0; the account has no package of that name."
        " Upload it first."
    )
    for files in (transport, older, beyond):
        packages.upload(api, files)

    made = packages.install(api, project, packages.upload(api, needing)).expect(201).body

    assert [(one["name"], one["version"]) for one in made["lock"]] == [
        ("energy", "0.1.0"), ("transport", "1.2.0"),
    ]  # fmt: skip
    installed = api.get(f"/projects/{project['id']}/package_installations").data
    assert [one["name"] for one in installed] == ["transport", "energy"]
    refused = api.delete(f"/package_installations/{installed[0]['id']}").expect(422)
    assert refused.error["message"] == "energy needs transport; remove that first."


def test_installations_are_found_by_a_record_that_came_with_them(api, project):
    for files in (packages.small(), packages.combustion()):
        packages.install(api, project, packages.upload(api, files)).expect(201)
    path = f"/projects/{project['id']}/package_installations"
    _, combustion = api.get(path).data
    parts = api.get(f"/package_installations/{combustion['id']}").body["parts"]
    records = {one["key"]: one["record_id"] for one in parts}

    for key in ("gas-bill", "fuel-oil", "Fuel oil"):
        assert api.get(path, {"filter[record_id]": records[key]}).data == [combustion]
    assert api.get(path, {"filter[record_id]": project["id"]}).data == []


def test_nobody_sees_packages_of_another_account_or_installs_them(server, api, project):
    package = packages.upload(api, packages.small())
    made = packages.install(api, project, package).expect(201).body
    other = server.account().caller()

    assert other.get("/methodology_packages").data == []
    other.get(f"/methodology_packages/{package['id']}").expect(404)
    other.get(f"/methodology_packages/{package['id']}/content").expect(404)
    other.delete(f"/methodology_packages/{package['id']}").expect(404)
    other.get(f"/package_installations/{made['id']}").expect(404)
    other.delete(f"/package_installations/{made['id']}").expect(404)
    refused = packages.install(other, given.project(other), package).expect(422)
    assert "which is no methodology package of the account" in refused.error["message"]
    packages.install(other, project, package).expect(404)


def test_whoever_may_not_change_a_kind_of_record_installs_none(account, api, project):
    package = packages.upload(api, packages.small())
    keeper = account.caller("production_accounting:write")

    refused = packages.install(keeper, project, package).expect(403)

    assert "lacks data_collection:write" in refused.error["message"]
    account.caller("data_collection:write").get("/methodology_packages").expect(403)


def test_a_record_of_two_packages_stays_with_the_other(api, project):
    shared = packages.small("transport")
    other = {name: text.replace(b"Emissions", b"Transport") for name, text in shared.items()}
    first = packages.install(api, project, packages.upload(api, packages.small())).expect(201).body
    packages.install(api, project, packages.upload(api, other)).expect(201)

    removed = api.delete(f"/package_installations/{first['id']}").expect(200).body

    reasons = {one["key"]: one["reason"] for one in removed["parts"]}
    assert reasons["fuel-bill"] == "It is a part of soda-ash and transport, too."
    assert reasons["Emissions"] is None


def test_a_record_that_was_removed_since_is_said_to_be_gone_and_the_others_stay(api):
    project = given.project(api)
    made = packages.install(api, project, packages.upload(api, packages.combustion())).expect(201).body
    [bill] = [one["record_id"] for one in made["parts"] if one["key"] == "gas-bill"]
    api.delete(f"/projects/{project['id']}/event_types/{bill}").expect(204)

    shown = api.get(f"/package_installations/{made['id']}").expect(200).body

    assert [one["key"] for one in shown["parts"] if not one["is_there"]] == ["gas-bill"]
    assert len(shown["parts"]) == len(made["parts"])
