"""Endpoints: the decorators of routes, and what each request goes through before its function."""
