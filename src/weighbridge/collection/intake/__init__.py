"""Intake: events on their way in, looked up, checked, stored, and completed later.

The input is the events of a request. The output is rows for the database and receipts, or every problem
at once.

Read `checking` (an event becomes a row), `lookup` (the names that it uses), `creation` (both combined),
`client_references` (events that exist already), and `completion` (later changes).
"""
