"""What every endpoint of the service's table of contents must have."""

from importlib import import_module

from tests.architecture.source import AREAS, files, nouns
from tools.reference import list_operations

from weighbridge.contents import SLICES
from weighbridge.core.platform.permission import ALL_PERMISSIONS, ANY, LINK
from weighbridge.db.lists.listing import Listing

OPERATIONS = [endpoint.operation for routes in SLICES for endpoint in routes]


FOR_ANY_TOKEN = {
    "/projects", "/projects/{project_id}", "/feature_flags", "/async_tasks", "/async_tasks/{task_id}",
    "/exports/{export_id}", "/changes", "/audit_log/key", "/audit_log/keys", "/audit_log/head",
    "/audit_log/cosigned_head", "/audit_log/proof", "/audit_log/consistency",
}  # fmt: skip
"""What every token reads of its own account; of the audit log nothing but hashes and keys."""

BY_LINK = {
    "/exports/{export_id}/download",
    "/reports/{report_id}/by_link",
    "/reports/{report_id}/by_link/bundle", "/reports/{report_id}/by_link/uncertainty",
    "/reports/{report_id}/by_link/materiality",
    "/reports/{report_id}/by_link/audit_log/key",
    "/reports/{report_id}/by_link/audit_log/keys",
    "/reports/{report_id}/by_link/audit_log/head",
    "/reports/{report_id}/by_link/audit_log/cosigned_head",
    "/reports/{report_id}/by_link/audit_log/proof",
    "/reports/{report_id}/by_link/audit_log/consistency",
    "/reports/{report_id}/by_link/engagements",
    "/reports/{report_id}/by_link/engagements/{engagement_id}",
    *(
        f"/reports/{{report_id}}/by_link/engagements/{{engagement_id}}/{action}"
        for action in (
            "sample", "findings", "findings/{finding_id}/decide", "statement", "conclude", "withdraw",
        )
    ),
}  # fmt: skip
"""What takes no token but a secret in its address.

`exports/test_export.py` and those of `report_links/` and `engagements/` try it with another one.
"""

OF_THEIR_USER = {"/saved_views", "/saved_views/{saved_view_id}"}
"""What every user has for themselves, whatever they may do; `platform/saved_views/` tries that of others."""

BY_KIND_OF_TASK = {"/async_tasks/{task_id}/cancel"}
"""What needs the permission to write in the area of the task that is named; `test_cancel.py` asks for it."""

OF_THE_TOKEN = {"/changes/issue_ticket"}
"""What stands for the token itself, and reads what that may read."""

WHATEVER_MAY_BE_DONE = BY_KIND_OF_TASK | OF_THEIR_USER | OF_THE_TOKEN


def test_every_endpoint_asks_for_a_permission_that_exists():
    open_doors = [
        f"{operation.method} {operation.path} asks for {operation.permission!r}"
        for operation in OPERATIONS
        if operation.permission not in ALL_PERMISSIONS
        and not (
            operation.permission == ANY and operation.method == "GET" and operation.path in FOR_ANY_TOKEN
        )
        and not (operation.permission == ANY and operation.path in WHATEVER_MAY_BE_DONE)
        and not (operation.permission == LINK and operation.path in BY_LINK)
    ]

    assert not open_doors, "\n".join(open_doors)


def test_every_endpoint_that_writes_asks_for_a_permission_to_write():
    lax = [
        f"{operation.method} {operation.path} asks only for {operation.permission}"
        for operation in OPERATIONS
        if operation.method != "GET"
        and not operation.permission.endswith((":write", ":approve", ":verify"))
        and not (operation.permission == LINK and operation.path in BY_LINK)
        and operation.path not in ASKS_WITHOUT_WRITING | BY_KIND_OF_TASK | OF_THEIR_USER
    ]

    assert not lax, "\n".join(lax)


def test_no_two_endpoints_share_a_name_or_a_place():
    names = [operation.name for operation in OPERATIONS]
    places = [(operation.method, operation.path) for operation in OPERATIONS]

    assert sorted(set(names)) == sorted(names)
    assert sorted(set(places)) == sorted(places)


def test_every_slice_with_routes_is_served():
    served = {operation.function for operation in OPERATIONS}

    forgotten = [
        f"{noun.path}: {endpoint.operation.name}"
        for noun in nouns()
        for endpoint in getattr(import_module(noun.module), "ROUTES", ())
        if endpoint.operation.function not in served
    ]

    assert not forgotten, "\n".join(forgotten)


def test_every_listing_is_the_list_of_an_endpoint():
    served = {id(operation.listing) for operation in list_operations()}

    unused = [
        f"{file.path} {name}"
        for file in files()
        if file.path.partition("/")[0] in AREAS and file.path.count("/") == 1
        for name, value in vars(import_module(file.module)).items()
        if isinstance(value, Listing) and id(value) not in served
    ]

    assert not unused, "\n".join(unused)


ASKS_WITHOUT_WRITING = {
    "/changes/issue_ticket",
    "/ledgers/{ledger_id}/generate_impact",
    "/ledgers/{ledger_id}/generate_preview",
    "/models/yaml_validate",
    "/reports/{report_id}/engagements/{engagement_id}/statement",
    "/reports/{report_id}/submission/preview",
    "/projects/{project_id}/data_feed_suggestions",
    "/models/{model_id}/compare",
    "/models/{model_id}/simulate",
    "/models/{model_id}/yaml_validate",
    "/projects/{project_id}/package_installations/preview",
    "/package_installations/{package_installation_id}/upgrade/preview",
    "/projects/{project_id}/rules/preview",
    "/projects/{project_id}/rule_results/impact",
    "/footprints/check",
}
"""A question that needs a body, and so comes as a POST."""
