"""How lists answer beside page by page: as a summary, and as a file. Read `response_mode`, then `summary`."""
