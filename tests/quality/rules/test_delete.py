"""DELETE /rules/{rule_id}. Seed, Other operations: allowed even if it has written corrections."""

from tests.given import alerts as given_alerts
from tests.given import collection as given


def test_a_rule_that_was_removed_is_found_nowhere(api):
    plant = given.measuring(api, given.number("mass"))
    rule = given_alerts.rule(api, plant)

    api.delete(f"/rules/{rule['id']}").expect(204)

    assert api.get(f"/projects/{plant['id']}/rules").data == []
    for path in ("", "/versions", "/rule_results", "/rule_runs"):
        api.get(f"/rules/{rule['id']}{path}").expect(404)
    api.delete(f"/rules/{rule['id']}").expect(404)
    api.patch(f"/rules/{rule['id']}", {"rule": {"name": "x"}}).expect(404)


def test_its_runs_go_with_it_and_its_alerts_stay_for_the_audit(api, account, sql):
    plant = given.measuring(api, given.number("mass"))
    rule = given_alerts.rule(api, plant, evaluation="automatic")
    event = given.event(api, plant, values={"mass": 50})
    given_alerts.result(sql, rule, event["id"])

    api.delete(f"/rules/{rule['id']}").expect(204)

    api.get(f"/rule_runs/{rule['rule_run_id']}").expect(404)
    assert sql(
        "SELECT count(*) FROM data_point_results WHERE project_id = %s", plant["numeric_id"]
    ) == [(1,)]  # fmt: skip
    assert sql(
        "SELECT before ->> 'name' FROM audit_log WHERE account_id = %s AND action = 'rule.delete'", account.id
    ) == [(rule["name"],)]
