"""`weighbridge outdated-rules`: which rules' results an evaluation would change."""

from tests.given import collection as given
from tests.given.rule_evaluation import LONG_AGO, results, rule, work

LAST = {"kind": "rolling", "members": 1}


def backwards(account, sql, *, is_of_before):
    """A rule on the counters of two kilns, with results by meter, or as they were of both together."""
    api = account.caller()
    project = given.measuring(api, given.number("mass"))
    for kiln, first in (("East", 100), ("West", 1)):
        asset = given.asset(api, project, name=kiln)["id"]
        bodies = [
            given.event_body(
                start_time=f"2025-01-01T{hour:02}:00:00Z", values={"mass": first + hour}, asset_id=asset
            )
            for hour in range(4)
        ]
        given.events(api, project, bodies)
    made = rule(
        api,
        project,
        "{{mass}} < previous({{mass}})",
        window=LAST,
        window_meters="all" if is_of_before else "own",
    )
    work(account)
    if is_of_before:
        sql("ALTER TABLE rule_versions DISABLE TRIGGER rule_versions_stay")
        sql("UPDATE rule_versions SET window_meters = NULL WHERE project_id = %s", project["numeric_id"])
        sql("ALTER TABLE rule_versions ENABLE TRIGGER rule_versions_stay")
    return made


def outdated(weighbridge, *rules):
    """What is said of some rules."""
    found = weighbridge("outdated-rules", "--json").expect(0).json
    named = {one["id"] for one in rules}
    return [one for one in found if one["rule_id"] in named]


def test_a_rule_that_mixed_meters_is_listed_and_nothing_is_stored(weighbridge, account, sql):
    mixed = backwards(account, sql, is_of_before=True)
    api = account.caller()
    assert api.get(f"/rules/{mixed['id']}").body["window_meters"] == "own"
    before = results(api, mixed)
    assert len(before) == 3

    [found] = outdated(weighbridge, mixed)

    assert (found["name"], found["alerts"], found["changes"]) == (mixed["name"], 0, 3)
    assert results(api, mixed) == before
    said = weighbridge("outdated-rules").expect(0).out
    assert mixed["id"] in said
    assert "3 changes, 0 alerts then" in said


def test_a_rule_that_was_evaluated_as_it_is_now_is_not_listed(weighbridge, account, sql):
    current = backwards(account, sql, is_of_before=False)
    project = {"id": current["project_id"]}
    plain = rule(account.caller(), project, "{{mass}} > 3", effective_from=LONG_AGO)
    work(account)

    assert outdated(weighbridge, current, plain) == []


def test_a_rule_that_was_evaluated_again_is_listed_no_more(weighbridge, account, sql):
    mixed = backwards(account, sql, is_of_before=True)
    api = account.caller()
    period = {"start_time": "2024-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:00Z"}
    api.post(f"/rules/{mixed['id']}/rule_runs", period).expect(202)
    work(account)

    assert outdated(weighbridge, mixed) == []
    assert results(api, mixed, status="fail") == []
