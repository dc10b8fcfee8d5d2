"""Tenancy: which records an account has, as the conditions that every query of them carries."""
