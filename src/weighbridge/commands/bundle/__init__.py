"""`weighbridge bundle`: see `command`."""

from weighbridge.commands.bundle.command import register

__all__ = ["register"]
