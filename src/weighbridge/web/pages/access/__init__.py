"""Pages by which people come in: `sign_in.py`, by an identity provider `by_provider.py`, and `people.py`."""
