"""What projects of an account share: somebody limited to one reads it, without what it says of the others."""

import pytest
from tests.given import packages
from tests.given.requests import METHODOLOGY


@pytest.fixture
def make(api):
    """Makes a methodology that models implement."""

    def make(name, *models):
        body = METHODOLOGY | {"name": name, "model_ids": list(models)}
        return api.post("/methodologies", {"methodology": body}).expect(201).body["id"]

    return make


def test_a_methodology_of_hidden_models_alone_is_not_there(make, limited, mine, theirs):
    common = make("common")
    own = make("own", mine.model["id"])
    hidden = make("hidden", theirs.model["id"])
    both = make("both", mine.model["id"], theirs.model["id"])

    assert [one["id"] for one in limited.get("/methodologies").data] == [common, own, both]
    limited.get(f"/methodologies/{hidden}").expect(404)
    shown = limited.get(f"/methodologies/{both}").expect(200)
    assert [one["id"] for one in shown.body["models"]] == [mine.model["id"]]
    assert theirs.model["id"] not in limited.get("/methodologies").text


def test_a_report_takes_no_methodology_of_hidden_models(make, limited, mine, theirs):
    hidden = make("hidden", theirs.model["id"])
    never = 2147483646

    refused, unknown = (
        limited.post(
            "/reports",
            {
                "report": {
                    "name": "R",
                    "report_type": "q",
                    "project_id": mine.project["id"],
                    "methodology_id": number,
                }
            },
        ).expect(422)
        for number in (hidden, never)
    )

    assert refused.error["message"] == unknown.error["message"].replace(str(never), str(hidden))


def test_a_package_counts_installations_in_the_projects_in_reach(api, limited, mine, theirs):
    package = packages.upload(api, packages.small())["id"]
    for plant, count in ((theirs, 0), (mine, 1)):
        body = {"package_installation": {"package_id": package}}
        api.post(f"/projects/{plant.project['id']}/package_installations", body).expect(201)
        [listed] = limited.get("/methodology_packages").data
        shown = limited.get(f"/methodology_packages/{package}").expect(200).body
        assert listed["installation_count"] == shown["installation_count"] == count

    assert api.get(f"/methodology_packages/{package}").body["installation_count"] == 2


def test_an_installation_elsewhere_is_not_found_by_its_methodology(api, limited, theirs):
    package = packages.upload(api, packages.small())["id"]
    body = {"package_installation": {"package_id": package}}
    api.post(f"/projects/{theirs.project['id']}/package_installations", body).expect(201)

    assert theirs.project["id"] not in limited.get("/methodologies").expect(200).text
    assert limited.get("/models").expect(200).data == [
        one for one in api.get("/models").data if one["project_id"] != theirs.project["id"]
    ]
