"""A permission is an area of the service and a level in it; write includes read."""

import pytest

from weighbridge.core.platform.permission import ALL_PERMISSIONS, AREAS, Actor


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
