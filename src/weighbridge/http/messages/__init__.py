"""Messages: bodies of requests, operations with their replies, refusals, and the outermost layer."""
