"""The archive: old months of events as Parquet in a folder or an object store, compared and computed with.

The rows stay in the database (docs/decisions/0052-months-are-copied-out.md): a copy that is kept elsewhere
can be read without the service, shows what was altered behind its back, and makes batches again.

In comes a database, with a place of files; out go a file and a manifest for each month and version, rows of
`archives`, and sentences that say what differs.

To read: `month` and `manifest` (what a month's files are), `vocabulary` and `row_form` (what a row says),
`reading_rows` (rows of the database as Arrow), `months_due` and `writing` with `records` (the table);
`archive_files`, `differences`, `explaining` and `checking`; `held_events` and `recomputing`.

Invariants: a month's manifest is written last, so what has one is whole; no file is ever written anew with
other content; a month that changed gets another version beside the older ones.
"""
