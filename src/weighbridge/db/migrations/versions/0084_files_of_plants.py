"""How the files that plants export are read: long files, archives, detection limits, separators."""

from weighbridge.db.migrations import apply

revision = "0084"
down_revision = "0082"


def upgrade() -> None:
    apply("0084_files_of_plants.sql")
