"""What follows from the OpenAPI document, made by `make docs`: records, calls, and their methods."""
