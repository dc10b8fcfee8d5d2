"""Many proposals are asked again in one pass, and in several where they lie far apart: all alike."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.given.approvals import bulk_approve
from tests.given.gaps import filling, report, stack, values
from tests.given.rule_evaluation import results, work

from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant
from weighbridge.quality.evaluation.passes import passes
from weighbridge.quality.rule_versions import newest_version, prepared_rule

BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
MEAN = {"method": "mean_before_after"}
OVER_ALL = {"method": "maximum", "window": {"kind": "rolling", "members": 10_000}}


def hour(number):
    return Instant.of(BEGIN + timedelta(hours=number - 1))


@pytest.fixture
def project(api):
    return stack(api)


@pytest.mark.parametrize(
    ("correction", "last", "count"),
    [(MEAN, 900, 1), (MEAN, 1_900, 2), (OVER_ALL, 1_900, 1)],
    ids=["near", "far apart", "far apart, and read together"],
)
def test_so_many_passes_are_made(account, correction, last, count):
    api, hours = account.caller(), (2, last)
    project = stack(api)
    for number in hours:
        report(api, project, "10 !1 14", first=number - 1)
    rule = filling(api, project, correction, requires_approval=True)
    key = identity.parse("rule", rule["id"])

    async def run():
        async with account.server.database.read() as tx:
            prepared = await prepared_rule(tx, await newest_version(tx, key.project, key.key))
            return await passes(tx, prepared, {hour(number) for number in hours})

    found = account.server.run(run())

    assert len(found) == count
    assert all(any(start <= hour(number) < end for start, end in found) for number in hours)


def test_proposals_near_each_other_and_far_apart_are_approved_together(api, account, project):
    for number in (1, 1_899):
        report(api, project, "10 !1 !2 16", first=number)
    rule = filling(api, project, MEAN, requires_approval=True)
    work(account)
    named = [one["id"] for one in results(api, rule) if one["approval_state"] == "pending"]
    assert len(named) == 4

    answer = bulk_approve(api, project, *named).expect(200)

    assert {one["approval_state"] for one in answer.body["data"]} == {"approved"}
    assert {values(api, project)[number] for number in (2, 3, 1_900, 1_901)} == {13}
