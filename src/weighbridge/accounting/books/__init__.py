"""What stands in the books: runs, their newest batches, why they are stale, and the locks around them."""
