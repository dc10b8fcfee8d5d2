"""Footprints follow reports that are merged into one or split into several (`follow_reports`)."""

import pytest
from tests.given import reports
from tests.given.footprints import host as make_host
from tests.given.reports import Claims

REASON = "The certificate was divided between two buyers."
"""Why reports are merged or split."""


@pytest.fixture
def host(account):
    return make_host(account, 10, 8)


@pytest.fixture
def claims(host):
    return Claims(host.plant)


def merge(claims, report, other):
    body = {"report_ids": [other["id"]], "name": "First quarter", "reason": REASON}
    return claims.plant.api.post(f"/reports/{report['id']}/merge", body).expect(201).body


def split(claims, report):
    body = {"parts": [{"name": "Basel", "amount": 7}, {"name": "Turin"}], "reason": REASON}
    return claims.plant.api.post(f"/reports/{report['id']}/split", body).expect(201).body["parts"]


def active(host):
    """The footprints that are active, by their reports."""
    return {one["report_id"]: one for one in host.api.get("/footprints?filter[status]=Active").data}


def test_a_merged_report_has_one_footprint_that_takes_the_place_of_all(host, claims):
    product = host.product()
    both = [reports.accepted(claims, claims.report(*amounts)) for amounts in ((6,), (0, 8))]
    made = [host.make(product, report_id=one["id"]) for one in both]

    merged = merge(claims, *both)
    host.exchange()

    [new] = active(host).values()
    assert (new["report_id"], new["preceding_ids"]) == (merged["id"], [made[1]["id"], made[0]["id"]])
    assert new["content"]["pcf"]["referencePeriodEnd"] == "2025-03-01T00:00:00Z"
    assert (new["content"]["pcf"]["fossilGhgEmissions"], new["findings"]) == ("0.35", [])
    reasons = {host.read(one)["deprecated_reason"] for one in made}
    assert reasons == {f"The footprint {new['id']} took its place."}


def test_products_of_merged_reports_are_followed_each_by_itself(host, claims):
    products = [host.product(), host.product(name="Other")]
    both = [reports.accepted(claims, claims.report(*amounts)) for amounts in ((6,), (0, 8))]
    made = [host.make(product, report_id=one["id"]) for product, one in zip(products, both, strict=True)]

    merge(claims, *both)
    host.exchange()

    new = host.api.get("/footprints?filter[status]=Active&sort=created_at").data
    assert [(one["product_id"], one["preceding_ids"]) for one in new] == [
        (product["id"], [one["id"]]) for product, one in zip(products, made, strict=True)
    ]


def test_each_part_of_a_split_report_has_a_footprint_that_follows_the_whole(host, claims):
    product = host.product()
    whole = reports.accepted(claims, claims.report(6, 8))
    first = host.make(product, report_id=whole["id"])
    second = host.make(product, report_id=whole["id"])

    parts = split(claims, whole)
    host.exchange()

    new = active(host)
    assert set(new) == {part["id"] for part in parts}
    assert [new[part["id"]]["preceding_ids"] for part in parts] == [[second["id"], first["id"]]] * 2
    assert (
        host.read(second)["deprecated_reason"] == f"The footprint {new[parts[0]['id']]['id']} took its place."
    )

    reports.withdrawn(claims, parts[0])
    host.exchange()

    assert set(active(host)) == {parts[1]["id"]}


def test_a_footprint_of_a_merged_report_that_somebody_made_is_the_one_that_follows(host, claims):
    product = host.product()
    both = [reports.accepted(claims, claims.report(*amounts)) for amounts in ((6,), (0, 8))]
    old = [host.make(product, report_id=one["id"]) for one in both]
    merged = merge(claims, *both)
    made = host.make(product, report_id=merged["id"], replaces=[old[0]["id"]])

    host.exchange()

    assert set(active(host)) == {merged["id"]}
    assert host.read(old[1])["deprecated_reason"] == f"The footprint {made['id']} took its place."
