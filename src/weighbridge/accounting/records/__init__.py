"""Records of accounting: the data structures of its interface, and the identities that its folders pass
around.

`ledgers` describes ledgers, instruments and statements; `batches` describes batches and their
provenance; `model_runs` describes calculations, generations and version comparisons. Nothing here reads
the database.
"""
