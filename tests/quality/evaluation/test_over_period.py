"""What rules find in events and model runs, and when they look. Design, Rules."""

from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.rule_evaluation import correct, days, results, rule, statuses, work

HEAVY = "{{mass}} > 20"


def test_a_rule_looks_at_what_was_there_before_it(api, account, project, deliver):
    deliver(10)
    late = deliver(30)

    made = rule(api, project, HEAVY)
    work(account)

    [result] = results(api, made)
    assert made["backfill_enqueued"] is True
    assert (result["status"], result["entered_value"]) == ("fail", "30")
    assert result["data_point_id"] == late["data_points"][0]["id"]


def test_a_rule_looks_at_what_comes_after_it(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    work(account)

    deliver(10)
    deliver(30)
    work(account)

    assert statuses(api, made) == [("fail", "30")]


def test_a_rule_on_demand_looks_at_nothing_by_itself(api, account, project, deliver):
    made = rule(api, project, HEAVY, evaluation="on_demand")
    deliver(30)
    work(account)

    assert results(api, made) == []

    period = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
    api.post(f"/rules/{made['id']}/rule_runs", period).expect(202)
    work(account)

    assert statuses(api, made) == [("fail", "30")]


def test_records_outside_the_effective_time_are_left_alone(api, account, project, deliver):
    made = rule(
        api, project, HEAVY, effective_from="2025-01-02T00:00:00Z", effective_to="2025-01-04T00:00:00Z"
    )
    for day in (1, 2, 3, 4):
        deliver(30, day)
    work(account)

    assert days(api, project, results(api, made)) == [2, 3]


def test_shortening_the_effective_time_keeps_past_alerts(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    deliver(30, 1)
    event = deliver(30, 5)
    work(account)

    api.patch(f"/rules/{made['id']}", {"rule": {"effective_to": "2025-01-03T00:00:00Z"}}).expect(200)
    correct(api, project, event, 3)
    work(account)

    assert statuses(api, made) == [("fail", "30"), ("fail", "30")]


def test_another_expression_is_evaluated_as_another_version(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    deliver(30)
    deliver(50)
    work(account)

    api.patch(f"/rules/{made['id']}", {"rule": {"expression": "{{mass}} > 40"}}).expect(200)
    work(account)

    assert [(one["rule_version"], one["entered_value"]) for one in results(api, made)] == [
        (1, "30"), (1, "50"), (2, "50"),
    ]  # fmt: skip


def test_a_rule_without_an_event_type_watches_every_type_that_has_the_data(api, account, project):
    given.event_type(api, project, slug="bale", data_point_types=[given.text("note"), given.number("mass")])
    given.event_type(api, project, slug="lab", data_point_types=[given.number("carbon")])
    made = rule(api, project, HEAVY)

    for kind, slug in (("delivery", "mass"), ("bale", "mass"), ("lab", "carbon")):
        given.event(api, project, event_type=kind, values={slug: 30})
    work(account)

    assert statuses(api, made) == [("fail", "30"), ("fail", "30")]


def test_tags_and_texts_are_read(api, account, project, deliver):
    made = rule(api, project, "tracking_id is null or {{site}} starts with 'No' and {{mass}} in (1, 2)")
    deliver(1, site="North", tracking_id="A")
    deliver(1, site="South", tracking_id="B")
    deliver(3, site="South")
    work(account)

    assert statuses(api, made) == [("fail", "North"), ("fail", "South")]


def test_a_model_run_is_evaluated_after_its_generation(api, account, drain):
    plant = given_accounting.plant(api, drain)
    made = rule(
        api, plant.project, "mass > 40 and feedstock is null",
        target="model_run", model_id=plant.model["id"],
    )  # fmt: skip
    plant.deliver(50)
    plant.generate()
    work(account)

    [result] = results(api, made)
    assert (result["status"], result["checked_value"]) == ("fail", "50")
    assert result["node_ids"] == ["mass"]


def test_a_run_fails_with_its_task(api, account, project, sql):
    made = rule(api, project, HEAVY)
    api.delete(f"/rules/{made['id']}").expect(204)
    work(account)

    [(state, message)] = sql("SELECT state, error_message FROM rule_runs WHERE id = %s", made["rule_run_id"])
    assert (state, message) == ("failed", "record not found")
