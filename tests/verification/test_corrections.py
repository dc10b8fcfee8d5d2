"""Verification names every value that its corrections do not account for."""

VALUES = "every value is what was captured, or what the correction in force says"
ONCE = "a rule corrects a value once"
PREVAILS = "of the corrections of a value the one that prevails is in force"

CORRECTION = """
    INSERT INTO corrections (project_id, event_id, position, source, from_value, to_value, state, user_id)
    SELECT project_id, id, 1, 'manual', '1', '999', '{state}', (SELECT min(id) FROM users)
      FROM events ORDER BY id LIMIT 1
"""

RULE = """
    WITH rule AS (
        INSERT INTO rules (project_id, name, evaluation, effective_from, latest_version)
        SELECT min(project_id), 'Calibration', 'on_demand', '2025-01-01Z', 1 FROM events
        RETURNING project_id, id)
    INSERT INTO rule_versions (project_id, rule_id, version, target, expression, data_point,
                               window_member_scope, purpose, correction, priority, requires_approval, user_id)
    SELECT project_id, id, 1, 'data_point', 'true', 'mass', 'event', 'adjust', '{}', 1, false,
           (SELECT min(id) FROM users)
      FROM rule
"""
TWICE = """
    INSERT INTO corrections (project_id, event_id, position, source, from_value, to_value, rule_id,
                             rule_version, user_id)
    SELECT e.project_id, e.id, 1, 'adjustment', '1', to_jsonb(n), r.id, 1, (SELECT min(id) FROM users)
      FROM (SELECT * FROM events ORDER BY id LIMIT 1) e JOIN rules r USING (project_id),
           generate_series(8, 9) AS n
"""


def test_a_correction_that_its_event_does_not_show_is_named(books):
    books.break_by(CORRECTION.format(state="in_force"))

    [sentence] = books.violations()[VALUES]

    assert sentence.startswith("event evt_")
    assert sentence.endswith("and by its corrections it is 999")


def test_a_value_that_no_correction_accounts_for_is_named(books):
    books.break_by(
        "UPDATE events SET corrected_numbers = '{999}', is_revised = true"
        " WHERE id = (SELECT min(id) FROM events WHERE cardinality(numbers) = 1)"
    )

    [sentence] = books.violations()[VALUES]

    assert ": a value is 999, and by its corrections it is " in sentence


def test_a_rule_that_corrected_a_value_twice_is_named(books):
    books.break_by("DROP INDEX corrections_one_of_each_rule", RULE, TWICE)

    [sentence] = books.violations()[ONCE]

    assert sentence.startswith("event evt_")
    assert sentence.endswith("a rule has 2 corrections in force of one value, and at most 1 may be")


def test_a_correction_that_should_be_in_force_and_is_not_is_named(books):
    books.break_by(CORRECTION.format(state="superseded"))

    [sentence] = books.violations()[PREVAILS]

    assert sentence.startswith("event evt_")
    assert ": correction none is in force, and " in sentence
