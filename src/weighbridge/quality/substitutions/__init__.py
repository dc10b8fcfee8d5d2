"""Substitutions: the values that rules put into the gaps of an event type, and how each of them was found.

A value stands here while it is in force: one that a person, an adjustment or the captured event has taken the
place of does not. Nothing is stored. Permission: data collection; the account needs the feature
`data_capture_rate`.
"""
