"""Feedstocks: the raw materials of a project, by which events are tagged and batches partitioned.

Permission: data collection.
"""
