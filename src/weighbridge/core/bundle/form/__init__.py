"""The form of a bundle: the archive, its tables, and the one way in which each row is written.

A content comes in; parts and rows go out, or the sentence why it is invalid. Read `archive`, `rows`, then
`tables`.
"""
