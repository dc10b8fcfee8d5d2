"""The proof bundle: one file with everything that a report rests on, and its check, which needs nothing else.

The content of a file comes in, as memory; what does not hold goes out. Read in this order:

- `form`: the archive, of which every byte follows from its parts, and its tables
- `contents`: all of that, read
- `page`: digests, descriptions, and the page for people
- `trust`: signature, head of the audit log, proofs of its rows
- `log`: whether statements equal the proved rows
- `coherence`: whether the rows of all parts refer to one another correctly
- `books`: the totals of runs, batches and the report by the ledger's entries
- `slot_inputs`, `recomputation`: every batch computed again
- `check`: all of it in order; `difference`: what changed between two bundles

Invariants: a bundle is written and checked by the same functions; nothing here reads a file, a clock or a
database.
"""
