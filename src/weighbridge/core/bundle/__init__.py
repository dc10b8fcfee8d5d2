"""The proof bundle: one file with everything that a report rests on, and its check, which needs nothing else.

The content of a file comes in, as memory; what does not hold goes out. Read in this order:

- `archive`, `rows`, `tables`: the archive, of which every byte follows from its parts, and its tables
- `contents`: all of that, read; its signature, the head of the audit log, and proofs of its rows
- `page`: the page for people, and what changed between two bundles
- `log`: whether statements equal the proved rows
- `closure`: names, outages, dismissed findings and late events against the log
- `captured`: each event as it was captured, proved by the write that stored it
- `seal`: the row of the log about the parts themselves
- `books`: the totals of runs, batches and the report by the ledger's entries
- `slot_inputs`, `recomputation`: every batch computed again
- `check`: whether the rows of all parts refer to one another correctly, and all checks in order

Invariants: a bundle is written and checked by the same functions; nothing here reads a file, a clock or a
database.
"""
