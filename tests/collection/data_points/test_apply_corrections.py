"""Corrections in sets, as rules make them: what is in force, and what is left when some are undone."""

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_any
from hypothesis import strategies as st
from psycopg.errors import UniqueViolation
from tests.examples import examples
from tests.given import accounting as given_accounting
from tests.given import collection as given

from weighbridge.collection.measurements.corrections import (
    PORTION,
    NewCorrection,
    RuleRef,
    apply_corrections,
    corrections_of_rule,
    undo,
)
from weighbridge.core import identity
from weighbridge.core.collection.correction import Claim, CorrectionOrigin, find_prevailing_claim

MASS = given.number("mass")
MANY = PORTION + 1
"""Values that are corrected in two portions."""


RULES = """
    WITH made AS (
        INSERT INTO rules (project_id, id, name, evaluation, effective_from, latest_version)
        OVERRIDING SYSTEM VALUE
        SELECT %(project)s, rule, 'Rule ' || rule, 'on_demand', '2020-01-01Z', 1
          FROM generate_series(1, 3) AS rule
        RETURNING project_id, id
    ), version AS (
        INSERT INTO rule_versions (project_id, rule_id, version, target, expression, data_point,
                                   window_member_scope, purpose, correction, priority, requires_approval,
                                   user_id)
        SELECT project_id, id, 1, 'data_point', 'mass > 1', 'mass', 'event', 'adjust', '{}', 1, false,
               %(user)s
          FROM made
    ), run AS (
        INSERT INTO rule_runs (project_id, rule_id, rule_version, kind, start_time, end_time)
        SELECT project_id, 1, 1, 're_evaluation', '2025-01-01Z', '2026-01-01Z' FROM made WHERE id = 1
        RETURNING id
    )
    SELECT id FROM run
"""


def rules(server, account, project):
    """Gives the project the rules 1 to 3, and the first of them a run, whose number it gives."""
    with server.transaction() as connection:
        values = {"project": project["numeric_id"], "user": account.actor.user_id}
        return connection.execute(RULES, values).fetchone()[0]


class Value:
    """One data point of a project, corrected past the interface as a rule would."""

    def __init__(self, account, server, captured=Decimal("1.0")):
        self.api, self.account, self.server = account.caller(), account, server
        self.project = given.measuring(self.api, MASS)
        self.number = self.project["numeric_id"]
        rules(server, account, self.project)
        event = given.event(self.api, self.project, values={"mass": captured})
        self.event = identity.parse("event", event["id"]).key
        self.path = f"/projects/{self.project['id']}/data_points/{event['data_points'][0]['id']}"

    def apply(self, value, source, priority=1, rule=1):
        by = None if source is CorrectionOrigin.MANUAL else RuleRef(rule, 1)
        new = NewCorrection(self.event, 1, value, source, priority if by else 0, rule=by)
        return self.written(apply_corrections, [new])

    def undo(self, *numbers):
        return self.written(undo, list(numbers))

    def written(self, action, corrections):
        async def run():
            async with self.server.database.write() as tx:
                return await action(tx, self.account.actor, self.number, corrections)

        return self.server.run(run())

    @property
    def shown(self):
        return self.api.get(self.path).expect(200).body

    @property
    def history(self):
        return self.api.get(self.path + "/corrections", {"page_size": "200"}).expect(200).data

    @property
    def states(self):
        return [(one["source"], one["to_value"], one["state"]) for one in self.history]


@pytest.fixture
def value(account, server):
    return Value(account, server)


def test_people_prevail_over_adjustments_and_these_over_substitutions_in_any_order_of_arrival(value):
    value.apply(9, CorrectionOrigin.MANUAL)
    value.apply(8, CorrectionOrigin.ADJUSTMENT, rule=1)
    value.apply(7, CorrectionOrigin.SUBSTITUTION, rule=2)

    assert value.shown["value"] == 9
    assert value.states == [
        ("manual", 9, "in_force"),
        ("adjustment", 8, "superseded"),
        ("substitution", 7, "superseded"),
    ]


def test_what_waited_beneath_comes_into_force_when_the_upper_is_undone(value):
    [substitution] = value.apply(7, CorrectionOrigin.SUBSTITUTION, rule=1).recorded
    [adjustment] = value.apply(8, CorrectionOrigin.ADJUSTMENT, rule=2).recorded
    [manual] = value.apply(9, CorrectionOrigin.MANUAL).recorded

    seen = [value.shown["value"]]
    for number in (manual, adjustment, substitution):
        value.undo(number)
        seen.append(value.shown["value"])

    assert seen == [9, 8, 7, 1]
    assert {state for *_, state in value.states} == {"reverted"}


