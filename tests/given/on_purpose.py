"""Projects whose books a test breaks on purpose, past the service, and leaves so.

Tests of one worker share a database; what looks through all of its books passes these projects over.
"""

BROKEN: set[int] = set()
"""The numbers of the projects."""


def broken_on_purpose(project: int) -> int:
    """The number of a project whose books are about to be broken."""
    BROKEN.add(project)
    return project


BROKEN_LOGS: set[int] = set()
"""The accounts whose audit logs tests of this process have broken, past the service and on purpose."""


def break_log(account: int) -> None:
    """Say that the audit log of an account is broken from now on."""
    BROKEN_LOGS.add(account)
