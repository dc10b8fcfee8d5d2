"""Lists: what may be filtered and sorted, the statement of a page, and pages cut by an index."""
