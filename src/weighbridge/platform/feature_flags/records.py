"""What the feature flags of an account look like on the wire."""

import msgspec


class FeatureFlags(msgspec.Struct, frozen=True):
    """Every flag that affects the interface; false for those that are off."""

    rules_engine: bool
    data_capture_rate: bool
