"""Feedstocks, locations and assets are named things that events say they belong to: what holds for all three.

Their verbs are create_feedstock, update_feedstock, delete_feedstock, create_location, update_location,
delete_location, create_asset, update_asset and delete_asset. What each has of its own stands with its noun.
"""

from dataclasses import dataclass

import pytest
from tests.given import collection as given

NAME_TOO_LONG = "".join(chr(0x4E00 + index * 7919 % 20_000) for index in range(256))


@dataclass(frozen=True)
class Kind:
    """One of the three, by the words of its interface."""

    one: str
    prefix: str

    @property
    def many(self):
        return f"{self.one}s"

    def path(self, project, record=None):
        base = f"/projects/{project['id']}/{self.many}"
        return f"{base}/{record['id']}" if record else base

    def create(self, caller, project, **fields):
        return caller.post(self.path(project), {self.one: fields})

    def update(self, caller, project, record, **fields):
        return caller.patch(self.path(project, record), {self.one: fields})

    def made(self, caller, project, name="Wood"):
        return self.create(caller, project, name=name).expect(201).body

    def tag(self, record):
        """What an event says to belong to it."""
        return {"locations": [record]} if self.one == "location" else {f"{self.one}_id": record["id"]}

    def shown_at(self, event):
        """How an event shows it."""
        return event["locations"][0] if self.one == "location" else event[self.one]


@pytest.fixture(
    params=[Kind("feedstock", "fs"), Kind("location", "loc"), Kind("asset", "ast")],
    ids=lambda kind: kind.many,
)
def kind(request):
    return request.param


@pytest.fixture
def audited(account, sql):
    """What the audit says of an action: the record, and its name before and after."""

    def rows(action):
        return sql(
            """
            SELECT object, before ->> 'name', after ->> 'name' FROM audit_log
             WHERE account_id = %s AND action = %s
            """,
            account.id,
            action,
        )

    return rows


def test_a_new_one_has_its_name_without_the_blanks_around_it_and_stands_in_the_audit(api, kind, audited):
    made = kind.made(api, given.project(api), " Wood ")

    assert made["name"] == "Wood"
    assert audited(f"{kind.one}.create") == [(made["id"], None, "Wood")]


NAMES = [
    ("", "required"),
    ("  ", "required"),
    (NAME_TOO_LONG, "invalid"),
    ("Straw", "taken"),
    (" Straw ", "taken"),
]


@pytest.mark.parametrize(
    ("name", "code"), NAMES, ids=["none", "blanks", "too long", "taken", "taken in blanks"]
)
def test_a_name_that_breaks_a_rule_is_refused_when_made_and_when_changed(api, kind, name, code):
    project = given.project(api)
    wood, _ = kind.made(api, project), kind.made(api, project, "Straw")

    made = kind.create(api, project, name=name).expect(422).error
    changed = kind.update(api, project, wood, name=name).expect(422).error

    assert (made["field"], made["code"]) == ("name", code)
    assert (changed["field"], changed["code"]) == ("name", code)
    assert api.get(kind.path(project, wood)).body == wood


def test_a_name_that_is_taken_in_one_project_is_free_in_another(api, kind):
    kind.made(api, given.project(api))

    kind.made(api, given.project(api))


def test_a_new_name_is_shown_by_its_events(api, kind):
    project = given.measuring(api)
    wood = kind.made(api, project)
    event = given.event(api, project, **kind.tag(wood))

    kind.update(api, project, wood, name="Chips").expect(200)

    shown = kind.shown_at(api.get(f"/projects/{project['id']}/events/{event['id']}").body)
    assert (shown["id"], shown["name"]) == (wood["id"], "Chips")


def test_the_same_again_changes_nothing(api, kind, audited):
    project = given.project(api)
    wood = kind.made(api, project)

    assert kind.update(api, project, wood, name="Wood").expect(200).body == wood

    assert audited(f"{kind.one}.update") == []


def test_a_change_stands_in_the_audit_with_before_and_after(api, kind, audited):
    project = given.project(api)
    wood = kind.made(api, project)

    kind.update(api, project, wood, name=" Chips ").expect(200)

    assert audited(f"{kind.one}.update") == [(wood["id"], "Wood", "Chips")]


def test_one_that_nothing_names_is_removed_and_leaves_its_name_free(api, kind, audited):
    project = given.project(api)
    wood = kind.made(api, project)

    answer = api.delete(kind.path(project, wood)).expect(204)

    assert answer.text == ""
    assert audited(f"{kind.one}.delete") == [(wood["id"], "Wood", None)]
    api.get(kind.path(project, wood)).expect(404)
    api.delete(kind.path(project, wood)).expect(404)
    assert api.get(kind.path(project)).data == []
    kind.made(api, project)


def test_one_of_an_event_stays_also_when_the_event_is_voided(api, kind):
    project = given.measuring(api)
    wood = kind.made(api, project)
    event = given.event(api, project, **kind.tag(wood))

    first = api.delete(kind.path(project, wood)).expect(422).error
    api.delete(f"/projects/{project['id']}/events/{event['id']}").expect(204)
    second = api.delete(kind.path(project, wood)).expect(422).error

    assert first == second
    assert first["code"] == "in_use"
    assert "'Wood'" in first["message"]
    api.get(kind.path(project, wood)).expect(200)


def test_one_is_found_as_it_was_answered_and_below_its_own_project_only(api, kind):
    project, other = given.project(api), given.project(api)
    wood = kind.made(api, project)

    assert api.get(kind.path(project, wood)).expect(200).body == wood
    api.get(kind.path(other, wood)).expect(404)
    kind.update(api, other, wood, name="Chips").expect(404)
    api.delete(kind.path(other, wood)).expect(404)


@pytest.mark.parametrize("rest", ["_000000000000000000000000", "_", "", "%00"])
def test_a_name_of_none_finds_nothing(api, kind, rest):
    api.get(f"{kind.path(given.project(api))}/{kind.prefix}{rest}").expect(404)


@pytest.mark.parametrize("number", ["1", "99999999999999999999"])
def test_a_number_finds_nothing(api, kind, number):
    api.get(f"{kind.path(given.project(api))}/{number}").expect(404)


def test_the_projects_list_holds_its_own_and_filters_and_sorts_by_name(api, kind):
    project = given.project(api)
    wood, straw = kind.made(api, project), kind.made(api, project, "Straw")
    kind.made(api, given.project(api))
    path = kind.path(project)

    assert api.get(path).expect(200).data == [wood, straw]
    assert api.get(path, {"sort": "name"}).data == [straw, wood]
    for name in ("filter[name]", "filter[name][eq]"):
        assert api.get(path, {name: "Wood"}).expect(200).data == [wood]


def test_they_are_found_by_when_they_were_made(api, kind):
    project = given.project(api)
    first, second = (kind.create(api, project, name=name).expect(201).body for name in ("A", "B"))
    path = kind.path(project)

    def found(**bounds):
        query = {f"filter[created_at][{comparator}]": moment for comparator, moment in bounds.items()}
        return [one["name"] for one in api.get(path, query).expect(200).data]

    assert found(geq=first["created_at"], leq=second["created_at"]) == ["A", "B"]
    assert found(geq="2100-01-01T00:00:00Z") == []
    assert found(leq="2000-01-01T00:00:00Z") == []
    error = api.get(path, {"filter[created_at]": "2025-01-01T00:00:00Z"}).expect(400).error
    assert error["code"] == "unsupported"
