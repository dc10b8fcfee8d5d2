"""The audit log: one row for each write, in the write's own transaction, never changed afterwards.

A row says when, who (user, token, request), what (action and object) and the record before and after
as canonical JSON. A bulk write leaves one row: how many, which ids, and the SHA-256 of its body. Rows are
written by `platform/changes`.
"""
