"""Who a request acts for, and on whom they may act.

`tokens` finds whom a token acts for, and has the condition by which a statement asks whether that still
holds. `authority` rejects acting on a user who has more permissions, and finds who takes over
from a user who leaves. `sessions` has sessions, passwords and the limits on guessing them.
"""
