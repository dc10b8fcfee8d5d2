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


def test_a_model_that_ledgers_of_other_projects_run_is_changed_with_rights_in_the_account_alone(
    api, limited, mine, theirs
):
    model, text = mine.model["id"], api.get(f"/models/{mine.model['id']}/document").text
    limited.patch(f"/models/{model}", {"model": {"name": "Deliveries"}}).expect(200)
    ledger = {
        "name": "Linked",
        "model_id": model,
        "output": mine.ledger["output"],
        "unit": mine.ledger["unit"],
    }
    api.post(f"/projects/{theirs.project['id']}/ledgers", {"ledger": ledger}).expect(201)

    refused = [
        limited.patch(f"/models/{model}", {"model": {"name": "Renamed"}}),
        limited.post(f"/models/{model}/versions", {"yaml": text, "activate": True}),
        limited.post(f"/models/{model}/activate", {}),
    ]

    sentence = "Ledgers of other projects run the model; to write it takes the permission in the account."
    assert [answer.expect(403).error["message"] for answer in refused] == [sentence] * 3
    api.post(f"/models/{model}/versions", {"yaml": text}).expect(201)


def test_who_is_limited_is_told_that_what_belongs_to_the_account_takes_the_permission_there(limited):
    refused = limited.post("/methodologies", {"methodology": METHODOLOGY}).expect(403)

    assert refused.error["message"] == (
        "The token has the permission production_accounting:write in single projects; this takes it in the"
        " account."
    )
