"""Rule results: what versions of rules found in data points and model runs; those that stand are alerts.

A result is dismissed with a reason, which never changes the data. Permission: data rules.
"""
