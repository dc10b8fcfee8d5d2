"""What runs take from other ledgers: the inventory, and sources by rule or by hand."""
