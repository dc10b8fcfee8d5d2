"""Who a request acts for.

`presumption` is what the process remembers of a token, with the condition by which a statement asks whether
that still holds.
"""
