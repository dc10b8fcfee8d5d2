"""Draws that a test posts itself, in the name of a batch of another model."""

from tests.given import accounting
from tests.given.accounting import Plant, Sql
from tests.given.collection import Record
from tests.given.on_purpose import broken_on_purpose

BILLED = """
  - slug: billed
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: kWh
    output: true
"""


def consumer_of(plant: Plant) -> Plant:
    """The same plant, with a second model over its bills, the ledger that it credits, and one bill."""
    text = accounting.document(BILLED, name="Consumer", primary_output="billed")
    made = accounting.model(plant.api, plant.project, text)
    ledger = accounting.ledger(plant.api, plant.project, made, name="Consumed", unit="kWh")
    plant.bill(1)
    return Plant(plant.api, plant.drain, plant.project, made, ledger)


def draw(sql: Sql, source: Record, consumer: Record, amount: int) -> None:
    """Have a batch draw from another; a negative amount gives back."""
    project, number = accounting.key_of("batch", source["id"])
    broken_on_purpose(project)
    sql(
        """
        WITH made AS MATERIALIZED (
            SELECT s.project_id, s.ledger_id, s.id, CASE WHEN %s > 0 THEN 'draw' ELSE 'return' END, - %s,
                   greatest(s.end_time, c.end_time), c.id, c.run_id, 'elsewhere'
              FROM batches s JOIN batches c ON c.project_id = s.project_id
             WHERE s.project_id = %s AND s.id = %s AND c.id = %s)
        INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                    run_id, node)
        SELECT * FROM made
        """,
        amount,
        amount,
        project,
        number,
        accounting.key_of("batch", consumer["id"])[1],
    )
