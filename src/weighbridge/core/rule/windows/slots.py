"""The slots of an event type's cadence as rules count them: those that all others count, of `core.time`."""

from weighbridge.core.time.cadence_slots import slot_number

__all__ = ["slot_number"]
