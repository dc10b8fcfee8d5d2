"""An upgrade says before what every ledger would become, and doing it comes to the same."""

from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given import packages

VOLUME = Decimal("1234567.8")
QUARTER = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-04-01T00:00:00Z"}


@pytest.fixture
def project(api):
    return given.project(api)


def newer(files, factor="53.16", version="1.1.0"):
    """The first package of the library with another factor of natural gas, in its two models."""
    changed = {
        name: text.replace(b"53.06", factor.encode()) if name.startswith("models/") else text
        for name, text in files.items()
    }
    cases = {
        "models/gas-by-volume.yaml": [(b"54.43956", b"54.54216"), (b"54.495477", b"54.598077")],
        "models/gas-by-bills.yaml": [(b"0.005306", b"0.005316"), (b"0.00531145", b"0.00532145")],
    }
    for name, pairs in cases.items():
        for before, after in pairs:
            changed[name] = changed[name].replace(before, after)
    changed["package.yaml"] = changed["package.yaml"].replace(
        b"version: 1.0.0", f"version: {version}".encode()
    )
    return changed


def tonnes_a_month(factor):
    """By equations C-1 and C-8, to the six decimals of the ledger; half to even."""
    kilograms = Decimal(factor) + Decimal("0.001") * 28 + Decimal("0.0001") * 265
    return round(VOLUME * Decimal("0.001026") * kilograms / 1000, 6)


@pytest.fixture
def books(api, drain, project):
    """The first version, installed, with a quarter of bills and of volumes that were generated."""
    files = packages.combustion()
    installed = packages.install(api, project, packages.upload(api, files)).expect(201).body
    for month in (1, 2, 3):
        moment = f"2025-0{month}-15T00:00:00Z"
        for kind, slug, value in (
            ("gas-volume", "volume", VOLUME),
            ("fuel-oil-use", "volume", 4321 * month),
        ):
            event = {
                "event_type": kind,
                "start_time": moment,
                "data_points": [{"slug": slug, "value": value}],
            }
            api.post(f"/projects/{project['id']}/events", {"event": event}).expect(201)
    generate(api, drain, project)
    return installed


def generate(api, drain, project):
    """Generate every ledger anew by the active versions; gives the balances by name."""
    for ledger in api.get(f"/projects/{project['id']}/ledgers").data:
        body = QUARTER | {"model_version": "latest"}
        api.post(f"/ledgers/{ledger['id']}/batch_generations", body).expect(202)
        drain()
    return {one["name"]: one["balance"] for one in api.get(f"/projects/{project['id']}/ledgers").data}


def upgrade(api, installation, package, path="upgrade", status=200, **fields):
    body = {"upgrade": {"package_id": package["id"]} | fields}
    return api.post(f"/package_installations/{installation['id']}/{path}", body).expect(status)


def test_the_preview_says_the_change_of_every_ledger_and_doing_it_comes_to_the_same(
    api, drain, project, books
):
    before = {one["name"]: one["balance"] for one in api.get(f"/projects/{project['id']}/ledgers").data}
    package = packages.upload(api, newer(packages.combustion()))

    foreseen = upgrade(api, books, package, "upgrade/preview").body
    assert {
        one["name"]: one["balance"] for one in api.get(f"/projects/{project['id']}/ledgers").data
    } == before
    done = upgrade(api, books, package).body

    assert foreseen["problems"] == []
    assert done["parts"] == [
        part | {"record_id": there["record_id"]}
        for part, there in zip(foreseen["parts"], done["parts"], strict=True)
    ]
    changed = {one["key"]: one["differences"] for one in done["parts"] if one["state"] == "changed"}
    assert changed["gas-by-volume"] == [
        {
            "field": "nodes.carbon_dioxide_factor.constant",
            "before": Decimal("53.06"),
            "after": Decimal("53.16"),
        }
    ]
    assert set(changed) == {"gas-by-volume", "gas-by-bills"}
    [impact] = foreseen["impact"]["ledgers"]
    assert impact["name"] == "Gas by volume"
    assert impact["primary_output_before"] == 3 * tonnes_a_month("53.06")
    assert impact["change"] == 3 * (tonnes_a_month("53.16") - tonnes_a_month("53.06"))
    now = {one["name"]: one["balance"] for one in api.get(f"/projects/{project['id']}/ledgers").data}
    assert now == before, "batches that were posted keep their version"
    after = generate(api, drain, project)
    assert after["Gas by volume"] - before["Gas by volume"] == impact["change"]
    assert after["Fuel oil"] == before["Fuel oil"]
    assert done["package_installation"]["version"] == "1.1.0"


