"""Rendering: what a report states, written as its methodology's mapping says, and held against its schema.

In comes a report, out goes the file that is sent, or every place at which it breaks its schema. Read
`stated.py`, what a report states; `written.py`, how values become bytes; `schema.py`, which has them checked;
and `checker.py`, which does so in a process of its own.
"""
