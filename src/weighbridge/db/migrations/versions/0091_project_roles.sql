-- Roles by project: a permission of an area other than administration may end in @ and the id of a project.

ALTER TABLE users DROP CONSTRAINT users_permissions_check;
ALTER TABLE users
    ADD CONSTRAINT users_permissions_check CHECK (
        array_position(permissions, NULL) IS NULL
        AND array_to_string(permissions, ' ') ~ ('^(|((administration:(read|write)'
            || '|(production_accounting:(read|write|verify)|data_collection:(read|write)'
            || '|data_rules:(read|write|approve))(@prj_[0-9a-f]{24})?)( |$))+)$'));