def test_among_rules_the_smaller_priority_prevails(value):
    value.apply(7, CorrectionOrigin.ADJUSTMENT, priority=1, rule=1)
    value.apply(8, CorrectionOrigin.ADJUSTMENT, priority=2, rule=2)

    assert value.shown["value"] == 7


def test_a_substitution_is_shown_with_its_rule_while_it_is_in_force(value):
    [number] = value.apply(7, CorrectionOrigin.SUBSTITUTION, rule=3).recorded

    shown = value.shown

    assert (shown["value"], shown["raw_value"], shown["substituted"]) == (7, 1, True)
    assert shown["substitution"] == {
        "id": number,
        "replaced_value": 1,
        "rule_id": identity.of("rule", value.number, 3),
        "rule_version": 1,
        "rule_run_id": None,
        "reason": None,
        "created_at": value.history[0]["created_at"],
        "method": None,
        "found_by": None,
        "tier": None,
        "code": None,
        "window": None,
        "members_used": None,
        "availability": None,
        "gap_slots": None,
    }
    value.apply(9, CorrectionOrigin.MANUAL)
    assert (value.shown["substituted"], value.shown["substitution"]) == (False, None)


def test_a_value_says_who_made_it_and_an_adjustment_is_shown_with_its_rule_too(value):
    sources = [value.shown["value_source"]]
    value.apply(7, CorrectionOrigin.SUBSTITUTION, rule=3)
    sources.append(value.shown["value_source"])
    [adjustment] = value.apply(8, CorrectionOrigin.ADJUSTMENT, rule=2).recorded
    adjusted = value.shown
    sources.append(adjusted["value_source"])
    [manual] = value.apply(9, CorrectionOrigin.MANUAL).recorded
    sources.append(value.shown["value_source"])

    assert sources == ["captured", "substituted", "adjusted", "manual"]
    assert (adjusted["substituted"], adjusted["substitution"]["id"]) == (True, adjustment)
    assert (value.shown["corrections_count"], value.shown["corrections_total"]) == (3, 3)
    value.undo(manual)
    assert (value.shown["corrections_count"], value.shown["corrections_total"]) == (2, 3)
    assert value.shown["value_source"] == "adjusted"


def test_a_rule_that_says_the_same_again_adds_nothing_even_when_it_is_not_in_force(value):
    value.apply(7, CorrectionOrigin.ADJUSTMENT)
    value.apply(9, CorrectionOrigin.MANUAL)

    assert value.apply(Decimal("7.0"), CorrectionOrigin.ADJUSTMENT).recorded == ()
    assert len(value.history) == 2


def test_a_rule_that_says_what_was_captured_adds_nothing(value):
    assert value.apply(1, CorrectionOrigin.SUBSTITUTION).recorded == ()


def test_a_rule_is_recorded_although_another_correction_says_the_same(value):
    value.apply(7, CorrectionOrigin.SUBSTITUTION, rule=1)

    assert len(value.apply(7, CorrectionOrigin.ADJUSTMENT, rule=2).recorded) == 1


def test_a_rule_says_one_thing_of_a_value_until_that_is_undone(value):
    [first] = value.apply(7, CorrectionOrigin.ADJUSTMENT, rule=1).recorded

    with pytest.raises(UniqueViolation, match="corrections_one_of_each_rule"):
        value.apply(8, CorrectionOrigin.ADJUSTMENT, rule=1)

    value.undo(first)
    value.apply(8, CorrectionOrigin.ADJUSTMENT, rule=1)
    assert value.shown["value"] == 8


def test_a_value_that_is_missing_is_passed_over(value):
    new = NewCorrection(value.event, 2, 7, CorrectionOrigin.SUBSTITUTION, 1, rule=RuleRef(1, 1))

    assert value.written(apply_corrections, [new]).recorded == ()


def test_the_corrections_of_one_rule_are_found_and_undone_together(value):
    value.apply(7, CorrectionOrigin.ADJUSTMENT, rule=1)
    value.apply(8, CorrectionOrigin.ADJUSTMENT, rule=2)

    async def run():
        async with value.server.database.write() as tx:
            numbers = await corrections_of_rule(tx, value.number, 2)
            return await undo(tx, value.account.actor, value.number, numbers)

    assert len(value.server.run(run()).recorded) == 1
    assert value.shown["value"] == 7


def test_undoing_what_is_undone_does_nothing(value):
    [number] = value.apply(7, CorrectionOrigin.ADJUSTMENT).recorded
    value.undo(number)

    assert value.undo(number) == value.undo() == value.written(apply_corrections, [])


