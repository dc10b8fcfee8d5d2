"""The files of exports: rows that arrive as CSV are written in the format that was asked for.

Everything here is plain and blocking, and is called in a thread. Read `written.py`, which chooses; `rows.py`
reads the CSV again, `decimals.py` finds the type in which a column of numbers keeps every digit.
"""
