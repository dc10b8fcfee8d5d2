"""What the feature flags of an account look like on the wire."""

import msgspec


class FeatureFlags(msgspec.Struct, frozen=True):
    """Every flag that affects the interface; false for those that are off."""

    rules_engine: bool
    """Whether the account has data rules with their runs and results; without it, records show no alerts."""
    data_capture_rate: bool
    """Whether event types of the account may say how often they are measured."""
    approval_of_own: bool = True
    """Whether people may approve what a rule that they wrote, or data that they sent, proposed."""
