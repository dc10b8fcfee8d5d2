"""A report says which effects can move its total by a threshold, alone and together."""

from decimal import Decimal

from tests.given.uncertain_claims import uncertain_claims

HALF_PERCENT = "1.959963984540054"


def ask(claims, report, threshold):
    return claims.plant.api.get(f"/reports/{report['id']}/materiality", {"threshold": threshold})


def test_effects_that_reach_a_share_of_the_total_are_named(api, drain):
    claims, scale = uncertain_claims(api, drain, 10, 20, reading="0.1")
    report = claims.report(10, 20)

    found = ask(claims, report, "0.021").expect(200).body

    # 2.1 % of 30 t are 0.63 t; the scale reaches 1.96 x 0.3 t = 0.588 t, with one reading 0.62 t.
    assert (found["threshold"], found["unit"], found["stated"]["amount"]) == (Decimal("0.63"), "t", 30)
    first, *others = found["effects"]
    assert (first["effect"], first["name"], first["inputs"]) == (scale.calibration, "D-K-15204-01", ["mass"])
    assert round(first["reach"], 6) == round(Decimal(HALF_PERCENT) * Decimal("0.3"), 6)
    assert [one["is_material"] for one in found["effects"]] == [False, False, False]
    assert [round(one["reach"], 6) for one in others] == [round(Decimal(HALF_PERCENT) / 10, 6)] * 2
    assert (found["effect_count"], found["together_count"], found["is_fewest"]) == (3, 3, True)
    assert found["together_reach"] >= found["threshold"]


def test_an_effect_that_reaches_it_alone_is_enough(api, drain):
    claims, scale = uncertain_claims(api, drain, 10, 20, reading="0.1")

    found = ask(claims, claims.report(10, 20), "500 kg").expect(200).body

    assert found["threshold"] == Decimal("0.5")
    [alone] = found["together"]
    assert (alone["effect"], alone["is_material"]) == (scale.calibration, True)


def test_a_threshold_beyond_all_effects_is_reached_by_none(api, drain):
    claims, _ = uncertain_claims(api, drain, 10, 20)

    found = ask(claims, claims.report(10, 20), "0.5").expect(200).body

    assert (found["together"], found["together_count"], found["together_reach"]) == ([], 0, None)


def test_a_verifier_asks_by_link_with_a_threshold_of_their_own(api, drain):
    claims, _ = uncertain_claims(api, drain, 10, 20, reading="0.1")
    report = claims.report(10, 20)
    made = api.post(f"/reports/{report['id']}/links", {"link": {"name": "Verifier"}}).expect(201).body
    key, by_link = made["url"].split("key=", 1)[1], f"/reports/{report['id']}/by_link/materiality"

    found = api.get(by_link, {"key": key, "threshold": "500 kg"}).expect(200).body

    assert found == ask(claims, report, "500 kg").expect(200).body
    problems = api.get(by_link, {"key": key, "threshold": "7"}).expect(422).body["errors"]
    assert problems == ask(claims, report, "7").expect(422).body["errors"]
    assert "required" in str(api.get(by_link, {"key": key}).expect(422).body["errors"])
    api.get(by_link, {"key": f"{key}x", "threshold": "7"}).expect(404)


REFUSED = {
    "": "threshold is required.",
    "-0.1": "above 0 and at most 1",
    "0": "above 0 and at most 1",
    "5": "above 0 and at most 1",
    "0 t": "above 0 with its unit, but is 0 t",
    "much": "'much' is not a decimal number",
    "5 kWh": "threshold must be in a unit that converts to t",
    "5 flurbs": "threshold: ",
    "1e999999": "threshold: ",
}


def test_a_threshold_that_is_none_is_refused(api, drain):
    claims, _ = uncertain_claims(api, drain, 10)
    report = claims.report(10)

    for threshold, sentence in REFUSED.items():
        [error] = ask(claims, report, threshold).expect(422).body["errors"]
        assert sentence in error["message"]
        assert error["field"] == "threshold"


def test_a_report_without_batches_has_no_effects(api, drain):
    claims, _ = uncertain_claims(api, drain)

    found = ask(claims, claims.report(), "0.05").expect(200).body

    assert (found["effects"], found["stated"], found["unit"]) == ([], None, None)
