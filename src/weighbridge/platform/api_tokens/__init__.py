"""API tokens: secrets that act for a user with chosen permissions until they expire or are revoked.

A token is shown once, when it is made; only its hash is stored. Its expiry is one of the offered
lifetimes, 90 days by default, and cannot be changed afterwards. It is judged by the database's clock.
A token is given only what its maker may do itself. Permission: administration.
"""
