"""Posting: what was proposed is written to the books, in one transaction; and deletion, which undoes it.

In comes a `Proposal` of `planning`; out go rows of runs, batches, their values and lineage, and entries of
ledgers. Nothing is computed here. Read in this order:

1. `post.py` - everything that a proposal says, in order;
2. `batches.py`, `posted.py` - runs and batches, and which of them each difference became;
3. `calculations.py`, `lineage.py`, `draws.py` - what a batch keeps of how it came about;
4. `entries.py` - entries of ledgers and of deficits;
5. `generated_slots.py` - up to which moment slots have seen their data;
6. `consumers.py` - who has to be told; `deletion.py` - undoing, and what stands in its way;
   `deletion_trial.py` - what undoing would come to.
"""
