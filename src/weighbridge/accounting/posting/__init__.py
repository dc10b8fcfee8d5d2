"""Posting: write a proposal to the books in one transaction, and delete what was posted.

Nothing is computed here. Read `posting_run` and `provenance` (what is written), `deletion` (how it is
undone), and `waiting_events` (which events no generation has processed yet).
"""
