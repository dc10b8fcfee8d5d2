"""Reports: drafts, their way to a receiver, what is said of them, their bundles, and links to them."""
