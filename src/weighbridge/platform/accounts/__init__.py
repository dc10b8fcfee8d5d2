"""Accounts and their users. An account sees its own projects and nothing of any other.

The first start makes the account `default` with the user `administrator`; everything that a command
line does without naming another account happens there.
"""
