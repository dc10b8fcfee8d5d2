"""People find a package, see what it proves, begin a project with it, and upgrade it after a look."""

import html

import lxml.html
import pytest
from tests.given import collection as given
from tests.given import packages
from tests.given.people import visitor


@pytest.fixture
def person(account):
    return visitor(account)


def landed(answer):
    return answer.expect(303).headers["location"]


def test_the_catalogue_is_searched_and_a_package_of_the_library_is_taken(api, person):
    packages.upload(api, packages.small())

    shown = person.get("/methodology_packages").expect(200).text
    found = person.get("/methodology_packages?words=soda").expect(200).text
    nothing = person.get("/methodology_packages?words=nothing+at+all").expect(200).text
    page = landed(person.post("/methodology_packages", {"name": "stationary-combustion"}))
    package = person.get(page).expect(200).text

    assert "Stationary fuel combustion, tiers 1 and 2" in shown
    assert "Soda ash" in found
    assert "Stationary fuel" not in found
    assert "No package contains these words." in nothing
    assert "The package ships with this service." in package
    assert "Table C-1, natural gas" in package
    assert "is to be 54.43956 t{CO2}, and comes to 54.43956 t{CO2}" in package
    assert "<math" in package
    assert "<h4>What is not covered</h4>" in package


def test_a_package_is_installed_after_a_preview_that_stores_nothing(api, person):
    project = given.project(api)
    package = packages.upload(api, packages.small())
    home = f"/projects/{project['id']}/package_installations"

    preview = person.get(f"{home}/new?package={package['id']}").expect(200).text
    assert "fuel-bill" in preview
    assert "Install soda-ash 0.1.0" in preview
    assert api.get(home).data == []
    page = landed(person.post(home, {"package": str(package["id"])}))

    shown = person.get(page.partition("?")[0]).expect(200).text
    assert shown.count("as the package has it") == 3
    assert "Soda ash" in person.get(home).expect(200).text


def test_what_differs_is_shown_and_kept_where_that_is_agreed(api, person):
    project = given.project(api)
    given.event_type(api, project, slug="fuel-bill", name="Fuel bill")
    package = packages.upload(api, packages.small())
    home = f"/projects/{project['id']}/package_installations"

    refused = html.unescape(person.post(home, {"package": str(package["id"])}).expect(422).text)
    preview = html.unescape(person.get(f"{home}/new?package={package['id']}").expect(200).text)

    assert "is in the project already" in refused
    assert "data_point_types" in preview
    assert "Leave records that differ as they are" in preview


def test_an_upgrade_is_previewed_done_and_the_package_removed(api, person):
    project = given.project(api)
    first = packages.upload(api, packages.small())
    made = packages.install(api, project, first).expect(201).body
    second = packages.upload(
        api,
        packages.small(package=("0.1.0", "0.2.0"))
        | {
            "models/emissions.yaml": packages.small()["models/emissions.yaml"]
            .replace(b"constant: 0.2", b"constant: 0.3")
            .replace(b"emissions: 2}", b"emissions: 3}")
        },
    )
    page = f"/projects/{project['id']}/package_installations/{made['id']}"

    assert "Preview the upgrade" in person.get(page).expect(200).text
    preview = html.unescape(person.get(f"{page}/upgrade?package={second['id']}").expect(200).text)
    assert "nodes.factor.constant" in preview
    assert "0.2 → 0.3" in preview
    assert "No batch would change." in preview
    assert api.get(f"/package_installations/{made['id']}").body["version"] == "0.1.0"
    landed(person.post(f"{page}/upgrade", {"package": str(second["id"])}))
    assert api.get(f"/package_installations/{made['id']}").body["version"] == "0.2.0"
    landed(person.post(f"{page}/removal"))
    assert api.get(f"/projects/{project['id']}/package_installations").data == []


@pytest.mark.parametrize(
    ("words", "is_found"),
    [("table c-1", False), ("40 CFR 98 stationary", True), ("gas bill", True), ("Fuel oil use", True)],
)
def test_the_catalogue_is_searched_by_documents_and_by_what_is_measured(api, person, words, is_found):
    query = words.replace(" ", "+")
    of_library = person.get(f"/methodology_packages?words={query}").expect(200).text
    packages.upload(api, packages.combustion())
    of_account = person.get(f"/methodology_packages?words={query}").expect(200).text

    assert ("stationary-combustion" in of_library) is is_found
    assert ("stationary-combustion" in of_account) is is_found


def test_a_project_is_started_with_a_package_from_its_page_after_a_preview(api, person):
    package = packages.upload(api, packages.small())
    page = f"/methodology_packages/{package['id']}"
    assert "Start a project with this" in person.get(page).expect(200).text

    preview = person.get(f"{page}/start?name=North&time_zone=Europe/Berlin").expect(200).text
    assert "fuel-bill" in preview
    assert "Create North" in preview
    assert api.get("/projects").data == []
    sent = {
        one.get("name"): one.get("value")
        for one in lxml.html.fromstring(preview).xpath("//form[@action='/projects']//input")
    }
    project = landed(person.post("/projects", sent)).partition("?")[0]

    made = api.get(project).body
    assert (made["name"], made["time_zone"]) == ("North", "Europe/Berlin")
    assert [one["name"] for one in api.get(f"{project}/package_installations").data] == ["soda-ash"]


