"""Verification names every value that its corrections do not account for."""

VALUES = "every value is what was captured, or what the correction in force says"
PREVAILS = "of the corrections of a value the one that prevails is in force"

CORRECTION = """
    INSERT INTO corrections (project_id, event_id, position, source, from_value, to_value, state, user_id)
    SELECT project_id, id, 1, 'manual', '1', '999', '{state}', (SELECT min(id) FROM users)
      FROM events ORDER BY id LIMIT 1
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


def test_a_correction_that_should_be_in_force_and_is_not_is_named(books):
    books.break_by(CORRECTION.format(state="superseded"))

    [sentence] = books.violations()[PREVAILS]

    assert sentence.startswith("event evt_")
    assert ": correction none is in force, and " in sentence
