"""Sign-on by an identity provider: the protocol, people who arrive, and those who are looked at again.

Read `protocol.py` (what is asked of a provider, and what its answers have to be), then `arrival.py` (somebody
is sent there and comes back), then `confirmation.py` (whether they may still sign in).
"""
