"""Backups as commands: `weighbridge backup` takes and lists them, `weighbridge restore` brings them back."""

from weighbridge.commands.backup.command import register

__all__ = ["register"]
