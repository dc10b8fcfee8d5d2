"""Rendering: what a report states, written by its methodology's mapping, and checked against its schema.

A report comes in; the file that is sent goes out, or every place at which it violates its schema. Read
`statement` (what a report states, and its check), `formats` (how values become bytes), and `checker`, which
checks in a process of its own.
"""
