-- The tables that came after the baseline, and the one that Alembic keeps.
COMMENT ON TABLE event_days IS
    'When events of a type that begin on a day, in UTC, last changed, and the latest end of any of them.';
COMMENT ON TABLE event_days_until IS 'The moment up to which the changed events of a project are summed up by day.';
COMMENT ON TABLE ledger_waits IS 'Events that wait for a generation, by ledger; no row where none wait.';
COMMENT ON TABLE slot_waits IS 'Events that wait for a generation, by generated slot of a ledger.';
COMMENT ON TABLE waiting_marks IS
    'Projects whose ledgers have to be checked again for another reason than a change of their events.';
COMMENT ON TABLE waiting_horizon IS 'The moment up to which workers have read the feed of changes for events; one row.';
COMMENT ON TABLE alembic_version IS 'The last step of the schema that was applied to this database.';