def test_a_correction_that_waits_beneath_changes_no_value_and_makes_nothing_stale(account, server, drain):
    plant = given_accounting.plant(account.caller(), drain)
    rules(server, account, plant.project)
    event = plant.deliver(3)
    plant.generate()
    key = identity.parse("event", event)

    def applied(value, source, rule=None):
        new = NewCorrection(key.key, 1, value, source, 1 if rule else 0, rule=rule)

        async def run():
            async with server.database.write() as tx:
                return await apply_corrections(tx, account.actor, key.project, [new])

        return server.run(run())

    assert applied(5, CorrectionOrigin.MANUAL).changed == ((key.key, 1),)
    plant.generate()
    assert applied(4, CorrectionOrigin.ADJUSTMENT, RuleRef(1, 1)).changed == ()

    assert [batch["is_stale"] for batch in plant.batches()] == [False, False]


def test_thousands_of_values_are_corrected_in_one_call(account, server):
    api = account.caller()
    project = given.measuring(api, MASS)
    run_number = rules(server, account, project)
    receipts = given.events(api, project, [given.event_body(values={"mass": 1}) for _ in range(MANY)])
    numbers = [identity.parse("event", one["id"]).key for one in receipts]
    news = [
        NewCorrection(number, 1, place, CorrectionOrigin.ADJUSTMENT, 1, rule=RuleRef(1, 1, run_number))
        for place, number in enumerate(numbers, start=2)
    ]

    async def run(action, corrections):
        async with server.database.write() as tx:
            return await action(tx, account.actor, project["numeric_id"], corrections)

    outcome = server.run(run(apply_corrections, news))

    assert len(outcome.recorded) == len(outcome.changed) == MANY
    total = "SELECT sum(corrected_numbers[1]), sum(numbers[1]) FROM events WHERE project_id = %s"
    assert server.sql(total, project["numeric_id"]) == [(sum(range(2, MANY + 2)), MANY)]
    assert len(server.run(run(undo, outcome.recorded)).recorded) == MANY
    assert server.sql(total, project["numeric_id"]) == [(None, MANY)]


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("apply"),
            st.sampled_from(
                [CorrectionOrigin.MANUAL, CorrectionOrigin.ADJUSTMENT, CorrectionOrigin.SUBSTITUTION]
            ),
            st.integers(1, 3),
            st.integers(0, 4),
        ),
        st.tuples(st.just("undo"), st.integers(0, 9)),
    ),
    max_size=10,
)


@for_any(steps=STEPS)
@settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_held_is_always_what_prevails_and_the_captured_value_never_changes(account, server, steps):
    value = Value(account, server, Decimal("2.50"))
    standing, said_by = {}, {}

    for step in steps:
        if step[0] == "apply":
            _, source, rule, held = step
            priority = 0 if source is CorrectionOrigin.MANUAL else rule
            # A rule says one thing of a value, so what it said before is undone first.
            for number in [one for one, by in said_by.items() if by == rule and one in standing and priority]:
                value.undo(number)
                del standing[number]
            for number in value.apply(held, source, priority, rule).recorded:
                standing[number] = (Claim(number, source, priority), held)
                said_by[number] = priority
        elif len(standing) > step[1]:
            number = list(standing)[step[1]]
            value.undo(number)
            del standing[number]
        winner = find_prevailing_claim(claim for claim, _ in standing.values())
        shown = value.shown
        assert shown["value"] == (Decimal("2.50") if winner is None else standing[winner.number][1])
        assert str(shown["raw_value"]) == "2.50"

    in_force = [one["id"] for one in value.history if one["state"] == "in_force"]
    assert in_force == ([] if winner_of(standing) is None else [winner_of(standing).number])


def winner_of(standing):
    return find_prevailing_claim(claim for claim, _ in standing.values())


@pytest.mark.parametrize("origin", [CorrectionOrigin.SUBSTITUTION, CorrectionOrigin.ADJUSTMENT])
def test_the_input_data_of_a_batch_names_the_substitution_that_it_used(account, server, drain, origin):
    plant = given_accounting.plant(account.caller(), drain)
    rules(server, account, plant.project)
    key = identity.parse("event", plant.deliver(3))
    new = NewCorrection(key.key, 1, 5, origin, 1, rule=RuleRef(1, 1))

    async def run(action, corrections):
        async with server.database.write() as tx:
            return await action(tx, account.actor, key.project, corrections)

    [number] = server.run(run(apply_corrections, [new])).recorded
    plant.generate()
    server.run(run(undo, [number]))

    [batch] = plant.batches()
    [row] = batch["input_data"]
    assert batch["primary_output"]["value"] == 5
    assert (row["data_point"]["value"], row["data_point"]["raw_value"]) == (5, 3)
    assert (row["data_point"]["substituted"], row["data_point"]["substitution"]["id"]) == (True, number)
