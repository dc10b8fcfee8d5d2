"""Event types: the templates of events, with the data point types their events may carry.

A data point type has a position in its event type, by which the values of events stand; a position that
events carry or batches read is never given to another. Slugs are fixed once they are made. An event type
answers to its friendly id only. Permission: data collection.
"""
