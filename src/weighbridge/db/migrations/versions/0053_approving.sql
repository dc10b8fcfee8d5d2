-- Whoever may write rules could approve what they propose, and keeps that.
ALTER TABLE users
    DROP CONSTRAINT users_permissions_check,
    ADD CONSTRAINT users_permissions_check CHECK (
        permissions <@ ARRAY['production_accounting:read', 'production_accounting:write', 'data_collection:read',
                             'data_collection:write', 'data_rules:read', 'data_rules:write', 'data_rules:approve',
                             'administration:read', 'administration:write']);
UPDATE users SET permissions = array_append(permissions, 'data_rules:approve')
 WHERE 'data_rules:write' = ANY (permissions);
UPDATE api_tokens SET permissions = array_append(permissions, 'data_rules:approve')
 WHERE 'data_rules:write' = ANY (permissions);
UPDATE access_links SET permissions = array_append(permissions, 'data_rules:approve')
 WHERE 'data_rules:write' = ANY (permissions);

-- An account may forbid approving what one's own rule or data proposed.
ALTER TABLE feature_flags
    DROP CONSTRAINT feature_flags_name_check,
    ADD CONSTRAINT feature_flags_name_check CHECK (
        name IN ('rules_engine', 'data_capture_rate', 'approval_of_own'));
