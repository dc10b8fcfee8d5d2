"""Feature flags: which parts of the service an account has; each is on unless it was switched off."""
