"""People: users who sign in, their sessions, and links that let somebody in once."""

from weighbridge.db.migrations import apply

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    apply("0042_people.sql")
