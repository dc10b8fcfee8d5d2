"""Who a request acts for, and on whom they may act.

`presumption` is what the process remembers of a token, with the condition by which a statement asks whether
that still holds. `authority` rejects acting on a user who has more permissions, and finds who takes over
from a user who leaves. `sessions` has sessions, passwords and the limits on guessing them.
"""
