"""Draw a sample: once, by a seed that the verifier's text completes, and with everything that a verifier
looks at.
"""

import hashlib

import pytest
from tests.given import engagements, reports
from tests.given.engagements import SEED_TEXT, agreed

from weighbridge.core import identity
from weighbridge.core.engagement.sampling import compute_seed


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


def sampled(verifier, engagement):
    return verifier.get(f"/{engagement['id']}/sample").expect(200).body


def test_the_seed_follows_from_the_log_the_population_and_the_text(verifier):
    drawn = verifier.draw(verifier.begin())

    given = (drawn["log_rows"], drawn["log_root"], drawn["population_sha256"], SEED_TEXT)
    assert drawn["seed"] == compute_seed(*given)


def test_a_sample_is_drawn_once(verifier):
    begun = verifier.begin()
    first = verifier.draw(begun)

    refused = verifier.post(f"/{begun['id']}/sample", {"seed_text": "another text"}).expect(409)

    assert refused.error["code"] == "engagement_state"
    assert verifier.get(f"/{begun['id']}").body == first


def test_a_random_sample_has_the_records_with_the_smallest_hashes(verifier, report):
    stratum = {"event_type": "delivery", "size": 5}
    drawn = verifier.draw(verifier.begin(strata=[stratum]))

    sample = sampled(verifier, drawn)["data"]
    whole = verifier.draw(verifier.begin(strata=[{"event_type": "delivery", "size": 28}]))
    project = identity.parse("report", report["id"]).project
    numbers = [
        identity.number("event", one["event"]["id"], project) for one in sampled(verifier, whole)["data"]
    ]
    hashes = {
        number: hashlib.sha256(f"{drawn['seed']}\n1\n{number}\n".encode()).hexdigest() for number in numbers
    }
    smallest = sorted(sorted(numbers, key=hashes.__getitem__)[:5])
    assert [one["event"]["id"] for one in sample] == [identity.of("event", project, one) for one in smallest]


def test_a_record_says_what_it_lacks_and_who_recorded_it(api, verifier):
    drawn = verifier.draw(verifier.begin(strata=[{"event_type": "delivery", "size": 28}]))
    event = sampled(verifier, drawn)["data"][0]["event"]["id"]
    api.upload(f"/events/{event}/evidence", "slip.txt", b"1 t\n").expect(201)

    first, second, *_ = sampled(verifier, drawn)["data"]

    assert (first["missing"], second["missing"]) == (["meter"], ["evidence", "meter"])
    assert first["recorded_at"] == first["event"]["created_at"]
    assert first["recorded_by"] is not None
    assert [one["what"] for one in first["changes"]] == ["evidence"]


def test_what_changed_since_the_engagement_began_is_shown(api, claims, verifier):
    drawn = verifier.draw(
        verifier.begin(strata=[{"event_type": "delivery", "data_point": "mass", "size": 28}])
    )
    event = sampled(verifier, drawn)["data"][0]["event"]
    point = event["data_points"][0]["id"]
    body = {"value": 2, "reason": "Read from the slip."}
    path = f"/projects/{claims.plant.project['id']}/data_points/{point}"
    api.patch(path, {"data_point": body}).expect(200)
    claims.plant.deliver(7, "2025-01-20T12:00:00Z")
    claims.plant.generate(reports.QUARTER)

    sample = sampled(verifier, drawn)

    [change] = sample["data"][0]["changes"]
    assert (change["what"], change["before"], change["after"], change["reason"]) == (
        "mass", "1", "2", "Read from the slip.",
    )  # fmt: skip
    assert (sample["population_changes"]["changed"], len(sample["population_changes"]["added"])) == (
        [event["id"]], 1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("stratum", "field", "code"),
    [
        ({"event_type": "nothing", "size": 1}, "event_type", "unknown"),
        ({"event_type": "delivery", "size": 1, "method": "monetary_unit"}, "data_point", "required"),
        ({"event_type": "delivery", "size": 1, "data_point": "grade"}, "data_point", "unknown"),
    ],
)
def test_a_stratum_that_cannot_be_drawn_is_rejected(verifier, stratum, field, code):
    error = verifier.post("", agreed(strata=[stratum])).expect(422).error

    assert (error["field"], error["code"]) == (f"strata[0].{field}", code)


def test_a_link_that_only_reads_does_not_act(api, anyone, report, verifier):
    begun = verifier.begin()
    reader = engagements.verifier(api, anyone, report, is_of_verifier=False)

    assert reader.get("").expect(200).data == [begun]
    assert reader.post("", agreed()).expect(403).error["code"] == "permission_missing"
    assert reader.post(f"/{begun['id']}/sample", {"seed_text": "x"}).expect(403)
