"""What somebody limited to a project reaches beyond single operations: the feed of changes, exports, tasks,
models that projects share, and what changes of their permissions come to.
"""

import csv
import io

import pytest
from tests.given import accounting
from tests.platform.project_roles.conftest import within


def told(caller, **query):
    """All changes that the feed has for a caller."""
    return caller.get("/changes", {"page_size": 1000, **query}).expect(200).data


def test_the_feed_tells_of_changes_in_the_project_alone(api, limited, mine, theirs):
    mine.deliver(1)
    theirs.deliver(2)
    theirs.generate()
    mine.generate()

    seen = told(limited)

    assert {one["project_id"] for one in seen} == {mine.project["id"]}
    every = [one for one in told(api) if one["project_id"] == mine.project["id"]]
    assert [one["cursor"] for one in seen] == [one["cursor"] for one in every]
    assert {one["kind"] for one in seen} >= {"event", "batch", "async_task"}


def test_the_feed_tells_of_the_kinds_that_may_be_read_in_each_project(account, mine, theirs):
    somebody = account.caller(
        *within(mine, "data_collection:read"), *within(theirs, "production_accounting:read")
    )
    for plant in (mine, theirs):
        plant.deliver(1)
        plant.generate()

    kinds = {(one["project_id"], one["kind"]) for one in told(somebody)}

    assert {kind for project, kind in kinds if project == mine.project["id"]} == {"event"}
    of_theirs = {kind for project, kind in kinds if project == theirs.project["id"]}
    assert of_theirs >= {"batch", "async_task"}
    assert "event" not in of_theirs


def test_the_feed_says_nothing_of_a_project_that_is_named_and_hidden(limited, theirs):
    theirs.deliver(1)

    assert told(limited, project_id=theirs.project["id"]) == []


def test_a_change_elsewhere_ends_no_waiting_with_something_to_read(limited, theirs):
    cursor = limited.get("/changes", {"after": "latest"}).expect(200).body["cursor"]
    theirs.deliver(1)

    assert limited.get("/changes", {"after": cursor, "wait": 1}).expect(200).data == []


def exported(caller, account, path, **query):
    """The export of a list as a file, once it is made."""
    asked = {"response_mode": "summary_with_export", **query}
    summary = caller.get(path, asked).expect(200).body
    account.drain()
    return summary, caller.get(f"/exports/{summary['export']['id']}").expect(200).body


def test_a_file_of_a_list_over_all_projects_has_rows_of_the_project_alone(
    account, limited, server, mine, theirs
):
    for plant in (mine, theirs):
        plant.deliver(1)
        plant.generate()

    summary, made = exported(limited, account, "/batches")

    content = server.anyone.get(made["download_url"].partition("/api/v1")[2]).expect(200).content
    rows = [*csv.DictReader(io.StringIO(content.decode()))]
    assert {row["project_id"] for row in rows} == {mine.project["id"]}
    assert summary["count"] == made["rows"] == len(rows)


def test_whoever_loses_the_permission_before_the_file_is_made_gets_none(account, limited, mine):
    asked = {"response_mode": "summary_with_export"}
    export = limited.get("/batches", asked).expect(200).body["export"]["id"]
    account.sql(
        "UPDATE api_tokens SET permissions = %s WHERE account_id = %s AND permissions[1] ~ '@' RETURNING id",
        within(mine, "data_collection:read"),
        account.id,
    )
    account.drain()

    assert account.sql("SELECT storage_key FROM exports WHERE account_id = %s", account.id) == [(None,)]
    limited.get(f"/exports/{export}").expect(403)


def test_files_of_others_are_not_found(account, api, limited, mine):
    _, made = exported(api, account, f"/projects/{mine.project['id']}/events")

    limited.get(f"/exports/{made['id']}").expect(404)


