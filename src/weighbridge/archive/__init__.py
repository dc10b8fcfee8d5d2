"""The archive: old months of events as Parquet in a folder or an object store, compared and computed with.

The rows stay in the database (docs/decisions/0052-months-are-copied-out.md). A copy elsewhere can be read
without the service, shows changes that bypassed it, and recomputes batches.

A database and a place of files come in. A file and a manifest for each month and version, rows of the table
of archives, and sentences about differences go out.

Read `months` (a month and its files), `rows` (the form of a row), `writer`, `comparison` and `recomputation`.

Invariants: a month's manifest is written last, so a month that has one is complete; no file is written
again with other content; a month that changed gets another version next to the older ones.
"""
