"""The page of a batch shows how uncertain its total is, and what that is made of."""

import re
from html import unescape

import pytest
from tests.given import accounting, reports
from tests.given import inputs as given_inputs
from tests.given.people import Visitor, visitor
from tests.given.uncertain_claims import uncertain_claims, uncertainty_of

NODES = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    uncertainty: {standard: 0.3, effect: weighbridge}
  - slug: share
    constant: 0.5
    unit: ""
    uncertainty: {standard: 0.02, degrees_of_freedom: 4}
  - slug: mass
    formula: loads * share
    unit: t
"""

VERDICTS = (
    r"First order holds: |First order does not hold here: |5,000 trials are too few to decide whether first"
)


@pytest.fixture
def reader(account):
    return visitor(account)


def words(answer):
    """The words of a page, tags and runs of spaces aside."""
    text = answer.expect(200).text.split("<main", 1)[1]
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)))


def test_a_batch_shows_its_interval_and_its_budget(api, drain, reader):
    plant = given_inputs.plant(api, drain, NODES, primary_output="mass")
    text = accounting.document(NODES, primary_output="mass").replace("nodes:", "uncertainty: {}\nnodes:")
    accounting.version(api, plant.model, text, activate=True)
    given_inputs.measure(plant, "delivery", {"mass": 20}, "2025-01-10")
    plant.generate(("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"))
    [batch] = plant.batches()

    shown = words(reader.get(f"/projects/{plant.project['id']}/batches/{batch['id']}"))

    # 0.15 t of the weighbridge and 0.4 t of the share; Student's t with 5.2 degrees of freedom.
    assert "± 1.1 t at 95" in shown
    assert re.search(r"8\.9 to 11\.1 t ?\.", shown)
    assert "standard uncertainty 0.43 t, 5.2 degrees of freedom, coverage factor 2.5" in shown
    assert re.search(
        r"share its own 0\.40 t 87\.7\s% 0\.877 of 1 loads weighbridge, shared 0\.15 t 12\.3\s%", shown
    )


def test_a_batch_whose_model_does_not_ask_shows_nothing_of_it(api, drain, reader):
    plant = given_inputs.plant(api, drain, NODES, primary_output="mass")
    given_inputs.measure(plant, "delivery", {"mass": 20}, "2025-01-10")
    plant.generate(("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"))
    [batch] = plant.batches()

    shown = words(reader.get(f"/projects/{plant.project['id']}/batches/{batch['id']}"))
    assert "Uncertainty" not in shown


def test_the_page_of_a_batch_leads_to_what_would_halve_it(api, drain, reader):
    claims, _ = uncertain_claims(api, drain, 20, reading="0.05")
    home = f"/projects/{claims.plant.project['id']}"
    page = f"{home}/batches/{claims.batch()}"
    assert f'href="{page}/uncertainty_savings"' in reader.get(page).text

    shown = words(reader.get(f"{page}/uncertainty_savings"))

    assert "With this effect at zero it would be 0.050 t: D-K-15204-01 , shared (input mass)" in shown
    assert "An effect is one cause of error" in shown
    assert "The standard uncertainty is 0.21 t" in shown


def test_effects_lead_to_their_certificates(api, drain, reader):
    claims, scale = uncertain_claims(api, drain, 20)
    home = f"/projects/{claims.plant.project['id']}"

    text = reader.get(f"{home}/batches/{claims.batch()}").text

    assert f'<a href="{home}/calibrations/{scale.calibration}">D-K-15204-01</a>' in text


def test_a_report_shows_the_interval_of_its_sum_and_its_budget(api, drain, reader):
    claims, _ = uncertain_claims(api, drain, 10, 20, reading="0.1")
    report = claims.report(10, 20)
    page = f"/projects/{claims.plant.project['id']}/reports/{report['id']}"

    shown = words(reader.get(page))

    assert re.search(r"± 0\.65 t at 95\s% : 29\.35 to 30\.65 t", shown)
    assert re.search(r"mass D-K-15204-01 , shared 0\.30 t 81\.8\s%", shown)
    assert f'href="{page}/materiality"' in reader.get(page).text


def test_a_report_says_why_its_uncertainty_is_not_known(api, drain, reader):
    claims = reports.claims(api, drain, 10)
    report = claims.report(10)

    shown = words(reader.get(f"/projects/{claims.plant.project['id']}/reports/{report['id']}"))

    assert "Not known: 1 batch has none, because its model does not ask for it." in shown


def test_materiality_takes_the_threshold_of_the_reader(api, drain, reader):
    claims, _ = uncertain_claims(api, drain, 10, 20, reading="0.1")
    report = claims.report(10, 20)
    page = f"/projects/{claims.plant.project['id']}/reports/{report['id']}/materiality"

    shown = words(reader.get(f"{page}?threshold=500+kg"))

    assert re.search(r"The threshold is 0 ?\.500 t", shown)
    assert "1 effect moves the total by 0.59 t" in shown
    assert "reaches it" in shown
    assert "All effects together do not move the total by the threshold." in words(reader.get(page))
    assert "above 0 and at most 1" in words(reader.get(f"{page}?threshold=7"))


def test_a_verifier_sees_the_interval_and_the_budget_by_link(api, drain, server):
    claims, _ = uncertain_claims(api, drain, 10, 20, reading="0.1")
    report = claims.report(10, 20)
    made = api.post(f"/reports/{report['id']}/links", {"link": {"name": "Verifier"}}).expect(201).body
    key = made["url"].split("key=", 1)[1]

    shown = words(Visitor(server).get(f"/reports/{report['id']}/by_link?key={key}"))

    assert re.search(r"29\.35 to 30\.65 t", shown)
    assert "D-K-15204-01, shared" in shown
    read = api.get(f"/reports/{report['id']}/by_link/uncertainty", {"key": key}).expect(200).body
    assert read == uncertainty_of(claims, report)


def link_to(api, report):
    """A link to a report, and its secret."""
    made = api.post(f"/reports/{report['id']}/links", {"link": {"name": "Verifier"}}).expect(201).body
    key = made["url"].split("key=", 1)[1]
    return f"/reports/{report['id']}/by_link?key={key}"


def test_a_verifier_by_link_sets_the_threshold_of_materiality(api, drain, server):
    claims, _ = uncertain_claims(api, drain, 10, 20, reading="0.1")
    link, verifier = link_to(api, claims.report(10, 20)), Visitor(server)

    assert 'name="threshold" required value="0.05"' in verifier.get(link).text
    assert "The threshold is" not in words(verifier.get(link))
    shown = words(verifier.get(f"{link}&threshold=500+kg"))

    assert re.search(r"The threshold is 0 ?\.500 t", shown)
    assert "1 effect moves the total by 0.59 t" in shown
    assert "D-K-15204-01, shared mass 0.59 t reaches it" in shown
    assert "above 0 and at most 1" in words(verifier.get(f"{link}&threshold=7"))


def test_a_verifier_by_link_sees_the_newest_trials_that_have_ended(api, drain, server):
    claims, _ = uncertain_claims(api, drain, 10, 20, reading="0.1")
    report = claims.report(10, 20)
    link, verifier = link_to(api, report), Visitor(server)
    asked = {"uncertainty_run": {"trials": 5000}}

    api.post(f"/reports/{report['id']}/uncertainty_runs", asked).expect(202)
    assert "Trials" not in words(verifier.get(link))
    drain()
    api.post(f"/reports/{report['id']}/uncertainty_runs", asked).expect(202)

    shown = verifier.get(link).expect(200).text
    assert "Distribution of 5,000 trials in t. First order from 29.35" in shown
    assert "Run trials" not in shown
    assert re.search(VERDICTS, words(verifier.get(link)))


def test_a_verifier_by_link_is_asked_for_no_threshold_where_nothing_is_uncertain(api, drain, server):
    claims = reports.claims(api, drain, 10)

    shown = Visitor(server).get(link_to(api, claims.report(10))).expect(200).text

    assert "Materiality" not in shown


def test_trials_are_started_on_the_page_of_a_batch_and_shown_beside_first_order(api, drain, reader):
    plant = given_inputs.plant(api, drain, NODES, primary_output="mass")
    text = accounting.document(NODES, primary_output="mass").replace("nodes:", "uncertainty: {}\nnodes:")
    accounting.version(api, plant.model, text, activate=True)
    given_inputs.measure(plant, "delivery", {"mass": 10}, "2025-01-10")
    plant.generate()
    [batch] = plant.batches()
    path = f"/projects/{plant.project['id']}/batches/{batch['id']}"

    started = reader.post(f"{path}/uncertainty_runs", {"trials": "5,000"}).expect(303)
    assert started.headers["location"].endswith(f"{path}#trials")
    assert "0 of 5,000 trials are computed" in words(reader.get(path))
    drain()

    shown = reader.get(path).expect(200).text
    assert "Distribution of 5,000 trials in t. First order from" in shown
    assert shown.count('class="remaining"') >= 50
    said = words(reader.get(path))
    assert "Trials, symmetric interval" in said
    assert re.search(VERDICTS, said)
    refused = reader.post(f"{path}/uncertainty_runs", {"trials": "many"})
    assert "Trials must be a whole number from 100 to 1,000,000." in refused.text


def test_trials_of_a_report_are_started_followed_and_shown_on_its_page(api, drain, reader):
    claims, _ = uncertain_claims(api, drain, 10, 20, reading="0.1")
    report = claims.report(10, 20)
    page = f"/projects/{claims.plant.project['id']}/reports/{report['id']}"

    reader.post(f"{page}/uncertainty_runs", {"trials": "5000"}).expect(303)
    running = reader.get(page)
    assert "0 of 5,000 trials are computed" in words(running)
    assert f'id="trials" aria-label="Newest trials" hx-get="{page}" hx-trigger="every 5s"' in running.text
    drain()

    shown = reader.get(page).expect(200).text
    assert "Distribution of 5,000 trials in t. First order from 29.35" in shown
    assert shown.count('class="remaining"') >= 50
    assert 'hx-select="#trials"' not in shown
    said = words(reader.get(page))
    assert re.search(VERDICTS, said)
    assert re.search(r"Trials, shortest interval (29|30)\.\d+ 0\.3\d", said)
    refused = reader.post(f"{page}/uncertainty_runs", {"trials": "many"})
    assert "Trials must be a whole number from 100 to 1,000,000." in refused.text


def test_trials_of_a_report_that_changed_say_that_they_are_of_before(api, drain, reader):
    claims, _ = uncertain_claims(api, drain, 10, 20)
    report = claims.report(10, 20)
    page = f"/projects/{claims.plant.project['id']}/reports/{report['id']}"
    reader.post(f"{page}/uncertainty_runs", {"trials": "1000"}).expect(303)
    drain()
    change = {"report": {"batches": [{"batch_id": claims.batch(), "amount": 5}]}}
    api.patch(f"/reports/{report['id']}", change).expect(200)

    assert "The report has changed since; these trials are of before." in words(reader.get(page))


def test_a_report_of_which_nothing_is_uncertain_offers_no_trials(api, drain, reader):
    claims = reports.claims(api, drain, 10)
    report = claims.report(10)

    shown = reader.get(f"/projects/{claims.plant.project['id']}/reports/{report['id']}").text

    assert "Run trials" not in shown
