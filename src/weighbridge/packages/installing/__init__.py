"""What becomes of the parts of a package in a project: made, compared, changed and removed.

In: what a package brings (`PackageContents`). Out: what becomes of each part, and the records. Read
`parts.py` (a part, and the form in which it is compared), then `matching.py` (which record of the project it
is), `making.py` (records are made, changed and removed, by the functions of the interface's operations),
`carrying_out.py` (all parts of a package), and `forecast.py` (what ledgers would become).

Invariant: a record that differs from what its package has is never overwritten.
"""
