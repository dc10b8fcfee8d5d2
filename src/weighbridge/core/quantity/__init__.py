"""Numbers and units: exact decimals, and what they count."""
