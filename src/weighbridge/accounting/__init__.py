"""Accounting: calculations over collected data, batches, ledgers, and withdrawals between them.

Measurements in force and versions of models come in. Batches with their provenance and ledger entries go
out.

Nouns: `ledgers`, `statements`, `instruments`, `batches`, `batch_generations`, `model_runs`,
`uncertainty_runs`, `uncertainty_savings` and `version_comparisons`. Machinery, each folder importing only
those below it:

- `posting`: writes a proposal to the books, and deletes what was posted
- `planning`: proposes what a generation would post, and writes nothing
- `inputs`: what a model reads; `tracing`: what a batch was made of; `withdrawals`: what runs may withdraw
- `books`: what was posted, and how the rest of the area identifies and reads it
- `records`: the data structures of the interface

Start with `batch_generations.py` and `planning/proposal.py`.
"""