def test_tasks_of_another_project_are_neither_listed_nor_read_nor_cancelled(api, limited, mine, theirs):
    for plant in (mine, theirs):
        plant.deliver(1)
        plant.generate()
    [own], [other] = (
        api.get("/async_tasks", {"filter[project_id][eq]": plant.project["id"]}).data
        for plant in (mine, theirs)
    )

    assert [one["id"] for one in limited.get("/async_tasks").data] == [own["id"]]
    assert limited.get(f"/async_tasks/{own['id']}").expect(200).body["id"] == own["id"]
    limited.get(f"/async_tasks/{other['id']}").expect(404)
    limited.post(f"/async_tasks/{other['id']}/cancel", {}).expect(404)


def test_a_task_of_a_kind_that_may_be_read_alone_is_not_cancelled(account, api, mine):
    mine.deliver(1)
    mine.generate()
    [task] = [one["id"] for one in api.get("/async_tasks").data if one["type"] == "batch_generation"]
    reader = account.caller(*within(mine, "production_accounting:read"))

    reader.post(f"/async_tasks/{task}/cancel", {}).expect(403)


def test_a_model_of_no_project_is_read_and_not_written(api, limited):
    document = accounting.document(accounting.MASS)
    model = api.post("/models", {"model": {"yaml": document}}).expect(201).body

    assert limited.get(f"/models/{model['id']}").expect(200).body["id"] == model["id"]
    for send, path, body in (
        (limited.patch, f"/models/{model['id']}", {"model": {"name": "Other"}}),
        (limited.patch, f"/models/{model['id']}/version_label", {"model": {"version_label": "x"}}),
        (limited.post, f"/models/{model['id']}/versions", {"yaml": document + "# again\n"}),
        (limited.post, f"/models/{model['id']}/activate", {}),
        (limited.post, "/models", {"model": {"yaml": document}}),
    ):
        assert send(path, body).expect(403).errors[0]["code"] == "permission_missing"


def test_runs_of_a_shared_model_in_another_project_are_not_listed(account, limited, mine, theirs):
    account.sql("UPDATE model_families SET project_id = NULL WHERE account_id = %s RETURNING id", account.id)
    for plant in (mine, theirs):
        plant.deliver(1)
        plant.generate()

    assert limited.get(f"/models/{theirs.model['id']}").expect(200)
    assert limited.get(f"/models/{theirs.model['id']}/model_runs").expect(200).data == []
    assert len(limited.get(f"/models/{mine.model['id']}/model_runs").expect(200).data) == 1


@pytest.mark.parametrize("again", [1, 2])
def test_permissions_that_change_count_with_the_next_request(account, limited, mine, theirs, again):
    path = f"/projects/{theirs.project['id']}/events"
    for _ in range(again):  # the second one is answered by what the process remembers
        limited.get(path).expect(404)
        limited.get(f"/projects/{mine.project['id']}/events").expect(200)

    account.sql(
        "UPDATE api_tokens SET permissions = %s WHERE account_id = %s AND permissions[1] ~ '@' RETURNING id",
        within(theirs, "data_collection:read"),
        account.id,
    )

    limited.get(path).expect(200)
    limited.get(f"/projects/{mine.project['id']}/events").expect(404)
    limited.get(f"/projects/{theirs.project['id']}/rules").expect(403)


def test_permissions_of_the_account_hold_in_every_project_beside_those_of_one(account, mine, theirs):
    somebody = account.caller("data_collection:read", *within(mine, "data_collection:write"))

    for plant in (mine, theirs):
        somebody.get(f"/projects/{plant.project['id']}/events").expect(200)
    named = {"location": {"name": "Gate"}}
    somebody.post(f"/projects/{mine.project['id']}/locations", named).expect(201)
    refused = somebody.post(f"/projects/{theirs.project['id']}/locations", named).expect(403)
    assert refused.errors[0]["message"] == "The token lacks the permission data_collection:write."
    assert len(somebody.get("/projects").data) == 2


def test_a_project_without_a_permission_is_not_there(limited, mine, theirs):
    assert [one["id"] for one in limited.get("/projects").data] == [mine.project["id"]]
    never = limited.get("/projects/2147483646").expect(404).error
    hidden = limited.get(f"/projects/{theirs.project['numeric_id']}").expect(404).error
    assert hidden["message"] == never["message"]
