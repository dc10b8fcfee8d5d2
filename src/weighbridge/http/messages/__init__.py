"""Messages: bodies and replies of requests, refusals, and the outermost layer around them."""
