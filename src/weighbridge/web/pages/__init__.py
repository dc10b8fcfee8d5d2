"""Pages, by what they show; each file lists its own as `PAGES`."""
