"""What a run on a Citus cluster leaves out of what it is asked for, and why. The run says so at its end."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

PLANNER = (
    "it counts the rows that the planner has read beside those of a hundred other projects, which are loaded"
    " past the service as rows of unknown columns; a node has the same planner and refuses such a load"
)
EMPTY = "it is about a database without tables, which has no cells"
FORM = "it drops a constraint or an index of a copy of what one node has, which has no coordinator to do so"
ONE_CELL = "its worker serves a database with one cell"
RENAMED = "it renames a table, which a node still serves by the name of a view"
DISK = "it gives tables triggers that fail as on a full disk, which a node leaves to the coordinator"

LEFT_OUT = {
    "tests/accounting/batch_generations/test_moved_plans.py": PLANNER,
    "tests/accounting/batch_generations/test_plans.py": PLANNER,
    "tests/accounting/batches/test_plans.py": PLANNER,
    "tests/accounting/model_runs/test_plans.py": PLANNER,
    "tests/collection/events/test_plans.py": PLANNER,
    "tests/platform/audit_log/test_plans.py": PLANNER,
    "tests/platform/async_tasks/test_turns.py::"
    "test_the_worker_takes_up_a_quiet_account_after_one_task_of_a_loud_one": ONE_CELL,
    "tests/quality/rule_results/test_plans.py": PLANNER,
    "tests/quality/rule_runs/test_plans.py": PLANNER,
    "tests/quality/substitutions/test_plans.py": PLANNER,
    "tests/contract/test_health.py::test_the_service_is_not_ready_on_an_empty_database": EMPTY,
    "tests/contract/test_health.py::test_the_service_is_ready_when_the_last_migration_is_done": EMPTY,
    "tests/platform/api_tokens/test_full_disk.py": DISK,
    "tests/platform/changes/test_refused_writes.py::"
    "test_a_refused_write_is_told_however_the_database_is_then": RENAMED,
    "tests/verification/test_audit_tree.py::test_a_dropped_row_is_named_wherever_it_stood": FORM,
    "tests/verification/test_corrections.py::test_a_rule_that_corrected_a_value_twice_is_named": FORM,
    "tests/verification/test_mutations.py": FORM,
    "tests/verification/test_postings.py::test_a_draw_whose_consumer_is_gone_is_named": FORM,
}
"""By the beginning of its id, what is left out, and what it is that a cell on a node cannot have."""

Named = TypeVar("Named")


def is_left_out(test: str) -> bool:
    """Whether a test, by its id, is left out on a cluster."""
    return any(test == one or test.startswith((f"{one}::", f"{one}[")) for one in LEFT_OUT)


def sentences(asked: Iterable[str]) -> Sequence[str]:
    """What is left out of the files and folders that a run was asked for."""
    places = [one.partition("::")[0].rstrip("/") for one in asked]
    return [
        f"{test} is left out: {reason}."
        for test, reason in LEFT_OUT.items()
        if any(test.partition("::")[0] == place or test.startswith(f"{place}/") for place in places)
    ]
