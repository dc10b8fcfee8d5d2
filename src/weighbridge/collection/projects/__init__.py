"""Projects: everything that is measured, computed and accounted for belongs to one.

A project belongs to an account and answers to its friendly id or its number. Its time zone decides
where days and months begin, so it is fixed while batches exist. Permission: administration.
"""
