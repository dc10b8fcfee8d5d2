"""What a release is handed out as: a source distribution and the wheel that is built of it, by `make dist`.

In come the files of the commit; out go the two files and their SHA-256. `staging.py` copies what goes into
them and builds the guide beside it, `building.py` runs the standard front end and levels what depends on the
machine. Decision 51 says what is promised of a release.
"""
