"""Assets with their custom fields, and static inputs."""

from weighbridge.db.migrations import apply

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    apply("0009_assets_and_static_inputs.sql")
