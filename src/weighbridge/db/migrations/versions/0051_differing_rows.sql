-- What becomes of a row whose event the project has already, with other values.
ALTER TABLE data_feeds
    ADD COLUMN on_difference text NOT NULL DEFAULT 'report' CHECK (on_difference IN ('report', 'correct')),
    -- Whether the line below the header holds the units of the columns.
    ADD COLUMN units_line boolean NOT NULL DEFAULT false;

-- Rows of a file that say otherwise than their events, and how many of those events were corrected. Files that
-- came before were not compared.
ALTER TABLE data_feed_uploads
    ADD COLUMN differing bigint CHECK (differing >= 0),
    ADD COLUMN corrected bigint CHECK (corrected >= 0);
UPDATE data_feed_uploads SET differing = 0, corrected = 0 WHERE finished_at IS NOT NULL;
ALTER TABLE data_feed_uploads
    DROP CONSTRAINT data_feed_uploads_come_to_something_whole,
    ADD CONSTRAINT data_feed_uploads_come_to_something_whole
        CHECK (num_nonnulls(rows, stored, already_there, differing, corrected, incomplete, bad_rows, formulas,
                            finished_at) IN (0, 9)),
    ADD CONSTRAINT data_feed_uploads_correct_what_differs CHECK (corrected <= differing),
    ADD CONSTRAINT data_feed_uploads_dry_runs_correct_nothing CHECK (NOT dry_run OR coalesce(corrected, 0) = 0);
