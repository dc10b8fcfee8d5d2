"""Versions of models as they are stored: each with the document that it is, whoever asks for it.

In comes the number of a version, or its public id and who asks; out comes the version with its document. What
the interface shows of versions, their lists and their ids, is the noun `models`.

Read `stored.py`, which is all there is.
"""
