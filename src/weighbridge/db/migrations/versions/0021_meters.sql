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

-- A quotient as the engine computes it: 34 digits, half to even; null where the divisor is zero, so that whoever
-- asks says so instead of failing in the midst of other events.
CREATE FUNCTION quotient(dividend numeric, divisor numeric) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    above numeric := abs(dividend);
    below numeric := abs(divisor);
    places integer;
    units numeric;
    extra integer;
    head numeric;
    tail numeric;
BEGIN
    IF divisor = 0 THEN RETURN NULL; END IF;
    IF dividend = 0 THEN RETURN 0; END IF;
    -- So many places give at least 35 digits; what lies behind them only says whether there is more.
    places := 36 - (floor(log(above)) - floor(log(below)))::integer;
    IF places >= 0 THEN above := above * ('1E' || places)::numeric;
    ELSE below := below * ('1E' || -places)::numeric; END IF;
    units := div(above, below);
    extra := length(units::text) - 34;
    head := div(units, ('1E' || extra)::numeric);
    tail := 2 * (units - head * ('1E' || extra)::numeric) - ('1E' || extra)::numeric;
    IF tail > 0 OR tail = 0 AND (units * below <> above OR mod(head, 2) = 1) THEN head := head + 1; END IF;
    RETURN sign(dividend) * sign(divisor) * (head::text || 'E' || (extra - places))::numeric;
END $$;
