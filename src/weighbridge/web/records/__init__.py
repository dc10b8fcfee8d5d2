"""Records without a page of their own: a plain page of all their fields, for every kind."""
