"""Ledgers: mass-balance accounts that a model's runs credit.

Entries are only ever added, and no batch's balance is ever negative; the database refuses both.
Permission: production accounting.
"""
