"""The proof bundle: one file with all that a report rests on, and the check of it, which needs nothing else.

In comes the content of a file, as memory; out goes what does not hold. Read in this order:

- `form`: the archive, of which every byte follows from its parts, its tables, and lineage
- `contents`: all of that, read
- `index`, `page`, `equation_lines`: what follows from it: digests, descriptions, the page for people
- `trust`: signature, head of the audit log, proofs of its rows
- `log`: whether what is stated is what the proved rows say
- `coherence`: whether the rows hang together
- `books`: what runs, batches and the report come to by the ledger's entries
- `slot_inputs`, `recomputation`: every batch computed again
- `unshown`: what an older format cannot show
- `check`: all of it in order, and `difference`: what changed between two bundles

Invariants: whoever makes a bundle and whoever checks it write rows, headers, indexes and page by the same
functions; nothing here reads a file, a clock or a database.
"""