def test_a_name_or_a_zone_that_no_project_has_is_said_before_anything_is_made(api, person):
    package = packages.upload(api, packages.small())

    page = (
        person.get(f"/methodology_packages/{package['id']}/start?name=North&time_zone=Moon").expect(200).text
    )

    assert "Moon" in page
    assert "Create North" not in page
    assert api.get("/projects").data == []


@pytest.mark.parametrize("is_of_library", [True, False])
def test_a_new_project_begins_with_a_package(api, person, is_of_library):
    number = None if is_of_library else packages.upload(api, packages.small())["id"]
    choice = "library:stationary-combustion" if is_of_library else f"package:{number}"
    assert f'value="{choice}"' in person.get("/projects").expect(200).text

    project = landed(person.post("/projects", {"name": "North", "package": choice})).partition("?")[0]

    [installed] = api.get(f"{project}/package_installations").data
    assert installed["name"] == ("stationary-combustion" if is_of_library else "soda-ash")
    assert len(api.get(f"{project}/ledgers").data) == (5 if is_of_library else 1)


def test_an_unknown_package_makes_no_project(api, person):
    for choice in ("package:2147483000", "package:x", "library:none"):
        person.post("/projects", {"name": "North", "package": choice}).expect(422)

    assert api.get("/projects").data == []


def test_a_reader_sees_packages_and_changes_none(account, api):
    project = given.project(api)
    package = packages.upload(api, packages.small())
    made = packages.install(api, project, package).expect(201).body
    reader = visitor(account, "production_accounting:read")
    page = f"/projects/{project['id']}/package_installations/{made['id']}"

    assert "Remove the package" not in reader.get(page).expect(200).text
    assert reader.post(f"{page}/removal").status == 403
    assert reader.get(f"/projects/{project['id']}/package_installations/new").status == 403
    assert "Upload a package" not in reader.get("/methodology_packages").expect(200).text


PLACES = {
    "event_type": "event_types", "static_input": "static_inputs", "model": "models", "ledger": "ledgers",
    "rule": "rules", "methodology": "methodologies",
}  # fmt: skip


def test_the_page_of_a_record_says_which_package_it_came_with(account, api, person):
    project = given.project(api)
    made = packages.install(api, project, packages.upload(api, packages.complete())).expect(201).body
    home = f"/projects/{project['id']}"
    origin = f'From <a href="{home}/package_installations/{made["id"]}">soda-ash 0.1.0</a>'
    shown = {}
    for part in made["parts"]:
        page = f"{home}/{PLACES[part['kind']]}/{part['record_id']}"
        shown[part["kind"]] = page
        assert origin in person.get(page).expect(200).text, page
        assert "changed here" not in person.get(page).text
    assert shown.keys() == PLACES.keys()

    rule = shown["rule"].rpartition("/")[2]
    api.patch(f"/rules/{rule}", {"rule": {"message": "ours"}}).expect(200)
    value = {"slug": "oxidised", "value": 1, "effective_from": "2026-01-01T00:00:00Z"}
    newer = api.post(f"{home}/static_inputs", {"static_input": value}).expect(201).body

    assert "changed here" in person.get(shown["rule"]).text
    newest = person.get(f"{home}/static_inputs/{newer['id']}").text
    assert origin in newest
    assert "changed here" in newest
    assert "changed here" not in person.get(shown["ledger"]).text
    reader = visitor(account, "data_collection:read")
    assert "soda-ash" not in reader.get(shown["event_type"]).expect(200).text


def said_of(page, name):
    """What the row of a record in a list says beside its name."""
    [row] = [
        one
        for one in lxml.html.fromstring(page.text).xpath("//tr")
        if name in [link.text for link in one.xpath(".//a")]
    ]
    return " ".join(row.xpath("./td")[0].text_content().split())


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("event_types", "Fuel bill"),
        ("static_inputs", "oxidised"),
        ("models", "Emissions"),
        ("ledgers", "Emissions"),
        ("rules", "Energy is large"),
        ("methodologies", "Soda ash"),
    ],
)
def test_a_list_says_from_which_package_a_record_came(folder, name, api, person):
    project = given.project(api)
    packages.install(api, project, packages.upload(api, packages.complete())).expect(201)

    said = said_of(person.get(f"/projects/{project['id']}/{folder}").expect(200), name)

    assert "from soda-ash 0.1.0" in said
    assert "changed here" not in said


def test_a_list_says_what_was_changed_here_and_nothing_of_a_record_of_no_package(api, person):
    project = given.project(api)
    packages.install(api, project, packages.upload(api, packages.complete())).expect(201)
    home = f"/projects/{project['id']}/event_types"
    [bill] = api.get(home).data
    api.patch(f"{home}/{bill['id']}", {"event_type": {"name": "Power bill"}}).expect(200)
    given.event_type(api, project, slug="own", name="Own")

    page = person.get(home).expect(200)

    assert said_of(page, "Power bill").startswith("Power bill from soda-ash 0.1.0 changed here")
    assert "from" not in said_of(page, "Own")


def test_a_new_model_begins_with_one_of_a_package_of_the_project(api, person):
    project, other = given.project(api), given.project(api, name="Other")
    packages.install(api, project, packages.upload(api, packages.small())).expect(201)

    begun = person.get(f"/projects/{project['id']}/models/new").expect(200).text
    document = person.get(f"/projects/{project['id']}/models/new?example=soda-ash/emissions").expect(200).text
    elsewhere = person.get(f"/projects/{other['id']}/models/new").expect(200).text

    assert "Soda ash 0.1.0, in this project" in begun
    assert "ten megawatt hours" in document
    assert "Soda ash" not in elsewhere
