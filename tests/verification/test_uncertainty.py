"""How uncertain batches are is computed anew of what was stated when they were made, to the last digit."""

import pytest
from tests.given import uncertain
from tests.verification.conftest import Books

RECOMPUTES = "every batch recomputes to the last digit"


def _made(server):
    return uncertain.list_batches(uncertain.told(server.account()))


@pytest.fixture(scope="module")
def making():
    return _made


def test_batches_of_before_a_statement_changed_are_recomputed_by_what_was_stated_then(books: Books):
    assert len(books.batches) > 6
    assert books.violations() == {}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            (
                "UPDATE batch_calculations SET uncertainty = jsonb_set(uncertainty, '{coverage_probability}',"
                " '\"0.8\"') WHERE batch_id = {first} AND slug = 'mass'"
            ),
            "the uncertainty of node mass is another in the batch than computed anew",
        ),
        (
            "UPDATE batches SET uncertainty_sha256 = sha256('other') WHERE id = {first}",
            "the digest of its uncertainties differs from that of its lineage",
        ),
    ],
    ids=["of a batch", "digest"],
)
def test_what_a_batch_keeps_is_compared(books: Books, change, sentence):
    books.break_by(change.replace("{first}", str(books.number(0))))

    assert books.violations() == {RECOMPUTES: [f"batch {books.batches[0]['id']}: {sentence}"]}


@pytest.mark.parametrize(
    ("table", "change"),
    [
        (
            "calibrations",
            "UPDATE calibrations SET uncertainty = jsonb_set(uncertainty, '{relative_standard}', '0.03')",
        ),
        (
            "data_point_types",
            ("UPDATE data_point_types SET uncertainty = jsonb_set(uncertainty, '{standard}', '26')"
            " WHERE uncertainty ? 'standard' AND slug = 'mass'"),
        ),
        (
            "static_inputs",
            "UPDATE static_inputs SET uncertainty = jsonb_set(uncertainty, '{relative_standard}', '0.06')",
        ),
        (
            "events",
            ("UPDATE events SET uncertainties = jsonb_set(uncertainties, '{1,standard}', '0.06')"
            " WHERE uncertainties -> '1' ->> 'effect' = 'hand scale'"),
        ),
        (
            "former_calibrations",
            "UPDATE former_calibrations SET uncertainty = jsonb_set(uncertainty, '{coverage_factor}', '3')",
        ),
        (
            "batch_draws",
            ("UPDATE batch_draws SET uncertainties ="
            " jsonb_set(uncertainties, '{0,components,0,3}', '{\"loads\": \"7\"}')"),
        ),
        (
            "calibrations",
            "UPDATE calibrations SET uncertainty = '{\"standard\": -1}'",
        ),
        (
            "batch_draws",
            "UPDATE batch_draws SET uncertainties = '[{\"other\": 1}]'",
        ),
    ],
    ids=[
        "calibration", "type", "static input", "value", "former calibration", "draw", "no statement",
        "no draw",
    ],
)  # fmt: skip
def test_a_statement_that_was_changed_past_the_service_makes_batches_differ(books: Books, table, change):
    books.break_by(f"ALTER TABLE {table} DISABLE TRIGGER USER", change)

    found = books.violations()

    assert [*found] == [RECOMPUTES]
    assert found[RECOMPUTES]


@pytest.mark.parametrize(
    "change",
    [
        "jsonb_set(uncertainties, '{0,components,0,3}', '{\"loads\": \"7\"}')",
        "jsonb_set(uncertainties, '{0}', '{\"components\": [], \"correlations\": []}')",
        "NULL",
    ],
    ids=["another change", "no components", "nothing"],
)
def test_what_a_draw_took_is_compared_with_what_its_source_carries(books: Books, change):
    books.break_by(
        "ALTER TABLE batch_draws DISABLE TRIGGER USER", f"UPDATE batch_draws SET uncertainties = {change}"
    )

    found = books.violations()[RECOMPUTES]

    assert [one for one in found if "is not that part of it" in one]


def test_calibrations_that_hold_at_once_are_named(books: Books):
    books.break_by(
        "ALTER TABLE calibrations DROP CONSTRAINT calibrations_one_at_a_time",
        """
        WITH other AS MATERIALIZED (
            SELECT project_id, 'Another', asset_id, event_type_id, data_point_type, data_point_type_id,
                   '2030-01-01Z'::timestamptz, uncertainty FROM calibrations)
        INSERT INTO calibrations (project_id, name, asset_id, event_type_id, data_point_type,
                                  data_point_type_id, valid_from, uncertainty)
        SELECT * FROM other
        """,
    )

    [sentences] = books.violations().values()

    assert [sentence.partition(": ")[2] for sentence in sentences] == [
        "it holds while Another does, and none may"
    ]
