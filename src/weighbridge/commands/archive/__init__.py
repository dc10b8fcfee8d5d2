"""Archives as commands: months of events written as Parquet, listed, compared and computed with."""

from weighbridge.commands.archive.command import register

__all__ = ["register"]
