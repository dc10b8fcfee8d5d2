"""Evidence: the files and links that stand behind an event.

A file is kept as it came, known by its SHA-256 and handed out only while it still has it; a link is kept
and never followed. Evidence is added, never changed or removed. Permission: data collection.
"""
