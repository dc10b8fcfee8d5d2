"""Rules: what they watch, what they found, what they propose, and the people who decide on that."""
