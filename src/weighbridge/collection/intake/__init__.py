"""Intake: events on their way in, looked up, checked, stored, and completed later.

In come the events of a request, out go rows for the database and receipts for the sender, or every problem
at once. Read `checking.py` first, which makes a row of an event by the vocabulary of its project;
`lookup.py` reads that vocabulary, `creation.py` brings both together. `vocabulary.py` remembers it for
`shortcut.py`, by which one event is stored in one statement; `client_references.py` says which events are
there already, and `completion.py` what a later change adds and what it corrects.
"""
