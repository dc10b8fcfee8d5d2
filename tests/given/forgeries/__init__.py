"""What somebody with the true key of an operator could change of a bundle, and what finds it."""

from tests.given.forgeries.accounts import OF_ACCOUNTS
from tests.given.forgeries.events import OF_EVENTS
from tests.given.forgeries.trust import OF_TRUST

FORGERIES = [*OF_EVENTS, *OF_ACCOUNTS, *OF_TRUST]
"""Every forgery, by what it changes."""
