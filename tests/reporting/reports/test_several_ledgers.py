"""Reports of several ledgers: each has its sign and its own books, and the report states the signed sum."""

from decimal import Decimal

import pytest
from tests.given.net_claims import net_claims
from tests.given.recorded import differing
from tests.given.reports import accepted, withdrawn

from weighbridge.verification.books import check_books


def breaches(server, claims):
    async def all_books():
        async with server.database.read() as tx:
            return await check_books(tx, claims.plant.project["numeric_id"])

    return {rule: found for rule, found in server.run(all_books()).items() if found}


@pytest.fixture
def claims(api, drain):
    """A plant of two months."""
    return net_claims(api, drain, ("100", "12500", "2.5"), ("80.25", "9999.999", "0"))


def test_a_report_states_the_signed_sum_of_its_ledgers(claims, server):
    report = claims.draft()

    assert report["amount"] == Decimal("155.250001")
    assert report["ledger_id"] == claims.ledgers["removal"]["id"]
    assert [
        (one["role"], one["sign"], one["amount"], one["unit"], one["counted"]) for one in report["ledgers"]
    ] == [
        ("removal", 1, Decimal("180.25"), "t", Decimal("180.25")),
        ("process emissions", -1, Decimal("22499.999"), "kg", Decimal("-22.499999")),
        ("leakage", -1, Decimal("2.5"), "t", Decimal("-2.5")),
    ]
    assert differing(server, report["id"]) == []


def test_each_ledger_is_posted_and_given_back_in_its_own_books(claims, server):
    report = accepted(claims, claims.draft(0))

    assert report["accepted_amount"] == Decimal(85)
    assert claims.left() == {
        "removal": [0, Decimal("80.25")], "process emissions": [0, Decimal("9999.999")], "leakage": [0, 0],
    }  # fmt: skip
    withdrawn(claims, report)
    assert claims.left()["process emissions"] == [12500, Decimal("9999.999")]
    assert breaches(server, claims) == {}
    assert differing(server, report["id"]) == []

