"""Locations: the places of a project that its events name.

A location that events name is not removed. Permission: data collection.
"""
