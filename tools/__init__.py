"""Programs of the repository: what writes its reference pages, and what tries the service from outside."""
