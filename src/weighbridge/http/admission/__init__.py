"""What a request goes through before it is worked on, so that no account takes what all share.

In comes a request whose caller is known; out goes the turn to work on it, or a refusal that says when to come
back. Read `rate_limit` (requests of a token in a minute), `shares` (how much of a process one account may
take), `places` (who is carried out among few at a time), `twins` (a repetition that comes while the first is
under way), then `together` (what many requests store by one statement).
"""
