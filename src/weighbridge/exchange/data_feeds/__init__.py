"""Data feeds: how the files of one source are read.

A feed belongs to a project and makes events of one event type; it says which column gives what, in which
unit, and how times and numbers are written. Files are uploaded to it (`data_feed_uploads`), or found where it
watches (`watching`). Read `records`, then `actions`. Permission: data collection.
"""
