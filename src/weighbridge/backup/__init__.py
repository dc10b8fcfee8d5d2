"""Backups of a data directory: the embedded database as a whole, its log of changes, and the evidence files.

In comes the server of a data directory and a target, a folder or a prefix of an object store; out go
backups, each with a manifest of the SHA-256 of all its parts, and from them a data directory again, as it
was at any moment since the oldest backup for which the log was shipped.

Read `target` (where backups lie), `manifest` (what one consists of), `taking` (one, while the service
works), `files` (evidence beside it), `shipping` (the log, again and again), `retention` (what goes),
`restoring` with `extraction` and `recovery` (the way back), `record` (when the last one was taken).

    TARGET/backups/20261120T120000Z-1f/part-00000 … manifest.json   cat part-* | tar xz gives the cluster
    TARGET/wal/000000010000000000000007.SHA256.gz                    the log, a file for each segment
    TARGET/evidence/KEY.SHA256                                       shared by all backups of the target

Invariants: the manifest is written last, so a backup has all its parts or is none; evidence files are
copied after the database and before the log that names them, so every row that can be restored has its
file; what is read back is held against its SHA-256 first.
"""
