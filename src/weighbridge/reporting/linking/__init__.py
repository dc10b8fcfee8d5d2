"""Links that open a report to whoever has the address, without a token.

In comes what stands in an address; out go the report that it opens and the row that each use leaves.

- `secret`: what makes an address a secret, and what is kept of it
- `entry`: the report behind a link, or how plainly its end is told to whoever had it

What the audit log tells of uses is `platform/changes/link_uses.py`.
An operation that a link opens is made by `http.access.told_link`; the nouns make links and list them.
"""
