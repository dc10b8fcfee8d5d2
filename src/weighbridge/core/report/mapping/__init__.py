"""Mappings: how a report is written for its receiver, kept as data.

In comes a mapping as somebody wrote it, and what a report states; out go the values to be written, or every
place of the mapping that cannot be read. Read `fields.py`, what may be named; `template.py`, of what a
mapping is made; `reading.py`, how one is read; `filling.py`, what comes out.
"""
