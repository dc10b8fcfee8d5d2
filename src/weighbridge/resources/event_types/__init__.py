"""Event types: the templates of events, with the data point types their events may carry.

A data point type has a position in its event type that is never given out twice; the values of events
stand by it. An event type answers to its friendly id only. Permission: data collection.
"""