def test_what_was_changed_here_is_said_and_never_overwritten(api, project, books):
    models = {one["key"]: one["record_id"] for one in books["parts"] if one["kind"] == "model"}
    document = api.get(f"/models/{models['gas-by-volume']}/document").text
    own = document.replace("53.06", "53.02").replace("54.43956", "54.39852").replace("54.495477", "54.454437")
    api.post(f"/models/{models['gas-by-volume']}/versions", {"yaml": own, "activate": True}).expect(201)
    shown = api.get(f"/package_installations/{books['id']}").body
    assert [one["key"] for one in shown["parts"] if one["is_changed_here"]] == ["gas-by-volume"]
    package = packages.upload(api, newer(packages.combustion()))

    done = upgrade(api, books, package).body

    states = {one["key"]: one["state"] for one in done["parts"] if one["kind"] == "model"}
    assert states == {
        "fuel-oil": "unchanged", "gas-by-bills": "changed", "gas-by-volume": "changed_here",
    }  # fmt: skip
    active = [one for one in api.get(f"/projects/{project['id']}/models").data if one["is_active"]]
    [volume] = [one for one in active if one["name"] == "Natural gas by volume"]
    assert "53.02" in api.get(f"/models/{volume['id']}/document").text
    [still] = [one for one in done["package_installation"]["parts"] if one["key"] == "gas-by-volume"]
    assert still["is_changed_here"]


def test_an_upgrade_changes_records_of_every_kind_makes_new_ones_and_removes_what_is_gone(api, project):
    rule = """\
rules:
  - name: Energy is large
    expression: "{{energy}} > LIMIT"
    evaluation: on_demand
    effective_from: 2020-01-01T00:00:00Z
    source: standard, 4.4
"""
    value = (
        'static_inputs:\n  - {slug: oxidised, value: VALUE, effective_from: DATE, source: "standard, 4.2"}\n'
    )
    extra = "  - name: Meter reading\n    expected_locations: none\n    data_point_types:\n"
    extra += "      - {name: Level, value_type: number, unit: m}\n"
    old = packages.small()
    old["event_types.yaml"] += extra.encode()
    old["rules.yaml"] = rule.replace("LIMIT", "1000").encode()
    old["static_inputs.yaml"] = (
        value.replace("VALUE", "0.99").replace("DATE", "2020-01-01T00:00:00Z").encode()
    )
    new = packages.small(package=("0.1.0", "0.2.0"))
    new["event_types.yaml"] = new["event_types.yaml"].replace(
        b"unit: MWh}", b"unit: MWh}\n      - {name: Slip, value_type: string, required: false}"
    )
    new["rules.yaml"] = rule.replace("LIMIT", "900").encode()
    new["static_inputs.yaml"] = (
        value.replace("VALUE", "0.98").replace("DATE", "2026-01-01T00:00:00Z").encode()
    )
    new["ledgers.yaml"] = new["ledgers.yaml"].replace(b"unit: ", b"asset_category: emissions, unit: ")
    installed = packages.install(api, project, packages.upload(api, old)).expect(201).body

    done = upgrade(api, installed, packages.upload(api, new)).body

    assert {one["key"]: one["state"] for one in done["parts"]} == {
        "fuel-bill": "changed",
        "oxidised": "changed",
        "emissions": "unchanged",
        "Emissions": "changed",
        "Energy is large": "changed",
        "meter-reading": "removed",
    }
    assert not any(one["is_changed_here"] for one in done["package_installation"]["parts"])
    [event_type] = api.get(f"/projects/{project['id']}/event_types").data
    assert [one["slug"] for one in event_type["data_point_types"]] == ["energy", "slip"]
    [rule_now] = api.get(f"/projects/{project['id']}/rules").data
    assert (rule_now["expression"], rule_now["version"]) == ("{{energy}} > 900", 2)
    values = api.get(f"/projects/{project['id']}/static_inputs").data
    assert sorted(one["value"] for one in values) == [Decimal("0.98"), Decimal("0.99")]


