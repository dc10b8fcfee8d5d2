"""Outgoing requests: what the service itself asks of addresses that its users name.

In comes an address that a user wrote down; out goes one request to a host that may be reached, and its answer
or what is certain of it: that nothing left, or that nobody can say what the other side received. Read
`reach.py`, which addresses may be reached, then `client.py`.
"""
