"""Capture rates: of what an event type's meters were expected to measure, how much is valid, by period.

They are worked out when they are asked for, from the events, outages and times in service as they are then,
and nothing is stored. Permission: data collection; the account needs the feature `data_capture_rate`.
"""
