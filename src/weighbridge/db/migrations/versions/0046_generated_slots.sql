-- Up to which moment a slot of a ledger has seen what was stored: whatever a transaction stored that began before it was
-- there when the slot was last generated, whether it counted or not. Slots of events stand as the range that was asked
-- for, in which events without a slot would be found.
CREATE TABLE generated_slots (
    project_id  integer NOT NULL,
    ledger_id   integer NOT NULL,
    start_time  timestamptz(3) NOT NULL,
    end_time    timestamptz(3) NOT NULL,
    seen_until  timestamptz NOT NULL,
    PRIMARY KEY (project_id, ledger_id, start_time, end_time),
    CONSTRAINT generated_slots_end_not_before_start CHECK (end_time >= start_time),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers ON DELETE CASCADE
);

-- Of slots that were generated before nobody noted it: they have seen what was there before their newest batch.
INSERT INTO generated_slots (project_id, ledger_id, start_time, end_time, seen_until)
SELECT b.project_id, b.ledger_id, r.start_time, r.end_time, max(b.created_at)
  FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
 WHERE b.deleted_at IS NULL AND NOT r.by_event
 GROUP BY b.project_id, b.ledger_id, r.start_time, r.end_time;
INSERT INTO generated_slots (project_id, ledger_id, start_time, end_time, seen_until)
SELECT b.project_id, b.ledger_id, min(r.start_time), max(r.end_time), min(b.created_at)
  FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
 WHERE b.deleted_at IS NULL AND r.by_event
 GROUP BY b.project_id, b.ledger_id
    ON CONFLICT DO NOTHING;
