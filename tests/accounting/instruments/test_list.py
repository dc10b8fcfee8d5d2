"""GET /ledgers/{ledger_id}/instruments (`list_instruments`)."""

from tests.given import accounting, instruments
from tests.given import collection as given
from tests.given.instruments import enter


def test_instruments_are_listed_by_the_day_that_they_count_from_and_found_by_external_id(api):
    ledger = instruments.system_ledger(api, given.project(api))
    enter(api, ledger, "REC-2", issued_on="2025-01-12").expect(201)
    first = enter(api, ledger, "REC-1", issued_on="2025-01-11").expect(201).body
    path = f"/ledgers/{ledger['id']}/instruments"

    assert [one["external_id"] for one in api.get(path).expect(200).data] == ["REC-1", "REC-2"]
    assert [one["external_id"] for one in api.get(path, {"sort": "-external_id"}).data] == ["REC-2", "REC-1"]
    assert api.get(path, {"filter[external_id]": "REC-1"}).data == [first]


def test_a_ledger_that_a_model_credits_has_none(api):
    ledger = accounting.ledger(api, given.project(api))

    assert api.get(f"/ledgers/{ledger['id']}/instruments").expect(200).data == []
