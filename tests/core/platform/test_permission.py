"""A permission is an area of the service and a level in it; write includes read."""

import pytest

from weighbridge.core.platform.permission import (
    ALL_PERMISSIONS,
    AREAS,
    Actor,
    find_role,
    is_permission,
    limit_role,
    limit_to_project,
    name_permissions,
    reduce_permissions,
)


def actor(*permissions):
    return Actor(1, 1, None, frozenset(permissions), "req_test")


def test_there_are_these_permissions():
    assert ALL_PERMISSIONS == (
        "production_accounting:read", "production_accounting:write", "production_accounting:verify",
        "data_collection:read", "data_collection:write",
        "data_rules:read", "data_rules:write", "data_rules:approve",
        "administration:read", "administration:write",
    )  # fmt: skip


@pytest.mark.parametrize("area", AREAS)
def test_write_includes_read_and_read_does_not_include_write(area):
    assert actor(f"{area}:write").may(f"{area}:read")
    assert actor(f"{area}:write").may(f"{area}:write")
    assert actor(f"{area}:read").may(f"{area}:read")
    assert not actor(f"{area}:read").may(f"{area}:write")


def test_approving_includes_reading_and_writing_rules_does_not_include_approving():
    assert actor("data_rules:approve").may("data_rules:read")
    assert not actor("data_rules:approve").may("data_rules:write")
    assert not actor("data_rules:write").may("data_rules:approve")
    assert not actor("data_rules:approve").may("data_collection:read")


def test_verifying_includes_reading_and_writing_reports_does_not_include_verifying():
    assert actor("production_accounting:verify").may("production_accounting:read")
    assert not actor("production_accounting:verify").may("production_accounting:write")
    assert not actor("production_accounting:write").may("production_accounting:verify")


@pytest.mark.parametrize("area", AREAS)
def test_one_area_says_nothing_of_another(area):
    others = [permission for permission in ALL_PERMISSIONS if not permission.startswith(area)]

    assert not actor(*others).may(f"{area}:read")
    assert not actor(*others).may(f"{area}:write")


def test_no_permission_allows_nothing():
    assert not any(actor().may(permission) for permission in ALL_PERMISSIONS)


def test_a_permission_of_a_project_holds_there_and_nowhere_else():
    somebody = actor(limit_to_project("data_collection:write", 3))

    assert somebody.may_within("data_collection:read", 3)
    assert not somebody.may_within("data_collection:read", 4)
    assert not somebody.may("data_collection:read")
    assert not somebody.may_within("data_rules:read", 3)


def test_a_permission_of_the_account_includes_that_of_each_project():
    somebody = actor("data_collection:write")

    assert somebody.beyond([limit_to_project("data_collection:read", 3)]) == []
    assert somebody.beyond([limit_to_project("data_rules:read", 3)]) == [
        limit_to_project("data_rules:read", 3)
    ]
    assert somebody.projects is None


def test_whoever_is_limited_sees_the_projects_of_their_permissions_before_entering_any():
    somebody = actor(limit_to_project("data_collection:read", 3), limit_to_project("data_rules:read", 4))

    assert somebody.projects == {3, 4}
    assert somebody.find_projects("data_rules:read") == {4}
    assert somebody.find_projects("production_accounting:read") == frozenset()


def test_whoever_enters_reaches_the_projects_of_the_permission_alone():
    somebody = actor(
        limit_to_project("data_collection:read", 3),
        limit_to_project("data_collection:read", 4),
        limit_to_project("data_rules:read", 4),
    )

    over_all, in_one = somebody.enter("data_collection:read"), somebody.enter("data_collection:read", 4)

    assert over_all.projects == in_one.projects == {3, 4}
    assert not over_all.may("data_rules:read"), "it is held in one of two projects"
    assert in_one.may("data_rules:read")
    assert somebody.enter("data_rules:read", 3) is None
    assert over_all.leave() == somebody


def test_an_actor_without_permissions_of_projects_enters_as_it_is():
    somebody = actor("data_collection:read")

    assert somebody.enter("data_collection:read", 3) is somebody
    assert somebody.enter("data_rules:read", 3) is None


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("data_collection:read", True),
        (limit_to_project("data_collection:read", 3), True),
        (limit_to_project("administration:read", 3), False),
        ("data_collection:read@", False),
        ("data_collection:read@3", False),
        ("data_collection:look", False),
        (limit_to_project(limit_to_project("data_collection:read", 3), 3), False),
    ],
)
def test_a_text_is_a_permission_or_none(text, is_one):
    assert is_permission(text) is is_one


def test_permissions_are_reduced_within_each_project_and_by_those_of_the_account():
    held = [
        "data_collection:read",
        limit_to_project("data_collection:read", 3),
        limit_to_project("data_rules:read", 3),
        limit_to_project("data_rules:write", 3),
        limit_to_project("data_rules:read", 4),
    ]

    assert reduce_permissions(held) == (
        "data_collection:read",
        limit_to_project("data_rules:write", 3),
        limit_to_project("data_rules:read", 4),
    )


def test_permissions_of_projects_have_names():
    reader = find_role("reader")

    assert name_permissions(limit_role(reader, 3)) == "Reader of 1 project"
    assert name_permissions([*limit_role(reader, 3), *limit_role(reader, 4)]) == "2 projects"
    collector = find_role("collector").permissions
    assert name_permissions([*collector, *limit_role(reader, 3)]) == "Data collector, Reader of 1 project"
