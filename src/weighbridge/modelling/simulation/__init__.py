"""A model computed once from values that a caller gives."""
