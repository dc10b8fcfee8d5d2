"""Pages of footprints: `making` one, `checking` one, and the `clients` that read them."""
