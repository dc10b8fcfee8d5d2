"""Who a request acts for, and on whom they may act.

`presumption` is what the process remembers of a token, with the condition by which a statement asks whether
that still holds. `authority` refuses to act on somebody who may do more; `successor` finds who answers for
what somebody else has left. `guessing` and `passwords` are about people who sign in.
"""
