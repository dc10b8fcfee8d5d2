"""Rules that correct what they find, or propose to."""
