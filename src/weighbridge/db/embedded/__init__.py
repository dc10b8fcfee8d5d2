"""The embedded server: PostgreSQL of a data directory, found, started, adopted and stopped."""
