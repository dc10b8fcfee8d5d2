"""Backups of a data directory: the embedded database, its log of changes, and the evidence files.

The server of a data directory and a target come in, a folder or a prefix of an object store. Backups go
out, each with a manifest of the SHA-256 of all its parts, and from them a data directory again, as it was
at any instant since the oldest backup for which the log was shipped.

Read `target` (where backups are, their manifests, segments of the log), `base_backup` (taking one while the
service works, and what is removed), `log_shipping` (the log, again and again) and `restore` (the way back).

    TARGET/backups/20261120T120000Z-1f/part-00000 … manifest.json   cat part-* | tar xz gives the cluster
    TARGET/wal/000000010000000000000007.SHA256.gz                    the log, a file for each segment
    TARGET/evidence/KEY.SHA256                                       shared by all backups of the target

Invariants: the manifest is written last, so a backup is complete or invalid; evidence files are copied
after the database and before the log that names them, so every row that can be restored has its file;
everything that is read back is compared with its SHA-256 first.
"""
