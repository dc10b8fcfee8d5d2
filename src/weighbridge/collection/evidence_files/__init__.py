"""The files of evidence: kept under random keys, and handed out only as they came.

In come uploads, out go streams of bytes. `store.py` is the folder or bucket that holds them, `keeping.py`
checks a file before it is kept and removes those that no row names.
"""
