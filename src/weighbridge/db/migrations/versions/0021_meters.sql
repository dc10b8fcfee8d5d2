-- Meters say when they are in service: outside of that nothing is expected of them. What is there says nothing,
-- and so is in service at all times.

ALTER TABLE assets
    ADD COLUMN in_service_from timestamptz(3),
    ADD COLUMN in_service_until timestamptz(3),
    ADD CONSTRAINT assets_in_service CHECK (
        isfinite(in_service_from) AND isfinite(in_service_until) AND in_service_until > in_service_from);

ALTER TABLE locations
    ADD COLUMN in_service_from timestamptz(3),
    ADD COLUMN in_service_until timestamptz(3),
    ADD CONSTRAINT locations_in_service CHECK (
        isfinite(in_service_from) AND isfinite(in_service_until) AND in_service_until > in_service_from);
