"""Who a request acts for."""
