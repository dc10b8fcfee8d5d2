"""What is written to the books: adjustments, entries, batches, their lineage; and undoing it."""
