"""Gaps: expected slots of a meter, one after another, that lack a valid value, and what stands around them.

A gap runs from one valid slot to the next, over slots in which nothing is expected; within the range that is
asked for it is whole, and beyond it may go on. Nothing is stored. Permission: data collection; the account
needs the feature `data_capture_rate`.
"""
