"""An engagement by a link alone, from what is agreed to a signed opinion."""

import pytest
from tests.given import engagements, reports
from tests.given.engagements import SEED_TEXT


@pytest.fixture
def claims(api, drain):
    claims = reports.claims(api, drain)
    for day in range(1, 29):
        claims.plant.deliver(day, f"2025-01-{day:02d}T00:00:00Z")
    claims.plant.generate(reports.QUARTER)
    return claims


@pytest.fixture
def report(claims):
    return claims.report(406)


@pytest.fixture
def verifier(api, anyone, report):
    return engagements.verifier(api, anyone, report)


def test_an_engagement_from_agreement_to_opinion(api, drain, report, verifier):
    engagements.make_bundle(api, drain, report)
    begun = verifier.begin()
    assert (begun["state"], begun["population_count"], begun["seed"]) == ("open", 28, None)

    drawn = verifier.draw(begun)
    assert (drawn["sample_count"], drawn["seed_text"]) == (3, SEED_TEXT)
    sample = verifier.get(f"/{begun['id']}/sample").expect(200).body
    assert [one["missing"] for one in sample["data"]] == [["evidence", "meter"]] * 3

    found = verifier.find(begun, event_id=sample["data"][0]["event"]["id"])
    assert found["effect"]["absolute"] == found["findings"][0]["amount"] * -1
    answer = {"answer": "The slip is right."}
    path = f"/reports/{report['id']}/engagements/{begun['id']}"
    api.post(f"{path}/findings/1/answer", answer).expect(200)
    verifier.decide(begun, 1)

    concluded = verifier.conclude(begun)
    assert concluded["state"] == "concluded"
    assert concluded["opinion"]["public_key"] == verifier.public_key
    assert api.get(path).expect(200).body == concluded