def test_only_a_higher_version_of_the_same_package_is_an_upgrade(api, books):
    other = packages.upload(api, packages.small())
    older = packages.upload(api, newer(packages.combustion(), version="0.9.0"))

    for package, sentence in ((other, "is soda-ash, and"), (older, "0.9.0 is no higher version")):
        refused = upgrade(api, books, package, status=422)
        assert sentence in refused.error["message"]


def test_a_ledger_whose_unit_would_be_another_is_refused_with_both_and_what_to_do(api, project):
    installed = packages.install(api, project, packages.upload(api, packages.small())).expect(201).body
    new = packages.small(package=("0.1.0", "0.2.0"), ledgers=("t{CO2e}", "kg{CO2e}"))
    package = packages.upload(api, new)

    [said] = upgrade(api, installed, package, "upgrade/preview").body["problems"]
    refused = upgrade(api, installed, package, status=422).error["message"]

    assert said == refused
    assert said.startswith(
        "The ledger 'Emissions': its unit is 't{CO2e}' and cannot become 'kg{CO2e}', for what it was credited"
        " with would mean something else. In the new version of the package, give a ledger with this another"
        " name"
    )


def test_the_preview_says_of_a_model_and_a_ledger_that_the_new_version_lacks_what_becomes_of_them(
    api, drain, project
):
    installed = packages.install(api, project, packages.upload(api, packages.small())).expect(201).body
    new = packages.small(package=("0.1.0", "0.2.0"), ledgers=("name: Emissions", "name: Others"))
    new["models/others.yaml"] = new.pop("models/emissions.yaml").replace(b"name: Emissions", b"name: Others")
    new["ledgers.yaml"] = new["ledgers.yaml"].replace(b"model: emissions", b"model: others")
    package = packages.upload(api, new)

    def outcome():
        shown = upgrade(api, installed, package, "upgrade/preview").body["parts"]
        return {(one["kind"], one["key"]): (one["state"], one["reason"] or "") for one in shown}

    unused = outcome()
    given.event(
        api, project, event_type="fuel-bill", start_time="2025-01-01T00:00:00Z",
        end_time="2025-02-01T00:00:00Z", values={"energy": 10},
    )  # fmt: skip
    drain()
    generate(api, drain, project)
    used = outcome()

    assert unused["ledger", "Emissions"] == ("removed", "")
    assert used["ledger", "Emissions"][0] == "stays"
    assert "The ledger has batches" in used["ledger", "Emissions"][1]
    for one in (unused, used):
        state, reason = one["model", "emissions"]
        assert state == "stays"
        assert reason.startswith("A model is never removed, so that what was computed by its versions can be")


def test_removing_a_package_says_what_stays_and_why(api, project, books):
    removed = api.delete(f"/package_installations/{books['id']}").expect(200).body

    stays = {one["key"]: one["reason"] for one in removed["parts"] if one["state"] == "stays"}
    gone = {one["key"] for one in removed["parts"] if one["state"] == "removed"}
    assert gone == {"Gas by bills", "gas-bill"}
    assert "The ledger has batches" in stays["Gas by volume"]
    assert "The project has events of type 'gas-volume'" in stays["gas-volume"]
    assert api.get(f"/projects/{project['id']}/package_installations").data == []
