-- Settings of data feeds for what plants export.

ALTER TABLE data_feeds
    ADD COLUMN thousands_separator text NOT NULL DEFAULT 'none'
        CHECK (thousands_separator IN ('none', '.', ',', 'space', '''')),
    -- What a value such as <0.05 or >1000 is.
    ADD COLUMN below_limit text NOT NULL DEFAULT 'refuse'
        CHECK (below_limit IN ('refuse', 'limit', 'half', 'zero')),
    ADD COLUMN above_limit text NOT NULL DEFAULT 'refuse' CHECK (above_limit IN ('refuse', 'limit')),
    -- Patterns of rows that are no data, by the first cell that holds anything.
    ADD COLUMN skip_rows text[] NOT NULL DEFAULT '{}',
    -- The columns of a long file: what a row is a value of, and the value.
    ADD COLUMN tag_column text,
    ADD COLUMN value_column text,
    -- The files of a ZIP archive that are read; null is all of them.
    ADD COLUMN archive_files text,
    -- Whether each file begins after what was stored of those before it.
    ADD COLUMN files_in_order boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT data_feeds_separate_once CHECK (thousands_separator <> decimal_mark),
    ADD CONSTRAINT data_feeds_long_whole CHECK ((tag_column IS NULL) = (value_column IS NULL)),
    DROP CONSTRAINT data_feeds_header_line_check,
    -- 0 looks for the header by the names of its columns.
    ADD CONSTRAINT data_feeds_header_line_check CHECK (header_line BETWEEN 0 AND 1000);

-- When the last of the new events starts; null of uploads before this column, and where nothing was stored.
ALTER TABLE data_feed_uploads ADD COLUMN last_start timestamptz(3);
