"""From the baseline on, steps of the database stay as they were released, and new ones only add."""

import re

import pytest
from tests.migrations.additive import violations
from tools.stored_release.folders import STEPS, kept_sums, released, sums_of_steps

RELEASED = released()
NEWER = sorted(sums_of_steps().keys() - kept_sums(RELEASED[-1]).keys())
STEP = re.compile(
    r'"""[^"]+"""\n\nfrom weighbridge\.db\.migrations import (apply|apply_comments|, )+\n\n'
    r'revision = "\d{4}"\ndown_revision = "\d{4}"\n\n\ndef upgrade\(\) -> None:\n'
    r'(    apply\("\d{4}_\w+\.sql"\)\n|    apply_comments\("\d{4}_\w+"\)\n)+'
)
"""The Python of a step, which says nothing but which statements are carried out."""


@pytest.mark.parametrize("version", RELEASED, ids=lambda folder: folder.name)
def test_no_step_that_was_released_was_edited_or_removed(version):
    kept, now = kept_sums(version), sums_of_steps()

    assert kept
    assert [name for name, digest in kept.items() if now.get(name) != digest] == []


def test_steps_that_came_later_follow_those_that_were_released():
    newest = max(name[:4] for name in kept_sums(RELEASED[-1]))

    assert [name for name in NEWER if name[:4] <= newest] == []


def test_steps_that_came_later_only_add():
    said = {
        name: found
        for name in NEWER
        if name.endswith(".sql") and (found := [*violations((STEPS / name).read_text())])
    }

    assert said == {}


def test_steps_that_came_later_are_statements_alone():
    programs = [name for name in NEWER if name.endswith(".py")]

    assert [name for name in programs if not STEP.fullmatch((STEPS / name).read_text())] == []


def test_the_form_of_a_step_is_that_of_those_that_were_released():
    texts = [path.read_text() for path in STEPS.glob("0054_*.py")]

    assert [bool(STEP.fullmatch(text)) for text in texts] == [True]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DROP TABLE feedstocks", "drops what others"),
        ("ALTER TABLE events DROP COLUMN notes", "drops a column"),
        ("ALTER TABLE events DROP notes", "drops a column"),
        ("ALTER TABLE events DROP COLUMN IF EXISTS notes", "drops a column"),
        ("ALTER TABLE events ALTER COLUMN notes DROP DEFAULT", "its default"),
        ("ALTER TABLE events ALTER COLUMN notes TYPE integer", "changes the type"),
        ("ALTER TABLE events ALTER notes SET DATA TYPE integer USING notes::integer", "changes the type"),
        ("ALTER TABLE events RENAME COLUMN notes TO remarks", "renames"),
        ("ALTER TABLE events RENAME TO readings", "renames"),
        ("ALTER INDEX events_key RENAME TO events_by_key", "renames"),
        ("ALTER TABLE events\n  ALTER COLUMN notes SET NOT NULL", "requires"),
        ("ALTER TABLE events ADD COLUMN shift text NOT NULL", "adds a column that"),
        (
            "ALTER TABLE events ADD COLUMN a text DEFAULT 'a', ADD COLUMN shift text NOT NULL",
            "adds a column that",
        ),
        ("DELETE FROM events WHERE notes IS NULL", "removes rows"),
        ("TRUNCATE events", "removes rows"),
        ("DO $$ BEGIN DROP TABLE feedstocks; END $$", "drops what others"),
        ("DO $body$ BEGIN ALTER TABLE events DROP COLUMN notes; END $body$", "drops a column"),
        ("CREATE TABLE a (id integer); drop table feedstocks cascade;", "drops what others"),
    ],
)
def test_what_takes_something_away_is_refused(statement, said):
    found = [*violations(statement)]

    assert found
    assert all(said in one for one in found)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE shifts (id integer PRIMARY KEY, name text NOT NULL)",
        "ALTER TABLE events ADD COLUMN shift text",
        "ALTER TABLE events ADD COLUMN shift text NOT NULL DEFAULT 'day' CHECK (shift IN ('day', 'night'))",
        "ALTER TABLE events ALTER COLUMN notes DROP NOT NULL",
        "ALTER TABLE events ALTER COLUMN notes SET DEFAULT '', ALTER COLUMN notes SET NOT NULL",
        "ALTER TABLE events ADD CONSTRAINT notes_said CHECK (notes IS NOT NULL) NOT VALID",
        "ALTER TABLE events DROP CONSTRAINT notes_said",
        "DROP TRIGGER events_tell ON events; DROP FUNCTION tell(); DROP INDEX events_by_key",
        "CREATE TRIGGER events_stay BEFORE DELETE OR TRUNCATE ON events EXECUTE FUNCTION refuse_change()",
        "ALTER TYPE kind ADD VALUE 'late'",
        "-- DROP TABLE events\nSELECT 'DROP TABLE events'",
        "CREATE FUNCTION forget() RETURNS void LANGUAGE sql AS $$ DELETE FROM changes; $$",
    ],
)
def test_what_adds_is_taken(statement):
    assert [*violations(statement)] == []
